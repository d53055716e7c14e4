"""What estimators of concreteness learn from, and what is learned."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Fitted = dict[str, npt.NDArray[Any]]


class ConcretenessTraining(NamedTuple):
    """What an estimator learns from.

    Attributes:
        words: distinct, sorted.
        rows: (words, columns).
        labels: (words,), 0 to 1.
    """

    words: Sequence[str]
    rows: Floats
    labels: Floats
