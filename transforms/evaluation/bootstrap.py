"""Percentile bootstrap over clusters: intervals of metrics, and of differences of two systems.

Clusters (tokens, articles, annotators, or single instances) are drawn with replacement, as many as there
are, each with all its instances (Efron and Tibshirani 1993, chapter 13). The draws depend on a seed and
the names of clusters, not on the order of rows: two systems, or two metrics, on the same clusters get the
same resamples, so that their differences are paired.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.evaluation.candidate_metrics import Candidates
from lexbeam.transforms.evaluation.metrics import Metric
from lexbeam.transforms.evaluation.outcomes import Floats, Ints, Outcome, Terms, Undefined

MOST_UNDEFINED = 0.05  # share of undefined resamples beyond which there is no interval
BLOCK = 2_000_000  # numbers in an array of a block of draws of clusters
OF_INSTANCES = 250_000  # and of instances, of which a metric needs several arrays: these stay in a CPU's cache


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions:
    """How intervals are computed.

    Attributes:
        resamples: how many; 0 for no intervals.
        level: share of the resamples within an interval.
        seed: of the draws.
    """

    resamples: int = option(1_000, help="resamples of the bootstrap; 0: no intervals", least=0, most=1_000_000)
    level: float = option(0.95, help="share of the resamples within an interval", least=0.01, most=0.999)
    seed: int = option(0, name="bootstrap_seed", help="seed of the resamples", metavar="SEED")


class Interval(NamedTuple):
    """An interval, or why there is none, and the number of resamples where the metric is undefined."""

    low: float | None
    high: float | None
    reason: str | None = None
    undefined: int = 0


class Draws:
    """The draws of a bootstrap: how often each instance occurs in each resample.

    Attributes:
        clusters: number of clusters.
        place: the cluster of each instance, by place in their sorted names.
    """

    def __init__(self, clusters: Sequence[str], options: BootstrapOptions) -> None:
        names, self.place = np.unique(np.array(clusters, np.str_), return_inverse=True)
        self.clusters = len(names)
        self.resamples = options.resamples
        content = canonical_json([options.seed, names.tolist()])
        self._seed = int.from_bytes(hashlib.blake2b(content, digest_size=16).digest())

    def generator(self) -> np.random.Generator:
        """Return what draws, from its beginning."""
        return np.random.Generator(np.random.PCG64(self._seed))

    def blocks(self) -> Iterator[Ints]:
        """Yield blocks of resamples: each row says how often each cluster is drawn."""
        generator = self.generator()
        # The draws depend on clusters only; how many rows are yielded at once, on instances.
        step = max(1, BLOCK // max(self.clusters, 1))
        inner = max(1, OF_INSTANCES // max(len(self.place), 1))
        for start in range(0, self.resamples, step):
            rows = min(step, self.resamples - start)
            drawn = generator.integers(0, self.clusters, size=(rows, self.clusters))
            drawn += np.arange(rows)[:, None] * self.clusters
            counts = np.bincount(drawn.ravel(), minlength=rows * self.clusters)
            block = counts.reshape(rows, self.clusters)
            yield from (block[first : first + inner] for first in range(0, rows, inner))


# Gold and predicted arrays, or `Candidates`, and `k` for metrics that take one.
MetricInput = tuple[Any, ...]


def resampled(metric: Metric, inputs: MetricInput, draws: Draws) -> Floats:
    """Return a metric's value in every resample, nan where it is undefined.

    Args:
        metric: the metric.
        inputs: the arguments of its function.
        draws: the resamples.
    """
    outcome = metric.function(*inputs)
    if isinstance(outcome, Terms):
        return _of_terms(outcome, draws)
    if isinstance(inputs[0], Candidates):
        raise TypeError("a metric of lists must return Terms")
    if metric.sums is not None:
        terms = metric.sums.terms(*inputs)
        sums = np.column_stack([np.bincount(draws.place, column, draws.clusters) for column in terms.T])
        # Not by BLAS, whose sums depend on the number of threads.
        of_blocks = [np.einsum("bc,cm->bm", counts.astype(np.float64), sums) for counts in draws.blocks()]
        return np.concatenate([np.zeros(0), *map(metric.sums.value, of_blocks)])
    if metric.many is not None:
        blocks = [metric.many(*inputs, np.take(counts, draws.place, axis=1)) for counts in draws.blocks()]
        return np.concatenate([np.zeros(0), *blocks])
    values = []
    for counts in draws.blocks():
        for row in counts[:, draws.place]:
            index = np.repeat(np.arange(len(row)), row)
            values.append(plain(metric.function(*(column[index] for column in inputs))))
    return np.array(values, np.float64)


def _of_terms(terms: Terms, draws: Draws) -> Floats:
    above, below = (np.bincount(draws.place, column, draws.clusters) for column in terms[:2])
    ratios = []
    for counts in draws.blocks():
        times = counts.astype(np.float64)
        # Not by BLAS, whose sums depend on the number of threads.
        numerator, denominator = (np.einsum("bc,c->b", times, sums) for sums in (above, below))
        values = np.full(len(times), np.nan)
        np.divide(numerator, denominator, out=values, where=denominator > 0)
        ratios.append(values)
    return np.concatenate([np.zeros(0), *ratios])


def plain(outcome: Outcome) -> float:
    """Return the number that a metric gives, nan for none."""
    if isinstance(outcome, Undefined):
        return math.nan
    if isinstance(outcome, Terms):
        below = float(outcome.denominator.sum())
        return float(outcome.numerator.sum()) / below if below > 0 else math.nan
    return float(outcome)


def interval_of(values: Floats, level: float) -> Interval:
    """Return the percentile interval of a metric's values in resamples.

    Resamples where it is undefined are counted and left out; with more than 5 % there is no interval.
    """
    defined = values[np.isfinite(values)]
    undefined = len(values) - len(defined)
    if not len(defined) or undefined > MOST_UNDEFINED * len(values):
        return Interval(None, None, "undefined_resamples", undefined)
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), None, undefined)
