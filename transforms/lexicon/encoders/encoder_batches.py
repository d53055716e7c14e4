"""What an encoder is, described and loaded, and the batches of a text that go through it.

A kind of encoder is one function, `prepare(argument, resolve)`. It checks that everything is there,
without loading weights, and returns an `EncoderInfo` and a function that loads an `Encoder` onto a
device. Positions in texts are code points; pieces are what the encoder's tokenizer cuts texts into.

Windows around spans and framed sequences go through a model in padded batches. Padding changes the last bits of what a
model computes. So a batch is decided by the list that the caller gives, one document's or one instance's, and by
nothing else: the sequences are sorted by length, those of one length in the list's order, and cut into batches of a
fixed size.

>>> window(10, 4, 5, 5)
(2, 7)
>>> window(10, 9, 10, 5)
(5, 10)
>>> window(3, 1, 2, 5)
(0, 3)
>>> window(10, 2, 9, 5) is None
True
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.identity import Uncounted

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

# Why a span has no result.
NO_PIECE = "no_piece"  # the tokenizer keeps nothing of it
TOO_LONG = "too_long"  # it does not fit in the greatest length by itself
UNEVEN = "uneven"  # inserting the word changes the pieces around it

# Maps a model's path as named to a folder on this machine.
Resolve = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class EncoderInfo:
    """What is known of an encoder without loading its weights.

    Attributes:
        name: its specification, a folder shortened to the folder's name.
        digest: SHA-256 of the model's files (`model_digest`).
        fingerprint: the digest, and the versions of libraries: equal fingerprints promise equal
            results, on one kind of CPU.
        masked: whether it is a masked language model; else it only returns vectors.
        choices: whether it chooses among several texts.
        dim: length of its vectors.
        layers: the number of its layers, not counting the embeddings, which are layer 0.
        max_length: the greatest number of pieces that it takes, special ones included.
    """

    name: Annotated[str, Uncounted("the digest is of the model, whatever its folder is called")]
    digest: str
    fingerprint: str
    masked: bool
    dim: int
    layers: int
    max_length: int
    choices: bool = False


class Spans(NamedTuple):
    """Spans of texts: `texts[i][starts[i]:ends[i]]`."""

    texts: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]


class Pieces(NamedTuple):
    """A text as pieces: their ids, and where in the text each begins and ends, in order."""

    ids: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]


class Masked(NamedTuple):
    """A text as pieces, with a span replaced by one mask, which is piece `at`."""

    ids: Sequence[int]
    at: int


class Piece(NamedTuple):
    """A piece of the vocabulary, for a person: its text without marks of word borders.

    `continues` says that it is not a word by itself: it continues a word, or does not end it.
    """

    text: str
    continues: bool


class Frame(NamedTuple):
    """Special pieces around one segment, or around and between two segments.

    `types` holds the segment numbers of the pieces before, the first segment, the pieces between,
    the second segment, and the pieces after.
    """

    before: tuple[int, ...] = ()
    between: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    types: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @property
    def length(self) -> int:
        """The number of special pieces."""
        return len(self.before) + len(self.between) + len(self.after)


NO_FRAME = Frame()


class EncoderBatch(NamedTuple):
    """Sequences that go through the model together; arrays of int64, (sequences, pieces).

    Attributes:
        ids: pieces; after a sequence's end, padding.
        attention: 1 for pieces, 0 for padding.
        types: segment numbers.
    """

    ids: Ints
    attention: Ints
    types: Ints


class States(Protocol):
    """Run a batch; return the mean over layers of the vectors at places, float32 (places, dim)."""

    def __call__(self, batch: EncoderBatch, layers: tuple[int, ...], rows: Ints, columns: Ints) -> Floats:
        """Return the vectors at (rows[i], columns[i]); layers are 0 (embeddings) and up."""


class LogProbs(Protocol):
    """Run a batch; return log-probabilities at places, float32 (places, vocabulary)."""

    def __call__(self, batch: EncoderBatch, rows: Ints, columns: Ints) -> Floats:
        """Return natural logarithms over the vocabulary at (rows[i], columns[i])."""


class Choices(Protocol):
    """Run a batch whose sequences are the choices of one question; return their scores."""

    def __call__(self, batch: EncoderBatch) -> Floats:
        """Return scores, float32 (sequences,), whose softmax are probabilities."""


@dataclass(frozen=True, kw_only=True)
class MaskedLM:
    """What a masked language model can do beyond an encoder.

    Attributes:
        split: texts, starts and ends of spans -> texts as pieces, a mask in each span's place.
        log_probs: runs a batch.
        piece: a piece by its id, in a place where words begin with a mark (`marked`) or do not.
        marks_first: whether the first word of a text begins with such a mark.
        special: ids that are not words: special pieces, and rows of the model without a piece.
    """

    split: Callable[[Sequence[str], Sequence[int], Sequence[int]], Sequence[Masked]]
    log_probs: LogProbs
    piece: Callable[[int, bool], Piece]
    marks_first: bool = False
    special: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Encoder:
    """A loaded encoder. Its functions may be called from several threads; they take turns.

    Attributes:
        info: what it is.
        device: where it runs, `cpu` or `cuda`.
        split: texts -> their pieces, without special ones; what looks like a special piece in a
            text is text.
        states: runs a batch.
        single: special pieces around one text.
        pair: special pieces around two texts; None if it takes no pairs.
        padding: id of the piece that fills up sequences.
        masked_lm: the functions of a masked language model; None for other models.
        choices: scores the choices of a multiple-choice model; None for other models.
    """

    info: EncoderInfo
    device: str
    split: Callable[[Sequence[str]], Sequence[Pieces]]
    states: States
    single: Frame = NO_FRAME
    pair: Frame | None = None
    padding: int = 0
    masked_lm: MaskedLM | None = None
    choices: Choices | None = None


Load = Callable[[str], Encoder]
Prepare = Callable[[str, Resolve | None], tuple[EncoderInfo, Load]]


@dataclass(frozen=True)
class EncoderKind(Entry):
    """A kind of encoder.

    Attributes:
        prepare: maps what follows `KIND:`, and a function from paths to folders on this machine, to
            the description of the encoder and a function that loads it onto a device.
    """

    prepare: Prepare


def window(length: int, start: int, end: int, limit: int) -> tuple[int, int] | None:
    """Return the window of a text that is kept, as (first piece, piece after the last).

    It is as long as the text and the limit allow, holds the span, and has as many pieces on its left
    as on its right (one more on the right if their number is odd); room that an end of the text
    leaves unused goes to the other side.

    Args:
        length: pieces of the text.
        start: the span's first piece.
        end: the piece after its last.
        limit: the greatest number of pieces.

    Returns None if the span is longer than the limit.
    """
    if end - start > limit:
        return None
    size = min(length, limit)
    begin = start - (size - (end - start)) // 2
    begin = max(0, min(begin, length - size))
    return begin, begin + size


def shares(first: int, second: int, limit: int) -> tuple[int, int]:
    """Return how many pieces of a limit two segments get: half each, and what the other leaves unused.

    >>> shares(100, 100, 61), shares(10, 100, 61), shares(100, 10, 61)
    ((30, 31), (10, 51), (51, 10))
    """
    of_second = min(second, max(limit - limit // 2, limit - first))
    return min(first, limit - of_second), of_second


def located(pieces: Pieces, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the pieces of a span, as (first piece, piece after the last).

    These share a character with the span that is not whitespace: tokenizers differ in whether a
    word's first piece holds the space before it.

    Returns None if there are no such pieces.
    """
    first = last = -1
    for index in range(bisect_right(pieces.ends, start), len(pieces.ids)):
        if pieces.starts[index] >= end:
            break
        if text[max(pieces.starts[index], start) : min(pieces.ends[index], end)].strip():
            first = index if first < 0 else first
            last = index
    return None if first < 0 else (first, last + 1)


class Framed(NamedTuple):
    """A sequence for a model: pieces, their segment numbers, and where the text begins.

    The text is the only segment, or the second of two.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...]
    begin: int


def framed(frame: Frame, text: Sequence[int], before: Sequence[int] = ()) -> Framed:
    """Return the pieces of a text with special pieces around them, and `before` as a segment before it."""
    if not frame.between and not before:
        parts = [frame.before, text, frame.after]
        numbers = [frame.types[0], frame.types[1], frame.types[4]]
    else:
        parts = [frame.before, before, frame.between, text, frame.after]
        numbers = list(frame.types)
    ids = tuple(piece for part in parts for piece in part)
    types = tuple(number for part, number in zip(parts, numbers, strict=True) for _ in range(len(part)))
    return Framed(ids, types, len(ids) - len(frame.after) - len(text))


def batches(sequences: Sequence[Framed], size: int, padding: int) -> Iterator[tuple[list[int], EncoderBatch]]:
    """Yield the sequences of each batch, as indices, and the batch, padded to its longest sequence."""
    order = sorted(range(len(sequences)), key=lambda index: len(sequences[index].ids))
    for begin in range(0, len(order), size):
        chosen = order[begin : begin + size]
        shape = (len(chosen), len(sequences[chosen[-1]].ids))
        ids = np.full(shape, padding, np.int64)
        attention, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, index in enumerate(chosen):
            length = len(sequences[index].ids)
            ids[row, :length] = sequences[index].ids
            types[row, :length] = sequences[index].types
            attention[row, :length] = 1
        yield chosen, EncoderBatch(ids, attention, types)


def greatest_length(info: EncoderInfo, limit: int | None) -> int:
    """Return the greatest number of pieces of a sequence: the limit, if the encoder takes as many.

    Raises:
        LexbeamError: the encoder takes fewer.
    """
    if limit is not None and limit > info.max_length:
        raise LexbeamError(
            f"encoder {info.name!r} takes at most {info.max_length} pieces, not `encoder_length` "
            f"{limit}: set it to {info.max_length} or less"
        )
    return info.max_length if limit is None else limit


def check_spans(encoder: Encoder, spans: Spans, what: str = "text") -> None:
    """Check that spans lie within their texts.

    Raises:
        LexbeamError: a span does not, or the lists differ in length.
    """
    texts, starts, ends = spans
    if not len(texts) == len(starts) == len(ends):
        raise LexbeamError(
            f"encoder {encoder.info.name!r} was given {len(texts)} {what}s with {len(starts)} "
            f"starts and {len(ends)} ends: give as many of each"
        )
    for index, (text, start, end) in enumerate(zip(texts, starts, ends, strict=True)):
        if not 0 <= start <= end <= len(text):
            raise LexbeamError(
                f"span {start} to {end} of {what} {index} ({text[:40]!r}) is not within its "
                f"{len(text)} characters: offsets are code points of that very text"
            )
