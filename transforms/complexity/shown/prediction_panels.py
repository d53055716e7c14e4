"""Panels of predictions: beside labels, if there are any; the words that are hardest, or predicted so."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity.instances import INSTANCES
from lexbeam.schemas.complexity.scores import PREDICTIONS
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.complexity.shown.views import HardestOptions, hardest
from lexbeam.transforms.report.charts import cloud
from lexbeam.transforms.report.panels import Chart, Choice, Panel

POINTS = 1_500  # of a cloud
WORDS = 60  # listed, of a scorer and kind
CONTEXT = 80  # characters to each side of a target
KEY = "scorer"


def table_of(fields: Sequence[tuple[pa.Field, pa.Array | pa.ChunkedArray]]) -> pa.Table:
    """Return the table of a panel: each column with its values."""
    return pa.table([values for _, values in fields], schema=pa.schema([field for field, _ in fields]))


def word_panels(snapshot: Snapshot) -> list[Panel]:
    """Return predictions against labels and the hardest words; where nothing has a label, those predicted hardest."""
    rows = _predicted(snapshot)
    labelled = _labelled(rows)
    if labelled.num_rows:
        return [_cloud(labelled), _hardest(labelled)]
    return [_predicted_hardest(rows)] if rows.num_rows else []


def _predicted(snapshot: Snapshot) -> pa.Table:
    """Return the predictions with token and genre; none if the instances are published elsewhere."""
    rows = snapshot.read(PREDICTIONS.name)
    if INSTANCES.name not in snapshot.tables:
        return rows.slice(0, 0)
    instances = snapshot.read(INSTANCES.name, ["instance_id", "token", "genre"])
    places = pc.index_in(rows["instance_id"], instances["instance_id"].combine_chunks())
    for name in ("token", "genre"):
        rows = rows.append_column(name, instances[name].take(places))
    return rows.filter(pc.is_valid(rows["token"]))


def _labelled(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.is_valid(rows["complexity"]))


def _first_of_each(rows: pa.Table) -> pa.Table:
    """Return the first `WORDS` rows of each scorer."""
    keep: list[int] = []
    seen: dict[str, int] = {}
    for place, scorer in enumerate(rows[KEY].to_pylist()):
        seen[scorer] = seen.get(scorer, 0) + 1
        if seen[scorer] <= WORDS:
            keep.append(place)
    return rows.take(pa.array(keep, pa.int64()))


def _cloud(rows: pa.Table) -> Chart:
    # The same instances of every scorer, drawn by their ids.
    ids = sorted(set(rows["instance_id"].to_pylist()))
    order = np.argsort(numbers(ids, seed=0, label="shown"), kind="stable")[:POINTS]
    shown = pa.array([ids[place] for place in order.tolist()])
    rows = rows.filter(pc.is_in(rows["instance_id"], value_set=shown))
    single, mwe = "one word", "expression"
    kinds = pc.if_else(pc.equal(rows["kind"], "single"), single, mwe)
    table = table_of(
        [
            (column(KEY, pa.string(), "the scorer"), rows[KEY]),
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
        label=None,
        colour="kind",
        values={single: "var(--c1)", mwe: "var(--c2)"},
        log=False,
    )
    return Chart("Predictions against labels", text, spec, table, key=KEY)


def _by_target(rows: pa.Table, by: str) -> pa.Table:
    """Return the means of labels and predictions of each target and kind, the highest first."""
    rows = rows.append_column("target", pc.utf8_lower(rows["token"]))
    grouped = rows.group_by([KEY, "kind", "target"]).aggregate(
        [("complexity", "mean"), ("prediction", "mean"), ("instance_id", "count")]
    )
    order = [(KEY, "ascending"), (by, "descending"), ("target", "ascending"), ("kind", "ascending")]
    return _first_of_each(grouped.sort_by(order))


def _target_columns(grouped: pa.Table) -> list[tuple[pa.Field, pa.ChunkedArray]]:
    return [
        (column(KEY, pa.string(), "the scorer"), grouped[KEY]),
        (column("target", pa.string(), "in lower case"), grouped["target"]),
        (column("kind", pa.string(), "one word, or an expression"), grouped["kind"]),
        (column("prediction", pa.float64(), "mean prediction"), grouped["prediction_mean"]),
        (column("instances", pa.int64(), "that it has"), grouped["instance_id_count"]),
    ]


def _hardest(rows: pa.Table) -> Choice:
    """Return the targets with the highest mean label, and their predictions."""
    grouped = _by_target(rows, "complexity_mean")
    label = (column("label", pa.float64(), "mean complexity of its instances"), grouped["complexity_mean"])
    columns = _target_columns(grouped)
    text = f"The {WORDS} targets that people found hardest, and what a scorer says of them."
    return Choice("Hardest words", text, table_of([*columns[:3], label, *columns[3:]]), key=KEY, listed=True)


def _predicted_hardest(rows: pa.Table) -> Choice:
    """Return the targets with the highest mean prediction, where no instance has a label."""
    text = f"The {WORDS} targets that a scorer finds hardest; no instance has a label to compare with."
    columns = _target_columns(_by_target(rows, "prediction_mean"))
    return Choice("Words predicted hardest", text, table_of(columns), key=KEY, listed=True)


def quoted_panels(snapshot: Snapshot, _: Sequence[str] = ()) -> list[Panel]:
    """Return the worst predicted instances, in their sentences; where nothing has a label, those predicted hardest."""
    rows = _predicted(snapshot)
    labelled = _labelled(rows)
    if labelled.num_rows:
        return [_worst(snapshot, labelled)]
    scorers = sorted(set(rows[KEY].to_pylist()))
    return [_hardest_in_context(snapshot, scorers)] if scorers else []


def _worst(snapshot: Snapshot, rows: pa.Table) -> Choice:
    wrong = pc.subtract(rows["prediction"], rows["complexity"])
    rows = rows.append_column("error", wrong).append_column("size", pc.abs(wrong))
    rows = rows.sort_by([(KEY, "ascending"), ("size", "descending"), ("instance_id", "ascending")])
    rows = _first_of_each(rows)
    instances = snapshot.read(INSTANCES.name, ["instance_id", "sentence", "start", "end"])
    places = pc.index_in(rows["instance_id"], instances["instance_id"].combine_chunks())
    contexts = [_context(instance) for instance in instances.take(places).to_pylist()]
    table = table_of(
        [
            (column(KEY, pa.string(), "the scorer"), rows[KEY]),
            (column("target", pa.string(), "as it stands"), rows["token"]),
            (column("genre", pa.string(), "genre"), rows["genre"]),
            (column("label", pa.float64(), "complexity"), rows["complexity"]),
            (column("prediction", pa.float64(), "what was predicted"), rows["prediction"]),
            (column("error", pa.float64(), "prediction less label"), rows["error"]),
            (column("context", pa.string(), "its sentence, or some of it"), pa.array(contexts)),
        ]
    )
    text = f"The {WORDS} instances that a scorer is most wrong about, in their sentences."
    return Choice("Worst predicted, in context", text, table, key=KEY, listed=True)


def _hardest_in_context(snapshot: Snapshot, scorers: Sequence[str]) -> Choice:
    rows = pa.concat_tables(hardest(snapshot, HardestOptions(hardest=WORDS, scorer=scorer)) for scorer in scorers)
    table = table_of(
        [
            (column(KEY, pa.string(), "the scorer"), rows[KEY]),
            (column("target", pa.string(), "as it stands"), rows["token"]),
            (column("genre", pa.string(), "genre"), rows["genre"]),
            (column("prediction", pa.float64(), "what was predicted"), rows["prediction"]),
            (
                column("context", pa.string(), "its sentence, or some of it"),
                pa.array([_context(row) for row in rows.to_pylist()], pa.string()),
            ),
        ]
    )
    text = f"The {WORDS} instances that a scorer finds hardest, in their sentences; none has a label."
    return Choice("Predicted hardest, in context", text, table, key=KEY, listed=True)


def _context(row: Mapping[str, Any]) -> str | None:
    text, start = row["sentence"], row["start"]
    if text is None:
        return None
    if start is None:
        return str(text[: 2 * CONTEXT]) + ("..." if len(text) > 2 * CONTEXT else "")
    first, last = max(0, start - CONTEXT), min(len(text), row["end"] + CONTEXT)
    return f"{'...' * (first > 0)}{text[first:last]}{'...' * (last < len(text))}"
