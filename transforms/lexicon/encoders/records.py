"""Encoders: their description, their loaded form, and the batches that go through them.

A kind of encoder is one function, `prepare(argument, resolve)`. It checks that everything is there,
without loading weights, and returns an `EncoderInfo` and a function that loads an `Encoder` onto a
device. Positions in texts are code points; pieces are what the encoder's tokenizer cuts texts into.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry
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
