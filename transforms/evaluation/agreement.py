"""How well predicted numbers agree with gold ones: correlations and errors.

Functions that take `weights` compute the metric for many resamples at once: `weights[b, i]` is how
often instance i stands in resample b; nan where the metric is undefined. Those without compute the
same for the data as they are.
"""

import numpy as np

from transforms.evaluation.outcomes import Bools, Floats, Ints, Outcome, Terms, Undefined

__all__ = ["mae", "mse", "pearson", "pearsons", "r2", "spearman", "spearmans"]

# Deviations so small beside the mean are what rounding leaves of a constant.
ROUNDING = 1e-13


def pearson(gold: Floats, predicted: Floats) -> Outcome:
    """Return Pearson's r: cov(gold, predicted) / (sd(gold) sd(predicted)), -1 to 1."""
    why = _constant(gold, predicted)
    return why or float(pearsons(gold, predicted, _once(gold))[0])


def pearsons(gold: Floats, predicted: Floats, weights: Ints) -> Floats:
    """Return Pearson's r of every resample."""
    return _correlations(gold[None], predicted[None], weights)


def spearman(gold: Floats, predicted: Floats) -> Outcome:
    """Return Spearman's rho: Pearson's r of the ranks, ties by average rank."""
    why = _constant(gold, predicted)
    return why or float(spearmans(gold, predicted, _once(gold))[0])


def spearmans(gold: Floats, predicted: Floats, weights: Ints) -> Floats:
    """Return Spearman's rho of every resample; an instance drawn twice ties with itself."""
    return _correlations(_ranks(gold, weights), _ranks(predicted, weights), weights)


def mae(gold: Floats, predicted: Floats) -> Outcome:
    """Return the mean absolute error, in the unit of the values."""
    return Terms(np.abs(gold - predicted), np.ones(len(gold)))


def mse(gold: Floats, predicted: Floats) -> Outcome:
    """Return the mean squared error, in the squared unit of the values."""
    return Terms((gold - predicted) ** 2, np.ones(len(gold)))


def r2(gold: Floats, predicted: Floats) -> Outcome:
    """Return the coefficient of determination, 1 at most, below 0 if worse than gold's mean.

    1 - sum((gold - predicted)^2) / sum((gold - mean(gold))^2), as SemEval-2021 Task 1 scores it:
    not the square of Pearson's r.
    """
    if len(gold) < 2:
        return Undefined("too_few")
    if (gold == gold[0]).all():
        return Undefined("constant_gold")
    left = ((gold - predicted) ** 2).sum()
    return float(1 - left / ((gold - gold.mean()) ** 2).sum())


def _once(values: Floats) -> Ints:
    return np.ones((1, len(values)), np.int64)


def _constant(gold: Floats, predicted: Floats) -> Undefined | None:
    if len(gold) < 2:
        return Undefined("too_few" if len(gold) else "empty")
    for values, reason in ((gold, "constant_gold"), (predicted, "constant_predicted")):
        if (values == values[0]).all():
            return Undefined(reason)
    return None


def _correlations(first: Floats, second: Floats, weights: Ints) -> Floats:
    """Return the weighted correlations of rows of numbers; one row counts for all resamples."""
    times = weights.astype(np.float64)
    sizes = times.sum(axis=1)
    (x, x_constant), (y, y_constant) = (_centred(v, times, sizes) for v in (first, second))
    squares = (times * x * x).sum(axis=1) * (times * y * y).sum(axis=1)
    correlations = np.full(len(times), np.nan)
    sound = ~(x_constant | y_constant) & (squares > 0)
    products = (times * x * y).sum(axis=1)
    np.divide(products, np.sqrt(squares), out=correlations, where=sound)
    return np.clip(correlations, -1, 1)


def _centred(values: Floats, times: Floats, sizes: Floats) -> tuple[Floats, Bools]:
    means = (times * values).sum(axis=1) / np.maximum(sizes, 1)
    centred = values - means[:, None]
    widest = np.where(times > 0, np.abs(centred), 0.0).max(axis=1, initial=0.0)
    return centred, widest <= ROUNDING * np.abs(means)


def _ranks(values: Floats, weights: Ints) -> Floats:
    """Return the average rank of every instance in every resample."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    before = np.cumsum(tied, axis=1) - tied
    return np.asarray((before + (tied + 1) / 2)[:, group], np.float64)
