"""Metrics of a resample from sums over its instances, so that clusters are added up once and not each time."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.evaluation.outcomes import Bools, Floats

_NONE = 1e-12  # of the squares; a variance below is a rounding error of a constant


class OfSums(NamedTuple):
    """A metric that sums decide.

    Attributes:
        terms: from gold and predicted numbers or classes, what is summed over the instances, (instances, terms).
        value: from the sums of resamples, (resamples, terms), the metric of each; nan where it is undefined.
    """

    terms: Callable[..., Floats]
    value: Callable[[Floats], Floats]


def _products(gold: Floats, predicted: Floats) -> Floats:
    # Centred, so that little is lost when the square of a sum is taken from a sum of squares.
    x, y = gold - gold.mean(), predicted - predicted.mean()
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    first, second = xx - x * x / n, yy - y * y / n
    sound = (first > _NONE * xx) & (second > _NONE * yy)
    correlations = np.full(len(sums), np.nan)
    np.divide(xy - x * y / n, np.sqrt(np.maximum(first * second, 0)), out=correlations, where=sound)
    return np.asarray(np.clip(correlations, -1, 1), np.float64)


def _errors(gold: Floats, predicted: Floats) -> Floats:
    y = gold - gold.mean()
    return np.column_stack([np.ones(len(y)), y, y * y, (gold - predicted) ** 2])


def _determination(sums: Floats) -> Floats:
    n, y, yy, errors = sums.T
    variance = yy - y * y / n
    shares = np.full(len(sums), np.nan)
    np.divide(errors, variance, out=shares, where=variance > _NONE * yy)
    return np.asarray(1 - shares, np.float64)


def _right(gold: Bools, predicted: Bools) -> Floats:
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    columns = [gold & predicted, gold * 1 + predicted, ~gold & ~predicted, ~gold * 1 + ~predicted]
    return np.column_stack(columns).astype(np.float64)


def _mean_of_classes(sums: Floats) -> Floats:
    scores = np.full((len(sums), 2), np.nan)
    np.divide(2 * sums[:, ::2], sums[:, 1::2], out=scores, where=sums[:, 1::2] > 0)
    return np.asarray(scores.mean(axis=1), np.float64)


CORRELATION = OfSums(_products, _correlation)
DETERMINATION = OfSums(_errors, _determination)
MACRO_F1 = OfSums(_right, _mean_of_classes)
