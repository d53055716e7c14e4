"""Layouts of pairs: how a file's records become pairs and rejects.

Records are read here: ReCAM's questions, and lines, elements and rows with a field for each text. Documents are
cut in two by `documents`.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lexbeam.schemas.cloze import KINDS
from lexbeam.transforms.cloze.pairs.documents import read_documents
from lexbeam.transforms.cloze.pairs.pair import GivenTarget, RawPair
from lexbeam.transforms.cloze.pairs.read_options import FIELDS, InputText, PairEntry, ReadOptions
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.readers.json_records import json_rows
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source, look_up
from lexbeam.transforms.formats.records.fields import Fields, language_in, list_fields, scalar, text_at
from lexbeam.transforms.formats.records.text_cleaning import Cleaning, clean_text, cleaning
from lexbeam.transforms.intake.row_files import read_rows_of

CORPUS = "corpus"  # a layout of folders, not of files

_LANGUAGE = "en"  # of ReCAM
_TASKS = dict(zip("123", KINDS, strict=True))
_TASK = re.compile(r"task[\W_]*([123])(?![0-9])")
_OPTION = re.compile(r"option_([0-9]{1,3})")
_LABEL = re.compile(r"[0-9]{1,3}")
_TABLES = ("csv", "parquet")  # formats whose records all have the same fields
_NAME_FIELDS = "name those of passage and summary by `fields`, as in passage=article,summary=highlights"


MakePair = Callable[[str, Mapping[str, object], Cleaning], RawPair]


@dataclass(frozen=True)
class PairLayout(Entry):
    """A layout.

    Attributes:
        read: from a file and options, its pairs and rejects, each with its source; None: of folders, which
            `read_stage.READ_CORPUS` reads.
        format: of files whose records have a field for the passage and one for the summary, a key of `READERS`.
    """

    read: Callable[[InputText, ReadOptions], Iterator[tuple[str, PairEntry]]] | None
    format: str | None = None


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
    kind is the record's field `kind`, if it is one of ours, else the one in the file's name, else `options.kind`.

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
    stated = values.get("kind")
    kind = stated if isinstance(stated, str) and stated in KINDS else kind
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


def _text(values: Mapping[str, object], name: str, how: Cleaning) -> str:
    text = text_at(values, name, how)
    if text is None:
        raise BadRecord("missing_field", f"no field {name!r}{list_fields(values, name)}")
    return text


def _with_others(
    pair: RawPair, values: Mapping[str, object], options: ReadOptions, paths: Mapping[str, str]
) -> RawPair:
    """Return a pair with language, genre and source's id, from its row or else from the options."""
    fields = {name: scalar(look_up(values, paths.get(name, name))) for name in FIELDS[2:]}
    return pair._replace(
        language=language_in(fields["language"]) or options.language or options.engine_language,
        genre=fields["genre"] or options.genre,
        source_id=fields["id"] or None,
    )


def read_records(file: InputText, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the records of a file as pairs: its lines, elements or rows with a field for the passage and one for the
    summary.

    They are read as `lexbeam corpus` reads them, by `options.format`; `options.paths` says in which fields, or at
    which paths, each value is. Several strings at a path are paragraphs.

    Raises:
        LexbeamError: a table has no column for the passage, for the summary, or that `fields` name.
    """
    reader = options.record_reader
    how = Cleaning(reader.marks, reader.control)
    entries = read_file(file.path, file.name, format=options.format, options=reader, open=file.open)
    checked = "" if options.format in _TABLES and not reader.records else None
    for source, entry in entries:
        if isinstance(entry, Reject):
            if entry.reason == "missing_field" and not entry.position:
                raise LexbeamError(f"{source}: {entry.detail}: {_NAME_FIELDS}, or another `layout` (json for an array)")
            empty = entry.reason == "empty" and entry.position and not reader.records
            yield source, entry._replace(reason="empty_passage") if empty else entry
            continue
        if checked is not None and checked != source:
            checked = source
            _check_columns(source, entry, reader)
        try:
            yield source, _pair_of_record(entry, options, how)
        except BadRecord as error:
            yield source, Reject(entry.position, error.reason, error.detail)


def _check_columns(source: str, record: Record, reader: ReaderOptions) -> None:
    fields = record.fields
    assert isinstance(fields, Fields)
    for pair in reader.fields:
        path = pair.partition("=")[2]
        if not fields.holds(path):
            raise LexbeamError(f"{source}: no column {path!r}{list_fields(fields, path)}: {_NAME_FIELDS}")


def _pair_of_record(record: Record, options: ReadOptions, how: Cleaning) -> RawPair:
    fields = record.fields
    assert isinstance(fields, Fields)  # of every format that layouts name
    assert record.text is not None
    return RawPair(
        record.position,
        record.text,
        fields.text("summary", how),
        language=language_in(fields.get("language", "")) or options.language or options.engine_language,
        genre=fields.get("genre") or options.genre,
        source_id=fields.get("id") or None,
    )


LAYOUTS: Registry[PairLayout] = Registry(
    {
        "recam": PairLayout(read_recam, doc="the files of the task"),
        "jsonl": PairLayout(read_records, "jsonl", doc="JSON lines with fields for passage and summary"),
        "json": PairLayout(read_records, "json", doc="a JSON array of objects with such fields"),
        "tsv": PairLayout(
            read_records,
            "csv",
            doc="a table as text (TSV, CSV); `fields` names its columns, as in passage=article,summary=highlights",
        ),
        "parquet": PairLayout(read_records, "parquet", doc="a Parquet table with such columns"),
        "documents": PairLayout(read_documents, doc="documents, cut into summary and passage"),
        "corpus": PairLayout(None, doc="folders that `lexbeam corpus` made, cut likewise, with their annotation"),
    },
    what="layout",
)
