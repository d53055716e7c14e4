"""Layouts of labelled files: plain functions from the rows of a file to its instances.

A row that cannot be read is a `Reject`; a file of another layout, or without the columns needed, is an
error.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from lexbeam.schemas.complexity import KINDS
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.options.small_texts import word_column
from lexbeam.transforms.formats.records.base import BadRecord, Reject, made_of
from lexbeam.transforms.formats.records.fields import language_in
from lexbeam.transforms.intake.labelled_targets import CELLS, Cwi2018Row, kind_of, labels_of, read_cwi2018
from lexbeam.transforms.intake.row_files import About, FileRows, header_name, rows_below, rows_of_table, whole_number

_GENRES = ("genre", "corpus", "subcorpus")
_NO_KIND = {"multi": "mwe", "mwe": "mwe", "single": "single"}


Read = Callable[[FileRows, About], Iterator[Cwi2018Row | Reject]]


@dataclass(frozen=True)
class InstanceLayout(Entry):
    """A layout.

    Attributes:
        read: instances and rejects, from rows of cells with their line numbers and facts of the file.
        delimiter: of its cells; empty: detected.
        quoted: whether quotes have a meaning, unless the user says otherwise.
    """

    read: Read
    delimiter: str
    quoted: bool


def read_complex(rows: FileRows, about: About) -> Iterator[Cwi2018Row | Reject]:
    """Read CompLex. The genre stands in `corpus` or `subcorpus`; test files have no labels.

    The kind is that named by the file (`single`, `multi`), else mwe if the token has white space.

    Raises:
        LexbeamError: the header lacks a column.
    """
    said = next((_NO_KIND[word] for word in about.words() if word in _NO_KIND), None)
    for line, cells in rows_of_table(rows, about, ("id", "sentence", "token"), _complex_remedy):
        yield made_of(line, cells, partial(_complex_entry, line, about, said))


def _complex_entry(line: int, about: About, said: str | None, cells: Mapping[str, str]) -> Cwi2018Row:
    return Cwi2018Row(
        line,
        cells["token"],
        cells["sentence"],
        said or kind_of(cells["token"]),
        cells.get("corpus") or cells.get("subcorpus") or about.genre,
        about.language or "en",
        cells["id"].strip() or None,
        None,
        labels_of(cells.get("complexity", ""), ""),
    )


def _complex_remedy(header: list[str]) -> str:
    if len(header) in CELLS and header[2].strip().isdigit():
        return "it looks like `layout` cwi2018"
    return "a table of your own may have `layout` tsv"


_TSV = ("sentence", "complexity", "genre", "kind", "id", "language", "start", "end", "annotations")


def read_tsv(rows: FileRows, about: About) -> Iterator[Cwi2018Row | Reject]:
    """Read a table whose header names `token`, or a list of words, one a line, perhaps below a header.

    Where no column is called `token`, it is the one that `word_column` takes.

    Raises:
        LexbeamError: the first row has several cells, none of which names a column of words.
    """
    remaining = iter(rows)
    line, first = next(remaining, (0, []))
    while isinstance(first, BadRecord):
        yield Reject(str(line), first.reason, first.detail)
        line, first = next(remaining, (0, []))
    if not first:
        return
    second = next(remaining, None)
    remaining = itertools.chain([] if second is None else [second], remaining)
    if second is not None:  # a word alone is no header
        first = _with_token(first, about)
    if len(first) == 1 and header_name(first[0]) != "token":
        for number, cells in itertools.chain([(line, first)], remaining):
            yield made_of(number, cells, partial(_word, number, about))
        return
    for line, named in rows_below(first, remaining, about, ("token",), _tsv_remedy):
        yield made_of(line, named, partial(_tsv_entry, line, about))


def _with_token(header: list[str], about: About) -> list[str]:
    """Return a header whose column of words is called `token`, unless one is or nothing tells which."""
    names = [header_name(cell) for cell in header]
    place = word_column(names)
    if "token" in names or place is None:
        return header
    if len(header) == 1:  # which might be a word
        about.note(f"the first line {header[0].strip()!r} taken for a header")
    return [*header[:place], "token", *header[place + 1 :]]


_LONG = 4  # words of a cell, as no column is called


def _tsv_remedy(header: list[str]) -> str:
    is_text = any(len(cell.split()) >= _LONG for cell in header)
    other = "; a running text is taken in by `lexbeam corpus`" if is_text else ""
    return f"name the column of targets `token`; others may be {', '.join(_TSV)}{other}"


def _word(line: int, about: About, cells: list[str]) -> Cwi2018Row:
    if len(cells) != 1:
        raise BadRecord("malformed", f"{len(cells)} cells in a list of words")
    kind = kind_of(cells[0])
    return Cwi2018Row(line, cells[0], None, kind, about.genre, about.language, None, None, ())


def _tsv_entry(line: int, about: About, cells: Mapping[str, str]) -> Cwi2018Row:
    def cell(name: str) -> str:
        return cells.get(name, "").strip()

    kind = cell("kind") or kind_of(cells["token"])
    if kind not in KINDS:
        raise BadRecord("malformed", f"kind is {kind!r}, not {' or '.join(KINDS)}")
    genre = next((text for name in _GENRES if (text := cell(name))), None)
    offsets = None
    if cell("start") or cell("end"):
        offsets = whole_number(cell("start"), "start"), whole_number(cell("end"), "end")
    labels = labels_of(cell("complexity"), cell("annotations"))
    return Cwi2018Row(
        line,
        cells["token"],
        cells.get("sentence"),
        kind,
        genre or about.genre,
        language_in(cell("language")) or about.language,
        cell("id") or None,
        offsets,
        labels,
    )


LAYOUTS: Registry[InstanceLayout] = Registry(
    {
        "complex": InstanceLayout(
            read_complex,
            "\t",
            quoted=False,
            doc="CompLex, a header `id corpus sentence token complexity`, tabs, quotes are plain characters",
        ),
        "cwi2018": InstanceLayout(
            read_cwi2018,
            "\t",
            quoted=False,
            doc="CWI-2018, no header, tabs, with how many native and other annotators marked each target",
        ),
        "tsv": InstanceLayout(
            read_tsv,
            "",
            quoted=True,
            doc="a table whose header names `token` (or word, lemma, target) and perhaps others, its cells "
            "separated by tabs, commas or semicolons, or a list of words, one a line",
        ),
    },
    what="layout",
)
