"""Many metrics of many systems on the same instances and the same resamples.

Each metric is given as `Terms` of all instances, so that all resamples are a product of matrices: how often
clusters are drawn, times the clusters' sums. Differences of two are paired by construction.

    >>> import numpy as np
    >>> from lexbeam.transforms.evaluation.outcomes import Terms
    >>> hits = Terms(np.array([1.0, 0, 1, 1]), np.ones(4))
    >>> together = Together([hits], clusters="abcd", options=BootstrapOptions(resamples=0))
    >>> together.measured(0).value
    0.75
"""

from collections.abc import Sequence

import numpy as np

from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions, Draws, Interval, interval_of
from lexbeam.transforms.evaluation.evaluating import MeasuredMetric
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Terms

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
