"""What a metric gives: a number, terms whose sums are divided, or why there is no value."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Floats", "Ints", "Outcome", "Terms", "Undefined"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Undefined(NamedTuple):
    """No value, for a reason: a key of `schemas.metrics.REASONS`, or a metric's own."""

    reason: str


class Terms(NamedTuple):
    """A ratio of sums over instances; its resamples are sums, too, and need no further call.

    Attributes:
        numerator: a number for each instance.
        denominator: likewise, 0 or more.
        undefined: the reason where the denominators add up to 0.
    """

    numerator: Floats
    denominator: Floats
    undefined: str = "empty"


Outcome = float | Terms | Undefined
