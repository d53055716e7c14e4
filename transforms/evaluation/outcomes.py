"""What metrics return, and what they count with: ranks with ties, and how high a ranking puts what is relevant.

A metric returns a number, terms whose sums are divided, or why there is no value. Ranks of tied values are their mean:

>>> average_ranks(np.array([2.0, 5.0, 2.0])).tolist()
[1.5, 3.0, 1.5]

Where places of a ranking count, ties stand in random order, and the mean counts. Of a group of m tied items, r of them
relevant, that N items and R relevant ones precede, the j-th is relevant with probability r / m, and then
(j - 1) (r - 1) / (m - 1) relevant ones of the group are expected before it. So the expected sum of precisions at the
relevant ones of s places is

    r / m * sum over j = 1..s of (R + 1 + (j - 1) (r - 1) / (m - 1)) / (N + j),

a closed form of harmonic numbers.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Undefined(NamedTuple):
    """No value, for a reason: a key of `lexbeam.schemas.metrics.REASONS`, or a metric's own."""

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


def average_ranks(values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Return the rank of every value, the least being 1."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(number) - (number - 1) / 2)[place], np.float64)


def average_precision(gold: Bools, predicted: Floats) -> Outcome:
    """Return the mean precision at the ranks of the gold items, 0 to 1, expected over ties.

    `predicted` are scores, the highest first. Without ties it is what scikit-learn's
    `average_precision_score` gives, which lets tied items count as one step instead.
    """
    if not len(gold):
        return Undefined("empty")
    if not gold.any():
        return Undefined("no_positive_gold")
    return float(average_precisions(gold, predicted, np.ones((1, len(gold)), np.int64))[0])


def average_precisions(gold: Bools, predicted: Floats, weights: Ints) -> Floats:
    """Return the average precision of every resample, see `agreement`; nan without gold items."""
    _, group, sizes = np.unique(-predicted, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    relevant = np.add.reduceat((weights * gold.astype(np.int64))[:, order], starts, axis=1)
    before = np.cumsum(tied, axis=1) - tied
    hits = np.cumsum(relevant, axis=1) - relevant
    sums = expected_precisions(before, hits, tied, relevant, tied).sum(axis=1)
    totals = relevant.sum(axis=1)
    precisions = np.full(len(totals), np.nan)
    np.divide(sums, totals, out=precisions, where=totals > 0)
    return precisions


def expected_precisions(before: Ints, hits: Ints, tied: Ints, relevant: Ints, taken: Ints) -> Floats:
    """Return the expected sum of precisions at the relevant items of groups of ties.

    Args:
        before: N, items before the group.
        hits: R, relevant items before it.
        tied: m, items of the group.
        relevant: r, relevant items of the group.
        taken: s, how many places of the group count, 0 to m.
    """
    harmonic = _harmonic(int((before + taken).max(initial=0)))
    inverse = harmonic[before + taken] - harmonic[before]
    share = relevant / np.maximum(tied, 1)
    growth = (relevant - 1) / np.maximum(tied - 1, 1)
    sums = share * ((hits + 1) * inverse + growth * (taken - (before + 1) * inverse))
    return np.asarray(np.where(relevant > 0, sums, 0.0), np.float64)


def _harmonic(most: int) -> npt.NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most + 1))])
