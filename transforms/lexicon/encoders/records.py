"""What an encoder is: its description, its loaded form, and what goes through it.

A kind of encoder is one function, `prepare(argument, resolve)`. It checks that everything is there,
without loading weights, and returns an `EncoderInfo` and a function that loads an `Encoder` onto a
device. Positions in texts are code points; a piece is what the encoder's tokenizer cuts texts into.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Protocol

import numpy as np

from transforms.common.code.registry import Entry
from transforms.common.store.identity import Uncounted

__all__ = [
    "NO_PIECE",
    "TOO_LONG",
    "UNEVEN",
    "Choices",
    "Encoder",
    "EncoderBatch",
    "EncoderInfo",
    "EncoderKind",
    "Frame",
    "Load",
    "Masked",
    "MaskedLM",
    "Piece",
    "Pieces",
    "Prepare",
    "Resolve",
    "Spans",
]

# Reasons for which a span has no result.
NO_PIECE = "no_piece"  # the tokenizer keeps nothing of it
TOO_LONG = "too_long"  # it does not fit in the greatest length by itself
UNEVEN = "uneven"  # with the word in its place the pieces around it are others

# Maps a model's path as named to a folder on this machine.
Resolve = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class EncoderInfo:
    """What is known of an encoder without loading its weights.

    Attributes:
        name: its specification, a folder shortened to the folder's name.
        digest: SHA-256 of the model's files (`model_digest`).
        fingerprint: the digest, and the versions of libraries: equal ones promise equal results, on
            one kind of CPU.
        masked: whether it is a masked language model; else it gives vectors alone.
        choices: whether it chooses among several texts.
        dim: length of its vectors.
        layers: the number of its layers, beside the embeddings, which are layer 0.
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
    """A text as pieces, a span of it replaced by one mask, which is piece `at`."""

    ids: Sequence[int]
    at: int


class Piece(NamedTuple):
    """A piece of the vocabulary, for a person: its text without marks of borders of words.

    `continues` says that it is no word by itself: it continues one, or does not end one.
    """

    text: str
    continues: bool


class Frame(NamedTuple):
    """Special pieces around one segment, or around and between two; each with a segment's number.

    `types` numbers what stands before, the first segment, what stands between, the second
    segment, and what stands after.
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
        attention: 1 where a piece is, 0 where there is padding.
        types: segments' numbers.
    """

    ids: np.ndarray
    attention: np.ndarray
    types: np.ndarray


class States(Protocol):
    """Run a batch; return the mean over layers of the vectors at places, float32 (places, dim)."""

    def __call__(
        self, batch: EncoderBatch, layers: tuple[int, ...], rows: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Return the vectors at (rows[i], columns[i]); layers are 0 (embeddings) and up."""


class LogProbs(Protocol):
    """Run a batch; return log-probabilities at places, float32 (places, vocabulary)."""

    def __call__(self, batch: EncoderBatch, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return them for (rows[i], columns[i]): natural logarithms, over the vocabulary."""


class Choices(Protocol):
    """Run a batch whose sequences are the choices of one question; return their scores."""

    def __call__(self, batch: EncoderBatch) -> np.ndarray:
        """Return scores, float32 (sequences,); their softmax are probabilities."""


@dataclass(frozen=True, kw_only=True)
class MaskedLM:
    """What a masked language model has beyond an encoder.

    Attributes:
        split: texts, starts and ends of spans -> texts as pieces, a mask in each span's place.
        log_probs: runs a batch.
        piece: what a piece is, by id, where words begin with a mark (`marked`) or without one.
        marks_first: whether the first word of a text begins with such a mark.
        special: ids that are no words: special pieces, and rows of the model without a piece.
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
        pair: special pieces around two; None if it takes no two.
        padding: id of the piece that fills sequences up.
        masked_lm: what a masked language model has beyond; None if it is none.
        choices: what a multiple-choice model has beyond; None if it is none.
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
        prepare: from what stands behind `KIND:`, and what maps paths to folders on this machine,
            what the encoder is, and a function that loads it on a device.
    """

    prepare: Prepare
