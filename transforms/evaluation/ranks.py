"""Ranks of values, ties by average rank.

>>> average_ranks(np.array([2.0, 5.0, 2.0])).tolist()
[1.5, 3.0, 1.5]
"""

import numpy as np
import numpy.typing as npt


def average_ranks(values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Return the rank of every value, the least being 1."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(number) - (number - 1) / 2)[place], np.float64)
