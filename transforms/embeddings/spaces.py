"""Spaces of slices, what a linear map does to their vectors, and rows of matrices, dense or sparse.

>>> import numpy as np
>>> apply(Side(unit_length=True, mean=np.array([0.5, 0.5])), np.array([[3.0, 4.0], [0.0, 0.0]])).round(1).tolist()
[[0.1, 0.3], [0.0, 0.0]]

Vectors are rows of a matrix, dense or sparse; what is done with both alike stands here. A sparse matrix,
`scipy.sparse.csr_array`, stores no zeros. What is said of a row does not depend on the rows beside it.

>>> from scipy.sparse import csr_array
>>> for rows in (np.array([[3.0, 4.0], [0.0, 0.0]]), csr_array(np.array([[3.0, 4.0], [0.0, 0.0]]))):
...     print(lengths(rows).tolist(), with_direction(rows).tolist(), dense(at_length_one(rows)).tolist())
[5.0, 0.0] [True, False] [[0.6, 0.8], [0.0, 0.0]]
[5.0, 0.0] [True, False] [[0.6, 0.8], [0.0, 0.0]]
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import dots, product

Floats = npt.NDArray[np.float64]
Rows: TypeAlias = Any  # an array of shape (rows, dimensions), or a csr_array of this shape


def is_sparse(rows: Rows) -> bool:
    """Return whether a matrix is sparse."""
    return not isinstance(rows, np.ndarray)


def dense(rows: Rows) -> npt.NDArray[Any]:
    """Return a matrix as an array."""
    return np.asarray(rows.toarray() if is_sparse(rows) else rows)


def with_direction(rows: Rows) -> npt.NDArray[np.bool_]:
    """Return which rows are not zero."""
    if is_sparse(rows):
        return np.asarray(np.diff(rows.indptr) > 0)
    found = np.asarray(rows[:, :1].any(axis=1))  # a number of each row tells of nearly all
    rest = np.flatnonzero(~found)
    found[rest] = rows[rest].any(axis=1)
    return found


def most_numbers(rows: Rows) -> int:
    """Return the most numbers that are stored of a row."""
    return int(np.diff(rows.indptr).max(initial=0) if is_sparse(rows) else rows.shape[1])


def row_dots(first: Rows, second: Rows) -> Floats:
    """Return the inner product of each row of one matrix with that of another, both dense or both sparse."""
    if is_sparse(first):
        return np.asarray(first.multiply(second).sum(axis=1), np.float64)
    return dots(first, second)


def lengths(rows: Rows) -> Floats:
    """Return the length of each row."""
    rows = rows.astype(np.float64, copy=False)
    return np.asarray(np.sqrt(row_dots(rows, rows)))


def as_float64(rows: Rows, out: Floats | None = None) -> Rows:
    """Return a copy of rows in float64, dense ones in the first rows of `out` if it is given."""
    if out is None or is_sparse(rows):
        return rows.astype(np.float64)
    taken = out[: len(rows)]
    taken[:] = rows
    return taken


def at_length_one(rows: Rows, out: Floats | None = None) -> Rows:
    """Return rows at length 1, float64, dense ones in `out` if it is given; those of length zero stay zero."""
    rows = as_float64(rows, out)
    length = lengths(rows)
    if is_sparse(rows):
        rows.data /= np.repeat(length, np.diff(rows.indptr))
        return rows
    rows /= np.where(length > 0, length, 1.0)[:, None]
    return rows


def products(first: Rows, second: Rows) -> Floats:
    """Return the inner product of each row of one matrix with each of another, dense, of shape (first, second)."""
    if is_sparse(first):
        return np.asarray((first @ second.T.tocsr()).toarray())
    return product(first, second.T)


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
