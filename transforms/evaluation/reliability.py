"""Krippendorff's alpha and Fleiss' kappa: how far people agree, of intervals and of categories.

Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 1 - D_o / D_e, where D_o is how
far pairs of values of one instance differ, those of an instance with m values weighted by
1 / (m - 1), and D_e how far all pairs of values do. Instances with one value have no pair and do
not count. Alpha is undefined where there are no pairs, or all values are the same.

Fleiss (1971), "Measuring nominal scale agreement among many raters": (P - P_e) / (1 - P_e), where P is the mean over
instances of the share of like pairs among their answers, and P_e the sum of the squared shares of categories. He
takes equally many answers for each instance; where numbers differ, each instance has its own pairs.
"""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


def alpha(instances: Ints, values: Floats) -> float | None:
    """Return Krippendorff's alpha for interval data, 1 at most; None where it is undefined.

    Two values differ by the square of their difference.

    Args:
        instances: which instance a judgment is of, from 0.
        values: judgments on an interval scale; none is missing.
    """
    sizes = np.bincount(instances) if len(instances) else np.zeros(0, np.int64)
    paired = sizes[instances] > 1
    units, held = instances[paired], values[paired]
    total = len(held)
    if not total or (held == held[0]).all():
        return None
    held = held - held.mean()
    counts = np.bincount(units, minlength=len(sizes)).astype(np.float64)
    sums = np.bincount(units, held, minlength=len(sizes))
    squares = np.bincount(units, held * held, minlength=len(sizes))
    # The squared differences of all ordered pairs of m values sum up to 2 (m sum v^2 - (sum v)^2).
    within = 2 * (counts * squares - sums * sums)
    several = counts > 1
    observed = (within[several] / (counts[several] - 1)).sum() / total
    expected = 2 * (total * squares.sum() - sums.sum() ** 2) / (total * (total - 1))
    return float(1 - observed / expected)


def nominal_alpha(instances: Ints, values: Ints) -> float | None:
    """Return Krippendorff's alpha for categories, 1 at most; None where it is undefined.

    Two values differ by 1, or not at all.

    Args:
        instances: which instance an answer is of, from 0.
        values: categories, whole numbers.
    """
    table = _paired(instances, values)
    if table.shape[1] < 2:
        return None
    total = table.sum()
    counts = table.sum(1)
    # Of the m (m - 1) ordered pairs of m values, sum n_c (n_c - 1) are of one category.
    unlike = counts * counts - (table * table).sum(1)
    observed = (unlike / (counts - 1)).sum() / total
    whole = table.sum(0)
    expected = (total * total - (whole * whole).sum()) / (total * (total - 1))
    return float(1 - observed / expected)


def fleiss_kappa(instances: Ints, values: Ints) -> float | None:
    """Return Fleiss' kappa, 1 at most; None where it is undefined.

    Args:
        instances: which instance an answer is of, from 0.
        values: categories, whole numbers.
    """
    table = _paired(instances, values)
    if table.shape[1] < 2:
        return None
    counts = table.sum(1)
    like = ((table * table).sum(1) - counts) / (counts * (counts - 1))
    by_chance = ((table.sum(0) / table.sum()) ** 2).sum()
    return float((like.mean() - by_chance) / (1 - by_chance))


def _paired(instances: Ints, values: Ints) -> Floats:
    """Return how often instances have each category, (instances, categories), of those with two answers or more."""
    sizes = np.bincount(instances) if len(instances) else np.zeros(0, np.int64)
    paired = sizes[instances] > 1
    if not paired.any():
        return np.zeros((0, 0))
    unit = np.unique(instances[paired], return_inverse=True)[1]
    of = np.unique(values[paired], return_inverse=True)[1]
    table = np.zeros((int(unit.max()) + 1, int(of.max()) + 1))
    np.add.at(table, (unit, of), 1)
    return table
