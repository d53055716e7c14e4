"""Neighbourhoods of many words in spaces that need not share dimensions: nearest neighbours by cosine, exact.

Products are cut into blocks of one size, so that memory grows with the vocabulary and not with its square. After the
first block of candidates, only those nearer than the last of a word's nearest so far are looked at.

>>> import numpy as np
>>> nearest(np.array([[1, 0], [2, 1], [0, 3], [0, 0]], np.float32), np.array([0, 2]), 2).tolist()
[[1, 2], [1, 0]]
"""

import numpy as np
import numpy.typing as npt

from transforms.common.blas import one_thread
from transforms.embeddings.rows import Rows, at_length_one, is_sparse, lengths, products, with_direction
from transforms.embeddings.spaces import Space, shared_places

__all__ = ["NoScoreError", "SpacePair", "TooFewNeighboursError", "lengths_of", "nearest"]

Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

QUERIES = 1_024  # rows of a product
CANDIDATES = 4_096  # its columns


class NoScoreError(ValueError):
    """Two spaces are such that a measure has no value for any word.

    Attributes:
        reason: the key of `schemas.change.scores.NULL_REASONS` that says why.
    """

    reason = "undefined"


class TooFewNeighboursError(NoScoreError):
    """A vocabulary has fewer words with a direction than a neighbourhood takes."""

    reason = "too_few_neighbours"


def nearest(vectors: Rows, queries: Places, number: int) -> npt.NDArray[np.int32]:
    """Return for each query row its nearest other rows by cosine similarity, nearest first.

    Args:
        vectors: float32 of shape (words, dim), or sparse; rows of length zero are no neighbours.
        queries: rows to find neighbours of, none of length zero.
        number: neighbours of each; ties go to the lower row.

    Returns:
        Rows, of shape (queries, number).

    Raises:
        TooFewNeighboursError: there are fewer than `number` + 1 rows that are not zero.
    """
    sizes = lengths_of(vectors)
    able = np.flatnonzero(sizes)
    if len(able) <= number:
        raise TooFewNeighboursError(f"{len(able)} words with a direction for {number} neighbours of a word")
    found = np.empty((len(queries), number), np.int32)
    with one_thread():
        for start in range(0, len(queries), QUERIES):
            rows = queries[start : start + QUERIES]
            found[start : start + QUERIES] = _nearest(vectors, sizes, rows, able, number)
    return found


def lengths_of(vectors: Rows) -> Matrix:
    """Return the length of each row, float64."""
    if is_sparse(vectors):
        return lengths(vectors)
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)))


def _nearest(vectors: Rows, sizes: Matrix, queries: Places, able: Places, number: int) -> Places:
    queried = _scaled(vectors, sizes, queries)
    size = max(CANDIDATES, number + 1)  # the first block has enough for all
    best = np.zeros((len(queries), 0), np.int64)
    cosines = np.zeros((len(queries), 0))
    for start in range(0, len(able), size):
        places = able[start : start + size]
        others = _scaled(vectors, sizes, places)
        block = products(queried, others) if is_sparse(others) else queried @ others.T
        itself = np.searchsorted(places, queries)
        inside = itself < len(places)
        inside[inside] = places[itself[inside]] == queries[inside]
        block[inside, itself[inside]] = -np.inf
        # Rows ascend, so that what is as near as the last of the nearest so far comes after it.
        near = np.flatnonzero(block > cosines[:, -1:]) if start else _first(block, number)
        rows, columns = np.divmod(near, block.shape[1])
        best, cosines = _merged(best, cosines, rows, places[columns], block[rows, columns], number)
    return best


def _scaled(vectors: Rows, sizes: Matrix, rows: Places) -> Rows:
    """Return some rows, none of length zero, at length 1."""
    return at_length_one(vectors[rows]) if is_sparse(vectors) else vectors[rows] / sizes[rows][:, None]


def _first(block: Matrix, number: int) -> Places:
    """Return flat places of numbers in a block that are at least the `number`-th largest of their row."""
    least = np.partition(block, block.shape[1] - number, axis=1)[:, block.shape[1] - number]
    return np.flatnonzero(block >= least[:, None])


def _merged(
    best: Places, cosines: Matrix, rows: Places, places: Places, values: Matrix, number: int
) -> tuple[Places, Matrix]:
    """Return the nearest of what was nearest so far and of some more, given by row, each row with `number`."""
    every = np.concatenate([np.repeat(np.arange(len(best)), best.shape[1]), rows])
    where = np.concatenate([best.ravel(), places])
    value = np.concatenate([cosines.ravel(), values])
    order = np.lexsort((where, -value, every))
    every = every[order]
    rank = np.arange(len(every)) - np.searchsorted(every, np.arange(len(best)))[every]
    order = order[rank < number]
    return where[order].reshape(len(best), number), value[order].reshape(len(best), number)


class SpacePair:
    """Two spaces, which need not share dimensions, and the words that are compared in them.

    Attributes:
        earlier, later: the spaces.
        mine, theirs: places in either of the words that both have, with a direction in both, in the order of the
            words; what is said of words in what follows is in this order, too.
    """

    def __init__(self, earlier: Space, later: Space) -> None:
        self.earlier, self.later = earlier, later
        mine, theirs = shared_places(earlier, later)
        able = with_direction(earlier.vectors)[mine] & with_direction(later.vectors)[theirs]
        self.mine, self.theirs = mine[able], theirs[able]
        self._near: dict[int, tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]] = {}

    def neighbours(self, number: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the nearest neighbours of the words in either space, among all its words; found once.

        Returns:
            For each space the numbers of the neighbours among the words that are compared, nearest first, -1 for one
            that is not compared; of shape (words, number).

        Raises:
            TooFewNeighboursError: a space has not that many.
        """
        if number not in self._near:
            numbers = []
            for space, places in ((self.earlier, self.mine), (self.later, self.theirs)):
                compared = np.full(len(space.words), -1, np.int32)
                compared[places] = np.arange(len(places), dtype=np.int32)
                numbers.append(compared[nearest(space.vectors, places, number)])
            self._near[number] = (numbers[0], numbers[1])
        return self._near[number]
