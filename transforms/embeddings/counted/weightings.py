"""Vectors from co-occurrence counts: association, fewer dimensions by decomposition or by chance.

- PPMI with context distribution smoothing and shift (Levy, Goldberg and Dagan 2015):
  max(0, log[#(w,c) / (#(w) P_a(c))] - log k), with #(w) the sum of a row and P_a(c) = #(c)^a / sum of #(c')^a.
- Truncated SVD (ibid.): M = U S Vt, of which U S^gamma is kept in the dimensions with the greatest singular values.
- Random indexing (Kanerva et al. 2000; Sahlgren 2005): counts times a sparse matrix of -1, 0 and 1, in which each
  context has a row of its own, drawn from its text and the seed alone, so that all slices share it (temporal random
  indexing, Basile et al. 2014).

>>> from scipy.sparse import csr_array
>>> counts = csr_array(np.array([[0, 2], [2, 0]]))
>>> ppmi(counts, smoothing=1.0, shift=1.0).toarray().round(4).tolist()
[[0.0, 0.6931], [0.6931, 0.0]]
>>> truncated_svd(counts, dim=1, gamma=1.0).round(4).shape
(2, 1)
"""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.draws.by_content import numbers, uniform

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]

NO_DIRECTION = 1e-8  # of the greatest singular value: what is smaller is rounding
BLOCK = 4_096  # rows


def ppmi(counts: "csr_array", *, smoothing: float, shift: float) -> "csr_array":
    """Return positive pointwise mutual information of words (rows) and contexts (columns), natural logarithms.

    Args:
        counts: whole numbers from 0.
        smoothing: a, the power of context counts; 1 for none.
        shift: k, whose logarithm is subtracted; 1 for none.

    Returns:
        float64 of the same shape; what is not above 0 is not stored.
    """
    from scipy.sparse import csr_array

    uses = np.asarray(counts.sum(axis=1), np.float64)
    contexts = np.asarray(counts.sum(axis=0), np.float64) ** smoothing
    values = np.repeat(uses, np.diff(counts.indptr))
    values *= (contexts / (contexts.sum() or 1.0))[counts.indices]  # what is expected
    np.divide(counts.data, values, out=values)
    np.log(values, out=values)
    values -= np.log(shift)
    above = values > 0
    starts = np.append(0, np.cumsum(above))[counts.indptr]
    return csr_array((values[above], counts.indices[above], starts), shape=counts.shape)


def truncated_svd(matrix: "csr_array", *, dim: int, gamma: float) -> Floats:
    """Return U S^gamma of the `dim` greatest singular values, greatest first.

    Of each column the number farthest from 0 is positive. Columns are 0 where there is no further direction (the
    singular value is below 1e-8 of the greatest), and so are rows that are 0 in the matrix.

    Args:
        matrix: of shape (words, contexts).
        dim: columns of the result; there may be fewer words.
        gamma: power of the singular values; 0: U alone.
    """
    found = np.zeros((matrix.shape[0], dim))
    matrix = matrix.astype(np.float64, copy=False)
    rows = np.flatnonzero(np.diff(matrix.indptr))
    columns = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
    if not len(rows):
        return found
    if (len(rows), len(columns)) != matrix.shape:
        matrix = matrix[rows][:, columns]
    with one_thread():
        left, values = _left_side(matrix, dim)
    sound = values > NO_DIRECTION * values[0]
    left, values = left[:, sound], values[sound]
    farthest = left[np.abs(left).argmax(axis=0), np.arange(len(values))]
    found[rows, : len(values)] = left * np.sign(farthest) * values**gamma
    return found


def _left_side(matrix: "csr_array", dim: int) -> tuple[Floats, Floats]:
    """Return the left singular vectors, as columns, and the greatest singular values, greatest first."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    least = min(matrix.shape)
    if least <= 3 * dim:  # Lanczos vectors would come near to spanning everything
        left, values, _ = np.linalg.svd(matrix.toarray(), full_matrices=False)
        return left[:, :dim], values[:dim]
    columns = matrix.shape[1]
    turned = matrix.T
    square = LinearOperator((columns, columns), lambda vector: turned @ (matrix @ vector), dtype=np.float64)
    # `svds` has eigenvectors found likewise, but restarts by chance where the Lanczos vectors are exhausted.
    restarts = {"rng": 0} if "rng" in inspect.signature(eigsh).parameters else {}
    start = uniform(range(columns), seed=0, label="start of eigsh") - 0.5
    _, right = eigsh(square, k=dim, v0=start, **restarts)
    left, values, _ = np.linalg.svd(matrix @ np.linalg.qr(right)[0], full_matrices=False)
    return left, values


def random_vectors(words: Sequence[str], *, dim: int, nonzero: int, seed: int) -> "csr_array":
    """Return the vector of each context, drawn from its text and the seed: -1 or 1 in `nonzero` places, else 0.

    The dimensions are cut into as many spans, as equal as may be, and each span has one of these places.

    Returns:
        int64 of shape (words, dim).
    """
    from scipy.sparse import csr_array

    bounds = np.arange(nonzero + 1) * dim // nonzero
    drawn = numbers(words, seed=seed, label="random indexing", draws=nonzero)
    signs = 1 - 2 * (drawn & np.uint64(1)).astype(np.int64)
    # The upper bits, as a number below 1.
    places = bounds[:-1] + ((drawn >> np.uint64(11)) * 2.0**-53 * np.diff(bounds)).astype(np.int64)
    starts = np.arange(len(words) + 1) * nonzero
    return csr_array((signs.ravel(), places.ravel(), starts), shape=(len(words), dim))


def projected(counts: "csr_array", vectors: "csr_array") -> npt.NDArray[np.float32]:
    """Return the sum of the vectors of each word's contexts, as often as they occur; whole numbers, as float32."""
    found = np.empty((counts.shape[0], vectors.shape[1]), np.float32)
    for start in range(0, len(found), BLOCK):
        found[start : start + BLOCK] = (counts[start : start + BLOCK] @ vectors).toarray()
    return found
