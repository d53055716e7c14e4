"""Evaluation of systems: values with intervals, differences of two systems, rows of `<task>/metrics`.

gold, predicted = ...                                  # arrays of the same instances
order = matched(gold_ids, predicted_ids)               # or an error that names what is wrong
measured = measure("spearman", (gold, predicted), clusters=tokens, options=BootstrapOptions())
row("frequency", "all", "spearman", None, measured)

Many metrics of many systems on the same instances have the same resamples: each is given as `Terms` of all instances,
so that all resamples are a product of matrices, how often clusters are drawn, times the clusters' sums. Differences of
two are paired by construction.

    >>> import numpy as np
    >>> from lexbeam.transforms.evaluation.outcomes import Terms
    >>> hits = Terms(np.array([1.0, 0, 1, 1]), np.ones(4))
    >>> together = Together([hits], clusters="abcd", options=BootstrapOptions(resamples=0))
    >>> together.measured(0).value
    0.75
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.evaluation.bootstrap import (
    BootstrapOptions,
    Draws,
    Interval,
    MetricInput,
    interval_of,
    permutation_p,
    resampled,
)
from lexbeam.transforms.evaluation.metrics import Metric, metric_of
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Ints, Outcome, Terms, Undefined

NAMED = 5
# The types to which arrays of numbers and rankings are converted; classes may be of any type.
_TYPES = {
    "pairs": (np.float64, np.float64),
    "controlled": (np.float64, np.float64, np.float64),
    "ranking": (np.bool_, np.float64),
}


class MeasuredMetric(NamedTuple):
    """A metric of a system: the columns of the table for the measurement.

    Attributes:
        value: the metric; None for a reason.
        low, high: the interval.
        n: instances that count.
        numerator, denominator: sums over instances, if the metric is their ratio.
        reason: why there is no value, or no interval.
        undefined: in how many resamples the metric is undefined.
        p_value: of a difference, by permutations.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    numerator: float | None
    denominator: float | None
    reason: str | None
    undefined: int = 0
    p_value: float | None = None


class MatchedInstances(NamedTuple):
    """Places of the same instances in gold and in predictions, in the order of their ids."""

    gold: Ints
    predicted: Ints


def matched(gold: Sequence[str], predicted: Sequence[str]) -> MatchedInstances:
    """Match instances by their ids.

    Raises:
        LexbeamError: an id is repeated, or only on one side; the first few are named.
    """
    for ids, what in ((gold, "gold"), (predicted, "predictions")):
        doubled = sorted(name for name, times in Counter(ids).items() if times > 1)
        if doubled:
            raise LexbeamError(f"{what}: {_named(doubled)} more than once; give one row for each")
    first, second = set(gold), set(predicted)
    if missing := sorted(first - second):
        raise LexbeamError(f"predictions lack {_named(missing)}; give one for each gold instance")
    if unknown := sorted(second - first):
        raise LexbeamError(f"gold lacks {_named(unknown)}, which predictions have; take them out")
    places = (sorted(range(len(ids)), key=ids.__getitem__) for ids in (gold, predicted))
    return MatchedInstances(*(np.array(place, np.int64) for place in places))


def _named(ids: Sequence[str]) -> str:
    more = ", ..." if len(ids) > NAMED else ""
    return f"{len(ids)} ids ({', '.join(map(repr, ids[:NAMED]))}{more})"


def measure(
    metric: str | Metric,
    inputs: MetricInput,
    *,
    clusters: Sequence[str],
    options: BootstrapOptions,
    k: int | None = None,
) -> MeasuredMetric:
    """Compute a metric and its interval.

    Args:
        metric: its name, or a metric that is in no registry.
        inputs: gold and predicted arrays of the same instances, or `(candidates,)`. With a nan among the
            numbers there is no value.
        clusters: the cluster of each instance; its own id if instances are drawn singly.
        options: of the bootstrap.
        k: for metrics that take one.
    """
    metric, inputs = _ready(metric, inputs, k)
    n = len(inputs[0])
    numerator, denominator, value, reason = _point(metric, inputs)
    if value is None or not options.resamples:
        return MeasuredMetric(value, None, None, n, numerator, denominator, reason)
    draws = Draws(clusters, options)
    if draws.clusters < 2:
        return MeasuredMetric(value, None, None, n, numerator, denominator, "one_cluster")
    interval = interval_of(resampled(metric, inputs, draws), options.level)
    return MeasuredMetric(
        value, interval.low, interval.high, n, numerator, denominator, interval.reason, interval.undefined
    )


def measure_difference(
    metric: str | Metric,
    first: MetricInput,
    second: MetricInput,
    *,
    clusters: Sequence[str],
    options: BootstrapOptions,
    k: int | None = None,
) -> MeasuredMetric:
    """Compute the difference of two systems, first minus second, on the same resamples, and its p by permutations.

    Both are of the same instances in the same order; arguments as of `measure`.
    """
    metric, first = _ready(metric, first, k)
    _, second = _ready(metric, second, k)
    n = len(first[0])
    if len(second[0]) != n:
        raise ValueError("two systems are compared on the same instances")
    points = [_point(metric, inputs) for inputs in (first, second)]
    reason = next((point[3] for point in points if point[3] is not None), None)
    if points[0][2] is None or points[1][2] is None:
        return MeasuredMetric(None, None, None, n, None, None, reason)
    value = points[0][2] - points[1][2]
    if not options.resamples:
        return MeasuredMetric(value, None, None, n, None, None, None)
    draws = Draws(clusters, options)
    if draws.clusters < 2:
        return MeasuredMetric(value, None, None, n, None, None, "one_cluster")
    values = resampled(metric, first, draws) - resampled(metric, second, draws)
    interval = interval_of(values, options.level)
    p = permutation_p(metric, first, second, clusters=clusters, options=options)
    return MeasuredMetric(value, interval.low, interval.high, n, None, None, interval.reason, interval.undefined, p)


def _ready(metric: str | Metric, inputs: MetricInput, k: int | None) -> tuple[Metric, MetricInput]:
    if isinstance(metric, str):
        metric = metric_of(metric)
    sizes = {len(column) for column in inputs}
    if len(sizes) > 1:
        raise ValueError(f"arrays of the same instances have lengths {sorted(sizes)}")
    if metric.takes in _TYPES:
        # Small integers would overflow: 1 - 2 is 255 among bytes.
        inputs = tuple(map(np.asarray, inputs, _TYPES[metric.takes]))
    return metric, inputs if k is None else (*inputs, k)


def _point(metric: Metric, inputs: MetricInput) -> tuple[float | None, float | None, float | None, str | None]:
    """Return numerator, denominator, value and reason."""
    arrays = [column for column in inputs if isinstance(column, np.ndarray)]
    if any(column.dtype == np.float64 and np.isnan(column).any() for column in arrays):
        return (*_NOTHING, "not_a_number")  # ranks would take it for the highest value
    outcome: Outcome = metric.function(*inputs)
    if isinstance(outcome, Undefined):
        return None, None, None, outcome.reason
    if not isinstance(outcome, Terms):
        value = float(outcome)
        return (None, None, value, None) if math.isfinite(value) else (*_NOTHING, "not_finite")
    above, below = float(outcome.numerator.sum()), float(outcome.denominator.sum())
    if not below > 0:
        return above, below, None, outcome.undefined
    if not math.isfinite(above / below):
        return (*_NOTHING, "not_finite")
    return above, below, above / below, None


_NOTHING = (None, None, None)


def row(system: str, subset: str, metric: str, k: int | None, measured: MeasuredMetric) -> dict[str, object]:
    """Return a row of table `<task>/metrics`."""
    columns = measured._asdict()
    del columns["undefined"]
    return {"system": system, "subset": subset, "metric": metric, "k": k, **columns}


_NO_INTERVAL = Interval(None, None)


class Together:
    """Metrics of the same instances.

    Args:
        terms: of each metric and system, all over the same instances.
        clusters: the cluster of each instance.
        options: of the bootstrap.
        counted: for each, the instances that count towards `n`; None: all.
    """

    def __init__(
        self,
        terms: Sequence[Terms],
        *,
        clusters: Sequence[str],
        options: BootstrapOptions,
        counted: Sequence[Bools] | None = None,
    ) -> None:
        self._terms = terms
        self._counted = counted or [np.ones(len(clusters), bool)] * len(terms)
        self._level = options.level
        draws = Draws(clusters, options) if len(clusters) else None
        self._alone = draws is not None and draws.clusters < 2
        self._values: Floats | None = None
        if draws is not None and options.resamples and not self._alone and terms:
            self._values = _resampled(terms, draws)

    def _value(self, place: int) -> float | None:
        above, below = (float(column.sum()) for column in self._terms[place][:2])
        return above / below if below > 0 else None

    def measured(self, place: int) -> MeasuredMetric:
        """Return the value of a metric, its sums and its interval."""
        terms = self._terms[place]
        value = self._value(place)
        sums = float(terms.numerator.sum()), float(terms.denominator.sum())
        n = int(self._counted[place].sum())
        if value is None:
            return MeasuredMetric(None, None, None, n, *sums, terms.undefined)
        interval = self._interval(None if self._values is None else self._values[:, place])
        return MeasuredMetric(value, interval.low, interval.high, n, *sums, interval.reason, interval.undefined)

    def difference(self, first: int, second: int) -> MeasuredMetric:
        """Return the difference of two metrics; `n` is the number of instances that count in both."""
        n = int((self._counted[first] & self._counted[second]).sum())
        values = [self._value(place) for place in (first, second)]
        if values[0] is None or values[1] is None:
            place = first if values[0] is None else second
            return MeasuredMetric(None, None, None, n, None, None, self._terms[place].undefined)
        interval = self._interval(None if self._values is None else self._values[:, first] - self._values[:, second])
        value = values[0] - values[1]
        return MeasuredMetric(value, interval.low, interval.high, n, None, None, interval.reason, interval.undefined)

    def _interval(self, values: Floats | None) -> Interval:
        if self._alone:
            return Interval(None, None, "one_cluster")
        return _NO_INTERVAL if values is None else interval_of(values, self._level)


def _resampled(terms: Sequence[Terms], draws: Draws) -> Floats:
    """Return the value of each metric in each resample, (resamples, metrics); nan: undefined."""
    above, below = (
        np.column_stack([np.bincount(draws.place, term[side], draws.clusters) for term in terms]) for side in (0, 1)
    )
    ratios = []
    for counts in draws.blocks():
        times = counts.astype(np.float64)
        # Not by BLAS, whose sums depend on the number of threads.
        numerator, denominator = (np.einsum("bc,cm->bm", times, sums) for sums in (above, below))
        values = np.full(numerator.shape, np.nan)
        np.divide(numerator, denominator, out=values, where=denominator > 0)
        ratios.append(values)
    return np.concatenate(ratios)
