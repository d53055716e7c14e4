"""The metrics: a function and a line each.

A metric's function takes aligned arrays and returns a number, `Terms` whose sums are divided, or
`Undefined` with a reason (`outcomes.py`). What it takes is said by `takes`:

- `pairs`: gold numbers and predicted ones;
- `classes`: gold classes and predicted ones, True (or 1) for the positive class;
- `ranking`: whether items are gold, and scores, the highest first;
- `lists`: `Candidates` of many instances, and `k` if the metric has `ks`; it returns `Terms`.

Metrics from outside are entry points of the group `lexbeam.metrics`, whose values are `Metric`s.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import UsageError, nearest
from transforms.evaluation import agreement, candidates, classes, ranking
from transforms.evaluation.outcomes import Floats, Outcome

__all__ = ["METRICS", "TAKES", "Metric", "metric_of"]

TAKES = ("pairs", "classes", "ranking", "lists")


@dataclass(frozen=True)
class Metric(Entry):
    """A metric.

    Attributes:
        function: computes it.
        takes: what it takes, one of `TAKES`.
        ks: the numbers of first candidates that it is computed for; none where it takes no `k`.
        many: the same for many resamples at once: takes an array `weights` more, whose rows say
            how often each instance stands in a resample, and returns a number for each row, nan
            where it is undefined. None: `function` is called for each resample, unless it
            returns `Terms`.
    """

    function: Callable[..., Outcome]
    takes: str
    ks: tuple[int, ...] = ()
    many: Callable[..., Floats] | None = None


METRICS: Registry[Metric] = Registry(
    {
        "pearson": Metric(agreement.pearson, "pairs", many=agreement.pearsons, doc="Pearson's correlation"),
        "spearman": Metric(agreement.spearman, "pairs", many=agreement.spearmans, doc="Spearman's rank correlation"),
        "mae": Metric(agreement.mae, "pairs", doc="mean absolute error"),
        "mse": Metric(agreement.mse, "pairs", doc="mean squared error"),
        "r2": Metric(agreement.r2, "pairs", doc="coefficient of determination"),
        "accuracy": Metric(classes.accuracy, "classes", doc="share of right classes"),
        "precision": Metric(classes.precision, "classes", doc="share of predicted positives that are positive"),
        "recall": Metric(classes.recall, "classes", doc="share of positives that are predicted"),
        "f1": Metric(classes.f1, "classes", doc="harmonic mean of precision and recall"),
        "average_precision": Metric(
            ranking.average_precision,
            "ranking",
            many=ranking.average_precisions,
            doc="mean of the precision at the rank of each gold item",
        ),
        "potential_at_k": Metric(
            candidates.potential_at_k,
            "lists",
            ks=(3, 10, 50),
            doc="share of instances with a gold candidate among the first k",
        ),
        "precision_at_k": Metric(
            candidates.precision_at_k,
            "lists",
            ks=(3, 10, 50),
            doc="gold candidates among the first k, over all that are among them",
        ),
        "recall_at_k": Metric(
            candidates.recall_at_k, "lists", ks=(3, 10, 50), doc="gold candidates among the first k, over all of gold"
        ),
        "f1_at_k": Metric(
            candidates.f1_at_k, "lists", ks=(3, 10, 50), doc="2 hits / (candidates among the first k + gold)"
        ),
        "map_at_k": Metric(
            candidates.map_at_k,
            "lists",
            ks=(1, 3, 5, 10),
            doc="mean of sum over i = 1..k of (precision at i if the i-th is gold) / k (TSAR-2022)",
        ),
        "accuracy_at_k_top1": Metric(
            candidates.accuracy_at_k_top1,
            "lists",
            ks=(1, 2, 3),
            doc="share of instances where one of the first k is what most gave (TSAR-2022)",
        ),
        "trank_at_k": Metric(
            candidates.trank_at_k,
            "lists",
            ks=(1, 2, 3),
            doc="share of instances whose first candidate has gold rank k or better (ALEXSIS)",
        ),
        "mrr": Metric(candidates.mrr, "lists", doc="mean of 1 / rank of the first gold candidate"),
        "mrr_expected_rank": Metric(
            candidates.mrr_expected_rank, "lists", doc="mean of 1 / expected rank of the first gold candidate"
        ),
    },
    what="metric",
    group="lexbeam.metrics",
)


def metric_of(name: str, takes: Collection[str] = TAKES) -> Metric:
    """Return a metric by its name.

    Args:
        name: its name.
        takes: what there is for it to take.

    Raises:
        UsageError: there is none of the name, or it takes something else.
    """
    known = {word: metric for word, metric in METRICS.items() if metric.takes in takes}
    if name not in known:
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no metric {name!r} of {' or '.join(takes)}{hint}")
    return known[name]
