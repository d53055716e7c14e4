"""How far judgments agree: split-half reliability, the ceiling it sets, and weights of annotators.

Functions take parallel arrays with an entry for each judgment: instance, annotator (as whole numbers),
value.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.draws.by_content import numbers

Ints = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

CONSTANT = 1e-12  # values closer than this differ by rounding alone
LEAST_SHARED = 5  # instances that an annotator must share with others to be weighed


class Halves(NamedTuple):
    """Split-half reliability of mean judgments.

    Attributes:
        correlation: Pearson's r of the means of two random halves, the mean over the draws.
        reliability: of all judgments together, by Spearman and Brown: 2 r / (1 + r); None for a negative
            r, where the formula does not apply.
        ceiling: the Pearson's r that no system can be expected to exceed on these labels, the root
            of reliability.
        instances: number of instances with two judgments or more.
        draws: how many times halves were drawn.
    """

    correlation: float
    reliability: float | None
    ceiling: float | None
    instances: int
    draws: int


@one_thread()
def split_half(
    instances: Ints, keys: npt.NDArray[np.uint64], values: Floats, *, seed: int, draws: int = 100
) -> Halves | None:
    """Return the split-half reliability of instances' means; None where it is undefined.

    The judgments of each instance are dealt out by hash to two halves, whose sizes differ by at most
    one. A prediction that equals the true scores correlates with means of reliability R by the
    root of R (Spearman 1904, attenuation), hence the ceiling.

    Args:
        instances: the instance of each judgment, from 0.
        keys: hashes of judgments, see `content_hashes`: the draws depend only on them.
        values: judgments.
        seed: of the draws.
        draws: how often halves are drawn.
    """
    sizes = np.bincount(instances) if len(instances) else np.zeros(0, np.int64)
    paired = sizes[instances] > 1
    units = np.unique(instances[paired], return_inverse=True)[1]
    held, hashes = values[paired], keys[paired]
    count = int(units.max()) + 1 if len(units) else 0
    if count < 2:
        return None
    correlations = []
    for draw in range(draws):
        drawn = numbers(hashes, seed=seed, label=f"complexity/halves {draw}")
        order = np.lexsort((drawn, units))
        starts = np.concatenate([[0], np.cumsum(np.bincount(units))[:-1]])
        rank = np.empty(len(units), np.int64)
        rank[order] = np.arange(len(units)) - starts[units[order]]
        means = []
        for half in (0, 1):
            mine = rank % 2 == half
            total = np.bincount(units[mine], held[mine], minlength=count)
            means.append(total / np.bincount(units[mine], minlength=count))
        if min(np.ptp(half) for half in means) > CONSTANT:
            correlations.append(float(np.corrcoef(means[0], means[1])[0, 1]))
    if not correlations:
        return None
    correlation = math.fsum(correlations) / len(correlations)
    if correlation < 0:
        return Halves(correlation, None, None, count, len(correlations))
    reliability = 2 * correlation / (1 + correlation)
    return Halves(correlation, reliability, math.sqrt(reliability), count, len(correlations))


@one_thread()
def weights_by_agreement(instances: Ints, annotators: Ints, values: Floats) -> Floats:
    """Return the weight of each annotator, 0 to 1: how far they agree with the others.

    It is Pearson's r of their values with the mean of all others' values of the same instances, and 0 if
    that is negative or their values are all the same. Annotators who share fewer than `LEAST_SHARED`
    instances with others, or whose instances all others rate alike, have 1: nothing speaks against them.

    Args:
        instances: the instance of each judgment, from 0.
        annotators: who judged, from 0; one judgment for each pair of annotator and instance.
        values: judgments.

    Returns:
        float64 of shape (annotators,).
    """
    people = int(annotators.max()) + 1 if len(annotators) else 0
    counts = np.bincount(instances) if len(instances) else np.zeros(0, np.int64)
    sums = np.bincount(instances, values, minlength=len(counts))
    weights = np.ones(people)
    order = np.argsort(annotators, kind="stable")
    borders = np.searchsorted(annotators[order], np.arange(people + 1))
    for person in range(people):
        mine = order[borders[person] : borders[person + 1]]
        shared = mine[counts[instances[mine]] > 1]
        if len(shared) < LEAST_SHARED:
            continue
        ratings, units = values[shared], instances[shared]
        others = (sums[units] - ratings) / (counts[units] - 1)
        if np.ptp(others) <= CONSTANT:
            continue
        agrees = np.corrcoef(ratings, others)[0, 1] if np.ptp(ratings) > 0 else 0.0
        weights[person] = max(0.0, float(agrees))
    return weights
