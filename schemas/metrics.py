"""Tables `<task>/metrics`: one row is a metric of a system on a subset; the same for all tasks."""

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, reason, share

# Why a value is null, or its interval alone is.
REASONS = {
    "empty": "no instance counts",
    "too_few": "fewer than two instances",
    "too_few_controlled": "fewer instances than the controls and three",
    "controls_say_all": "the controls say all of gold or of what is predicted",
    "constant_gold": "gold values are all the same",
    "constant_predicted": "predicted values are all the same",
    "no_positive_gold": "no gold value is positive",
    "no_positive_predicted": "no predicted value is positive",
    "no_positive": "neither gold nor predicted values are positive",
    "no_negative": "neither gold nor predicted values are negative",
    "no_candidates": "no instance has candidates",
    "not_a_number": "a gold or predicted value is nan",
    "not_finite": "the metric gave no finite number",
    "one_cluster": "no interval: there is one cluster to resample",
    "undefined_resamples": "no interval: the metric is undefined in too many resamples",
}


def metrics_table(task: str, *more: pa.Field) -> Table:
    """Return the table of a task's metrics, perhaps with columns more."""
    return Table(
        name=f"{task}/metrics",
        row="a metric of a system on a subset",
        key=("system", "subset", "metric", "k"),
        columns=[
            column("system", pa.string(), "what was evaluated"),
            column("subset", pa.string(), "the instances that it was evaluated on"),
            column("metric", pa.string(), "name of the metric, see docs/reference/evaluation.md"),
            column(
                "k",
                pa.int32(),
                "how many of each list count; null where the metric takes no such number",
                range="1 and up",
                nullable=True,
            ),
            column("value", pa.float64(), "the metric, by its own unit and range; null for a reason", nullable=True),
            column("low", pa.float64(), "lower end of the bootstrap interval", nullable=True),
            column("high", pa.float64(), "upper end of the bootstrap interval", nullable=True),
            column("n", pa.int64(), "instances that count", range="0 and up"),
            column(
                "numerator",
                pa.float64(),
                "numerator of a metric that is a ratio of sums over instances; else null",
                nullable=True,
            ),
            column(
                "denominator", pa.float64(), "denominator of such a ratio; else null", range="0 and up", nullable=True
            ),
            *more,
            reason("why the value is null, or the interval alone", (*REASONS, "or a metric's own")),
        ],
    )


CHANGE_METRICS = metrics_table(
    "change",
    share("p_value", "of a difference of two systems: two-sided p by paired permutations; else null", nullable=True),
)
COMPLEXITY_METRICS = metrics_table("complexity")
CLOZE_METRICS = metrics_table("cloze")
SIMPLIFICATION_METRICS = metrics_table("simplification")
