"""Vectors as rows of a matrix, dense or sparse, for what is done with both alike.

A sparse matrix, `scipy.sparse.csr_array`, stores no zeros. What is said of a row does not depend on the rows beside it.

>>> from scipy.sparse import csr_array
>>> for rows in (np.array([[3.0, 4.0], [0.0, 0.0]]), csr_array(np.array([[3.0, 4.0], [0.0, 0.0]]))):
...     print(lengths(rows).tolist(), with_direction(rows).tolist(), dense(at_length_one(rows)).tolist())
[5.0, 0.0] [True, False] [[0.6, 0.8], [0.0, 0.0]]
[5.0, 0.0] [True, False] [[0.6, 0.8], [0.0, 0.0]]
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

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
