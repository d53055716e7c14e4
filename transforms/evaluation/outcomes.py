"""What a metric returns: a number, terms whose sums are divided, or why there is no value."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Undefined(NamedTuple):
    """No value, for a reason: a key of `lexbeam.schemas.common_tables.REASONS`, or a metric's own."""

    reason: str


class Terms(NamedTuple):
    """A ratio of sums over instances; resamples are sums as well, and need no further call.

    Attributes:
        numerator: a number for each instance.
        denominator: a number for each instance, 0 or more.
        undefined: the reason if the denominators add up to 0.
    """

    numerator: Floats
    denominator: Floats
    undefined: str = "empty"


Outcome = float | Terms | Undefined
