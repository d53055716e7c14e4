"""Thresholds that turn scores into changed and unchanged.

`mean`: the mean score, over the targets where there are any (transductive: it supposes that about
half of them changed), else over the ranked words. Over a whole vocabulary it would mean something
else with each alignment: on Latin 1 of 40 targets lies above it with op and all 40 with cca.

>>> import numpy as np
>>> mean(np.array([0.1, 0.3, np.nan]))
0.2
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["THRESHOLDS", "mean"]


def mean(scores: npt.NDArray[np.float64]) -> float:
    """Return the mean of the scores that are not nan; nan where there is none."""
    found = scores[~np.isnan(scores)]
    return float(found.mean()) if len(found) else math.nan


THRESHOLDS: dict[str, Callable[[npt.NDArray[np.float64]], float]] = {"mean": mean}
