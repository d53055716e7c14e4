"""The metrics: a function and a line each.

A metric's function takes aligned arrays and returns a number, `Terms` whose sums are divided, or
`Undefined` with a reason (`outcomes.py`). What it takes is said by `needs`:

- `pairs`: gold numbers and predicted ones;
- `classes`: gold classes and predicted ones, True (or 1) for the positive class;
- `ranking`: whether items are gold, and scores, the highest first;
- `lists`: `Candidates` of many instances, and `k` if the metric has `ks`; it returns `Terms`.

Metrics from outside are entry points of the group `lexbeam.metrics`, whose values are `Metric`s.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from transforms.common.code.entry_points import with_outside
from transforms.common.errors import UsageError, nearest
from transforms.evaluation import agreement, candidates, classes, ranking
from transforms.evaluation.outcomes import Floats, Outcome

__all__ = ["METRICS", "NEEDS", "Metric", "known_metrics", "metric_of"]

NEEDS = ("pairs", "classes", "ranking", "lists")


class Metric(NamedTuple):
    """A metric.

    Attributes:
        function: computes it.
        needs: what it takes, one of `NEEDS`.
        ks: the numbers of first candidates that it is computed for; none where it takes no `k`.
        many: the same for many resamples at once: takes an array `weights` more, whose rows say
            how often each instance stands in a resample, and returns a number for each row, nan
            where it is undefined. None: `function` is called for each resample, unless it
            returns `Terms`.
    """

    function: Callable[..., Outcome]
    needs: str
    ks: tuple[int, ...] = ()
    many: Callable[..., Floats] | None = None


METRICS: dict[str, Metric] = {
    "pearson": Metric(agreement.pearson, "pairs", many=agreement.pearsons),
    "spearman": Metric(agreement.spearman, "pairs", many=agreement.spearmans),
    "mae": Metric(agreement.mae, "pairs"),
    "mse": Metric(agreement.mse, "pairs"),
    "r2": Metric(agreement.r2, "pairs"),
    "accuracy": Metric(classes.accuracy, "classes"),
    "precision": Metric(classes.precision, "classes"),
    "recall": Metric(classes.recall, "classes"),
    "f1": Metric(classes.f1, "classes"),
    "average_precision": Metric(ranking.average_precision, "ranking", many=ranking.average_precisions),
    "potential_at_k": Metric(candidates.potential_at_k, "lists", ks=(3, 10, 50)),
    "precision_at_k": Metric(candidates.precision_at_k, "lists", ks=(3, 10, 50)),
    "recall_at_k": Metric(candidates.recall_at_k, "lists", ks=(3, 10, 50)),
    "f1_at_k": Metric(candidates.f1_at_k, "lists", ks=(3, 10, 50)),
    "map_at_k": Metric(candidates.map_at_k, "lists", ks=(1, 3, 5, 10)),
    "accuracy_at_k_top1": Metric(candidates.accuracy_at_k_top1, "lists", ks=(1, 2, 3)),
    "trank_at_k": Metric(candidates.trank_at_k, "lists", ks=(1, 2, 3)),
    "mrr": Metric(candidates.mrr, "lists"),
    "mrr_expected_rank": Metric(candidates.mrr_expected_rank, "lists"),
}


def known_metrics() -> dict[str, Metric]:
    """Return all metrics by name, those of other packages last."""
    return with_outside(METRICS, "lexbeam.metrics")


def metric_of(name: str, needs: Collection[str] = NEEDS) -> Metric:
    """Return a metric by its name.

    Args:
        name: its name.
        needs: what there is for it to take.

    Raises:
        UsageError: there is none of the name, or it takes something else.
    """
    known = {word: metric for word, metric in known_metrics().items() if metric.needs in needs}
    if name not in known:
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no metric {name!r} of {' or '.join(needs)}{hint}")
    return known[name]
