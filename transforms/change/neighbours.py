"""Nearest neighbours of words in one slice's space, by cosine similarity.

>>> import numpy as np
>>> vectors = np.array([[1, 0], [2, 0], [0, 1]], np.float32)
>>> nearest_neighbours(vectors, queries=np.array([0]), candidates=np.array([0, 1, 2]), k=1)
[(array([1]), array([1.]))]
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schemas.neighbours import NEIGHBOURS
from transforms.change.alignment import Side, Space, apply
from transforms.common.blas import one_thread

__all__ = ["nearest_neighbours", "neighbours_table"]

BLOCK = 16_384

Places = npt.NDArray[np.int64]


def nearest_neighbours(
    vectors: npt.NDArray[np.float32], *, queries: Places, candidates: Places, k: int
) -> list[tuple[Places, npt.NDArray[np.float64]]]:
    """Return for each query row the `k` nearest candidate rows and their cosines, nearest first.

    Args:
        vectors: float32 of shape (words, dim).
        queries: rows to find neighbours of; a row is not a neighbour of itself.
        candidates: rows that may be neighbours, ascending; ties go to the lower row.
        k: neighbours per query; fewer come back where there are fewer candidates.

    A zero vector has no neighbours and is none.
    """
    unit = Side(unit_length=True)
    asked = apply(unit, vectors[queries])
    found: list[tuple[Places, npt.NDArray[np.float64]]] = [
        (np.zeros(0, np.int64), np.zeros(0)) for _ in queries
    ]
    for start in range(0, len(candidates), BLOCK):
        places = candidates[start : start + BLOCK]
        block = apply(unit, vectors[places])
        with one_thread():
            cosines = np.clip(asked @ block.T, -1.0, 1.0)
        cosines[:, ~block.any(axis=1)] = -np.inf
        cosines[~asked.any(axis=1)] = -np.inf
        cosines[queries[:, None] == places] = -np.inf
        for row, (best, near) in enumerate(found):
            found[row] = _best(np.append(best, places), np.append(near, cosines[row]), k)
    return found


def _best(
    places: Places, cosines: npt.NDArray[np.float64], k: int
) -> tuple[Places, npt.NDArray[np.float64]]:
    """Return the k largest; places ascend among equals, so a stable sort settles ties."""
    if k < len(cosines):
        least = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
        able = cosines >= least
        places, cosines = places[able], cosines[able]
    order = np.argsort(-cosines, kind="stable")[:k]
    order = order[cosines[order] > -np.inf]
    return places[order], cosines[order]


def neighbours_table(
    slice_name: str, seed: int, space: Space, words: Sequence[str], *, k: int, min_count: int
) -> pa.Table:
    """Return rows of table neighbours for one slice and seed, sorted by word and rank.

    Args:
        slice_name: name of the slice.
        seed: training seed of the space.
        space: unaligned space of the slice.
        words: targets and top words; those that the space lacks are passed over.
        k: neighbours per word.
        min_count: uses that a neighbour needs.
    """
    place_of = {word: place for place, word in enumerate(space.words)}
    asked = sorted({word for word in words if word in place_of})
    found = nearest_neighbours(
        space.vectors,
        queries=np.array([place_of[word] for word in asked], np.int64),
        candidates=np.flatnonzero(space.counts >= min_count),
        k=k,
    )
    rows = [
        (word, slice_name, seed, rank, space.words[place], float(cosine))
        for word, (places, cosines) in zip(asked, found, strict=True)
        for rank, (place, cosine) in enumerate(zip(places, cosines, strict=True), 1)
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(NEIGHBOURS.schema())
    return pa.table([list(column) for column in columns], schema=NEIGHBOURS.schema())
