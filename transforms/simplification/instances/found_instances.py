"""Words found in annotated corpora and in texts: their documents read, annotated, and staged as instances.

FIND_IN_CORPUS    a part of a corpus -> staged rows
FIND_IN_TEXTS     a unit of files -> staged rows; an engine annotates their documents

A record is a document, whether or not it has a word to simplify.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.annotation.engines.engine import Engine, annotate_by_batch
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.errors import LexbeamError, failure_of
from lexbeam.transforms.common.publish.forgotten import Forgotten
from lexbeam.transforms.common.records import annotation_batch, annotation_schema
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import SideRows
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.scorers.fit_stages import chosen_of
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.corpora.document_reading import read_annotated
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.readers.registry import READERS, printable, read_file
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject
from lexbeam.transforms.formats.records.layers import columns_of
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.inflection.models import chosen_formats
from lexbeam.transforms.intake.intake_staging import Loaded, Staging, stage_unit
from lexbeam.transforms.intake.settling import TextAnnotationOptions, chosen_engine, engine_of
from lexbeam.transforms.learning.scorer import ScorerOptions
from lexbeam.transforms.simplification.instances.benchmark_layouts import BenchmarkInstance
from lexbeam.transforms.simplification.instances.content_words import (
    COLUMNS,
    FIXED,
    AnnotatedText,
    ContentWords,
    ProtectedTerms,
    content_words,
)
from lexbeam.transforms.simplification.instances.hard_words import WordChoice, choose
from lexbeam.transforms.simplification.instances.instances_read import staged_rows, staging_of
from lexbeam.transforms.simplification.records import Row

CORPUS, DOCUMENTS = "corpus", "documents"  # layouts of what words are found in
FEATS = "feats"
GROUPS = "lexbeam.transforms.complexity.features.groups:GROUPS"
# What receipts tally beside layouts: sentences, content words, and those left out, by reason.
TALLIED = ("sentences", "words", "name", "word", *FIXED)
# Documents that words are chosen from at a time, and their sentences; longer ones are taken in pieces.
_DOCUMENTS, _SENTENCES = 1024, 2048


class CorpusPart(NamedTuple):
    """A part of a corpus.

    Attributes:
        pair: the part.
        left_out: ids of documents that count in another part.
    """

    pair: PartPair
    left_out: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes, for dealing out."""
        return self.pair.size

    @property
    def name(self) -> str:
        """What identifies it: its content, since parts of all corpora have the same names."""
        return self.pair.documents.sha256


@dataclass(frozen=True, kw_only=True)
class FindOptions:
    """What decides which words of documents are instances.

    Attributes:
        choice: which content words are chosen.
        language: that of all documents; None: their own.
    """

    choice: WordChoice
    language: str | None = None


@dataclass(frozen=True, kw_only=True)
class CorpusFindOptions(FindOptions):
    """What decides which words of a corpus are instances; `layers` are those that are read."""

    layers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TextFindOptions(FindOptions):
    """What decides which words of texts are instances.

    Attributes:
        annotate: how their documents are annotated.
        format: of the files, a reader's name or `auto`.
        reader: how they are read.
        engine_language: of documents that name none.
        forgotten: the files that are left out; None: none is.
    """

    annotate: TextAnnotationOptions
    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    engine_language: str | None = None
    forgotten: Forgotten | None = None


# By position, the staged rows of sentences that have a chosen word, or why they have none.
FoundSentences = list[tuple[str, list[Row] | BadRecord]]


class FoundWords(NamedTuple):
    """A piece of a document, its sentences with chosen words, and how many content words there were to choose from."""

    text: AnnotatedText
    sentences: FoundSentences
    words: int


# Words of a document that was read; or its source, and why it has none.
_Entry = FoundWords | tuple[str, Reject]


def _find_in_corpus(artefact: Artefact, task: CorpusPart, options: CorpusFindOptions) -> Loaded:
    with staging_of(artefact, task.name) as staging:
        for found in words_found(corpus_texts(task, options), options, staging, CORPUS):
            add_words(staging, found)
    return staging.loaded(size=task.size)


def corpus_texts(task: CorpusPart, options: CorpusFindOptions) -> Iterator[AnnotatedText]:
    """Yield the documents of a part of a corpus that count there."""
    left_out = frozenset(task.left_out)
    columns, of_documents = (*COLUMNS, *options.layers), ("source", "language", "genre", "text")
    for document, sentences in read_annotated(task.pair, columns=columns, document_columns=of_documents):
        if document.document_id not in left_out:
            language = options.language or document.language
            yield AnnotatedText(
                document.source,
                document.document_id,
                language and short_tag(language),
                document.genre,
                document.text,
                sentences,
            )


def _find_in_texts(artefact: Artefact, task: Unit, options: TextFindOptions) -> Loaded:
    """Find words in the documents of a unit.

    Raises:
        Superseded: a file is no longer what the artefact is named by.
    """
    engine = engine_of(options.annotate)
    assert engine is not None  # words are found by parts of speech
    with staging_of(artefact, forgotten=options.forgotten) as staging, one_thread():

        def read(file: InputFile, reading: FileReading, notes: Counter[str]) -> Iterator[_Entry]:
            read_entries = read_file(
                file.path, file.name, format=options.format, options=options.reader, open=reading.open, notes=notes
            )
            rejects: list[_Entry] = []
            documents = _annotated(staging.remembered(read_entries), engine, options, rejects)
            yield from words_found(documents, options, staging, DOCUMENTS)
            yield from rejects

        def add(entry: _Entry) -> None:
            if isinstance(entry, FoundWords):
                add_words(staging, entry)
            else:
                reject(staging, *entry)

        inputs = stage_unit(staging, task, read, add)
    return staging.loaded(inputs)


def _annotated(
    entries: Iterable[tuple[str, Record | Reject]], engine: Engine, options: TextFindOptions, rejects: list[_Entry]
) -> Iterator[AnnotatedText]:
    """Yield the documents of a file, annotated, those that are long piece by piece; rejects are added to a list."""
    for source, entry in entries:
        if isinstance(entry, Record) and entry.block:
            continue  # of a document that comes annotated
        if isinstance(entry, Record) and (entry.text is None or entry.sentences is not None):
            detail = "make a corpus of it by `lexbeam corpus`, and give that"
            entry = Reject(entry.position, "annotated", detail)
        if isinstance(entry, Reject):
            rejects.append((source, entry))
            continue
        assert entry.text is not None
        language = options.language or entry.fields.get("language") or options.engine_language
        language = language and short_tag(language)
        try:
            for piece, table in enumerate(annotated_pieces(entry.text, engine, options)):
                genre = entry.fields.get("genre")
                yield AnnotatedText(source, entry.position, language, genre, entry.text, table, piece > 0)
        except BadRecord as error:
            rejects.append((source, Reject(entry.position, error.reason, error.detail)))


def annotated_pieces(text: str, engine: Engine, options: TextFindOptions) -> Iterator[pa.Table]:
    """Yield the sentences of a text with their numbers, those of some paragraphs at a time; at least one table.

    All are annotated before the first ones are given: nothing is found in a text on which the engine fails.

    Args:
        text: the text.
        engine: what annotates it.
        options: with the layers that it gives; where a share of all words is chosen, there is one table.

    Raises:
        BadRecord: `engine_error`, `script`, `unsegmented`.
    """
    check_script(text, options.engine_language)
    layers = columns_of(options.annotate.layers)
    with SideRows(annotation_schema(layers)) as waiting:
        try:
            for some in annotate_by_batch(text, engine):
                waiting.add_batch(annotation_batch(some, layers))
        except (LexbeamError, MemoryError, OSError):
            raise
        except Exception as error:  # whatever an engine raises is about this document
            raise BadRecord("engine_error", failure_of(error)) from None
        tables: Iterator[pa.Table] = (pa.Table.from_batches([batch]) for batch in waiting.batches())
        first = next(tables, annotation_schema(layers).empty_table())
        if options.choice.share is not None:
            first, tables = pa.concat_tables([first, *tables]), iter(())
        begin = 0
        for table in itertools.chain([first], tables):
            numbers = np.arange(begin, begin + table.num_rows, dtype=np.int32)
            begin += table.num_rows
            yield table.append_column("sentence", pa.array(numbers))


def reject(staging: Staging, source: str, why: Reject) -> None:
    """Stage that nothing can be found in a document."""
    staging.reject(source, why.position, BadRecord(why.reason, " ".join(printable(why.detail).split())))


def add_words(staging: Staging, found: FoundWords) -> None:
    """Stage the rows of a piece of a document, and why its other sentences have none."""
    rows: list[dict[str, Any]] = []
    for position, of_sentence in found.sentences:
        if isinstance(of_sentence, BadRecord):
            staging.reject(found.text.source, position, of_sentence)
        else:
            rows += of_sentence
    staging.add(rows, further=found.text.further)


def words_found(
    documents: Iterable[AnnotatedText], options: FindOptions, staging: Staging, layout: str
) -> Iterator[FoundWords]:
    """Yield documents, piece by piece, with the staged rows of their chosen words, and tally what was looked at."""
    protected = ProtectedTerms(options.choice.protected)

    def sentences(text: AnnotatedText) -> int:
        return int(text.sentences.num_rows)

    nameless = False  # whether the document before has words, and no language
    whole = options.choice.share is not None  # which is a share of all words of a document
    pieces = documents if whole else itertools.chain.from_iterable(map(_pieces, documents))
    for texts in batched(pieces, _DOCUMENTS, size=sentences, largest=_SENTENCES):
        words = content_words(texts, protected)
        staging.tally.update(words.left)
        staging.tally["sentences"] += words.table.num_rows
        staging.tally["words"] += len(words.targets)
        by_text: list[FoundSentences] = [[] for _ in texts]
        for place, row in _rows(words, options.choice):
            by_text[place].append(row)
        counts = np.bincount(words.text_of[words.row], minlength=len(texts)).tolist()
        for text, rows, count in zip(texts, by_text, counts, strict=True):
            staging.tally[layout] += not text.further
            nameless = nameless and text.further
            if text.language is None and rows:
                rows, nameless = [] if nameless else [_no_language(text)], True
            yield FoundWords(text, rows, count)


def _no_language(text: AnnotatedText) -> tuple[str, BadRecord]:
    return text.position, BadRecord("no_language", "neither the document nor an option says it")


def _pieces(text: AnnotatedText) -> Iterator[AnnotatedText]:
    """Yield a text, or pieces of one that comes as a whole and is long."""
    rows = text.sentences.num_rows
    for start in range(0, rows or 1, _SENTENCES):
        yield text._replace(sentences=text.sentences.slice(start, _SENTENCES), further=text.further or start > 0)


def _rows(words: ContentWords, choice: WordChoice) -> Iterator[tuple[int, tuple[str, list[Row] | BadRecord]]]:
    """Yield the rows of each sentence that has a chosen word, with the place of its text, and its position."""
    chosen = choose(words, choice)
    upos = words.at("upos").to_pylist()
    feats = words.at(FEATS).to_pylist() if FEATS in words.table.column_names else [None] * len(upos)
    numbers = words.table["sentence"].to_pylist()
    of_row: dict[int, list[tuple[int, float]]] = {}
    for word, value in zip(chosen.words.tolist(), chosen.values.tolist(), strict=True):
        of_row.setdefault(int(words.row[word]), []).append((word, value))
    for row, members in of_row.items():
        place = int(words.text_of[row])
        text, number = words.texts[place], numbers[row]
        position = ":".join(filter(None, [text.position, str(number)]))
        instances = [_instance(words, word, value, chosen.by) for word, value in members]
        where = {"source": text.source, "line": number, "position": position}
        try:
            made = staged_rows(instances, "first", (None, None), **where)
        except BadRecord as error:
            fault = BadRecord("long_sentence", error.detail) if error.reason == "too_large" else error
            yield place, (position, fault)
            continue
        for (word, _), staged in zip(members, made, strict=True):
            lemma = words.lemmas[word]
            staged.update(lemma=lemma.lower() if lemma else None, upos=upos[word], feats=feats[word] or None)
        yield place, (position, made)


def _instance(words: ContentWords, word: int, value: float, by: str) -> BenchmarkInstance:
    row, token = int(words.row[word]), int(words.place[word])
    line, text = words.lines[row], words.texts[int(words.text_of[row])]
    decided = None if np.isnan(value) else value
    return BenchmarkInstance(
        line.text,
        words.targets[word],
        ((line.starts[token], line.ends[token]),),
        complexity=decided if by == "scorer" else None,
        language=text.language,
        chosen_by=by,
        chosen_value=decided,
    )


def chosen_in_corpus(_: object, options: FindOptions) -> dict[str, Sequence[str]]:
    """Return the entries of registries that count: what a scorer is, and what it reads."""
    scorer = options.choice.scorer
    if scorer is None:
        return {GROUPS: (), **chosen_of([], [], ScorerOptions()), **chosen_formats()}
    model = scorer.model
    return {GROUPS: scorer.setting.use, **chosen_of([model.scorer], list(model.modes.values()), ScorerOptions())}


def chosen_in_texts(task: object, options: TextFindOptions) -> dict[str, Sequence[str]]:
    """Return the entries of registries that count, the engine and the formats among them."""
    formats = tuple(READERS) if options.format == "auto" else (options.format,)
    return {
        **chosen_in_corpus(task, options),
        **chosen_engine(task, options.annotate),
        "lexbeam.transforms.formats.readers.registry:READERS": formats,
    }


FIND_IN_CORPUS: Stage[CorpusPart, FindOptions, Loaded] = Stage(
    name="simplification/find-in-corpus",
    noun="words to simplify",
    receipt=Loaded,
    build=_find_in_corpus,
    chosen=chosen_in_corpus,
    blas=True,
    unit="parts",
)
FIND_IN_TEXTS: Stage[Unit, TextFindOptions, Loaded] = Stage(
    name="simplification/find-in-texts",
    noun="words to simplify",
    receipt=Loaded,
    build=_find_in_texts,
    unused={"options.reader.layers": "documents that come annotated are left out"},
    chosen=chosen_in_texts,
    blas=True,
    unit="batches",
)
