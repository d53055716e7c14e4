"""Layouts of labelled files: plain functions from a file's rows to instances as the file has them.

| layout | rows |
|---|---|
| complex | CompLex: header `id corpus sentence token complexity`, tabs, quotes are plain characters |
| cwi2018 | CWI-2018: no header; id, sentence, start, end, target, native annotators, others, how many of each marked it, binary, probability |
| tsv | a header that names `token` and perhaps others, or a list of words, one a line; where cells are separated by tabs and a quote is stray, quotes are plain characters in all of the file |

A row that cannot be read is a `Reject`; a file that is of no such layout, or has no such columns,
is an error that says so.
"""  # noqa: E501 - a table's row is a line

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from schemas.complexity.instances import KINDS
from transforms.common.errors import LexbeamError
from transforms.complexity.instances.instance import kind_of
from transforms.formats.records.base import BadRecord, Reject

__all__ = [
    "LAYOUTS",
    "About",
    "Entry",
    "FileRows",
    "LabelGiven",
    "Layout",
    "header_name",
    "read_cwi2018",
    "rows_below",
    "whole_number",
]

# Words of the names of CWI-2018's files that say a language.
_LANGUAGES = {"english": "en", "german": "de", "spanish": "es", "french": "fr"}
_CWI_GENRES = ("news", "wikinews", "wikipedia")  # in English
_CWI_CELLS = 11
_CWI_UNLABELLED = (5, 7)  # without and with the numbers of annotators
_GENRES = ("genre", "corpus", "subcorpus")
_NO_KIND = {"multi": "mwe", "mwe": "mwe", "single": "single"}


class About(NamedTuple):
    """What is known of a file beside its rows.

    Attributes:
        name: its published name.
        genre: of rows that do not say, as the user has it.
        language: likewise.
    """

    name: str
    genre: str | None = None
    language: str | None = None

    def words(self) -> list[str]:
        """Return the words of the file's own name, in small letters."""
        return [word for word in re.split(r"[\W_]+", self.name.rpartition("/")[2].lower()) if word]


class LabelGiven(NamedTuple):
    """A label that a file gives: a row of `complexity/labels` without its instance."""

    group: str
    complexity: float
    annotations: int | None
    spread: float | None


class Entry(NamedTuple):
    """An instance as a file has it; texts are not cleaned yet.

    Attributes:
        line: number of its row.
        token: the target.
        sentence: the sentence; None or blank: there is none.
        kind: single or mwe.
        genre, language, source_id: None where nothing says them.
        offsets: start and end of the target in the sentence, in code points; None: not given.
        labels: those that it has.
    """

    line: int
    token: str
    sentence: str | None
    kind: str
    genre: str | None
    language: str | None
    source_id: str | None
    offsets: tuple[int, int] | None
    labels: tuple[LabelGiven, ...]


FileRows = Iterable[tuple[int, list[str] | BadRecord]]
Read = Callable[[FileRows, About], Iterator[Entry | Reject]]


class Layout(NamedTuple):
    """A layout.

    Attributes:
        read: from rows of cells with their line numbers, and the file, instances and rejects.
        delimiter: of its cells; empty: found out.
        quoted: whether quotes mean something, unless the user says otherwise.
    """

    read: Read
    delimiter: str
    quoted: bool


def read_complex(rows: FileRows, about: About) -> Iterator[Entry | Reject]:
    """Read CompLex. The genre stands in `corpus` or `subcorpus`; test files have no labels.

    The kind is what the file's name says (`single`, `multi`), else whether the token holds white
    space.

    Raises:
        LexbeamError: the header lacks a column.
    """
    said = next((_NO_KIND[word] for word in about.words() if word in _NO_KIND), None)
    for line, cells in _named(rows, about, ("id", "sentence", "token"), _complex_remedy):
        if isinstance(cells, BadRecord):
            yield Reject(str(line), cells.reason, cells.detail)
            continue
        genre = cells.get("corpus") or cells.get("subcorpus") or about.genre
        try:
            yield Entry(
                line,
                cells["token"],
                cells["sentence"],
                said or kind_of(cells["token"]),
                genre,
                about.language or "en",
                cells["id"].strip() or None,
                None,
                _complexity(cells.get("complexity", ""), ""),
            )
        except BadRecord as error:
            yield Reject(str(line), error.reason, error.detail)


def _complex_remedy(header: list[str]) -> str:
    if len(header) in (_CWI_CELLS, *_CWI_UNLABELLED) and header[2].strip().isdigit():
        return "it looks like `layout` cwi2018"
    return "a table of your own may have `layout` tsv"


def read_cwi2018(rows: FileRows, about: About) -> Iterator[Entry | Reject]:
    """Read CWI-2018. Complexity is the share of annotators who marked the target.

    There is a label for each group, `native` and `other`, that has annotators, too. Genre (news,
    wikinews, wikipedia) and language are what the file's name says, unless they are given.

    Raises:
        LexbeamError: the first row is none of this layout.
    """
    words = about.words()
    language = about.language or next((_LANGUAGES[w] for w in words if w in _LANGUAGES), None)
    if language is None and any(word in _CWI_GENRES for word in words):
        language = "en"
    genre = about.genre or next((word for word in words if word in _CWI_GENRES), None)
    first = True
    for line, cells in rows:
        try:
            if isinstance(cells, BadRecord):
                raise cells
            if first and len(cells) < min(_CWI_UNLABELLED):
                raise LexbeamError(
                    f"{about.name}: {len(cells)} cells in its first row, and CWI-2018 has "
                    f"{_CWI_CELLS}: another `layout`?"
                )
            first = False
            yield _cwi_entry(line, cells, genre, language)
        except BadRecord as error:
            yield Reject(str(line), error.reason, error.detail)


def _cwi_entry(line: int, cells: list[str], genre: str | None, language: str | None) -> Entry:
    if len(cells) not in (_CWI_CELLS, *_CWI_UNLABELLED):
        raise BadRecord("malformed", f"{len(cells)} cells, and CWI-2018 has {_CWI_CELLS}")
    start, end = (whole_number(cells[at], name) for at, name in ((2, "start"), (3, "end")))
    labels: list[LabelGiven] = []
    if len(cells) == _CWI_CELLS and cells[10].strip():
        native, other, marked, other_marked = (whole_number(cells[at], "a count") for at in range(5, 9))
        found = _complexity(cells[10], "")[0]
        labels.append(_counted("", found.complexity, marked + other_marked, native + other))
        for group, hits, number in (("native", marked, native), ("other", other_marked, other)):
            if number:
                labels.append(_counted(group, hits / number, hits, number))
    return Entry(
        line,
        cells[4],
        cells[1],
        kind_of(cells[4]),
        genre,
        language,
        cells[0].strip() or None,
        (start, end),
        tuple(labels),
    )


def _counted(group: str, complexity: float, marked: int, number: int) -> LabelGiven:
    """Return a label whose judgments are all 0 or 1, with their sample standard deviation."""
    if marked > number:
        raise BadRecord("malformed", f"{marked} of {number} annotators marked it")
    spread = None
    if number > 1:
        spread = math.sqrt(marked * (number - marked) / (number * (number - 1)))
    return LabelGiven(group, complexity, number, spread)


_TSV = ("sentence", "complexity", "genre", "kind", "id", "language", "start", "end", "annotations")


def read_tsv(rows: FileRows, about: About) -> Iterator[Entry | Reject]:
    """Read a table whose header names `token`, or a list of words without a header, one a line.

    Raises:
        LexbeamError: the first row has several cells, and none is `token`.
    """
    given = iter(rows)
    line, first = next(given, (0, []))
    while isinstance(first, BadRecord):
        yield Reject(str(line), first.reason, first.detail)
        line, first = next(given, (0, []))
    if not first:
        return
    if len(first) == 1 and header_name(first[0]) != "token":
        yield _word(line, first, about)
        for line, cells in given:
            if isinstance(cells, BadRecord):
                yield Reject(str(line), cells.reason, cells.detail)
            elif len(cells) == 1:
                yield _word(line, cells, about)
            else:
                detail = f"{len(cells)} cells in a list of words"
                yield Reject(str(line), "malformed", detail)
        return
    for line, named in rows_below(first, given, about, ("token",), _tsv_remedy):
        try:
            if isinstance(named, BadRecord):
                raise named
            yield _tsv_entry(line, named, about)
        except BadRecord as error:
            yield Reject(str(line), error.reason, error.detail)


def _tsv_remedy(header: list[str]) -> str:
    return f"name the column of targets `token`; others may be {', '.join(_TSV)}"


def _word(line: int, cells: list[str], about: About) -> Entry:
    kind = kind_of(cells[0])
    return Entry(line, cells[0], None, kind, about.genre, about.language, None, None, ())


def _tsv_entry(line: int, cells: Mapping[str, str], about: About) -> Entry:
    def cell(name: str) -> str:
        return cells.get(name, "").strip()

    kind = cell("kind") or kind_of(cells["token"])
    if kind not in KINDS:
        raise BadRecord("malformed", f"kind is {kind!r}, not {' or '.join(KINDS)}")
    genre = next((text for name in _GENRES if (text := cell(name))), None)
    offsets = None
    if cell("start") or cell("end"):
        offsets = whole_number(cell("start"), "start"), whole_number(cell("end"), "end")
    labels = _complexity(cell("complexity"), cell("annotations"))
    return Entry(
        line,
        cells["token"],
        cells.get("sentence"),
        kind,
        genre or about.genre,
        cell("language") or about.language,
        cell("id") or None,
        offsets,
        labels,
    )


def _named(
    rows: FileRows, about: About, needed: tuple[str, ...], remedy: Callable[[list[str]], str]
) -> Iterator[tuple[int, Mapping[str, str] | BadRecord]]:
    given = iter(rows)
    line, header = next(given, (0, []))
    if isinstance(header, BadRecord):
        raise LexbeamError(f"{about.name}, line {line}: no header can be read: {header.detail}")
    yield from rows_below(header, given, about, needed, remedy)


def rows_below(
    header: list[str], rows: FileRows, about: About, needed: tuple[str, ...], remedy: Callable[[list[str]], str]
) -> Iterator[tuple[int, Mapping[str, str] | BadRecord]]:
    """Yield rows, with their lines, as mappings from the names of the header; or why not.

    Args:
        header: its cells.
        rows: what stands below it.
        about: the file.
        needed: columns that must be there, in every row.
        remedy: from the header, what to do where one is missing.

    Raises:
        LexbeamError: the header lacks a column, or has one twice.
    """
    names = [header_name(cell) for cell in header]
    for name in needed:
        if name not in names:
            there = ", ".join(repr(cell.strip()[:40]) for cell in header[:12])
            raise LexbeamError(f"{about.name}: no column {name!r} in the header; there are {there}: {remedy(header)}")
    doubled = sorted({name for name in names if name and names.count(name) > 1})
    if doubled:
        raise LexbeamError(f"{about.name}: several columns {doubled[0]!r}: rename all but one")
    for line, cells in rows:
        if isinstance(cells, BadRecord):
            yield line, cells
            continue
        while len(cells) > len(names) and not cells[-1].strip():
            cells.pop()
        missing = len(names) - len(cells)
        # Empty cells at the end of a row are often left out: the label of an unlabelled row.
        if missing < 0 or (missing > 0 and set(names[len(cells) :]) & set(needed)):
            yield line, BadRecord("malformed", f"{len(cells)} cells, but {len(names)} columns")
            continue
        yield line, dict(zip(names, [*cells, *[""] * missing], strict=True))


def header_name(cell: str) -> str:
    """Return what a cell of a header calls its column, whatever its capitals."""
    return cell.strip().casefold()


def _complexity(cell: str, annotations: str) -> tuple[LabelGiven, ...]:
    if not cell.strip():
        return ()
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise BadRecord("malformed", f"complexity is {cell.strip()[:40]!r}, not a number 0 to 1")
    number = whole_number(annotations, "annotations") if annotations.strip() else None
    return (LabelGiven("", value, number, None),)


def whole_number(cell: str, name: str) -> int:
    """Return the whole number of a cell.

    Raises:
        BadRecord: it is none; `name` says what it should be.
    """
    text = cell.strip()
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise BadRecord("malformed", f"{name} is {text[:40]!r}, not a whole number")
    return int(text)


LAYOUTS: dict[str, Layout] = {
    "complex": Layout(read_complex, "\t", quoted=False),
    "cwi2018": Layout(read_cwi2018, "\t", quoted=False),
    "tsv": Layout(read_tsv, "", quoted=True),
}
