"""Texts read and their hard words found: what is staged of instances, with the places where they stand.

A record is a document, whether or not it has a hard word. There are two files of texts: one has a batch for each, in
the order of their names; the other the sentences with chosen words, as columns, some of a text a batch, so that of a
long one only some are in memory.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.intake_tables import InputCount
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.formats.spans.spanned import SPANS, spanned
from lexbeam.transforms.intake.intake_staging import Given, Loaded, Staging
from lexbeam.transforms.simplification.instances.content_words import AnnotatedText, FixedPlaces, fixed_codes
from lexbeam.transforms.simplification.instances.found_instances import (
    DOCUMENTS,
    FEATS,
    CorpusPart,
    FindInCorpus,
    FindInTexts,
    FoundWords,
    annotated_pieces,
)
from lexbeam.transforms.simplification.rewriting.concord import SentenceToken

_TEXTS = pa.schema(
    [
        ("document", pa.string()),
        ("source", pa.string()),
        ("language", pa.string()),
        ("text", pa.large_string()),
        ("content", pa.large_binary()),
        ("sentences", pa.int32()),
        ("words", pa.int32()),
        ("pieces", pa.int32()),
    ]
)
_TOKENS = {"starts": pa.int32(), "ends": pa.int32(), "lemmas": pa.string(), "upos": pa.string(), FEATS: pa.string()}
_SENTENCES = pa.schema(
    [
        ("number", pa.int32()),
        ("instances", pa.list_(pa.string())),
        *((name, pa.list_(kind)) for name, kind in _TOKENS.items()),
    ]
)
_SUFFIXES = ("-texts.arrow", "-sentences.arrow")


class PlacedFiles(NamedTuple):
    """Texts, and their sentences with chosen words."""

    texts: File
    sentences: File


@dataclass(frozen=True)
class PlacedSentence:
    """A sentence with chosen words.

    Attributes:
        number: in the order of the text.
        first: where it starts in the text, in code points.
        instances: of its words, in their order.
        tokens: of its annotation, their places counted from `first`.
    """

    number: int
    first: int
    instances: tuple[str, ...]
    tokens: tuple[SentenceToken, ...] = ()


@dataclass(frozen=True)
class PlacedText:
    """A text.

    Attributes:
        document: the file's name, or the document's id in a corpus.
        source: the file, or the corpus' source.
        language: as tables have it; None: not known.
        text: what a reader sees, or the stored text of a corpus.
        content: the file's bytes; None: of a corpus.
        sentences: how many there are.
        words: content words to choose from.
        pieces: in which its sentences with chosen words come.
    """

    document: str
    source: str
    language: str | None
    text: str
    content: bytes | None
    sentences: int
    words: int
    pieces: int


class PlacedPiece(NamedTuple):
    """Some sentences of a text that have chosen words, one after the other.

    Attributes:
        number: of the piece, from 0.
        held: the sentences, as columns; None: the text has none.
    """

    text: PlacedText
    number: int
    held: pa.RecordBatch | None

    @property
    def is_last(self) -> bool:
        """Whether no piece of the text follows."""
        return self.number + 1 >= self.text.pieces

    def instances(self) -> list[str]:
        """Return the instances of all words."""
        return [] if self.held is None else self.held.column("instances").flatten().to_pylist()

    def sentences(self) -> Iterator[PlacedSentence]:
        """Yield the sentences, in their order."""
        if self.held is None:
            return
        for row in range(self.held.num_rows):
            number, instances, *lists = (column[row].as_py() for column in self.held.columns)
            starts = lists[0]
            first = min(starts)
            nothing = [None] * len(starts)
            tokens = tuple(
                SentenceToken(start - first, end - first, *annotation)
                for start, end, *annotation in zip(*(values or nothing for values in lists), strict=True)
            )
            yield PlacedSentence(number, first, tuple(instances), tokens)


@dataclass(frozen=True, kw_only=True)
class LoadedTexts(Loaded):
    """Receipt of files or of a part of a corpus: that of their instances, and the texts with their places."""

    texts: PlacedFiles


class TextStaging(Staging):
    """Stages rows and rejects, and the texts that they are found in."""

    _text: PlacedText | None = None

    def __enter__(self) -> "TextStaging":
        super().__enter__()
        self._texts, self._sentences = (
            self._open.enter_context(BatchWriter(self._open.enter_context(self._artefact.writing(suffix)), schema))
            for suffix, schema in zip(_SUFFIXES, (_TEXTS, _SENTENCES), strict=True)
        )
        return self

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self._end()
        super().__exit__(*error)

    def keep(self, given: Given[FoundWords]) -> None:
        """Write a text, or a further piece of the one before; sentences that gave no words for a fault have none."""
        found = given.record
        if isinstance(found, BadRecord):
            return
        of = found.text
        assert of.text is not None
        if not of.further:
            self._end()
            self._text = PlacedText(of.position or of.source, of.source, of.language, of.text, of.content, 0, 0, 0)
        assert self._text is not None
        chosen = _chosen(found)
        if chosen is not None:
            self._sentences.write(chosen)
        self._text = replace(
            self._text,
            sentences=self._text.sentences + of.sentences.num_rows,
            words=self._text.words + found.words,
            pieces=self._text.pieces + (chosen is not None),
        )

    def _end(self) -> None:
        if self._text is not None:
            self._texts.write(pa.RecordBatch.from_pylist([vars(self._text)], _TEXTS))
            self._text = None

    def loaded(self, inputs: Sequence[InputCount] = (), size: int = 0) -> LoadedTexts:
        """Return the receipt; everything must have been staged and closed."""
        texts = PlacedFiles(*map(self._artefact.file, _SUFFIXES))
        return LoadedTexts(**vars(super().loaded(inputs, size)), texts=texts)


def _chosen(found: FoundWords) -> pa.RecordBatch | None:
    """Return the sentences with chosen words, as columns; None if there are none."""
    of_number: dict[int, list[tuple[int, str]]] = {}
    for _, rows in found.sentences:
        for row in rows if isinstance(rows, list) else ():
            of_number.setdefault(row["line"], []).append((row["start"], row["key"]))
    if not of_number:
        return None
    numbers = sorted(of_number)
    table = found.text.sentences
    all_numbers = table["sentence"].to_numpy()
    held = table.take(pa.array(np.searchsorted(all_numbers, np.array(numbers, all_numbers.dtype))))
    instances = [[key for _, key in sorted(of_number[number])] for number in numbers]
    columns = [pa.array(numbers, pa.int32()), pa.array(instances, pa.list_(pa.string()))]
    for name, kind in _TOKENS.items():
        given = held[name].cast(pa.list_(kind)) if name in held.column_names else None
        columns.append(pa.nulls(len(numbers), pa.list_(kind)) if given is None else pa.concat_arrays(given.chunks))
    return pa.RecordBatch.from_arrays(columns, schema=_SENTENCES)


def placed_pieces(files: PlacedFiles) -> Iterator[PlacedPiece]:
    """Yield the texts of files, in their order, each in pieces; one without chosen words in one."""
    with BatchReader() as reader:
        done = 0
        for ordinal in range(reader.count(files.texts)):
            text = PlacedText(**reader.read(files.texts, ordinal).to_pylist()[0])
            if not text.pieces:
                yield PlacedPiece(text, 0, None)
            for number in range(text.pieces):
                yield PlacedPiece(text, number, reader.read(files.sentences, done))
                done += 1


@dataclass(frozen=True, kw_only=True)
class PlaceInCorpus(FindInCorpus):
    """Find words in a part of a corpus, and keep its texts."""

    name = "simplification/place-in-corpus"
    receipt = LoadedTexts
    staging = TextStaging

    def texts(self, staging: Staging, task: CorpusPart) -> Iterator[AnnotatedText]:
        """Yield the documents that have a text."""
        for text in super().texts(staging, task):
            if text.text is None or text.sentences["starts"].null_count:
                detail = "it came annotated, without a text to put words into"
                staging.reject(text.source, text.position, BadRecord("no_text", detail))
                continue
            yield text._replace(fixed=fixed_codes(text.text))

    def add(self, staging: Staging, given: Given[FoundWords]) -> None:
        """Stage the rows of a piece of a text, and the text."""
        super().add(staging, given)
        assert isinstance(staging, TextStaging)
        staging.keep(given)


@dataclass(frozen=True, kw_only=True)
class PlaceInFiles(FindInTexts):
    """Find words in files, each as one text, and keep them."""

    name = "simplification/place-in-files"
    receipt = LoadedTexts
    staging = TextStaging

    def given(
        self, staging: Staging, file: InputFile, reading: FileReading, notes: Counter[str]
    ) -> Iterator[Given[FoundWords]]:
        """Yield the pieces of a file with their words."""
        try:
            yield from self.found(staging, _texts_of(file.name, _content(reading), self), DOCUMENTS)
        except BadRecord as error:
            yield Given(file.name, "", error)

    def add(self, staging: Staging, given: Given[FoundWords]) -> None:
        """Stage the rows of a piece of a text, and the text."""
        super().add(staging, given)
        assert isinstance(staging, TextStaging)
        staging.keep(given)

    def chosen(self, task: object) -> dict[str, Sequence[str]]:
        """Return also what edits files."""
        formats = tuple(SPANS) if self.format == "auto" else (self.format,)
        return {**super().chosen(task), "lexbeam.transforms.formats.spans.spanned:SPANS": formats}


def _content(reading: FileReading) -> bytes:
    try:
        with reading.open() as stream:
            return stream.read()
    except OSError as error:
        raise BadRecord("unreadable", str(error)) from None


def _texts_of(name: str, content: bytes, step: PlaceInFiles) -> Iterator[AnnotatedText]:
    """Yield the text of a file, annotated, piece by piece; one of white space alone has no sentences.

    Raises:
        BadRecord: it cannot be read or edited, or the engine fails; before there is any piece.
    """
    language = step.language or step.engine_language
    language = language and short_tag(language)
    try:
        source = spanned(content, name, format=step.format, options=step.reader, language=language or "")
        text, fixed = source.text, FixedPlaces(*source.fixed)
    except UsageError as error:
        raise BadRecord("not_editable", str(error)) from None
    except BadRecord as error:
        if error.reason != "empty":
            raise
        text, fixed = "", FixedPlaces()
    for piece, table in enumerate(annotated_pieces(text, step.engine(), step)):
        yield AnnotatedText(name, "", language, None, text, table, piece > 0, fixed, content)
