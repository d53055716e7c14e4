"""Panels of the scorers: how good they are, which features they rely on, where they are wrong."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import column
from schemas.complexity.instances import INSTANCES
from schemas.complexity.scores import IMPORTANCE, LEARNING, PREDICTIONS
from schemas.metrics import COMPLEXITY_METRICS
from transforms.common.draws.by_content import numbers
from transforms.common.publish.snapshots import Snapshot
from transforms.report.charts import bars_across, lines
from transforms.report.layered_charts import cloud
from transforms.report.panels import Chart, Choice, Note, Panel

__all__ = ["metric_lines", "metrics_panel", "score_panels", "worst_panels"]

FEATURES = 25  # bars of importance
POINTS = 1_500  # of a cloud
WORDS = 60  # listed, of a scorer and kind
CONTEXT = 80  # characters to each side of a target
KEY = "scorer"
NO_IMPORTANCE = (
    "The importance of features was not asked for, or is not defined. Option `importance` of the "
    "command `complexity score` deals out the values of each feature anew, `ablation` leaves out "
    "each group (both with `overwrite`, and only in cross-validation, not with `on` or `test`)."
)


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

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
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
    labelled = _labelled(snapshot)
    if labelled.num_rows:
        panels += [_cloud(labelled), _hardest(labelled)]
    return panels


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


def _table(fields: Sequence[tuple[pa.Field, pa.Array | pa.ChunkedArray]]) -> pa.Table:
    return pa.table([v for _, v in fields], schema=pa.schema([field for field, _ in fields]))


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
    table = _table(
        [
            (_KEYED, keys),
            (column(what, pa.string(), "what is missing"), rows["of"]),
            (column("drop", pa.float64(), "of Pearson's r"), rows["value"]),
        ]
    )
    how = {
        "permutation": f"its values are dealt out anew among instances; the first {FEATURES} of a "
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
    table = _table(
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


def _labelled(snapshot: Snapshot) -> pa.Table:
    """Return predictions that have a label, with token and genre if these are published here."""
    rows = snapshot.read(PREDICTIONS.name)
    rows = rows.filter(pc.is_valid(rows["complexity"]))
    if INSTANCES.name not in snapshot.tables:
        return rows.slice(0, 0)
    instances = snapshot.read(INSTANCES.name, ["instance_id", "token", "genre"])
    places = pc.index_in(rows["instance_id"], instances["instance_id"].combine_chunks())
    for name in ("token", "genre"):
        rows = rows.append_column(name, instances[name].take(places))
    return rows.filter(pc.is_valid(rows["token"]))


def _cloud(rows: pa.Table) -> Chart:
    # The same instances of every scorer, drawn by their ids.
    ids = sorted(set(rows["instance_id"].to_pylist()))
    order = np.argsort(numbers(ids, seed=0, label="shown"), kind="stable")[:POINTS]
    shown = pa.array([ids[place] for place in order.tolist()])
    rows = rows.filter(pc.is_in(rows["instance_id"], value_set=shown))
    single, mwe = "one word", "expression"
    kinds = pc.if_else(pc.equal(rows["kind"], "single"), single, mwe)
    table = _table(
        [
            (column(KEY, pa.string(), "the scorer"), rows["scorer"]),
            (column("target", pa.string(), "as it stands"), rows["token"]),
            (column("prediction", pa.float64(), "predicted complexity, 0 to 1"), rows["prediction"]),
            (column("label", pa.float64(), "complexity, 0 to 1"), rows["complexity"]),
            (column("kind", pa.string(), "one word, or an expression"), kinds),
        ]
    )
    text = "Each instance by its label and what was predicted of it without its target."
    if len(ids) > POINTS:
        text += f" Drawn are {POINTS:,} of {len(ids):,} instances."
    spec = cloud(
        "label",
        "prediction",
        behind=None,
        name="target",
        label="",
        colour="kind",
        values={single: "var(--c1)", mwe: "var(--c2)"},
        log=False,
    )
    return Chart("Predictions against labels", text, spec, table, key=KEY)


def _hardest(rows: pa.Table) -> Choice:
    """Return the targets with the highest mean label, and their predictions."""
    rows = rows.append_column("target", pc.utf8_lower(rows["token"]))
    grouped = rows.group_by(["scorer", "kind", "target"]).aggregate(
        [("complexity", "mean"), ("prediction", "mean"), ("instance_id", "count")]
    )
    grouped = grouped.sort_by([("scorer", "ascending"), ("complexity_mean", "descending"), ("target", "ascending")])
    keep: list[int] = []
    seen: dict[str, int] = {}
    for place, scorer in enumerate(grouped["scorer"].to_pylist()):
        seen[scorer] = seen.get(scorer, 0) + 1
        if seen[scorer] <= WORDS:
            keep.append(place)
    grouped = grouped.take(pa.array(keep, pa.int64()))
    table = _table(
        [
            (column(KEY, pa.string(), "the scorer"), grouped["scorer"]),
            (column("target", pa.string(), "in lower case"), grouped["target"]),
            (column("kind", pa.string(), "one word, or an expression"), grouped["kind"]),
            (column("label", pa.float64(), "mean complexity of its instances"), grouped["complexity_mean"]),
            (column("prediction", pa.float64(), "mean prediction"), grouped["prediction_mean"]),
            (column("instances", pa.int64(), "that it has"), grouped["instance_id_count"]),
        ]
    )
    text = f"The {WORDS} targets that people found hardest, and what a scorer says of them."
    return Choice("Hardest words", text, table, key=KEY, listed=True)


def worst_panels(snapshot: Snapshot, _: Sequence[str] = ()) -> list[Panel]:
    """Return the worst predicted instances, quoted in their sentences."""
    rows = _labelled(snapshot)
    if not rows.num_rows:
        return []
    wrong = pc.subtract(rows["prediction"], rows["complexity"])
    rows = rows.append_column("error", wrong).append_column("size", pc.abs(wrong))
    rows = rows.sort_by([("scorer", "ascending"), ("size", "descending"), ("instance_id", "ascending")])
    keep: list[int] = []
    seen: dict[str, int] = {}
    for place, scorer in enumerate(rows["scorer"].to_pylist()):
        seen[scorer] = seen.get(scorer, 0) + 1
        if seen[scorer] <= WORDS:
            keep.append(place)
    rows = rows.take(pa.array(keep, pa.int64()))
    instances = snapshot.read(INSTANCES.name, ["instance_id", "sentence", "start", "end"])
    places = pc.index_in(rows["instance_id"], instances["instance_id"].combine_chunks())
    contexts = [_context(instance) for instance in instances.take(places).to_pylist()]
    table = _table(
        [
            (column(KEY, pa.string(), "the scorer"), rows["scorer"]),
            (column("target", pa.string(), "as it stands"), rows["token"]),
            (column("genre", pa.string(), "genre"), rows["genre"]),
            (column("label", pa.float64(), "complexity"), rows["complexity"]),
            (column("prediction", pa.float64(), "what was predicted"), rows["prediction"]),
            (column("error", pa.float64(), "prediction less label"), rows["error"]),
            (column("context", pa.string(), "its sentence, or some of it"), pa.array(contexts)),
        ]
    )
    text = f"The {WORDS} instances that a scorer is most wrong about, in their sentences."
    return [Choice("Worst predicted, in context", text, table, key=KEY, listed=True)]


def _context(row: Mapping[str, Any]) -> str | None:
    text, start = row["sentence"], row["start"]
    if text is None:
        return None
    if start is None:
        return str(text[: 2 * CONTEXT]) + ("..." if len(text) > 2 * CONTEXT else "")
    first, last = max(0, start - CONTEXT), min(len(text), row["end"] + CONTEXT)
    return f"{'...' * (first > 0)}{text[first:last]}{'...' * (last < len(text))}"
