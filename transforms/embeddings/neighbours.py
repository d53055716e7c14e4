"""Nearest neighbours of words by cosine, exact: some words of one slice's space, or many words of two spaces.

>>> import numpy as np
>>> vectors = np.array([[1, 0], [2, 0], [0, 1]], np.float32)
>>> nearest_neighbours(vectors, queries=np.array([0]), candidates=np.array([0, 1, 2]), k=1)
[(array([1]), array([1.]))]

For many words, in spaces that need not share dimensions, products are cut into blocks of one size, so that memory grows
with the vocabulary and not with its square. The cosines of a block say for its rows which columns are near, and for its
columns which rows are, so that every pair of words is multiplied once. After a word's first block, only those as near
as the last of its nearest so far are looked at.

>>> import numpy as np
>>> nearest(np.array([[1, 0], [2, 1], [0, 3], [0, 0]], np.float32), np.array([0, 2]), 2).tolist()
[[1, 2], [1, 0]]
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.change.spaces import NEIGHBOURS
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.spaces import (
    Rows,
    Side,
    Space,
    apply,
    at_length_one,
    is_sparse,
    lengths,
    products,
    shared_places,
    with_direction,
)

BLOCK = 16_384

Places = npt.NDArray[np.int64]


def nearest_neighbours(
    vectors: Rows, *, queries: Places, candidates: Places, k: int
) -> list[tuple[Places, npt.NDArray[np.float64]]]:
    """Return for each query row the `k` nearest candidate rows and their cosines, nearest first.

    Args:
        vectors: float32 of shape (words, dim), or sparse.
        queries: rows to find neighbours of; a row is not a neighbour of itself.
        candidates: rows that may be neighbours, ascending; ties go to the lower row.
        k: neighbours per query; fewer if there are fewer candidates.

    A zero vector neither has neighbours nor is one.
    """
    unit = Side(unit_length=True)
    queried = apply(unit, vectors[queries])
    nearest: list[tuple[Places, npt.NDArray[np.float64]]] = [(np.zeros(0, np.int64), np.zeros(0)) for _ in queries]
    for start in range(0, len(candidates), BLOCK):
        places = candidates[start : start + BLOCK]
        block = apply(unit, vectors[places])
        cosines = np.clip(products(queried, block), -1.0, 1.0)
        cosines[:, ~with_direction(block)] = -np.inf
        cosines[~with_direction(queried)] = -np.inf
        cosines[queries[:, None] == places] = -np.inf
        for row, (best, near) in enumerate(nearest):
            nearest[row] = _best(np.append(best, places), np.append(near, cosines[row]), k)
    return nearest


def _best(places: Places, cosines: npt.NDArray[np.float64], k: int) -> tuple[Places, npt.NDArray[np.float64]]:
    """Return the k largest; places ascend among equals, so a stable sort settles ties."""
    if k < len(cosines):
        least = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
        able = cosines >= least
        places, cosines = places[able], cosines[able]
    order = np.argsort(-cosines, kind="stable")[:k]
    order = order[cosines[order] > -np.inf]
    return places[order], cosines[order]


def neighbours_table(
    slice_name: str, seed: int, space: Space, words: Sequence[str], *, k: int, min_count: int, variant: str = APART
) -> pa.Table:
    """Return rows of table neighbours for one slice and seed, sorted by word and rank.

    Args:
        seed: training seed of the space.
        space: unaligned space of the slice.
        words: targets and top words; words that the space lacks are skipped.
        k: neighbours per word.
        min_count: uses that a neighbour needs.
        variant: of the space.
    """
    place_of = {word: place for place, word in enumerate(space.words)}
    queried = sorted({word for word in words if word in place_of})
    nearest = nearest_neighbours(
        space.vectors,
        queries=np.array([place_of[word] for word in queried], np.int64),
        candidates=np.flatnonzero(space.counts >= min_count),
        k=k,
    )
    rows = [
        (word, slice_name, seed, variant, rank, space.words[place], float(cosine))
        for word, (places, cosines) in zip(queried, nearest, strict=True)
        for rank, (place, cosine) in enumerate(zip(places, cosines, strict=True), 1)
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(NEIGHBOURS.schema())
    return pa.table([list(column) for column in columns], schema=NEIGHBOURS.schema())


class Neighbour(NamedTuple):
    """A neighbour by its mean cosine over the seeds in which both words have a direction."""

    word: str
    cosine: float
    seeds: int


def mean_neighbours(
    spaces: Iterable[Space], words: Sequence[str], *, k: int, min_count: int
) -> dict[str, list[Neighbour]]:
    """Return the `k` nearest neighbours of words over all seeds, nearest first, ties by word.

    The cosine of two words is averaged over the spaces in which both have a vector that is not zero.
    Axes differ from seed to seed, so nothing else may be averaged.

    Args:
        spaces: the spaces of one slice, by seed; one is held at a time.
        words: words that get neighbours; words that no space has are left out.
        k: neighbours of each.
        min_count: uses that a neighbour needs.
    """
    means = _MeanCosines(words, min_count)
    for space in spaces:
        means.add(space)
    return means.nearest(k)


class _MeanCosines:
    """Cosines of queried words and all others, summed over spaces in which both have a direction."""

    def __init__(self, words: Sequence[str], min_count: int) -> None:
        self._min_count = min_count
        self._queries = {word: row for row, word in enumerate(dict.fromkeys(words))}
        self._known: set[str] = set()  # queried words that some space has
        self._columns: dict[str, int] = {}
        self._sums = np.zeros((len(self._queries), 0))
        self._seeds = np.zeros((len(self._queries), 0), np.int32)

    def add(self, space: Space) -> None:
        columns = np.array([self._columns.setdefault(word, len(self._columns)) for word in space.words], np.int64)
        grown = ((0, 0), (0, len(self._columns) - self._sums.shape[1]))
        self._sums, self._seeds = np.pad(self._sums, grown), np.pad(self._seeds, grown)
        there = [row for row, word in enumerate(space.words) if word in self._queries]
        self._known.update(space.words[row] for row in there)
        queries = apply(Side(unit_length=True), space.vectors[np.array(there, np.int64)])
        able_queries = with_direction(queries)
        if not able_queries.any():
            return
        queries = queries[able_queries]
        query_rows = np.array([self._queries[space.words[row]] for row in there])[able_queries]
        for start in range(0, len(space.words), BLOCK):
            rows = slice(start, start + BLOCK)
            block = apply(Side(unit_length=True), space.vectors[rows])
            cosines = np.clip(products(queries, block), -1.0, 1.0)
            able = np.flatnonzero(with_direction(block) & (space.counts[rows] >= self._min_count))
            cells = np.ix_(query_rows, columns[rows][able])
            self._sums[cells] += cosines[:, able]
            self._seeds[cells] += 1

    def nearest(self, k: int) -> dict[str, list[Neighbour]]:
        """Return the `k` nearest neighbours of each queried word that some space has."""
        names = list(self._columns)
        return {word: self._nearest(word, row, names, k) for word, row in self._queries.items() if word in self._known}

    def _nearest(self, word: str, row: int, names: Sequence[str], k: int) -> list[Neighbour]:
        able = np.flatnonzero(self._seeds[row])
        means = self._sums[row, able] / self._seeds[row, able]
        if k + 1 < len(means):  # the word itself is among them
            near = means >= np.partition(means, len(means) - k - 1)[len(means) - k - 1]
            able, means = able[near], means[near]
        near_first = sorted(
            (-mean, names[column], int(self._seeds[row, column]))
            for mean, column in zip(means.tolist(), able.tolist(), strict=True)
            if names[column] != word
        )
        return [Neighbour(name, -mean, number) for mean, name, number in near_first[:k]]


Matrix = npt.NDArray[np.float64]

PRODUCT_BLOCK = 2_048  # rows and columns of a product
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
    size = max(PRODUCT_BLOCK, number + 1)  # the first block has enough for all
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
