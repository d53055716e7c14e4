"""Paired permutation tests: whether two systems differ on the same instances more than if their names meant nothing.

In each permutation the two systems change places on each cluster with a chance of one half (Noreen 1989, approximate
randomisation); p is the share of permutations, the real labels among them, whose difference is as large, in size. Where
a metric goes by order alone, scores are replaced by their ranks first, or one system's scale would outrank the other's.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions, Draws, MetricInput, plain
from lexbeam.transforms.evaluation.metrics import Metric
from lexbeam.transforms.evaluation.outcomes import Bools, Floats, Terms
from lexbeam.transforms.evaluation.ranks import average_ranks

BLOCK = 1_000_000  # flags at a time
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
        found = np.concatenate([_of_terms(one, other, swapped) for swapped in _swaps(draws)])
    else:
        found = np.array([_of_labels(metric, first, second, row) for swapped in _swaps(draws) for row in swapped])
    found = found[~np.isnan(found)]
    return float((np.abs(found) >= abs(real) - ROUNDING).sum() + 1) / (len(found) + 1) if len(found) else None


def _of_labels(metric: Metric, first: MetricInput, second: MetricInput, swapped: Bools) -> float:
    """Return the difference if two systems change places on some instances."""
    mine, theirs = (np.where(swapped, *pair) for pair in ((second[1], first[1]), (first[1], second[1])))
    return _difference(metric, (first[0], mine, *first[2:]), (second[0], theirs, *second[2:]))


def _of_terms(first: Terms, second: Terms, swapped: Bools) -> Floats:
    """Return the same of a ratio of sums, for many labelings at once."""
    values = []
    for one, other in ((first, second), (second, first)):
        above, below = (np.where(swapped, b, a).sum(axis=1) for a, b in zip(one[:2], other[:2], strict=True))
        values.append(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))
    return np.asarray(values[0] - values[1])


def _swaps(draws: Draws) -> Iterator[Bools]:
    """Yield for some permutations each on which instances the systems change places."""
    generator = draws.generator()
    step = max(1, BLOCK // max(draws.clusters, len(draws.place), 1))
    for start in range(0, draws.resamples, step):
        flags = generator.integers(0, 2, size=(min(step, draws.resamples - start), draws.clusters)).astype(bool)
        yield flags[:, draws.place]


def _difference(metric: Metric, first: MetricInput, second: MetricInput) -> float:
    values = [plain(metric.function(*inputs)) for inputs in (first, second)]
    return values[0] - values[1]
