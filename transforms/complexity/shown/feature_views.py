"""The view of features: all that is known of targets, or of instances by their ids.

lexbeam show lcp --features ship,"old sea"
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import FEATURES, INSTANCES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Grid, columns_with
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.complexity.features.registry import group_of_target

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
