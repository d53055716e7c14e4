"""The metrics: formulas for numbers and classes, and the registry with a line for each.

A metric's function takes aligned arrays and returns a number, `Terms` whose sums are divided, or
`Undefined` with a reason (`outcomes.py`). `takes` says which arrays:

- `pairs`: gold numbers and predicted ones;
- `controlled`: gold numbers, predicted ones, and a matrix with a column for each control, in this order;
- `classes`: gold classes and predicted ones, True (or 1) for the positive class;
- `ranking`: whether items are gold, and scores, the highest first (`outcomes.py`);
- `lists`: `Candidates` of many instances, and `k` if the metric has `ks`; it returns `Terms`
  (`candidate_metrics.py`).

Functions that take `weights` compute the metric for many resamples at once: `weights[b, i]` is how often
instance i stands in resample b; nan where the metric is undefined. Those without compute the same for the
data as they are.

Metrics of other packages are entry points of the group `lexbeam.metrics`, whose values are `Metric`s.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.evaluation import candidate_metrics, outcomes
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Ints, Outcome, Terms, Undefined

_CONSTANT = 1e-12  # of the squares; a variance below is a rounding error of a constant


class OfSums(NamedTuple):
    """A metric that sums decide: clusters are added up once, and not in each resample.

    Attributes:
        terms: from gold and predicted numbers or classes, what is summed over the instances, (instances, terms).
        value: from the sums of resamples, (resamples, terms), the metric of each; nan where it is undefined.
    """

    terms: Callable[..., Floats]
    value: Callable[[Floats], Floats]


def _moments(gold: Floats, predicted: Floats) -> Floats:
    # Centred, so that little is lost when the square of a sum is taken from a sum of squares.
    x, y = gold - gold.mean(), predicted - predicted.mean()
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])


def _correlation(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    first, second = xx - x * x / n, yy - y * y / n
    sound = (first > _CONSTANT * xx) & (second > _CONSTANT * yy)
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
    np.divide(errors, variance, out=shares, where=variance > _CONSTANT * yy)
    return np.asarray(1 - shares, np.float64)


def _right(gold: Bools, predicted: Bools) -> Floats:
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    columns = [gold & predicted, gold * 1 + predicted, ~gold & ~predicted, ~gold * 1 + ~predicted]
    return np.column_stack(columns).astype(np.float64)


def _mean_of_classes(sums: Floats) -> Floats:
    scores = np.full((len(sums), 2), np.nan)
    np.divide(2 * sums[:, ::2], sums[:, 1::2], out=scores, where=sums[:, 1::2] > 0)
    return np.asarray(scores.mean(axis=1), np.float64)


CORRELATION = OfSums(_moments, _correlation)
DETERMINATION = OfSums(_errors, _determination)
MACRO_F1 = OfSums(_right, _mean_of_classes)


COLLINEAR = 1e-9  # of a column's squares: what is left of it where the controls say all of it


def partial_correlations(first: Floats, second: Floats, controls: Sequence[Floats], weights: Floats) -> Floats:
    """Return the correlation of what controls leave of two columns, -1 to 1, a number for each resample.

    Both columns are regressed on the controls, and the residuals correlated. The regression is done by taking the
    controls away one after another (modified Gram-Schmidt), in sums of an order that hangs on no number of threads.

    >>> rows = np.array([[1.0, 2, 3, 4], [2, 1, 4, 3], [1, 1, 2, 2]])[:, None]
    >>> partial_correlations(rows[0], rows[1], [rows[2]], np.ones((1, 4))).round(6).tolist()
    [-1.0]

    All arrays are of shape (resamples, instances); a column may also have one row for all resamples. What the controls
    say all of, as they do of a constant, leaves nothing to correlate: nan. A control that the others say all of
    adds nothing.

    Args:
        first: a column.
        second: the other one.
        controls: the controls.
        weights: how often each instance occurs in each resample.
    """
    sizes = np.maximum(weights.sum(axis=1), 1)
    columns = [_centred_columns(column, weights, sizes) for column in (*controls, first, second)]
    least = [COLLINEAR * _sums_of_products(column, column, weights) for column in columns]
    for place in range(len(controls)):
        control = columns[place]
        squares = _sums_of_products(control, control, weights)
        for behind in range(place + 1, len(columns)):
            slope = np.zeros(len(squares))
            known = squares > least[place]
            np.divide(_sums_of_products(control, columns[behind], weights), squares, out=slope, where=known)
            columns[behind] = columns[behind] - slope[:, None] * control
    x, y = columns[-2:]
    of_x, of_y = (_sums_of_products(column, column, weights) for column in (x, y))
    found = np.full(len(sizes), np.nan)
    sound = (of_x > least[-2]) & (of_y > least[-1])
    np.divide(_sums_of_products(x, y, weights), np.sqrt(of_x * of_y), out=found, where=sound)
    return np.asarray(np.clip(found, -1, 1), np.float64)


def _centred_columns(column: Floats, weights: Floats, sizes: Floats) -> Floats:
    means = np.einsum("bi,bi->b", np.broadcast_to(column, weights.shape), weights) / sizes
    return np.asarray(column - means[:, None], np.float64)


def _sums_of_products(first: Floats, second: Floats, weights: Floats) -> Floats:
    return np.asarray(np.einsum("bi,bi,bi->b", weights, first, second), np.float64)


# Deviations this small relative to the mean are rounding errors of a constant.
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
    """Return Spearman's rho of every resample; an instance drawn twice is tied with itself."""
    times = weights.astype(np.float64)
    middle = (times.sum(axis=1) + 1) / 2  # the mean of ranks
    x, y = (_ranks(values, times) - middle[:, None] for values in (gold, predicted))
    weighted = times * x
    times *= y
    # Squares of halves of whole numbers add up exactly: what is constant has a sum of 0.
    squares = np.einsum("bi,bi->b", weighted, x) * np.einsum("bi,bi->b", times, y)
    correlations = np.full(len(times), np.nan)
    np.divide(np.einsum("bi,bi->b", weighted, y), np.sqrt(squares), out=correlations, where=squares > 0)
    return np.asarray(np.clip(correlations, -1, 1), np.float64)


def partial_spearman(gold: Floats, predicted: Floats, controls: Floats) -> Outcome:
    """Return the partial Spearman correlation of gold and predicted given controls, -1 to 1.

    It is Pearson's r of what a linear regression on the ranks of the controls leaves of both ranks, ties by average
    rank. There must be three instances more than controls.
    """
    if 0 < len(gold) < controls.shape[1] + 3:
        return Undefined("too_few_controlled")
    why = _constant(gold, predicted)
    if why is not None:
        return why
    value = float(partial_spearmans(gold, predicted, controls, _once(gold))[0])
    return Undefined("controls_say_all") if np.isnan(value) else value


def partial_spearmans(gold: Floats, predicted: Floats, controls: Floats, weights: Ints) -> Floats:
    """Return the partial Spearman correlation of every resample; an instance drawn twice is tied with itself."""
    times = weights.astype(np.float64)
    first, second, *others = (_ranks(values, times) for values in (gold, predicted, *controls.T))
    return partial_correlations(first, second, others, times)


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
    return np.asarray(np.clip(correlations, -1, 1), np.float64)


def _centred(values: Floats, times: Floats, sizes: Floats) -> tuple[Floats, Bools]:
    means = (times * values).sum(axis=1) / np.maximum(sizes, 1)
    centred = values - means[:, None]
    widest = np.where(times > 0, np.abs(centred), 0.0).max(axis=1, initial=0.0)
    return centred, widest <= ROUNDING * np.abs(means)


def _ranks(values: Floats, times: Floats) -> Floats:
    """Return the average rank of every instance in every resample, given how often each occurs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    # `take` keeps a resample together in memory, which an index would not.
    tied = np.add.reduceat(np.take(times, order, axis=1), starts, axis=1)
    ranks = np.cumsum(tied, axis=1)
    ranks -= (tied - 1) / 2
    return np.asarray(np.take(ranks, group, axis=1), np.float64)


def accuracy(gold: Bools, predicted: Bools) -> Outcome:
    """Return the share of instances whose class is right, 0 to 1."""
    return Terms((gold == predicted).astype(np.float64), np.ones(len(gold)))


def expected_accuracy(gold: Ints, chances: Floats) -> Outcome:
    """Return the expected accuracy of random draws, 0 to 1: the mean chance of the right class.

    Args:
        gold: the right class of each instance, from 0.
        chances: the probability of drawing each class, (instances, classes); rows add up to 1. So ties
            that are shared evenly count exactly.
    """
    return Terms(chances[np.arange(len(gold)), gold], np.ones(len(gold)))


def precision(gold: Bools, predicted: Bools) -> Outcome:
    """Return the share of gold positives among predicted positives; undefined without any."""
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    right = (gold & predicted).astype(np.float64)
    return Terms(right, predicted.astype(np.float64), "no_positive_predicted")


def recall(gold: Bools, predicted: Bools) -> Outcome:
    """Return the share of predicted positives among gold positives; undefined without any."""
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    right = (gold & predicted).astype(np.float64)
    return Terms(right, gold.astype(np.float64), "no_positive_gold")


def f1(gold: Bools, predicted: Bools) -> Outcome:
    """Return the harmonic mean of precision and recall: 2 right / (predicted + gold positives)."""
    gold, predicted = gold.astype(bool), predicted.astype(bool)
    right = (gold & predicted).astype(np.float64)
    both = gold.astype(np.float64) + predicted.astype(np.float64)
    return Terms(2 * right, both, "no_positive")


def macro_f1(gold: Bools, predicted: Bools) -> Outcome:
    """Return the mean of F1 of the positive and of the negative class, the measure of CWI-2018."""
    terms = MACRO_F1.terms(gold, predicted)
    for place, reason in ((1, "no_positive"), (3, "no_negative")):
        if not terms[:, place].any():
            return Undefined(reason if len(terms) else "empty")
    return float(MACRO_F1.value(terms.sum(axis=0, keepdims=True))[0])


TAKES = ("pairs", "controlled", "classes", "ranking", "lists")


@dataclass(frozen=True)
class Metric(Entry):
    """A metric.

    Attributes:
        function: computes it.
        takes: the kind of its arguments, one of `TAKES`.
        ks: the values of `k` that it is computed for; none if it takes no `k`.
        many: the same for many resamples at once: takes another array `weights`, whose rows say how often
            each instance occurs in a resample, and returns a number for each row, nan where it is
            undefined. None: `function` is called for each resample, unless it returns `Terms`.
        sums: the same from sums over instances, which is much faster.
        ordinal: whether it goes by the order of what is predicted alone.
    """

    function: Callable[..., Outcome]
    takes: str
    ks: tuple[int, ...] = ()
    many: Callable[..., Floats] | None = None
    sums: OfSums | None = None
    ordinal: bool = False


METRICS: Registry[Metric] = Registry(
    {
        "pearson": Metric(pearson, "pairs", sums=CORRELATION, doc="Pearson's correlation"),
        "spearman": Metric(spearman, "pairs", many=spearmans, ordinal=True, doc="Spearman's rank correlation"),
        "partial_spearman": Metric(
            partial_spearman,
            "controlled",
            many=partial_spearmans,
            ordinal=True,
            doc="Spearman's correlation of what controls leave of both",
        ),
        "mae": Metric(mae, "pairs", doc="mean absolute error"),
        "mse": Metric(mse, "pairs", doc="mean squared error"),
        "r2": Metric(r2, "pairs", sums=DETERMINATION, doc="coefficient of determination"),
        "accuracy": Metric(accuracy, "classes", doc="share of right classes"),
        "precision": Metric(precision, "classes", doc="share of predicted positives that are positive"),
        "recall": Metric(recall, "classes", doc="share of positives that are predicted"),
        "f1": Metric(f1, "classes", doc="harmonic mean of precision and recall"),
        "macro_f1": Metric(macro_f1, "classes", sums=MACRO_F1, doc="mean of F1 of either class"),
        "average_precision": Metric(
            outcomes.average_precision,
            "ranking",
            many=outcomes.average_precisions,
            ordinal=True,
            doc="mean of the precision at the rank of each gold item",
        ),
        "potential_at_k": Metric(
            candidate_metrics.potential_at_k,
            "lists",
            ks=(3, 10, 50),
            doc="share of instances with a gold candidate among the first k",
        ),
        "precision_at_k": Metric(
            candidate_metrics.precision_at_k,
            "lists",
            ks=(3, 10, 50),
            doc="gold candidates among the first k, over all that are among them",
        ),
        "recall_at_k": Metric(
            candidate_metrics.recall_at_k,
            "lists",
            ks=(3, 10, 50),
            doc="gold candidates among the first k, over all of gold",
        ),
        "f1_at_k": Metric(
            candidate_metrics.f1_at_k, "lists", ks=(3, 10, 50), doc="2 hits / (candidates among the first k + gold)"
        ),
        "map_at_k": Metric(
            candidate_metrics.map_at_k,
            "lists",
            ks=(1, 3, 5, 10),
            doc="mean of sum over i = 1..k of (precision at i if the i-th is gold) / k (TSAR-2022)",
        ),
        "accuracy_at_k_top1": Metric(
            candidate_metrics.accuracy_at_k_top1,
            "lists",
            ks=(1, 2, 3),
            doc="share of instances where one of the first k is what most gave (TSAR-2022)",
        ),
        "trank_at_k": Metric(
            candidate_metrics.trank_at_k,
            "lists",
            ks=(1, 2, 3),
            doc="share of instances whose first candidate has gold rank k or better (ALEXSIS)",
        ),
        "mrr": Metric(candidate_metrics.mrr, "lists", doc="mean of 1 / rank of the first gold candidate"),
        "mrr_expected_rank": Metric(
            candidate_metrics.mrr_expected_rank, "lists", doc="mean of 1 / expected rank of the first gold candidate"
        ),
    },
    what="metric",
    group="lexbeam.metrics",
)


def metric_of(name: str, takes: Collection[str] = TAKES) -> Metric:
    """Return a metric by its name.

    Args:
        name: its name.
        takes: the kinds of arguments available.

    Raises:
        UsageError: no metric has this name, or it takes something else.
    """
    known = {word: metric for word, metric in METRICS.items() if metric.takes in takes}
    if name not in known:
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no metric {name!r} of {' or '.join(takes)}{hint}")
    return known[name]
