"""Neighbourhoods of many words in spaces that need not share dimensions: nearest neighbours by cosine, exact.

Products are cut into blocks of one size, so that memory grows with the vocabulary and not with its square. The cosines
of a block say for its rows which columns are near, and for its columns which rows are, so that every pair of words is
multiplied once. After a word's first block, only those as near as the last of its nearest so far are looked at.

>>> import numpy as np
>>> nearest(np.array([[1, 0], [2, 1], [0, 3], [0, 0]], np.float32), np.array([0, 2]), 2).tolist()
[[1, 2], [1, 0]]
"""

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.embeddings.rows import Rows, at_length_one, is_sparse, lengths, products, with_direction
from lexbeam.transforms.embeddings.spaces import Space, shared_places

Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

BLOCK = 2_048  # rows and columns of a product
FILLED = 0.1  # of the rows have a number in a column that is multiplied densely


class NoScoreError(ValueError):
    """Two spaces are such that a measure has no value for any word.

    Attributes:
        reason: the key of `lexbeam.schemas.change.scores.NULL_REASONS` that says why.
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
    order = np.concatenate([queries, np.setdiff1d(able, queries)])
    size = max(BLOCK, number + 1)  # the first block has enough for all
    nearest_so_far, units = _Nearest(len(queries), number), _Units(vectors, sizes)
    with one_thread():
        for start in range(0, len(queries), size):
            mine = order[start : min(start + size, len(queries))]
            queried = units.of(mine)
            for place in range(start, len(order), size):
                others = order[place : place + size]
                block = _cosines(queried, units.of(others))
                if place == start:
                    np.fill_diagonal(block, -np.inf)
                nearest_so_far.add(start, block, others)
                if start < place < len(queries):
                    nearest_so_far.add(place, block[:, : len(queries) - place], mine, columns=True)
    return nearest_so_far.places


class _Nearest:
    """The nearest of each query so far.

    Attributes:
        places: rows, nearest first, of shape (queries, number).
    """

    def __init__(self, queries: int, number: int) -> None:
        self.places = np.full((queries, number), -1, np.int32)
        self._cosines = np.full((queries, number), -np.inf)

    def add(self, first: int, block: Matrix, places: Places, *, columns: bool = False) -> None:
        """Add the cosines of some queries, from `first` on, and of the rows `places`.

        The queries are the rows of the block, or its columns.
        """
        number = self.places.shape[1]
        queries, axis = block.shape[columns], 0 if columns else 1
        mine = slice(first, first + queries)
        least = self._cosines[mine, -1]
        if least[0] == -np.inf:  # the first that the queries see
            last = len(places) - number
            least = np.asarray(np.partition(block, last, axis=axis).take(last, axis=axis))
        near = np.divmod(np.flatnonzero(block >= np.expand_dims(least, axis)), block.shape[1])
        values = block[near]
        rows, found = near[::-1] if columns else near
        some, every = np.unique(rows, return_inverse=True)
        places, cosines = _merged(self.places[mine][some], self._cosines[mine][some], every, places[found], values)
        self.places[first + some], self._cosines[first + some] = places, cosines


def lengths_of(vectors: Rows) -> Matrix:
    """Return the length of each row, float64."""
    if is_sparse(vectors):
        return lengths(vectors)
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)))


class _Units:
    """Rows at length 1; of sparse ones those columns are dense that many rows have a number in, which is faster."""

    def __init__(self, vectors: Rows, sizes: Matrix) -> None:
        self._vectors, self._sizes = vectors, sizes
        self._rest: Rows | None = None
        if is_sparse(vectors):
            unit = at_length_one(vectors)
            many = np.bincount(unit.indices, minlength=unit.shape[1]) > FILLED * unit.shape[0]
            self._vectors, self._rest = unit[:, np.flatnonzero(many)].toarray(), unit[:, np.flatnonzero(~many)]

    def of(self, rows: Places) -> tuple[Matrix, Rows | None]:
        """Return some rows, none of length zero: dense numbers, and sparse ones if there are such."""
        if self._rest is None:
            return self._vectors[rows] / self._sizes[rows][:, None], None
        return self._vectors[rows], self._rest[rows]


def _cosines(first: tuple[Matrix, Rows | None], second: tuple[Matrix, Rows | None]) -> Matrix:
    block = first[0] @ second[0].T
    if first[1] is not None:
        block += products(first[1], second[1])
    return block


def _merged(
    best: npt.NDArray[np.int32], cosines: Matrix, rows: Places, places: Places, values: Matrix
) -> tuple[Places, Matrix]:
    """Return the nearest of what was nearest so far and of some more, given by row, of which there are as many."""
    number = best.shape[1]
    every = np.concatenate([np.repeat(np.arange(len(best)), number), rows])
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

    def shares(self) -> tuple[Matrix, Matrix]:
        """Return the relative frequencies of the words in either space."""
        return (
            self.earlier.counts[self.mine] / max(self.earlier.tokens, 1),
            self.later.counts[self.theirs] / max(self.later.tokens, 1),
        )

    def frequent(self, number: int) -> Places:
        """Return the words whose smaller relative frequency is greatest, ties to the first, in their order."""
        return np.sort(np.argsort(-np.minimum(*self.shares()), kind="stable")[:number])

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
