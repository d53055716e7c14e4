"""The predicted concreteness below which words count as abstract: a threshold by Youden's index.

>>> gold = np.array([0.1, 0.2, 0.5, 0.9])
>>> cut = youden(gold, np.array([0.3, 0.4, 0.6, 0.7]), 0.35)
>>> cut.threshold, cut.sensitivity, cut.specificity
(0.5, 1.0, 1.0)
"""

from typing import NamedTuple

import numpy as np

from lexbeam.transforms.cloze.abstractness.inputs import Floats


class CalibratedThreshold(NamedTuple):
    """A threshold of predictions, and how well it separates.

    Attributes:
        threshold: words predicted below it count as abstract.
        sensitivity: share of the abstract words that are below it; NaN: there are none.
        specificity: share of the others that are not; NaN: there are none.
    """

    threshold: float
    sensitivity: float
    specificity: float


def calibrated(predicted: Floats, threshold: float, below: float) -> Floats:
    """Return predictions on the scale of ratings: `threshold` becomes `below`.

    Both sides are stretched linearly, 0 and 1 stay; so one threshold serves ratings and
    predictions.

    Args:
        predicted: 0 to 1.
        threshold: between 0 and 1.
        below: between 0 and 1.
    """
    return np.interp(predicted, [0.0, threshold, 1.0], [0.0, below, 1.0])


def cut_at(gold: Floats, predicted: Floats, below: float, threshold: float) -> CalibratedThreshold:
    """Return how well a threshold separates abstract words from others.

    Args:
        gold: ratings, 0 to 1.
        predicted: predictions of the same words that were made without their ratings.
        below: words rated below this are abstract.
        threshold: words predicted below this count as abstract.
    """
    abstract, taken = gold < below, predicted < threshold
    sensitivity = float(taken[abstract].mean()) if abstract.any() else np.nan
    specificity = float((~taken[~abstract]).mean()) if not abstract.all() else np.nan
    return CalibratedThreshold(float(threshold), sensitivity, specificity)


def youden(gold: Floats, predicted: Floats, below: float) -> CalibratedThreshold:
    """Return the threshold of the greatest sensitivity + specificity - 1 (Youden 1950).

    It lies half-way between two predictions; of several equally good ones it is the
    nearest to `below`, then the least. Where no threshold separates abstract words from others, it is `below`.
    """
    abstract = gold < below
    if abstract.all() or not abstract.any():
        return cut_at(gold, predicted, below, below)
    values = np.unique(predicted)
    places = np.searchsorted(values, predicted)
    hits = np.cumsum(np.bincount(places[abstract], minlength=len(values))) / abstract.sum()
    errors = np.cumsum(np.bincount(places[~abstract], minlength=len(values))) / (~abstract).sum()
    # Behind each prediction but the last; before the first and behind the last the index is 0.
    between = (values[1:] + values[:-1]) / 2
    index = (hits - errors)[:-1]
    if not len(between) or index.max() <= 0:
        return cut_at(gold, predicted, below, below)
    best = between[index >= index.max() - 1e-12]
    nearest = best[np.argmin(np.abs(best - below))]
    return cut_at(gold, predicted, below, float(nearest))
