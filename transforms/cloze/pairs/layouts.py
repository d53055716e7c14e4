"""Layouts of pairs: how a file's records become pairs and rejects.

Rows of a file are read here: ReCAM's questions, JSON lines, tables. Documents are cut in two by `documents`.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from schemas.cloze.pairs import KINDS
from transforms.cloze.pairs.documents import read_documents
from transforms.cloze.pairs.pair import GivenTarget, RawPair
from transforms.cloze.pairs.read_options import FIELDS, InputText, PairEntry, ReadOptions
from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import LexbeamError
from transforms.formats.readers.delimited import rows
from transforms.formats.readers.jsonl import json_rows
from transforms.formats.records.base import BadRecord, Reject, Source
from transforms.formats.records.fields import list_fields, scalar
from transforms.formats.records.paths import look_up
from transforms.formats.records.text_cleaning import Cleaning, clean_text, cleaning
from transforms.intake.row_files import read_rows_of

__all__ = ["CORPUS", "LAYOUTS", "PairLayout", "kind_of_name", "read_recam"]

CORPUS = "corpus"  # a layout of folders, not of files

_LANGUAGE = "en"  # of ReCAM
_TASKS = dict(zip("123", KINDS, strict=True))
_TASK = re.compile(r"task[\W_]*([123])(?![0-9])")
_OPTION = re.compile(r"option_([0-9]{1,3})")
_LABEL = re.compile(r"[0-9]{1,3}")


MakePair = Callable[[str, Mapping[str, object], Cleaning], RawPair]


@dataclass(frozen=True)
class PairLayout(Entry):
    """A layout.

    Attributes:
        read: from a file and options, its pairs and rejects, each with its source; None: of folders, which
            `read_stage.READ_CORPUS` reads.
    """

    read: Callable[[InputText, ReadOptions], Iterator[tuple[str, PairEntry]]] | None


def kind_of_name(name: str) -> str | None:
    """Return the kind that a file's name states, by its word or as ReCAM numbers its tasks.

    >>> kind_of_name("Task_1_dev.jsonl"), kind_of_name("a/nonspecificity.jsonl.gz")
    ('imperceptibility', 'nonspecificity')
    >>> kind_of_name("questions.jsonl")
    """
    name = name.rpartition("/")[2].lower()
    for kind in KINDS:
        if kind in name:
            return kind
    numbered = _TASK.search(name)
    return _TASKS[numbered[1]] if numbered else None


def read_recam(file: InputText, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the questions of a file of ReCAM, a JSON object a line, with their targets.

    The fields are `article`, `question` with `@placeholder`, `option_0` and so on, and `label`,
    the place of the right one; `id` or `question_id`, `language` and `genre` may be there, too. A
    number as an option is its digits. The language is English, unless another is stated. The
    kind is the one in the file's name, else `options.kind`.

    Raises:
        LexbeamError: neither states a kind.
    """

    def read(source: Source) -> Iterator[PairEntry]:
        kind = kind_of_name(source.name) or options.kind
        if kind is None:
            raise LexbeamError(
                f"{source.name}: its name has no {', '.join(KINDS[:-1])} or {KINDS[-1]}: say by "
                "`kind` what its questions are"
            )
        make = functools.partial(_question, kind=kind, options=options)
        return _objects(source, options, make)

    return read_rows_of(file.path, file.name, file.open, options.reader, read, "JSON lines")


def _question(
    position: str, values: Mapping[str, object], how: Cleaning, *, kind: str, options: ReadOptions
) -> RawPair:
    passage = _text(values, "article", how)
    question = _text(values, "question", how)
    numbers = sorted(int(match[1]) for name in values if (match := _OPTION.fullmatch(name)))
    for place in range(max(2, len(numbers))):
        if f"option_{place}" not in values:
            raise BadRecord("missing_field", f"no field 'option_{place}', of {len(numbers)}")
    words = tuple(_option(values, f"option_{place}", how) for place in range(len(numbers)))
    label = _label(values, len(words))
    pair = RawPair(position, passage, question, GivenTarget(kind, words, label))
    paths = {} if "id" in values else {"id": "question_id"}
    pair = _with_others(pair, values, options, paths)
    return pair if pair.language else pair._replace(language=_LANGUAGE)


def _option(values: Mapping[str, object], name: str, how: Cleaning) -> str:
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadRecord("malformed", f"{name!r} is {type(value).__name__}, not a word")
    return " ".join(clean_text(str(value), how).split())


def _label(values: Mapping[str, object], number: int) -> int:
    if values.get("label") is None:
        raise BadRecord("missing_field", f"no field 'label'{list_fields(values, 'label')}")
    label = values["label"]
    text = "" if isinstance(label, bool) else str(label).strip()
    if not _LABEL.fullmatch(text) or int(text) >= number:
        raise BadRecord("bad_label", f"label is {text[:40] or label!r}, and there are {number} options")
    return int(text)


def _read_jsonl(file: InputText, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the pairs of a file of JSON objects, one a line.

    `options.paths` says in which fields, or at which paths, each value is; several strings at a path
    are paragraphs.
    """

    def make(position: str, values: Mapping[str, object], how: Cleaning) -> RawPair:
        paths = options.paths
        passage, summary = (_text(values, paths[name], how) for name in ("passage", "summary"))
        return _with_others(RawPair(position, passage, summary), values, options, paths)

    def read(source: Source) -> Iterator[PairEntry]:
        return _objects(source, options, make)

    return read_rows_of(file.path, file.name, file.open, options.reader, read, "JSON lines")


def _objects(source: Source, options: ReadOptions, make: MakePair) -> Iterator[PairEntry]:
    how = cleaning(source, options.reader)
    for number, value in json_rows(source, options.reader):
        try:
            if isinstance(value, BadRecord):
                raise value
            if not isinstance(value, dict):
                raise BadRecord("malformed", f"{type(value).__name__}, not an object")
            yield make(str(number), value, how)
        except BadRecord as error:
            yield Reject(str(number), error.reason, error.detail)


def _text(values: Mapping[str, object], path: str, how: Cleaning) -> str:
    value = look_up(values, path)
    if value is None:
        raise BadRecord("missing_field", f"no field {path!r}{list_fields(values, path)}")
    if isinstance(value, list) and all(isinstance(paragraph, str) for paragraph in value):
        value = "\n\n".join(value)
    if not isinstance(value, str):
        raise BadRecord("malformed", f"{path!r} is {type(value).__name__}, not text")
    return clean_text(value, how)


def _with_others(
    pair: RawPair, values: Mapping[str, object], options: ReadOptions, paths: Mapping[str, str]
) -> RawPair:
    """Return a pair with language, genre and source's id, from its row or else from the options."""
    fields = {name: scalar(look_up(values, paths.get(name, name))) for name in FIELDS[2:]}
    return pair._replace(
        language=fields["language"] or options.language or options.engine_language,
        genre=fields["genre"] or options.genre,
        source_id=fields["id"] or None,
    )


def _read_tsv(file: InputText, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the pairs of a table whose header names the columns of passage and summary.

    Raises:
        LexbeamError: it does not, or its header cannot be read.
    """

    def read(source: Source) -> Iterator[PairEntry]:
        return _cells(source, options)

    return read_rows_of(file.path, file.name, file.open, options.reader, read)


def _cells(source: Source, options: ReadOptions) -> Iterator[PairEntry]:
    how = cleaning(source, options.reader)
    paths = options.paths
    needed = [paths[name] for name in FIELDS[:2]]
    header: list[str] | None = None
    for number, cells in rows(source, options.reader):
        try:
            if header is None:
                header = _header(source, number, cells, needed)
                continue
            if isinstance(cells, BadRecord):
                raise cells
            while len(cells) > len(header) and not cells[-1].strip():
                cells.pop()
            if len(cells) > len(header):
                raise BadRecord("malformed", f"{len(cells)} cells, but {len(header)} columns")
            values = dict(zip(header, cells, strict=False))
            for name in needed:
                if name not in values:
                    raise BadRecord("missing_field", f"{len(cells)} cells, and none is {name!r}")
            passage, summary = (clean_text(values[name], how) for name in needed)
            yield _with_others(RawPair(str(number), passage, summary), values, options, paths)
        except BadRecord as error:
            yield Reject(str(number), error.reason, error.detail)


def _header(source: Source, number: int, cells: list[str] | BadRecord, needed: list[str]) -> list[str]:
    if isinstance(cells, BadRecord):
        raise LexbeamError(f"{source.name}, line {number}: no header can be read: {cells.detail}")
    names = [cell.strip() for cell in cells]
    for name in needed:
        if names.count(name) != 1:
            there = ", ".join(repr(column[:40]) for column in names[:12])
            what = "several columns" if name in names else "no column"
            raise LexbeamError(
                f"{source.name}: {what} {name!r} in the header; there are {there}: name the "
                "columns by `fields`, as in passage=article,summary=highlights"
            )
    return names


LAYOUTS: Registry[PairLayout] = Registry(
    {
        "recam": PairLayout(read_recam, doc="the files of the task"),
        "jsonl": PairLayout(_read_jsonl, doc="JSON lines with fields for passage and summary"),
        "tsv": PairLayout(_read_tsv, doc="a table with columns for passage and summary"),
        "documents": PairLayout(read_documents, doc="documents, cut into summary and passage"),
        "corpus": PairLayout(None, doc="folders that `lexbeam corpus` made, cut likewise, with their annotation"),
    },
    what="layout",
)
