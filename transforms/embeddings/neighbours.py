"""Nearest neighbours of words in one slice's space, by cosine similarity.

>>> import numpy as np
>>> vectors = np.array([[1, 0], [2, 0], [0, 1]], np.float32)
>>> nearest_neighbours(vectors, queries=np.array([0]), candidates=np.array([0, 1, 2]), k=1)
[(array([1]), array([1.]))]
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.change.spaces import NEIGHBOURS
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.rows import Rows, products, with_direction
from lexbeam.transforms.embeddings.spaces import Side, Space, apply

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
        slice_name: name of the slice.
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
        """Add the cosines of a space."""
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
