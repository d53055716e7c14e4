r"""Layouts of pairs: how a file's records become pairs and rejects, and how documents are cut in two.

Records are ReCAM's questions, or lines, elements and rows with a field for each text. Documents are of files as
`lexbeam corpus` reads them, or of a corpus with its annotation: the first sentence or paragraph, and what follows.

>>> text = "Headline\n\nFirst one. Second one.\n\nThe rest."
>>> cut(text, CutOptions(skip_paragraphs=1), lambda start, body: body.index(" Second"))
DocumentCut(summary=(10, 20), passage=(34, 43))
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lexbeam.schemas.cloze import KINDS
from lexbeam.transforms.annotation.engines.engine import annotate_text, split_paragraphs
from lexbeam.transforms.annotation.engines.known_engines import load_splitter
from lexbeam.transforms.cloze.pairs.pair import GivenTarget, RawPair, Row, annotation_columns
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.texts.languages import code_or_text
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.corpora.document_reading import AnnotatedDocument, read_annotated
from lexbeam.transforms.formats.readers.json_records import json_rows
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject, Source, look_up, made_of
from lexbeam.transforms.formats.records.fields import Fields, language_in, list_fields, scalar, text_at
from lexbeam.transforms.formats.records.text_cleaning import Cleaning, clean_text, cleaning
from lexbeam.transforms.intake.row_files import read_rows_of

SUMMARIES = ("first-sentence", "first-paragraph")
PARAGRAPHS = ("empty-line", "line")
_LINE = re.compile(r"\S[^\n]*")


@dataclass(frozen=True, kw_only=True)
class CutOptions:
    """How a document is cut.

    Attributes:
        summary: what of it is the summary.
        skip_paragraphs: paragraphs before it, such as headlines, that count for nothing.
        keep_rest: whether the rest of the summary's paragraph begins the passage.
        paragraphs: what separates paragraphs: a line without text, or the end of each line.
    """

    summary: str = option("first-sentence", help="what of a document is the summary", choices=SUMMARIES)
    skip_paragraphs: int = option(
        0, help="paragraphs of a document to leave out before it, such as its headline", least=0
    )
    keep_rest: bool = option(False, help="whether the rest of the summary's paragraph begins the passage")
    paragraphs: str = option("empty-line", help="what ends a paragraph of a document", choices=PARAGRAPHS)


class DocumentCut(NamedTuple):
    """Where summary and passage stand in a document: first code point and the one after the last.

    They carry no white space at either end.
    """

    summary: tuple[int, int]
    passage: tuple[int, int]


def cut(text: str, options: CutOptions, end_of_first: Callable[[int, str], int]) -> DocumentCut:
    """Cut a document.

    Args:
        end_of_first: from where a paragraph starts, and the paragraph, where its first sentence
            ends, counted from its start; asked only if that is the summary.

    Raises:
        BadRecord: `empty_summary`, `empty_passage`.
    """
    paragraphs = _paragraphs(text, options.paragraphs)[options.skip_paragraphs :]
    if not paragraphs:
        skipped = f" after the first {options.skip_paragraphs}" * bool(options.skip_paragraphs)
        raise BadRecord("empty_summary", f"the document has no paragraph{skipped}")
    start, body = paragraphs[0]
    end = length = len(body)
    if options.summary == "first-sentence":
        end = end_of_first(start, body)
    begin = length + start if not options.keep_rest else start + end
    passage = _stripped(text, begin, len(text))
    if passage[0] == passage[1]:
        raise BadRecord("empty_passage", "nothing follows the summary")
    return DocumentCut(_stripped(text, start, start + end), passage)


def _paragraphs(text: str, ends: str) -> list[tuple[int, str]]:
    if ends == "empty-line":
        return split_paragraphs(text)
    return [(line.start(), line[0].rstrip()) for line in _LINE.finditer(text)]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    body = text[start:end]
    start += len(body) - len(body.lstrip())
    return start, max(start, start + len(body.strip()))


# What `fields` may name; the first two must be there.
FIELDS = ("passage", "summary", "id", "language", "genre")


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What decides how a file's records are read.

    Attributes:
        layout: an entry of `LAYOUTS`.
        kind: of ReCAM's questions, where the file's name does not say.
        format: of documents, or of records.
        language, genre: of records that do not say.
        engine_language: language where it is not known otherwise.
        reader: how files are read; its `fields` say which field gives what, see `paths_of_fields`.
    """

    layout: str
    kind: str | None = None
    format: str = "auto"
    language: str | None = None
    genre: str | None = None
    engine_language: str | None = None
    cut: CutOptions = field(default_factory=CutOptions)
    reader: ReaderOptions = field(default_factory=ReaderOptions)

    @property
    def record_reader(self) -> ReaderOptions:
        """How files of records are read: the text is the passage, the summary and others are fields."""
        paths = paths_of_fields(self.reader)
        passage = paths.pop("passage")
        return replace(self.reader, text_field=passage, fields=tuple(f"{name}={path}" for name, path in paths.items()))


def paths_of_fields(reader: ReaderOptions) -> dict[str, str]:
    """Return where the passage, the summary and others of `FIELDS` are.

    Passage and summary are at their own names, unless `fields` names another place by `NAME=FIELD`. `text_field`
    may name that of the passage instead, as it does for other texts.

    Raises:
        UsageError: another name is given, or two places of the passage.
    """
    paths = {name: name for name in FIELDS[:2]}
    for pair in reader.fields:
        name, _, path = pair.partition("=")
        if name not in FIELDS:
            raise UsageError(f"`fields`: a pair has no {name!r}{nearest(name, FIELDS)}: name {', '.join(FIELDS)}")
        paths[name] = path
    if reader.text_field != ReaderOptions.text_field:
        if paths["passage"] not in ("passage", reader.text_field):
            raise UsageError(
                f"`text_field` and `fields` both say where the passage is: {reader.text_field!r} and "
                f"{paths['passage']!r}: leave one out"
            )
        paths["passage"] = reader.text_field
    return paths


PairEntry = RawPair | Reject


_ANNOTATED = ("forms", "lemmas", "upos", "starts", "ends")
_OF_DOCUMENT = ("source", "position", "language", "genre", "text")


def read_documents(file: Source, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
    """Yield the documents of a file as pairs, cut as `options.cut` says.

    What the first sentence is does not depend on the engine, so that pairs are the same with any:
    the rules of the document's language decide, see `load_splitter`.
    """
    entries = read_file(file.path, file.name, format=options.format, options=options.reader, open=file.open)
    for source, entry in entries:
        if isinstance(entry, Reject):
            yield source, entry
        elif entry.block == 0:  # others are of a document that comes annotated
            yield source, made_of(entry.position, entry, functools.partial(_pair_of_cut, options))


def _pair_of_cut(options: ReadOptions, record: Record) -> RawPair:
    text = record.text
    if text is None or record.sentences is not None:
        raise BadRecord("annotated", "make a corpus of it, and give that as `layout` corpus")
    stated = record.fields.get("language")
    language = code_or_text(stated) if stated else options.language or options.engine_language
    places = cut(text, options.cut, functools.partial(first_sentence, language=language))
    summary, passage = (text[start:end] for start, end in places)
    return RawPair(
        record.position,
        passage,
        summary,
        None,
        language,
        record.fields.get("genre") or options.genre,
        record.fields.get("id") or None,
    )


def first_sentence(_: int, paragraph: str, language: str | None = None) -> int:
    """Return where the first sentence of a paragraph ends, in code points.

    Raises:
        BadRecord: `malformed`, if the splitter fails on it.
    """
    try:
        sentences = annotate_text(paragraph, load_splitter(language))
    except (LexbeamError, MemoryError, OSError):
        raise
    except Exception as error:  # whatever a tokeniser raises is about this text
        raise BadRecord("malformed", f"no sentences can be found: {error}") from None
    return sentences[0].ends[-1] if sentences and sentences[0].ends else len(paragraph)


def corpus_pairs(
    part: PartPair, options: CutOptions, language: str | None = None, genre: str | None = None
) -> Iterator[tuple[str, PairEntry]]:
    """Yield the documents of a part as pairs, with their sources; their ids are the source's ids.

    The first sentence is that of the corpus.

    Args:
        part: the parts of `documents` and `sentences`.
        language, genre: of documents that do not say.
    """
    for annotated in read_annotated(part, columns=_ANNOTATED, document_columns=_OF_DOCUMENT):
        make = functools.partial(_pair_of_annotated, options, language, genre)
        yield annotated.document.source, made_of(annotated.document.position, annotated, make)


def _pair_of_annotated(
    options: CutOptions, language: str | None, genre: str | None, annotated: AnnotatedDocument
) -> RawPair:
    document = annotated.document
    if document.text is None:
        raise BadRecord("no_text", "annotated before it was taken in: its words have no places")
    sentences = [Sentence(**row) for row in annotated.sentences.to_pylist()]

    def end_of_first(start: int, paragraph: str) -> int:
        for sentence in sentences:
            if sentence.starts and sentence.ends and sentence.starts[0] >= start:
                return min(sentence.ends[-1] - start, len(paragraph))
        return len(paragraph)

    where = cut(document.text, options, end_of_first)
    annotation: Row = {}
    for name, (start, end) in zip(("summary", "passage"), where, strict=True):
        inside = [sentence for sentence in sentences if sentence.starts and start <= sentence.starts[0] < end]
        annotation |= annotation_columns(name, inside, start)
    summary, passage = (document.text[start:end] for start, end in where)
    return RawPair(
        document.position,
        passage,
        summary,
        None,
        document.language or language,
        document.genre or genre,
        document.document_id,
        annotation,
    )


CORPUS = "corpus"  # a layout of folders, not of files

_LANGUAGE = "en"  # of ReCAM
_TASKS = dict(zip("123", KINDS, strict=True))
_TASK = re.compile(r"task[\W_]*([123])(?![0-9])")
_OPTION = re.compile(r"option_([0-9]{1,3})")
_LABEL = re.compile(r"[0-9]{1,3}")
_TABLES = ("csv", "parquet")  # formats whose records all have the same fields
_NAME_FIELDS = "name those of passage and summary by `fields`, as in passage=article,summary=highlights"


MakePair = Callable[[str, Cleaning, Mapping[str, object]], RawPair]


@dataclass(frozen=True)
class PairLayout(Entry):
    """A layout.

    Attributes:
        read: from a file and options, its pairs and rejects, each with its source; None: of folders, which
            `loaded_pairs.ReadCorpusPairs` reads.
        format: of files whose records have a field for the passage and one for the summary, a key of `READERS`.
    """

    read: Callable[[Source, ReadOptions], Iterator[tuple[str, PairEntry]]] | None
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


def read_recam(file: Source, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
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
    position: str, how: Cleaning, values: Mapping[str, object], *, kind: str, options: ReadOptions
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
        if not isinstance(value, dict | BadRecord):
            value = BadRecord("malformed", f"{type(value).__name__}, not an object")
        yield made_of(number, value, functools.partial(make, str(number), how))


def _text(values: Mapping[str, object], name: str, how: Cleaning) -> str:
    text = text_at(values, name, how)
    if text is None:
        raise BadRecord("missing_field", f"no field {name!r}{list_fields(values, name)}")
    return text


def _with_others(
    pair: RawPair, values: Mapping[str, object], options: ReadOptions, paths: Mapping[str, str]
) -> RawPair:
    fields = {name: scalar(look_up(values, paths.get(name, name))) for name in FIELDS[2:]}
    return pair._replace(
        language=language_in(fields["language"]) or options.language or options.engine_language,
        genre=fields["genre"] or options.genre,
        source_id=fields["id"] or None,
    )


def read_records(file: Source, options: ReadOptions) -> Iterator[tuple[str, PairEntry]]:
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
        yield source, made_of(entry.position, entry, functools.partial(_pair_of_record, options, how))


def _check_columns(source: str, record: Record, reader: ReaderOptions) -> None:
    fields = record.fields
    assert isinstance(fields, Fields)
    for pair in reader.fields:
        path = pair.partition("=")[2]
        if not fields.holds(path):
            raise LexbeamError(f"{source}: no column {path!r}{list_fields(fields, path)}: {_NAME_FIELDS}")


def _pair_of_record(options: ReadOptions, how: Cleaning, record: Record) -> RawPair:
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
