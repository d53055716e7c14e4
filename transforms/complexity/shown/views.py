"""Views of tables of complexity: the hardest instances, the worst predicted, features.

lexbeam show lcp --hardest 20 --genre bible
lexbeam show lcp --worst 20 --scorer svr
lexbeam show lcp --features ship,"old sea"
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import Table
from schemas.complexity.features import FEATURES
from schemas.complexity.instances import INSTANCES, KINDS
from schemas.complexity.labels import LABELS
from schemas.complexity.scores import PREDICTIONS
from transforms.common.code.registry import Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View
from transforms.common.shown import Block, Grid, Kwic, Use, columns_with, number
from transforms.common.store import files
from transforms.common.store.tables import read_rows
from transforms.complexity.features.registry import group_of_target

__all__ = [
    "FEATURE_VIEWS",
    "INSTANCE_VIEWS",
    "SCORE_VIEWS",
    "FeaturesOptions",
    "HardestOptions",
    "WorstOptions",
    "features_of_words",
    "hardest",
    "worst",
]

_PLACES = ("kind", "genre", "token", "sentence", "start", "end")
_PARTS = ("_first", "_last")


@dataclass(frozen=True, kw_only=True)
class HardestOptions:
    """Options of the view `hardest`."""

    hardest: int = option(20, help="the most complex instances, in context; without labels as predicted", least=1)
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


@dataclass(frozen=True, kw_only=True)
class FeaturesOptions:
    """Options of the view `features`."""

    features: tuple[str, ...] = option(
        help="the features of case-folded targets, or of instances by their ids", metavar="TARGET"
    )
    groups: tuple[str, ...] = option((), help="only of these groups", metavar="GROUP")


def hardest(snapshot: Snapshot, options: HardestOptions) -> pa.Table:
    """Return the instances with the highest complexity, the highest first; ties by id.

    It is that of their labels; where none are published, the prediction of the first scorer by name.

    Raises:
        UsageError: neither labels nor predictions are published, or none for these instances.
    """
    if PREDICTIONS.name in snapshot.tables and LABELS.name not in snapshot.tables:
        rows = snapshot.read(PREDICTIONS.name, ["instance_id", "scorer", "prediction"])
        rows = rows.filter(pc.equal(rows["scorer"], pc.min(rows["scorer"])))
        rows = rows.rename_columns(["instance_id", "scorer", "complexity"])
    else:
        _check(snapshot, LABELS, "`lexbeam complexity load` of labelled files, or `aggregate`, makes")
        columns = ["instance_id", "complexity", "annotations", "spread"]
        rows = snapshot.read(LABELS.name, [*columns, "group"])
        rows = rows.filter(pc.and_(pc.equal(rows["group"], ""), pc.is_valid(rows["complexity"]))).select(columns)
    rows = _only(snapshot, rows, options.kind, options.genre)
    return _in_context(snapshot, _first(rows, "complexity", options.hardest))


def worst(snapshot: Snapshot, options: WorstOptions) -> pa.Table:
    """Return the instances whose prediction is farthest from their label; ties by id.

    Raises:
        UsageError: there is no such scorer, or none of its predictions has a label.
    """
    rows = snapshot.read(PREDICTIONS.name)
    known = sorted(set(rows["scorer"].to_pylist()))
    scorer = options.scorer or next(iter(known), "")
    if scorer not in known:
        hint = nearest(scorer, known) or f"; there are {', '.join(known) or 'none'}"
        raise UsageError(f"`scorer`: no predictions of {scorer!r} are published{hint}")
    rows = rows.filter(pc.and_(pc.equal(rows["scorer"], scorer), pc.is_valid(rows["complexity"])))
    error = pc.subtract(rows["prediction"], rows["complexity"])
    rows = rows.drop_columns(["kind"]).append_column("error", error)
    rows = _only(snapshot, rows, options.kind, options.genre)
    rows = _first(rows.append_column("size", pc.abs(rows["error"])), "size", options.worst)
    return _in_context(snapshot, rows.drop_columns(["size"]))


def features_of_words(snapshot: Snapshot, options: FeaturesOptions) -> pa.Table:
    """Return a row for each feature of each instance of the targets, in the columns' order.

    `value` of a flag is 1 or 0. Columns of an expression's parts are left out of single words.

    Raises:
        UsageError: no instance has such a target or id, or there is no such group.
    """
    targets = {group_of_target(name): name for name in options.features}
    targets |= {name: name for name in options.features}
    table_rows: list[dict[str, Any]] = []
    groups: set[str] = set()
    for rows in read_rows(snapshot.paths(FEATURES.name)):
        chosen = pc.or_(*(pc.is_in(rows[name], value_set=pa.array(list(targets))) for name in ("group", "instance_id")))
        described = [(field, _described(field)) for field in rows.schema if field.name not in FEATURES.schema().names]
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


def _check(snapshot: Snapshot, table: Table, remedy: str) -> None:
    if table.name not in snapshot.tables:
        raise UsageError(f"{files.shown(snapshot.out)} has no table {table.name}: {remedy} it")


def _only(snapshot: Snapshot, rows: pa.Table, kind: str | None, genre: str | None) -> pa.Table:
    """Return the rows of instances of a kind and genre."""
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
        raise UsageError("no such instance has a complexity: there is nothing to show")
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
    judge = f" by predictions of {rows[0]['scorer']}" if "scorer" in rows[0] else ""
    yield f"the {len(rows)} most complex instances{judge}; 0: very easy, 1: very difficult"
    yield Kwic(tuple(_use(row, number(row["complexity"])) for row in rows))


def _tell_worst(snapshot: Snapshot, options: WorstOptions) -> Iterator[Block]:
    rows = worst(snapshot, options).to_pylist()
    yield f"{rows[0]['scorer']}: the {len(rows)} worst predicted instances; label, prediction"
    yield Kwic(tuple(_use(row, f"{number(row['complexity'])}, {number(row['prediction'])}") for row in rows))


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


INSTANCE_VIEWS: Registry[View[Any]] = Registry(
    {"hardest": View(HardestOptions, hardest, _tell_hardest, doc="the most complex instances, in context")},
    what="view",
    group="lexbeam.complexity_instance_views",
)
SCORE_VIEWS: Registry[View[Any]] = Registry(
    {
        "worst": View(
            WorstOptions, worst, _tell_worst, doc="the instances that a scorer is most wrong about, in context"
        )
    },
    what="view",
    group="lexbeam.complexity_score_views",
)
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
