"""Thresholds that turn scores into changed and unchanged.

`mean`: the mean score over the targets, if any (transductive: it supposes that about half of them
changed), else over the ranked words. Over a whole vocabulary it would mean something different with
each alignment: on Latin, 1 of 40 targets lies above it with op, and all 40 with cca.

>>> import numpy as np
>>> mean(np.array([0.1, 0.3, np.nan]))
0.2
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.common.code.registry import Entry, Registry

__all__ = ["THRESHOLDS", "Threshold", "mean"]


def mean(scores: npt.NDArray[np.float64]) -> float:
    """Return the mean of the scores that are not nan; nan if there are none."""
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else math.nan


@dataclass(frozen=True)
class Threshold(Entry):
    """A function from scores to the number above which a word counts as changed; nan for none."""

    of: Callable[[npt.NDArray[np.float64]], float]


THRESHOLDS: Registry[Threshold] = Registry(
    {"mean": Threshold(mean, doc="the mean score over the targets, or over the ranked words without targets")},
    what="threshold",
    group="lexbeam.thresholds",
)
