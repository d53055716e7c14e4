"""Features as linear models and kernels need them: no gaps, one scale; decided by training rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["fit_preparation", "prepared"]

Floats = npt.NDArray[np.float64]

_SMALL = 1e-9  # a standard deviation below which a column is constant


def fit_preparation(values: Floats, most: float) -> dict[str, npt.NDArray[Any]]:
    """Return what `prepared` needs, fitted on training rows.

    A gap is filled with the column's median, and a column of 0 and 1 says where gaps were, one for
    all columns that have them in the same rows. Columns without any value are left out, and after
    that those that are constant. The rest are standardised by mean and population standard
    deviation and cut off.

    Args:
        values: (rows, columns), nan for a gap.
        most: standard deviations from the mean beyond which a value counts as that many; 0: none.
    """
    gaps = np.isnan(values)
    known = ~gaps.all(axis=0)
    median = np.zeros(values.shape[1])
    median[known] = np.nanmedian(values[:, known], axis=0) if len(values) else 0.0
    partial = known & gaps.any(axis=0)
    flagged = np.flatnonzero(partial)
    _, first = np.unique(gaps[:, flagged], axis=1, return_index=True)
    flagged = flagged[np.sort(first)]
    # Where gaps are in training decides which columns stand for them, everywhere.
    filled = _filled(values, median, np.flatnonzero(known), flagged)
    mean, scale = filled.mean(axis=0), filled.std(axis=0)
    varies = scale > _SMALL
    return {
        "median": median,
        "known": np.flatnonzero(known),
        "flagged": flagged,
        "mean": mean[varies],
        "scale": scale[varies],
        "varies": np.flatnonzero(varies),
        "most": np.array(float(most)),
    }


def _filled(values: Floats, median: Floats, known: Any, flagged: Any) -> Floats:
    gaps = np.isnan(values)
    return np.column_stack([np.where(gaps, median, values)[:, known], gaps[:, flagged]])


def prepared(fitted: Mapping[str, npt.NDArray[Any]], values: Floats) -> Floats:
    """Return values as `fit_preparation` has decided: (rows, columns that vary), no gaps."""
    filled = _filled(values, fitted["median"], fitted["known"], fitted["flagged"])
    standardised = (filled[:, fitted["varies"]] - fitted["mean"]) / fitted["scale"]
    most = float(fitted["most"])
    return np.clip(standardised, -most, most) if most else standardised
