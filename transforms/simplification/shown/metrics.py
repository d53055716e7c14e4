"""Metrics of simplification for a person, and the funnel: what is lost at each stage."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.simplification import FUNNEL, STAGES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Grid, columns_with
from lexbeam.transforms.common.store.join import Rows
from lexbeam.transforms.simplification.records import Row
from lexbeam.transforms.simplification.shown.views import STAGES_VIEW

_LISTS = ("potential_at_k", "precision_at_k", "recall_at_k", "f1_at_k")
_LEAST = ("map_at_k", "accuracy_at_k_top1")
_MINUS = " minus "


@dataclass(frozen=True, kw_only=True)
class FunnelOptions:
    """Options of the view `funnel`."""

    funnel: str = option(
        help="losses at each stage of this setting, by reason; all: of every setting", metavar="SETTING"
    )


def metric_blocks(rows: pa.Table) -> Iterator[Block]:
    """Yield the metrics of each stage, with a line for each system and a column for each metric.

    Potential, Precision, Recall and F1 have an interval at the greatest k. Other intervals of what is measured
    at several k, and differences, are only in the table.
    """
    by_stage: dict[str, list[Row]] = {}
    for row in rows.to_pylist():
        if _MINUS not in row["system"]:
            by_stage.setdefault(row["subset"], []).append(row)
    for stage in STAGES:
        if stage in by_stage:
            yield from _stage(stage, by_stage[stage])


def _stage(stage: str, rows: list[Row]) -> Iterator[Block]:
    measured = {(row["system"], row["metric"], row["k"] or 0): row for row in rows}
    columns = sorted({(metric, k) for _, metric, k in measured}, key=place_of)
    most = max((k for metric, k in columns if metric in _LISTS), default=0)
    sure = {column for column in columns if column[0] not in _LEAST and (column[0] not in _LISTS or column[1] == most)}
    others = [column for column in columns if column[0] not in (*_LISTS, *_LEAST)]
    at_k = ([column for column in columns if column[0] == name] for name in (*_LISTS, *_LEAST))
    for part in (*at_k, others):
        systems = sorted({system for system, *column in measured if tuple(column) in part})
        if systems:
            cells = tuple(
                (system, *(_cell(measured.get((system, *column)), column in sure) for column in part))
                for system in systems
            )
            yield Grid((stage, *(_head(*column) for column in part)), cells)


def place_of(column: tuple[str, int]) -> tuple[int, str, int]:
    """Return the place of a metric at k among others, in the order in which they are shown."""
    metric, k = column
    order = (*_LISTS, *_LEAST, "trank_at_k", "precision", "accuracy", "changed", "change_precision")
    return (order.index(metric) if metric in order else len(order), metric, k)


def _head(metric: str, k: int) -> str:
    known = {
        "accuracy_at_k_top1": "accuracy@{}@top1",
        "map_at_k": "MAP@{}",
        "f1_at_k": "F1@{}",
        "trank_at_k": "TRank-at-{}",
    }
    if not k:
        return metric
    return known.get(metric, metric.removesuffix("_at_k") + "@{}").format(k)


def _cell(row: Row | None, sure: bool) -> str:
    """Return a value, with its interval if that is to be shown."""
    if row is None:
        return ""
    if row["value"] is None:
        return str(row["reason"])
    value = f"{row['value']:.3f}"
    if row["low"] is not None and sure:
        value += f" ({row['low']:.3f} to {row['high']:.3f})"
    return value


def funnel_of(snapshot: Snapshot, options: FunnelOptions) -> pa.Table:
    """Return the rows of simplification/funnel of a setting, or of all, stage by stage.

    Raises:
        UsageError: there is no such setting.
    """
    rows = snapshot.read(FUNNEL.name)
    known = pc.unique(rows["setting"]).to_pylist()
    if options.funnel != "all":
        if options.funnel not in known:
            hint = nearest(options.funnel, known) or f"; there are {', '.join(known) or 'none'}"
            raise UsageError(f"`funnel`: there is no setting {options.funnel!r}{hint}")
        rows = rows.filter(pc.equal(rows["setting"], options.funnel))
    stages = FUNNEL.schema().field("stage").metadata[b"range"].decode().split(", ")
    order = sorted(
        range(rows.num_rows),
        key=[
            (
                row["setting"],
                row["ranker"] or "",
                stages.index(row["stage"]),
                row["reason"] is None,
                -row["gold_candidates"],
                row["reason"] or "",
            )
            for row in rows.to_pylist()
        ].__getitem__,
    )
    return rows.take(pa.array(order, pa.int64()))


def funnel_blocks(snapshot: Snapshot, options: FunnelOptions) -> Iterator[Block]:
    """Yield what is lost at each stage, and what goes on."""
    groups: dict[str, Rows] = {}
    for row in funnel_of(snapshot, options).to_pylist():
        groups.setdefault(row["setting"], []).append(row)
    for setting, rows in groups.items():
        yield f"{setting}: what becomes of candidates and of gold"
        heads = [
            ("stage", "<"),
            ("ranker", "<"),
            ("reason", "<"),
            ("candidates", ">"),
            ("gold among them", ">"),
            ("instances lost", ">"),
            ("instances left", ">"),
        ]
        cells = [
            [
                row["stage"],
                row["ranker"] or "",
                row["reason"] or "go on",
                str(row["candidates"]),
                str(row["gold_candidates"]),
                "" if row["instances_lost"] is None else str(row["instances_lost"]),
                "" if row["instances_left"] is None else str(row["instances_left"]),
            ]
            for row in rows
        ]
        yield columns_with(heads, cells, indent=2)


EVALUATION_VIEWS: Registry[View[Any]] = Registry(
    {
        "stages": STAGES_VIEW,
        "funnel": View(
            FunnelOptions,
            funnel_of,
            funnel_blocks,
            doc="what is lost at each stage of a setting, by reason; all: of each",
        ),
    },
    what="view",
    group="lexbeam.simplification_evaluation_views",
)
