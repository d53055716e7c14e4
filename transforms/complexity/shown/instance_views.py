"""Views of instances: the hardest, by labels or as a scorer predicts them, the worst predicted; and their features.

lexbeam show lcp --hardest 20 --genre bible
lexbeam show words --hardest 20 --scorer stack
lexbeam show lcp --worst 20 --scorer svr

lexbeam show lcp --features ship,"old sea"
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import Table
from lexbeam.schemas.complexity import FEATURES, INSTANCES, KINDS, LABELS, PREDICTIONS
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Grid, Kwic, Use, columns_with, number
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.complexity.features.groups import group_of_target

_PLACES = ("kind", "genre", "token", "sentence", "start", "end")


@dataclass(frozen=True, kw_only=True)
class HardestOptions:
    """Options of the view `hardest`."""

    hardest: int = option(
        20, help="the most complex instances, in context: by their labels, or as a scorer predicts them", least=1
    )
    scorer: str | None = option(
        None,
        help="by the predictions of this scorer; if not given, by labels, and where there are none "
        "by the predictions of the first scorer by name",
    )
    kind: str | None = option(None, help="of this kind", choices=KINDS)
    genre: str | None = option(None, help="of this genre")


@dataclass(frozen=True, kw_only=True)
class WorstOptions:
    """Options of the view `worst`."""

    worst: int = option(20, help="the instances that a scorer is most wrong about", least=1)
    scorer: str | None = option(
        None, help="of this scorer, as table complexity/predictions names it; the first by name if not given"
    )
    kind: str | None = option(None, help="of this kind", choices=KINDS)
    genre: str | None = option(None, help="of this genre")


def hardest(snapshot: Snapshot, options: HardestOptions) -> pa.Table:
    """Return the instances with the highest complexity, the highest first; ties by id.

    By their labels, and then `scorer` and `prediction` are null; or, where a scorer is named or nothing has a
    label, by predictions, with the label that an instance may have in `complexity`.

    Raises:
        UsageError: neither labels nor predictions are published, none is of these instances, or there is
            no such scorer.
    """
    rows = _labels(snapshot)
    if options.scorer is None and rows.num_rows:
        for field in _PREDICTED:
            rows = rows.append_column(field, pa.nulls(rows.num_rows, field.type))
        rows = _only(snapshot, rows, options.kind, options.genre, "a label: name a `scorer` to see predictions")
        return _in_context(snapshot, _first(rows, "complexity", options.hardest))
    if PREDICTIONS.name not in snapshot.tables:
        raise UsageError(
            f"{files.shown(snapshot.out)} has neither labels nor predictions: `lexbeam complexity load` of labelled "
            "files, or `aggregate`, makes labels; `lexbeam complexity features` and `score` with the `model` of "
            "another folder predict without any"
        )
    rows = _joined(_predictions(snapshot, options.scorer), rows)
    rows = _only(snapshot, rows, options.kind, options.genre, "a prediction: the scorer may be of one kind alone")
    return _in_context(snapshot, _first(rows, "prediction", options.hardest))


_PREDICTED = (pa.field("scorer", pa.string()), pa.field("prediction", pa.float64()))


def _labels(snapshot: Snapshot) -> pa.Table:
    """Return the labels of all annotators, of instances that have one."""
    columns = ["instance_id", "complexity", "annotations", "spread"]
    if LABELS.name not in snapshot.tables:
        return pa.schema([LABELS.schema().field(name) for name in columns]).empty_table()
    rows = snapshot.read(LABELS.name, [*columns, "group"])
    return rows.filter(pc.and_(pc.equal(rows["group"], ""), pc.is_valid(rows["complexity"]))).select(columns)


def _joined(predictions: pa.Table, labels: pa.Table) -> pa.Table:
    """Return the columns of `_labels` and `_PREDICTED` for each prediction."""
    places = pc.index_in(predictions["instance_id"], labels["instance_id"].combine_chunks())
    columns = {"instance_id": predictions["instance_id"], "complexity": predictions["complexity"]}
    columns |= {name: labels[name].take(places) for name in ("annotations", "spread")}
    return pa.table(columns | {field.name: predictions[field.name] for field in _PREDICTED})


def _predictions(snapshot: Snapshot, scorer: str | None) -> pa.Table:
    """Return the predictions of a scorer; None: of the first by name.

    Raises:
        UsageError: there is no such scorer.
    """
    rows = snapshot.read(PREDICTIONS.name)
    known = sorted(set(rows["scorer"].to_pylist()))
    scorer = scorer or next(iter(known), "")
    if scorer not in known:
        hint = nearest(scorer, known) or f"; there are {', '.join(known) or 'none'}"
        raise UsageError(f"`scorer`: no predictions of {scorer!r} are published{hint}")
    return rows.filter(pc.equal(rows["scorer"], scorer))


def worst(snapshot: Snapshot, options: WorstOptions) -> pa.Table:
    """Return the instances whose prediction is farthest from their label; ties by id.

    Raises:
        UsageError: there is no such scorer, or none of its predictions has a label.
    """
    rows = _predictions(snapshot, options.scorer)
    rows = rows.filter(pc.is_valid(rows["complexity"]))
    error = pc.subtract(rows["prediction"], rows["complexity"])
    rows = rows.drop_columns(["kind"]).append_column("error", error)
    rows = _only(
        snapshot,
        rows,
        options.kind,
        options.genre,
        "both a label and a prediction to compare with it: `hardest` shows predictions alone; "
        "`lexbeam complexity load` of labelled files, or `aggregate`, makes labels",
    )
    rows = _first(rows.append_column("size", pc.abs(rows["error"])), "size", options.worst)
    return _in_context(snapshot, rows.drop_columns(["size"]))


def _check(snapshot: Snapshot, table: Table, remedy: str) -> None:
    if table.name not in snapshot.tables:
        raise UsageError(f"{files.shown(snapshot.out)} has no table {table.name}: {remedy} it")


def _only(snapshot: Snapshot, rows: pa.Table, kind: str | None, genre: str | None, lacking: str) -> pa.Table:
    """Return the rows of instances of a kind and genre.

    Raises:
        UsageError: there are none; `lacking` says what no instance has, and what may be done.
    """
    if kind is not None or genre is not None:
        _check(snapshot, INSTANCES, "leave out `kind` and `genre`, or show the folder that has")
        ids, genres = [], set()
        for instances in read_rows(snapshot.paths(INSTANCES.name), ["instance_id", "kind", "genre"]):
            genres.update(pc.unique(instances["genre"]).drop_null().to_pylist())
            for name, value in (("kind", kind), ("genre", genre)):
                if value is not None:
                    instances = instances.filter(pc.equal(instances[name], value))
            ids += instances["instance_id"].to_pylist()
        if genre is not None and genre not in genres:
            hint = nearest(genre, genres) or f"; there are {', '.join(sorted(genres)) or 'none'}"
            raise UsageError(f"`genre`: no instance is of genre {genre!r}{hint}")
        rows = rows.filter(pc.is_in(rows["instance_id"], value_set=pa.array(ids, pa.string())))
    if not rows.num_rows:
        raise UsageError(f"no {'such ' * (kind is not None or genre is not None)}instance has {lacking}")
    return rows


def _first(rows: pa.Table, by: str, most: int) -> pa.Table:
    return rows.sort_by([(by, "descending"), ("instance_id", "ascending")]).slice(0, most)


def _in_context(snapshot: Snapshot, rows: pa.Table) -> pa.Table:
    """Return rows with the columns of their instances; null if these are published elsewhere."""
    schema = INSTANCES.schema()
    wanted = ["instance_id", *_PLACES]
    pieces = [pa.schema([schema.field(name) for name in wanted]).empty_table()]
    if INSTANCES.name in snapshot.tables:
        for instances in read_rows(snapshot.paths(INSTANCES.name), wanted):
            wanted_here = pc.is_in(instances["instance_id"], value_set=rows["instance_id"].combine_chunks())
            pieces.append(instances.filter(wanted_here).cast(pieces[0].schema))
    instances = pa.concat_tables(pieces)
    places = pc.index_in(rows["instance_id"], instances["instance_id"].combine_chunks())
    for name in _PLACES:
        values = instances[name].combine_chunks().take(places.combine_chunks())
        rows = rows.append_column(pa.field(name, schema.field(name).type), values)
    return rows


def _use(row: dict[str, Any], where: str) -> Use:
    text, start, end = row["sentence"], row["start"], row["end"]
    where = ", ".join(filter(None, (where, row["genre"])))
    if text is None or start is None:
        return Use("", row["token"] or row["instance_id"], "", where)
    return Use(text[:start], text[start:end], text[end:], where)


def _tell_hardest(snapshot: Snapshot, options: HardestOptions) -> Iterator[Block]:
    rows = hardest(snapshot, options).to_pylist()
    scale, scorer = "0: very easy, 1: very difficult", rows[0]["scorer"]
    if scorer is None:
        yield f"the {len(rows)} most complex instances; {scale}"
    else:
        labelled = any(row["complexity"] is not None for row in rows)
        beside = "with their labels" if labelled else "there are no labels to compare with"
        yield f"{scorer}: the {len(rows)} instances predicted hardest; {scale}; {beside}"
    yield Kwic(tuple(_use(row, _figures(row)) for row in rows))
    if all(row["token"] is None for row in rows):
        yield f"their sentences are in the folder that has table {INSTANCES.name}"


def _figures(row: dict[str, Any]) -> str:
    """Return the prediction of an instance and its label, as far as they are known."""
    label = number(row["complexity"])
    if row["scorer"] is None:
        return label
    return number(row["prediction"]) + (f", label {label}" if label else "")


def _tell_worst(snapshot: Snapshot, options: WorstOptions) -> Iterator[Block]:
    rows = worst(snapshot, options).to_pylist()
    yield f"{rows[0]['scorer']}: the {len(rows)} worst predicted instances; label, prediction"
    yield Kwic(tuple(_use(row, f"{number(row['complexity'])}, {number(row['prediction'])}") for row in rows))


_HARDEST: View[Any] = View(
    HardestOptions,
    hardest,
    _tell_hardest,
    doc="the most complex instances, in context: by their labels, or as a scorer predicts them",
)
INSTANCE_VIEWS: Registry[View[Any]] = Registry(
    {"hardest": _HARDEST}, what="view", group="lexbeam.complexity_instance_views"
)
SCORE_VIEWS: Registry[View[Any]] = Registry(
    {
        "hardest": _HARDEST,
        "worst": View(
            WorstOptions, worst, _tell_worst, doc="the instances that a scorer is most wrong about, in context"
        ),
    },
    what="view",
    group="lexbeam.complexity_score_views",
)


_PARTS = ("_first", "_last")


@dataclass(frozen=True, kw_only=True)
class FeaturesOptions:
    """Options of the view `features`."""

    features: tuple[str, ...] = option(
        help="the features of case-folded targets, or of instances by their ids", metavar="TARGET"
    )
    groups: tuple[str, ...] = option((), help="only of these groups", metavar="GROUP")


def features_of_words(snapshot: Snapshot, options: FeaturesOptions) -> pa.Table:
    """Return a row for each feature of each instance of the targets, in the columns' order.

    `value` of a flag is 1 or 0. Columns of an expression's parts are left out of single words, and vectors of all.

    Raises:
        UsageError: no instance has such a target or id, or there is no such group.
    """
    targets = {group_of_target(name): name for name in options.features}
    targets |= {name: name for name in options.features}
    table_rows: list[dict[str, Any]] = []
    groups: set[str] = set()
    for rows in read_rows(snapshot.paths(FEATURES.name)):
        chosen = pc.or_(*(pc.is_in(rows[name], value_set=pa.array(list(targets))) for name in ("group", "instance_id")))
        described = [
            (field, _described(field))
            for field in rows.schema
            if field.name not in FEATURES.schema().names and not pa.types.is_list(field.type)
        ]
        groups.update(metadata["group"] for _, metadata in described)
        for row in rows.filter(chosen).to_pylist():
            target = targets.get(row["instance_id"]) or targets[row["group"]]
            for field, metadata in described:
                part = row["kind"] == "single" and field.name.endswith(_PARTS)
                if part or (options.groups and metadata["group"] not in options.groups):
                    continue
                value = row[field.name]
                table_rows.append(
                    {
                        "target": target,
                        "instance_id": row["instance_id"],
                        "kind": row["kind"],
                        "genre": row["genre"],
                        "group": metadata["group"],
                        "feature": field.name,
                        "value": None if value is None else float(value),
                        "unit": metadata["unit"],
                        "doc": metadata["doc"],
                    }
                )
    for name in options.groups:
        if name not in groups:
            hint = nearest(name, groups) or f"; there are {', '.join(sorted(groups)) or 'none'}"
            raise UsageError(f"`groups`: there is no group {name!r} in this table{hint}")
    there = {row["target"] for row in table_rows}
    for name in options.features:
        if name not in there:
            raise UsageError(
                f"`features`: no instance has the target or the id {name!r}"
                f"{nearest(name.casefold(), _targets(snapshot))}"
            )
    place = {name: number for number, name in enumerate(options.features)}
    table_rows.sort(key=lambda row: (place[row["target"]], row["instance_id"]))
    return pa.Table.from_pylist(table_rows, _FEATURE_ROWS)


_FEATURE_ROWS = pa.schema(
    [
        ("target", pa.string()),
        ("instance_id", pa.string()),
        ("kind", pa.string()),
        ("genre", pa.string()),
        ("group", pa.string()),
        ("feature", pa.string()),
        ("value", pa.float64()),
        ("unit", pa.string()),
        ("doc", pa.string()),
    ]
)


def _described(field: pa.Field) -> dict[str, str]:
    metadata = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    return {name: metadata.get(name, "") for name in ("group", "unit", "doc")}


def _targets(snapshot: Snapshot) -> list[str]:
    if INSTANCES.name not in snapshot.tables:
        return []
    tokens = snapshot.read(INSTANCES.name, ["token"])["token"]
    return [token.casefold() for token in pc.unique(tokens).to_pylist()]


def _tell_features(snapshot: Snapshot, options: FeaturesOptions) -> Iterator[Block]:
    rows = features_of_words(snapshot, options).to_pylist()
    for target in options.features:
        of_target = [row for row in rows if row["target"] == target]
        genres = dict.fromkeys(row["genre"] or "no genre" for row in of_target)
        count = len({row["instance_id"] for row in of_target})
        yield f"{target}: {count} instance{'s' * (count > 1)} ({', '.join(genres)})"
        for group in dict.fromkeys(row["group"] for row in of_target):
            yield f"  {group}"
            columns: dict[str, list[dict[str, Any]]] = {}
            for row in of_target:
                if row["group"] == group:
                    columns.setdefault(row["feature"], []).append(row)
            yield _grid(columns)


def _grid(columns: dict[str, list[dict[str, Any]]]) -> Grid:
    """Return features as rows, those of an expression's first and last word beside the whole."""
    cells = []
    for name, features in columns.items():
        if any(name.endswith(part) and name.removesuffix(part) in columns for part in _PARTS):
            continue
        parts = (_values(columns.get(f"{name}{part}", [])) for part in _PARTS)
        cells.append((name, _values(features), *parts, features[0]["unit"], features[0]["doc"]))
    heads = (
        ("feature", "<"),
        ("value", ">"),
        ("first word", ">"),
        ("last word", ">"),
        ("unit", "<"),
        ("what it is", "<"),
    )
    return columns_with(heads, cells, 4)


def _values(rows: Sequence[dict[str, Any]]) -> str:
    """Return the value of instances, or its range; `-` if it is not known."""
    if not rows:
        return ""
    known = sorted({row["value"] for row in rows if row["value"] is not None})
    if not known:
        return "-"
    if rows[0]["unit"] == "flag":
        return " or ".join("yes" if value else "no" for value in known)
    ends = [f"{value:.4g}" for value in dict.fromkeys((known[0], known[-1]))]
    return " to ".join(ends)


FEATURE_VIEWS: Registry[View[Any]] = Registry(
    {
        "features": View(
            FeaturesOptions,
            features_of_words,
            _tell_features,
            doc="the features of targets, whatever their capitals, or of instances by their ids",
        )
    },
    what="view",
    group="lexbeam.complexity_feature_views",
)
