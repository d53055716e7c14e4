"""Panels of the scorers: how good they are, which features they rely on."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity import IMPORTANCE, INSTANCES, KINDS, LEARNING, PREDICTIONS
from lexbeam.schemas.metrics import COMPLEXITY_METRICS
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.complexity.shown.prediction_panels import KEY, table_of, word_panels
from lexbeam.transforms.report.charts import bars_across, lines
from lexbeam.transforms.report.panels import Chart, Choice, Note, Panel

FEATURES = 25  # bars of importance
NO_IMPORTANCE = (
    "The importance of features was not asked for, or is not defined. Option `importance` of the "
    "command `complexity score` deals out the values of each feature anew, `ablation` leaves out "
    "each group (both with `overwrite`, and only in cross-validation, not with `on` or `test`)."
)

NO_LABELS = (
    "No instance that is predicted has a label, so nothing can be measured. `lexbeam show` has the question `hardest`: "
    "the words predicted hardest. `lexbeam complexity aggregate` makes labels of what people judge."
)


def score_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the metrics of scorers in lines; where no instance has a label, how many were predicted."""
    rows = snapshot.read(COMPLEXITY_METRICS.name)
    if not _measured(rows):
        yield from _predicted_lines(snapshot)
        yield NO_LABELS
        return
    # Genres, splits, seen targets, and what word lists know are in the table.
    shown = pc.or_(
        pc.invert(pc.match_substring(rows["subset"], "/")), pc.match_substring(rows["subset"], "/new target")
    )
    yield from metric_lines(rows.filter(shown))


def _measured(metrics: pa.Table) -> bool:
    """Return whether any instance counts for any metric."""
    return bool(pc.any(pc.greater(metrics["n"], 0)).as_py())


def _predicted_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield how many instances of each kind a scorer predicts, a line each; of how many, if these are published here.

    A kind that a kept model was not trained on has no predictions.
    """
    there = _counts(snapshot, INSTANCES.name, ["kind"])
    predicted = _counts(snapshot, PREDICTIONS.name, [KEY, "kind"])
    for scorer in sorted({scorer for scorer, _ in predicted}):
        kinds = [kind for kind in KINDS if (kind,) in there or (scorer, kind) in predicted]
        of = {kind: f" of {there.get((kind,), 0)}" if there else "" for kind in kinds}
        counts = [f"{kind} {predicted.get((scorer, kind), 0)}{of[kind]}" for kind in kinds]
        yield f"{scorer} predicts {', '.join(counts)}"


def _counts(snapshot: Snapshot, table: str, columns: list[str]) -> dict[tuple[str, ...], int]:
    if table not in snapshot.tables:
        return {}
    rows = snapshot.read(table, columns).group_by(columns).aggregate([([], "count_all")])
    return {tuple(row[name] for name in columns): row["count_all"] for row in rows.to_pylist()}


def metric_lines(rows: pa.Table) -> Iterator[str]:
    """Yield Pearson's r and the mean squared error of each system and subset, in lines."""
    by_subset: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in rows.to_pylist():
        by_subset.setdefault((row["system"], row["subset"]), {})[row["metric"]] = row
    width = max((len(subset) for _, subset in by_subset), default=0)
    system = None
    for (name, subset), measured in by_subset.items():
        if name != system:
            system = name
            yield name
        figures = "  ".join(f"{m} {_figure(measured[m])}" for m in _shown(measured))
        n = next(iter(measured.values()))["n"]
        yield f"  {subset:{width}}  {figures}  n = {n}"


def _shown(measured: Mapping[str, object]) -> list[str]:
    return [m for m in ("pearson", "mse") if m in measured] or list(measured)


def _figure(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return f"undefined ({row['reason']})"
    digits = 4 if row["metric"] == "mse" else 3
    value = f"{row['value']:.{digits}f}"
    if row["low"] is None:
        return value
    return f"{value} ({row['low']:.{digits}f} to {row['high']:.{digits}f})"


def score_panels(snapshot: Snapshot) -> list[Panel]:
    """Return metrics with intervals, importance, learning curves, predictions against labels.

    Where nothing has a label, none of these is known: a note says so, before the words predicted hardest.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    if not _measured(snapshot.read(COMPLEXITY_METRICS.name)):
        return [Note("Scorers", NO_LABELS, tuple(_predicted_lines(snapshot))), *word_panels(snapshot)]
    panels: list[Panel] = [metrics_panel(snapshot)]
    importance = snapshot.read(IMPORTANCE.name)
    importance = importance.filter(pc.is_valid(importance["value"]))
    if not importance.num_rows:
        panels.append(Note("What scorers stand on", NO_IMPORTANCE))
    for measure, what in (("permutation", "feature"), ("permutation", "group"), ("ablation", "group")):
        measured = importance.filter(
            pc.and_(pc.equal(importance["measure"], measure), pc.equal(importance["what"], what))
        )
        if measured.num_rows:
            panels.append(_importance(measured, measure, what))
    learning = snapshot.read(LEARNING.name)
    if learning.num_rows:
        panels.append(_learning(learning))
    return panels + word_panels(snapshot)


def metrics_panel(snapshot: Snapshot) -> Choice:
    """Return the metrics of every system, from table complexity/metrics."""
    rows = snapshot.read(COMPLEXITY_METRICS.name)
    text = (
        "A metric of a scorer on a subset, of predictions that were pooled over folds, with "
        "bootstrap intervals over targets; n is how many instances count. `mwe by part`: folds by "
        "shared words; `without` a genre: predicted from the other genres."
    )
    columns = ["system", "subset", "metric", "value", "low", "high", "n", "reason"]
    return Choice("Scorers", text, rows.select(columns).rename_columns(["scorer", *columns[1:]]), key=KEY, listed=True)


def _keyed(rows: pa.Table) -> pa.Array:
    names = zip(rows["scorer"].to_pylist(), rows["kind"].to_pylist(), strict=True)
    return pa.array([f"{scorer}, {kind}" for scorer, kind in names], pa.string())


_KEYED = column("scorer and kind", pa.string(), "the scorer, and the kind of instances")


def _importance(rows: pa.Table, measure: str, what: str) -> Chart:
    rows = rows.sort_by([("scorer", "ascending"), ("kind", "ascending"), ("value", "descending")])
    keys = _keyed(rows)
    shown: list[int] = []
    seen: dict[str, int] = {}
    for place, key in enumerate(keys.to_pylist()):
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= FEATURES:
            shown.append(place)
    rows, keys = rows.take(pa.array(shown, pa.int64())), keys.take(pa.array(shown, pa.int64()))
    table = table_of(
        [
            (_KEYED, keys),
            (column(what, pa.string(), "what is missing"), rows["of"]),
            (column("drop", pa.float64(), "of Pearson's r"), rows["value"]),
        ]
    )
    how = {
        "permutation": f"its values are shuffled among instances; the first {FEATURES} of a "
        "scorer. Features that say the same stand in for each other.",
        "ablation": "the scorer is trained without it.",
    }
    return Chart(
        f"What scorers stand on: {what}s, by {measure}",
        f"How much Pearson's r drops without a {what}: {how[measure]}",
        bars_across(what, "drop", number=max(min(FEATURES, max(seen.values(), default=1)), 1)),
        table,
        key="scorer and kind",
    )


def _learning(rows: pa.Table) -> Chart:
    table = table_of(
        [
            (column("scorer and kind", pa.string(), "the scorer, and the kind"), _keyed(rows)),
            (column("instances", pa.float64(), "trained on, mean over folds"), rows["trained"]),
            (column("Pearson", pa.float64(), "of pooled predictions"), rows["pearson"]),
        ]
    )
    return Chart(
        "Learning curves",
        "Pearson's r of predictions of the same instances, with shares of the training targets.",
        lines("instances", "Pearson", colour="scorer and kind"),
        table,
    )
