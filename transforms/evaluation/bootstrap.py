"""Intervals and p-values: percentile bootstrap over clusters, paired permutations, intervals of shares.

Clusters (tokens, articles, annotators, or single instances) are drawn with replacement, as many as there
are, each with all its instances (Efron and Tibshirani 1993, chapter 13). The draws depend on a seed and
the names of clusters, not on the order of rows: two systems, or two metrics, on the same clusters get the
same resamples, so that their differences are paired.

Permutations say whether two systems differ on the same instances more than if their names meant nothing. In each the
two systems change places on each cluster with a chance of one half (Noreen 1989, approximate randomisation); p is the
share of permutations, the real labels among them, whose difference is as large, in size. Where a metric goes by order
alone, scores are replaced by their ranks first, or one system's scale would outrank the other's.
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
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Ints, Outcome, Terms, Undefined, average_ranks

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


SWAPPED = 1_000_000  # flags at a time
ROUNDING = 1e-12


def permutation_p(
    metric: Metric, first: MetricInput, second: MetricInput, *, clusters: Sequence[str], options: BootstrapOptions
) -> float | None:
    """Return the two-sided p of the difference of a metric of two systems.

    The draws depend on the seed and the names of the clusters, as those of the bootstrap do.

    Args:
        metric: of arrays, the second of which is what a system says.
        first: its arguments for one system.
        second: the same for the other one, of the same instances.
        clusters: the cluster of each instance.
        options: of the bootstrap: seed, and how many permutations, as many as resamples.

    Returns:
        From 1 / (permutations + 1) to 1; None without permutations, and where the metric is undefined for the real
        labels, or in all permutations. Those in which it is undefined do not count.
    """
    if metric.ordinal:
        first, second = ((gold, average_ranks(said), *more) for gold, said, *more in (first, second))
    real = _difference(metric, first, second)
    if math.isnan(real) or not options.resamples:
        return None
    draws = Draws(clusters, options)
    one, other = metric.function(*first), metric.function(*second)
    if isinstance(one, Terms) and isinstance(other, Terms):
        found = np.concatenate([_terms_swapped(one, other, swapped) for swapped in _swaps(draws)])
    else:
        found = np.array([_of_labels(metric, first, second, row) for swapped in _swaps(draws) for row in swapped])
    found = found[~np.isnan(found)]
    return float((np.abs(found) >= abs(real) - ROUNDING).sum() + 1) / (len(found) + 1) if len(found) else None


def _of_labels(metric: Metric, first: MetricInput, second: MetricInput, swapped: Bools) -> float:
    """Return the difference if two systems change places on some instances."""
    mine, theirs = (np.where(swapped, *pair) for pair in ((second[1], first[1]), (first[1], second[1])))
    return _difference(metric, (first[0], mine, *first[2:]), (second[0], theirs, *second[2:]))


def _terms_swapped(first: Terms, second: Terms, swapped: Bools) -> Floats:
    """Return the same of a ratio of sums, for many labelings at once."""
    values = []
    for one, other in ((first, second), (second, first)):
        above, below = (np.where(swapped, b, a).sum(axis=1) for a, b in zip(one[:2], other[:2], strict=True))
        values.append(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))
    return np.asarray(values[0] - values[1])


def _swaps(draws: Draws) -> Iterator[Bools]:
    """Yield for some permutations each on which instances the systems change places."""
    generator = draws.generator()
    step = max(1, SWAPPED // max(draws.clusters, len(draws.place), 1))
    for start in range(0, draws.resamples, step):
        flags = generator.integers(0, 2, size=(min(step, draws.resamples - start), draws.clusters)).astype(bool)
        yield flags[:, draws.place]


def _difference(metric: Metric, first: MetricInput, second: MetricInput) -> float:
    values = [plain(metric.function(*inputs)) for inputs in (first, second)]
    return values[0] - values[1]


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the interval of 95 % of a share (Wilson 1927), which few cases make wide, at 0 and 1, too.

    Args:
        hits: cases of the kind.
        of: all cases, at least 1.

    >>> tuple(round(bound, 4) for bound in wilson(81, 263))
    (0.2553, 0.3662)
    """
    z = 1.959964
    middle, half = hits + z * z / 2, z * (hits * (of - hits) / of + z * z / 4) ** 0.5
    return (middle - half) / (of + z * z), (middle + half) / (of + z * z)
