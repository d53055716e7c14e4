"""Spaces of slices, and what a linear map does to their vectors.

>>> import numpy as np
>>> apply(Side(unit_length=True, mean=np.array([0.5, 0.5])), np.array([[3.0, 4.0], [0.0, 0.0]])).round(1).tolist()
[[0.1, 0.3], [0.0, 0.0]]
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import product
from lexbeam.transforms.embeddings.rows import Rows, as_float64, at_length_one, is_sparse, lengths

Matrix = npt.NDArray[np.float64]

BLOCK = 1_024  # rows of a large space taken to float64 at once, so that they stay in the cache; part of what a sum is


class Space(NamedTuple):
    """A slice's embedding.

    Attributes:
        words: the vocabulary, sorted.
        counts: uses of each, int64.
        vectors: float32 of shape (words, dim); or sparse, a `csr_array` of shape (words, words), whose dimensions are
            the words.
        tokens: all tokens of the slice, those of words below the cut included.
    """

    words: list[str]
    counts: npt.NDArray[np.int64]
    vectors: Rows
    tokens: int


class Side(NamedTuple):
    """What is done to a space's vectors: unit length, minus `mean`, unit length again (`unit_centred`), @ `matrix`.

    Of a sparse space those dimensions are taken whose numbers are in `contexts`.
    """

    unit_length: bool = False
    mean: Matrix | None = None
    matrix: Matrix | None = None
    unit_centred: bool = False
    contexts: npt.NDArray[np.int64] | None = None


def shared_places(earlier: Space, later: Space) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of the shared words in either space, in the order of the words."""
    places = pc.index_in(pa.array(earlier.words, pa.string()), value_set=pa.array(later.words, pa.string())).fill_null(
        -1
    )
    indices = places.to_numpy(zero_copy_only=False).astype(np.int64)
    mine = np.flatnonzero(indices >= 0)
    return mine, indices[mine]


def apply(side: Side, vectors: Rows, out: Matrix | None = None) -> Rows:
    """Return vectors (rows) mapped by one side of an alignment, float64; sparse ones stay sparse.

    A vector of length zero has no direction and stays zero, whatever the mean. The result for a vector
    does not depend on the vectors beside it. Its memory may be that of `out`, see `working_rows`.
    """
    if is_sparse(vectors):
        return _taken(side, vectors)
    mapped = at_length_one(vectors, out) if side.unit_length else as_float64(vectors, out)
    if side.mean is None and side.matrix is None:
        return mapped
    zero = lengths(mapped) == 0
    if side.mean is not None:
        mapped -= side.mean
    if side.unit_centred:
        mapped = at_length_one(mapped, mapped)
    if side.matrix is not None:
        mapped = product(mapped, side.matrix)
    mapped[zero] = 0.0
    return mapped


def _taken(side: Side, vectors: Rows) -> Rows:
    if side.mean is not None or side.matrix is not None:
        raise ValueError("a sparse space is mapped by no matrix")
    taken = vectors if side.contexts is None else vectors[:, side.contexts]
    return at_length_one(taken) if side.unit_length else taken.astype(np.float64)


def working_rows(vectors: Rows) -> Matrix | None:
    """Return what `apply` fills with a block of rows, for a loop that would else ask for memory each time.

    None for sparse vectors, which have no such place.
    """
    return None if is_sparse(vectors) else np.empty((BLOCK, vectors.shape[1]))


def unit_mean(vectors: npt.NDArray[np.float32]) -> Matrix:
    """Return the mean of vectors (rows) brought to length 1; of zero vectors count zeros."""
    total, kept = np.zeros(vectors.shape[1]), working_rows(vectors)
    for start in range(0, len(vectors), BLOCK):
        total += apply(Side(True), vectors[start : start + BLOCK], kept).sum(axis=0)
    return np.asarray(total / len(vectors))
