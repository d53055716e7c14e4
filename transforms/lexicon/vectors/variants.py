"""What may be done to vectors: centring, removal of top components, unit length.

"All-but-the-top" (Mu and Viswanath 2018): the mean of all vectors is subtracted, then what lies
along the directions of the greatest variance, which are much the same for every word and tell of
its frequency. A vector of zeros, which has no direction, stays one.

>>> import numpy as np
>>> moments = moments_of([np.array([[1, 2], [3, 2]], np.float32)], 2)
>>> moments.mean.tolist(), moments.covariance.tolist()
([2.0, 2.0], [[1.0, 0.0], [0.0, 0.0]])
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.common.blas import one_thread
from transforms.common.rowwise import dots

__all__ = ["Moments", "Variant", "changed", "moments_of", "variant_of"]

Matrix = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


class Moments(NamedTuple):
    """Mean, shape (dim,), and covariance, shape (dim, dim), of vectors."""

    mean: Matrix
    covariance: Matrix


class Variant(NamedTuple):
    """What is done to each vector: minus `mean`, minus its part along `directions`, to length 1."""

    mean: Matrix | None
    directions: Matrix | None
    unit: bool


def moments_of(blocks: Iterable[Vectors], dim: int) -> Moments:
    """Return mean and covariance of the rows of blocks, summed in float64 block by block."""
    shift = np.zeros(dim)
    total, products, rows = np.zeros(dim), np.zeros((dim, dim)), 0
    with one_thread():
        for block in blocks:
            if not rows:
                # About a point near the mean, so that little is lost in the difference.
                shift = block.mean(axis=0, dtype=np.float64)
            moved = block.astype(np.float64) - shift
            total += moved.sum(axis=0)
            products += moved.T @ moved
            rows += len(block)
        mean = total / max(rows, 1)
        covariance = products / max(rows, 1) - np.outer(mean, mean)
    return Moments(mean + shift, covariance)


def variant_of(moments: Moments | None, *, remove: int, unit: bool) -> Variant:
    """Return what is done to vectors of these moments; None: they are not centred."""
    if moments is None:
        return Variant(None, None, unit)
    directions = None
    if remove:
        with one_thread():
            directions = np.linalg.eigh(moments.covariance)[1][:, -remove:]
    return Variant(moments.mean, directions, unit)


def changed(variant: Variant, block: Vectors) -> Vectors:
    """Return vectors, rows of a block, as the variant has them, float32."""
    rows = block.astype(np.float64)
    zero = ~block.any(axis=1)
    if variant.mean is not None:
        rows -= variant.mean
    if variant.directions is not None:
        directions = np.ascontiguousarray(variant.directions.T)
        parts = [dots(rows, direction) for direction in directions]
        for part, direction in zip(parts, directions, strict=True):
            rows -= np.outer(part, direction)
    if variant.unit:
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=rows, where=length > 0)
    rows[zero] = 0.0
    return rows.astype(np.float32)
