"""One vector from the vectors of a span's pieces.

A pooling takes the vectors of all spans' pieces, one after the other, float32 (pieces, dim), and
`bounds`, int64 (spans + 1,): span i has the pieces `bounds[i]` to `bounds[i + 1]`, one at least. It
returns float32 (spans, dim). Sums run from the first piece to the last.

    >>> import numpy as np
    >>> pieces = np.array([[1, 5], [3, 1], [7, 7]], np.float32)
    >>> {name: pool(pieces, np.array([0, 2, 3])).tolist() for name, pool in POOLINGS.items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'mean': [[2.0, 3.0], [7.0, 7.0]], 'first': [[1.0, 5.0], [7.0, 7.0]],
     'last': [[3.0, 1.0], [7.0, 7.0]], 'max': [[3.0, 5.0], [7.0, 7.0]]}
"""

from collections.abc import Callable

import numpy as np

__all__ = ["POOLINGS", "Pooling"]

Pooling = Callable[[np.ndarray, np.ndarray], np.ndarray]


def mean(vectors: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the mean of the pieces."""
    sums = np.add.reduceat(vectors, bounds[:-1], axis=0)
    return sums / np.diff(bounds)[:, None].astype(np.float32)


def first(vectors: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the first piece."""
    return vectors[bounds[:-1]]


def last(vectors: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the last piece."""
    return vectors[bounds[1:] - 1]


def greatest(vectors: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the greatest value of each dimension."""
    return np.maximum.reduceat(vectors, bounds[:-1], axis=0)


POOLINGS: dict[str, Pooling] = {"mean": mean, "first": first, "last": last, "max": greatest}
