"""Texts on their way through the stages: what they are, and where in them the words stand that were found.

A file of them has a batch for each text, in the order of their names.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import pyarrow as pa

from transforms.common.store.artefacts import Artefact
from transforms.common.store.batches import BatchReader, BatchWriter
from transforms.common.store.receipts import File
from transforms.simplification.instances.content_words import AnnotatedText
from transforms.simplification.instances.find_stage import FEATS, FoundWords
from transforms.simplification.rewriting.sentence_words import SentenceToken

__all__ = ["PlacedSentence", "PlacedText", "PlacedTextWriter", "placed_text", "placed_texts"]

_TOKEN = pa.struct(
    [("start", pa.int64()), ("end", pa.int64()), ("lemma", pa.string()), ("upos", pa.string()), ("feats", pa.string())]
)
_SENTENCE = pa.struct(
    [("number", pa.int32()), ("first", pa.int64()), ("instances", pa.list_(pa.string())), ("tokens", pa.list_(_TOKEN))]
)
_SCHEMA = pa.schema(
    [
        ("document", pa.string()),
        ("source", pa.string()),
        ("language", pa.string()),
        ("text", pa.large_string()),
        ("content", pa.large_binary()),
        ("sentences", pa.int32()),
        ("words", pa.int32()),
        ("chosen", pa.list_(_SENTENCE)),
    ]
)
_SUFFIX = "-texts.arrow"


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
    """A text with the places of its chosen words.

    Attributes:
        document: the file's name, or the document's id in a corpus.
        source: the file, or the corpus' source.
        language: as tables have it; None: not known.
        text: what a reader sees, or the stored text of a corpus.
        content: the file's bytes; None: of a corpus.
        sentences: how many there are.
        words: content words to choose from.
        chosen: sentences with chosen words, in their order.
    """

    document: str
    source: str
    language: str | None
    text: str
    content: bytes | None
    sentences: int
    words: int
    chosen: tuple[PlacedSentence, ...]


def placed_text(document: str, found: FoundWords, content: bytes | None) -> PlacedText:
    """Return a text with the places of the words that were found in it.

    Args:
        document: its name.
        found: its sentences with chosen words; sentences that gave none for a fault have none.
        content: the bytes of a file.
    """
    text = found.text
    assert text.text is not None
    of_number: dict[int, list[tuple[int, str]]] = {}
    for _, rows in found.sentences:
        for row in rows if isinstance(rows, list) else ():
            of_number.setdefault(row["line"], []).append((row["start"], row["key"]))
    rows_of = {number: place for place, number in enumerate(text.sentences["sentence"].to_pylist())}
    chosen = [_sentence(text, number, rows_of[number], sorted(of_number[number])) for number in sorted(of_number)]
    return PlacedText(
        document, text.source, text.language, text.text, content, text.sentences.num_rows, found.words, tuple(chosen)
    )


def _sentence(text: AnnotatedText, number: int, row: int, words: list[tuple[int, str]]) -> PlacedSentence:
    held = {name: text.sentences[name][row].as_py() for name in ("starts", "ends", "lemmas", "upos")}
    feats = text.sentences[FEATS][row].as_py() if FEATS in text.sentences.column_names else None
    first = min(held["starts"])
    nothing = [None] * len(held["starts"])
    columns = (held["lemmas"] or nothing, held["upos"] or nothing, feats or nothing)
    tokens = tuple(
        SentenceToken(start - first, end - first, *annotation)
        for start, end, *annotation in zip(held["starts"], held["ends"], *columns, strict=True)
    )
    return PlacedSentence(number, first, tuple(key for _, key in words), tokens)


class PlacedTextWriter:
    """Writes texts beside an artefact's other files; `file` describes what was written."""

    def __init__(self, artefact: Artefact) -> None:
        self._artefact = artefact
        self._open = ExitStack()

    def __enter__(self) -> "PlacedTextWriter":
        stream = self._open.enter_context(self._artefact.writing(_SUFFIX))
        self._writer = self._open.enter_context(BatchWriter(stream, _SCHEMA))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def add(self, text: PlacedText) -> None:
        """Write a text."""
        chosen = [{**vars(one), "tokens": [token._asdict() for token in one.tokens]} for one in text.chosen]
        self._writer.write(pa.RecordBatch.from_pylist([{**vars(text), "chosen": chosen}], _SCHEMA))

    def file(self) -> File:
        """Return the file; it must be closed."""
        return self._artefact.file(_SUFFIX)


def placed_texts(file: File) -> Iterator[PlacedText]:
    """Yield the texts of a file, in their order."""
    with BatchReader() as reader:
        for ordinal in range(reader.count(file)):
            row = reader.read(file, ordinal).to_pylist()[0]
            yield PlacedText(**{**row, "chosen": tuple(map(_read, row["chosen"]))})


def _read(row: dict[str, Any]) -> PlacedSentence:
    tokens = tuple(SentenceToken(**token) for token in row["tokens"])
    return PlacedSentence(row["number"], row["first"], tuple(row["instances"]), tokens)
