"""Panels of `lexbeam report` on splits, features, predictions and scorers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity import COVERAGE, IMPORTANCE, INSTANCES, KINDS, LEARNING, PREDICTIONS, STRATA
from lexbeam.schemas.metrics import COMPLEXITY_METRICS
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.complexity.shown.instance_views import HardestOptions, hardest
from lexbeam.transforms.report.charts import bars_across, cloud, lines
from lexbeam.transforms.report.panels import Chart, Choice, Note, Panel, Rows

ALL = "all"
KIND = "kind"


def split_panels(snapshot: Snapshot) -> list[Panel]:
    """Return panels of table complexity/strata.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    rows = snapshot.read(STRATA.name).to_pylist()
    if not rows:
        return []
    return [_note(rows), _distributions(rows), _balance(rows)]


def _note(rows: list[dict[str, Any]]) -> Note:
    wholes = [row for row in rows if row["genre"] == ""]
    kinds = list(dict.fromkeys(row["kind"] for row in wholes))
    items = []
    leaks = False
    for kind in sorted(kinds):
        of_kind = [row for row in wholes if row["kind"] == kind]
        far = max((row["distance"] for row in of_kind if row["distance"] is not None), default=None)
        distance = "undefined" if far is None else f"{far:.4f}"
        tokens = max(row["shared_tokens"] for row in of_kind)
        sentences = max(row["shared_sentences"] for row in of_kind)
        leaks = leaks or tokens > 0
        items.append(
            f"{kind or 'all kinds'}: largest distance of complexity between two splits {distance}; a "
            f"split has up to {tokens:,} tokens and {sentences:,} sentences that another has, too"
        )
    text = (
        f"Splits were made by the method {rows[0]['method']}. The distance is that of Kolmogorov "
        "and Smirnov: the greatest difference of two distribution functions."
    )
    return Note("How alike the splits are", text, tuple(items), warning=leaks)


def _distributions(rows: list[dict[str, Any]]) -> Chart:
    points: dict[str, list[str | float]] = {"kind": [], "split": [], "complexity": [], "share": []}
    for row in sorted(rows, key=lambda row: row["kind"] == ""):  # a kind is shown first, not all
        if row["genre"] != "" or row["quantiles"] is None:
            continue
        steps = len(row["quantiles"]) - 1
        for place, value in enumerate(row["quantiles"]):
            points["kind"].append(row["kind"] or ALL)
            points["split"].append(row["split"])
            points["complexity"].append(value)
            points["share"].append(place / steps)
    schema = pa.schema(
        [
            column("kind", pa.string(), "kind of instances"),
            column("split", pa.string(), "name of the split"),
            column("complexity", pa.float64(), "0: very easy, 1: very difficult"),
            column("share", pa.float64(), "of the split's instances that are at most as complex"),
        ]
    )
    return Chart(
        "Complexity of the splits",
        "The share of a split's instances whose complexity is at most that on the x axis. The "
        "more alike splits are, the closer the lines lie.",
        lines("complexity", "share", colour="split"),
        pa.table(points, schema=schema),
        key=KIND,
    )


def _balance(rows: list[dict[str, Any]]) -> Rows:
    fields: list[tuple[pa.Field, list[object]]] = [
        (column("kind", pa.string(), "kind of instances"), [row["kind"] or ALL for row in rows]),
        (
            column("genre", pa.string(), "genre; (none): instances without one"),
            [ALL if row["genre"] == "" else row["genre"] or "(none)" for row in rows],
        ),
        (column("split", pa.string(), "name of the split"), [row["split"] for row in rows]),
        (column("instances", pa.int64(), "instances of the split"), [row["rows"] for row in rows]),
    ]
    for heading, name in (
        ("share", "share"),
        ("wanted", "wanted"),
        ("genre in split", "of_split"),
        ("genre in all", "of_all"),
        ("mean", "mean"),
        ("sd", "sd"),
        ("distance", "distance"),
        ("farthest", "farthest"),
        ("shared tokens", "shared_tokens"),
        ("shared sentences", "shared_sentences"),
    ):
        field = STRATA.schema().field(name)
        doc = (field.metadata or {})[b"doc"].decode()
        fields.append((column(heading, field.type, doc), [row[name] for row in rows]))
    schema = pa.schema([field for field, _ in fields])
    return Rows(
        "Splits by kind and genre",
        "A row is what a split has of a kind and a genre. Tokens and sentences are shared where "
        "they stand in another split, too; those of all kinds count a sentence with a single word "
        "in one split and an expression in another.",
        pa.table([pa.array(values, field.type) for field, values in fields], schema=schema),
    )


_LOW = 0.9  # features known for fewer are reported
_ANY = "(none)"


def low_coverage(coverage: pa.Table) -> list[tuple[str, float]]:
    """Return the features known for less than 90 % of instances, with that share, smallest first.

    Columns of an expression's first and last word are left out: NAME covers them.
    """
    totals = pa.TableGroupBy(coverage, ["feature"]).aggregate([("instances", "sum"), ("known", "sum")])
    known_shares = [
        (row["feature"], row["known_sum"] / row["instances_sum"])
        for row in totals.to_pylist()
        if not row["feature"].endswith(("_first", "_last", "_known"))
    ]
    return sorted((pair for pair in known_shares if pair[1] < _LOW), key=lambda pair: (pair[1], pair[0]))


def coverage_rows(coverage: pa.Table) -> pa.Table:
    """Return a row for each feature and kind, with the share of each genre for which it is known."""
    genres = sorted({name or _ANY for name in pc.unique(coverage["genre"]).to_pylist()})
    rows: dict[tuple[str, str], dict[str, float | str]] = {}
    for row in coverage.to_pylist():
        key = row["feature"], row["kind"]
        by_genre = rows.setdefault(key, {"feature": key[0], "group": row["feature_group"], "kind": key[1]})
        by_genre[row["genre"] or _ANY] = 100 * row["known"] / row["instances"]
    schema = pa.schema(
        [
            column("feature", pa.string(), "column of the table"),
            column("group", pa.string(), "group of features"),
            column("kind", pa.string(), "one word, or a multi-word expression"),
            *(column(name, pa.float64(), f"known of genre {name}", unit="%", nullable=True) for name in genres),
        ]
    )
    return pa.Table.from_pylist([rows[key] for key in sorted(rows)], schema)


def panels(snapshot: Snapshot) -> Sequence[Panel]:
    """Return the panels of the section."""
    text = (
        "For how many instances of each genre a feature is known. One row is a feature of single "
        "words, or of multi-word expressions (NAME_first and NAME_last: of their first and last "
        "word). A gain from a feature that is known of one genre alone may not carry over."
    )
    return [Rows("Coverage of features", text, coverage_rows(snapshot.read(COVERAGE.name)))]


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
