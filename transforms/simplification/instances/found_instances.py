"""Words found in annotated corpora and in texts: their documents read, annotated, and staged as instances."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from lexbeam.schemas.simplification import BY_RULE
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_by_batch
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.errors import LexbeamError, failure_of
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.batches import SideRows, annotation_batch, annotation_schema
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.complexity.scorers.scorer_fits import chosen_of
from lexbeam.transforms.corpora.annotated_corpora import PartPair, SentencePart
from lexbeam.transforms.corpora.document_reading import read_annotated
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.readers.registry import READERS, read_file
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject
from lexbeam.transforms.formats.records.layers import columns_of
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.inflection.models import chosen_formats
from lexbeam.transforms.intake.intake_staging import Given, Loaded, ReadFiles, ReadPart, ReadRecords, Staging, rejected
from lexbeam.transforms.intake.settling import TextAnnotationOptions
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
from lexbeam.transforms.simplification.instances.instances_read import ROWS, staged_rows
from lexbeam.transforms.simplification.records import Row

T = TypeVar("T")

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
        left_out: ids of documents that count in another part.
    """

    pair: PartPair
    left_out: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes, for dealing out."""
        return self.pair.size


def sentences_of(element: tuple[Any, CorpusPart]) -> SentencePart:
    """Return the sentences of a part, for finding those documents that count in another one."""
    part = element[1].pair.sentences
    return SentencePart(part.rows, part.path, part.bytes, part.sha256)


def without_copies(element: tuple[T, CorpusPart], copies: Mapping[str, list[str]]) -> Iterator[tuple[T, CorpusPart]]:
    """Yield a part with which of its documents count in another part: by part's digest, their ids."""
    key, part = element
    yield key, part._replace(left_out=tuple(copies.get(part.pair.sentences.sha256, ())))


# By position, the staged rows of sentences that have a chosen word, or why they have none.
FoundSentences = list[tuple[str, list[Row] | BadRecord]]


class FoundWords(NamedTuple):
    """A piece of a document, its sentences with chosen words, and how many content words there were to choose from."""

    text: AnnotatedText
    sentences: FoundSentences
    words: int


@dataclass(frozen=True, kw_only=True)
class FindWords(ReadRecords[T, FoundWords]):
    """Find words to simplify in documents; a record is a document, whether or not it has one.

    Attributes:
        choice: which content words are chosen.
        language: that of all documents; None: their own.
    """

    choice: WordChoice
    language: str | None = None

    noun = "words to simplify"
    blas = True
    schema, by_rule, tidies = ROWS, BY_RULE, True

    def add(self, staging: Staging, given: Given[FoundWords]) -> None:
        """Stage the rows of a piece of a document, and why its other sentences have none."""
        if isinstance(given.record, BadRecord):
            super().add(staging, given)
            return
        rows: list[Row] = []
        for position, of_sentence in given.record.sentences:
            if isinstance(of_sentence, BadRecord):
                staging.reject(given.source, position, of_sentence)
            else:
                rows += of_sentence
        staging.add(rows, further=given.record.text.further)

    def found(self, staging: Staging, texts: Iterable[AnnotatedText], layout: str) -> Iterator[Given[FoundWords]]:
        """Yield texts with their words, see `words_found`."""
        for found in words_found(texts, self.choice, staging, layout):
            yield Given(found.text.source, found.text.position, found)

    def chosen(self, task: object) -> dict[str, Sequence[str]]:
        """Return what a scorer is, and what it reads."""
        scorer = self.choice.scorer
        if scorer is None:
            return {GROUPS: (), **chosen_of([], [], ScorerOptions()), **chosen_formats()}
        model = scorer.model
        return {GROUPS: scorer.setting.use, **chosen_of([model.scorer], list(model.modes.values()), ScorerOptions())}


@dataclass(frozen=True, kw_only=True)
class FindInCorpus(FindWords[CorpusPart], ReadPart[CorpusPart, FoundWords]):
    """Find words in a part of a corpus; `layers` are those that are read."""

    layers: tuple[str, ...] = ()

    name = "simplification/find-in-corpus"

    def name_of(self, task: CorpusPart) -> str:
        """Return its content's digest: parts of all corpora have the same names."""
        return task.pair.documents.sha256

    def given(self, staging: Staging, task: CorpusPart) -> Iterator[Given[FoundWords]]:
        """Yield the documents of a part with their words."""
        return self.found(staging, self.texts(staging, task), CORPUS)

    def texts(self, staging: Staging, task: CorpusPart) -> Iterator[AnnotatedText]:
        """Yield the documents of a part that count there."""
        left_out = frozenset(task.left_out)
        columns, of_documents = (*COLUMNS, *self.layers), ("source", "language", "genre", "text")
        for document, sentences in read_annotated(task.pair, columns=columns, document_columns=of_documents):
            if document.document_id not in left_out:
                language = self.language or document.language
                language = language and short_tag(language)
                about = document.source, document.document_id, language, document.genre, document.text
                yield AnnotatedText(*about, sentences)


@dataclass(frozen=True, kw_only=True)
class FindInTexts(FindWords[Unit], ReadFiles[FoundWords]):
    """Find words in the documents of files, which an engine annotates.

    Attributes:
        format: of the files, a reader's name or `auto`.
        engine_language: of documents that name none.
    """

    annotate: TextAnnotationOptions
    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    engine_language: str | None = None

    name = "simplification/find-in-texts"

    def given(
        self, staging: Staging, file: InputFile, reading: FileReading, notes: Counter[str]
    ) -> Iterator[Given[FoundWords]]:
        """Yield the documents of a file with their words, and then those in which nothing can be found."""
        entries = read_file(
            file.path, file.name, format=self.format, options=self.reader, open=reading.open, notes=notes
        )
        rejects: list[Given[FoundWords]] = []
        yield from self.found(staging, _annotated(staging.remembered(entries), self, rejects), DOCUMENTS)
        yield from rejects

    def engine(self) -> Engine:
        """Return the engine: words are found by parts of speech."""
        engine = self.annotate.load()
        assert engine is not None
        return engine

    def make(self, artefact: Artefact, task: Unit) -> Loaded:
        """Stage the documents of a unit, in one thread."""
        with one_thread():
            return super().make(artefact, task)

    def chosen(self, task: object) -> dict[str, Sequence[str]]:
        """Return also the formats."""
        formats = tuple(READERS) if self.format == "auto" else (self.format,)
        return {**super().chosen(task), "lexbeam.transforms.formats.readers.registry:READERS": formats}


def _annotated(
    entries: Iterable[tuple[str, Record | Reject]], step: FindInTexts, rejects: list[Given[FoundWords]]
) -> Iterator[AnnotatedText]:
    """Yield the documents of a file, annotated, those that are long piece by piece; rejects are added to a list."""
    for source, entry in entries:
        if isinstance(entry, Record) and entry.block:
            continue  # of a document that comes annotated
        if isinstance(entry, Record) and (entry.text is None or entry.sentences is not None):
            detail = "make a corpus of it by `lexbeam corpus`, and give that"
            entry = Reject(entry.position, "annotated", detail)
        if isinstance(entry, Reject):
            rejects.append(rejected(source, entry))
            continue
        assert entry.text is not None
        language = step.language or entry.fields.get("language") or step.engine_language
        language = language and short_tag(language)
        try:
            for piece, table in enumerate(annotated_pieces(entry.text, step.engine(), step)):
                genre = entry.fields.get("genre")
                yield AnnotatedText(source, entry.position, language, genre, entry.text, table, piece > 0)
        except BadRecord as error:
            rejects.append(Given(source, entry.position, error))


def annotated_pieces(text: str, engine: Engine, options: FindInTexts) -> Iterator[pa.Table]:
    """Yield the sentences of a text with their numbers, those of some paragraphs at a time; at least one table.

    All are annotated before the first ones are given: nothing is found in a text on which the engine fails.

    Args:
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


def words_found(
    documents: Iterable[AnnotatedText], choice: WordChoice, staging: Staging, layout: str
) -> Iterator[FoundWords]:
    """Yield documents, piece by piece, with the staged rows of their chosen words, and tally what was looked at."""
    protected = ProtectedTerms(choice.protected)

    def sentences(text: AnnotatedText) -> int:
        return int(text.sentences.num_rows)

    nameless = False  # whether the document before has words, and no language
    whole = choice.share is not None  # which is a share of all words of a document
    pieces = documents if whole else itertools.chain.from_iterable(map(_pieces, documents))
    for texts in batched(pieces, _DOCUMENTS, size=sentences, largest=_SENTENCES):
        words = content_words(texts, protected)
        staging.tally.update(words.left)
        staging.tally["sentences"] += words.table.num_rows
        staging.tally["words"] += len(words.targets)
        by_text: list[FoundSentences] = [[] for _ in texts]
        for place, row in _rows(words, choice):
            by_text[place].append(row)
        counts = np.bincount(words.text_of[words.row], minlength=len(texts)).tolist()
        for text, rows, count in zip(texts, by_text, counts, strict=True):
            staging.tally[layout] += not text.further
            nameless = nameless and text.further
            if text.language is None and rows:
                fault = BadRecord("no_language", "neither the document nor an option says it")
                rows, nameless = [] if nameless else [(text.position, fault)], True
            yield FoundWords(text, rows, count)


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
