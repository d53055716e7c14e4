"""What training may start from beside chance, what it gives, and weights of several trainings averaged.

Both are vectors, contexts, and words with marks. With a `Start` two slices can share a space from the beginning (vector
initialisation, a compass of frozen contexts), or one model hold the words of several slices side by side (temporal
referencing: marks; word injection: words with marks in the sentences, and none here). Every trainer takes it.

Weights that were trained side by side from the same start are averaged word by word: iterative parameter mixing,
after McDonald, Hall & Mann 2010, "Distributed Training Strategies for the Structured Perceptron".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.embeddings.spaces import with_direction

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Start:
    """What training starts from.

    Attributes:
        words: of which vectors or contexts are given; those that are not trained are passed over.
        vectors: input vectors of these words, float32 of shape (words, dim); None, and for a vector of zeros: as
            without a start, by the seed.
        seed: of the vectors that are not given; None: that of the training.
        contexts: context vectors of these words; None: zeros, as without a start.
        freeze_contexts: whether contexts stay as they are; one that is not given stays zero, and moves no vector.
        marks: words with a mark, such as `plane@1850`, each with the word that stands for it where it is a context:
            they have vectors of their own, and share the context vector. It is drawn by all of their uses.
    """

    words: Sequence[str] = ()
    vectors: Floats | None = None
    seed: int | None = None
    contexts: Floats | None = None
    freeze_contexts: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)


class Weights(NamedTuple):
    """What was trained.

    Attributes:
        words: sorted.
        vectors: their input vectors, float32 of shape (words, dim).
        contexts: the context vectors that stand for them, if they were asked for.
    """

    words: list[str]
    vectors: Floats
    contexts: Floats | None


class ContextRows(NamedTuple):
    """The rows of a matrix of contexts: first those of the vocabulary, then those of words that have only marks.

    Attributes:
        words: of each row.
        uses: of each row, of all words that it stands for; 0 of a word with a mark.
        row_of: of each word of the vocabulary, the row that stands for it.
    """

    words: list[str]
    uses: list[int]
    row_of: Places


def context_rows(vocabulary: Mapping[str, int], marks: Mapping[str, str]) -> ContextRows:
    """Return the rows of contexts.

    Args:
        vocabulary: words and their uses.
        marks: see `Start`.
    """
    plain = [marks.get(word, word) for word in vocabulary]
    words = list(dict.fromkeys([*vocabulary, *plain]))
    places = {word: place for place, word in enumerate(words)}
    row_of = np.array([places[word] for word in plain], np.int32)
    uses = np.bincount(row_of, list(vocabulary.values()), minlength=len(words))
    return ContextRows(words, uses.astype(np.int64).tolist(), row_of)


def fill_by_chance(vectors: Floats, seed: int) -> None:
    """Fill a matrix with the vectors that training starts from: those of gensim, uniform in [-1/dim, 1/dim).

    Args:
        vectors: float32 of shape (words, dim), rows in the order of `sgns.vocabulary_of`.
        seed: of the generator, see `sgns.derive_seed`.
    """
    for start, some in _by_chance(len(vectors), vectors.shape[1], seed):
        vectors[start : start + len(some)] = some


_FILLED = 4_096


def _by_chance(rows: int, dim: int, seed: int) -> Iterator[tuple[int, Floats]]:
    """Yield the vectors that training starts from, some at a time, and the row of the first."""
    generator = np.random.default_rng(seed)
    for start in range(0, rows, _FILLED):
        some = generator.random((min(_FILLED, rows - start), dim), np.float32)
        yield start, (some * np.float32(2) - np.float32(1)) / np.float32(dim)


def given_rows(words: Sequence[str], given: Sequence[str], rows: Floats | None, into: Floats) -> None:
    """Put given rows into a matrix, whose rows are of `words`; a row of zeros is none.

    Raises:
        LexbeamError: they have another shape than words and matrix ask for, or numbers that no training gives, such as
            NaN.
    """
    if rows is None:
        return
    if rows.shape != (len(given), into.shape[1]):
        raise LexbeamError(f"vectors of shape {rows.shape} are given for {len(given)} words of {into.shape[1]} numbers")
    least, most = rows.min(initial=0), rows.max(initial=0)
    if not -_GREATEST <= least <= most <= _GREATEST:  # nor is it where one is NaN
        raise LexbeamError(
            f"vectors are given that have numbers from {least} to {most}: they must be finite, and at most "
            f"{_GREATEST:,.0f}"
        )
    ours, theirs = _shared(words, given, rows)
    into[ours] = rows[theirs]


_GREATEST = 1e6  # of given numbers: products of larger ones may not be finite, and gensim ends the process then


def _shared(words: Sequence[str], given: Sequence[str], rows: Floats) -> tuple[Ints, Ints]:
    """Return the places of words that have given rows, and those of the rows."""
    able = with_direction(rows)
    places = {word: place for place, word in enumerate(given) if able[place]}
    held = [(row, places[word]) for row, word in enumerate(words) if word in places]
    ours, theirs = np.array(held, np.int64).reshape(-1, 2).T
    return ours, theirs


def zero_untaught(weights: Weights, order: Sequence[str], start: Start, seed: int) -> None:
    """Set vectors to zero that are, bit by bit, what training started from: of words that stood beside no other.

    Such a vector is chance, or what another slice has taught, and says nothing of the word.

    Args:
        weights: what was trained.
        order: its words in the order of `sgns.vocabulary_of`.
        start: what it started from.
        seed: of the training.
    """
    places = {word: place for place, word in enumerate(weights.words)}
    rows = np.array([places[word] for word in order], np.int64)
    same = np.zeros(len(rows), bool)
    for first, some in _by_chance(len(rows), weights.vectors.shape[1], seed if start.seed is None else start.seed):
        own = rows[first : first + len(some)]
        same[own] = (weights.vectors[own] == some).all(axis=1)
    if start.vectors is not None:
        ours, theirs = _shared(weights.words, start.words, start.vectors)
        for first in range(0, len(ours), _FILLED):
            own, given = ours[first : first + _FILLED], theirs[first : first + _FILLED]
            same[own] = (weights.vectors[own] == start.vectors[given]).all(axis=1)
    weights.vectors[same] = 0.0


def averaged(common: Floats, uses: Sequence[Ints], weights: Sequence[Floats]) -> Floats:
    """Return the average of the weights of some words over shards, by the uses of each word in each.

        w = (n_1 w_1 + ... + n_K w_K) / (n_1 + ... + n_K), or the common w where no shard has the word

    Sums are in float64, in the order of the shards.

    Args:
        common: what the shards started from, float32 of shape (words, ...).
        uses: of each shard n, int64 of shape (words,).
        weights: of each shard those of the words that it has, in their order, float32 of shape (its words, ...).

    Returns:
        float32 of the shape of `common`.
    """
    column = (-1,) + (1,) * (common.ndim - 1)
    sums = np.zeros(common.shape, np.float64)
    for of_shard, rows in zip(uses, weights, strict=True):
        held = np.flatnonzero(of_shard)
        sums[held] += of_shard[held].reshape(column) * rows.astype(np.float64)
    total: Ints = np.asarray(np.sum(uses, axis=0, dtype=np.int64))
    known = np.flatnonzero(total)
    result = np.array(common, np.float32)
    result[known] = sums[known] / total[known].reshape(column)
    return result
