"""Metrics of simplification for a person, and the funnel of what is lost at each stage; their panels, and sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.metrics import SIMPLIFICATION_METRICS
from lexbeam.schemas.simplification import CANDIDATES, FUNNEL, INSTANCES, STAGES, SUBSTITUTES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.draws.by_content import permutation
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Grid, columns_with
from lexbeam.transforms.common.store.join import Rows
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.report.charts import bands, bars_across
from lexbeam.transforms.report.panels import Chart, Choice, Note, Panel
from lexbeam.transforms.simplification.evaluation.evaluated_tables import CONSTANT, RANDOM, STAGE_COLUMNS
from lexbeam.transforms.simplification.evaluation.list_measures import LEMMA_MATCH
from lexbeam.transforms.simplification.records import Row
from lexbeam.transforms.simplification.shown.candidate_views import STAGES_VIEW, stage_rows

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


SECTION = "evaluate.simplify"
SENTENCES = 12  # that are shown
MINUS = " minus "
_SYSTEM, _CHANCE = "system", "beside them"
COLOURS = {_SYSTEM: "var(--c1)", _CHANCE: "var(--c8)"}
GOLD_CANDIDATES = (
    "Candidates of these settings come from gold itself, so that later stages can be measured: "
    "figures of their generation and selection say nothing of a system."
)


def _measure(row: Row) -> str:
    name = row["metric"].removesuffix("_at_k").replace("_at_k_", " at n, ").replace("_", " ")
    return f"{row['subset']}: {name}" + ("" if row["k"] is None else f", {row['k']}")


def evaluation_panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of metrics with intervals, and of what became of candidates.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    section = snapshot.section(SECTION)
    panels: list[Panel] = []
    if section["gold_given"]:
        panels.append(Note("Candidates from gold", GOLD_CANDIDATES, tuple(section["gold_given"]), True))
    rows = snapshot.read(SIMPLIFICATION_METRICS.name).to_pylist()
    rows.sort(key=lambda row: (STAGES.index(row["subset"]), place_of((row["metric"], row["k"] or 0)), row["system"]))
    measured = [row for row in rows if MINUS not in row["system"]]
    if measured:
        panels += [_chart(measured), _all("Metrics", "of a system at a stage", measured)]
    if len(measured) < len(rows):
        text = "of two systems, on the same resamples: the first less the second"
        panels.append(_all("Differences", text, [r for r in rows if MINUS in r["system"]]))
    funnel = funnel_of(snapshot, FunnelOptions(funnel="all")).to_pylist()
    if funnel:
        panels += [_left(funnel, section["instances"]), _losses(funnel)]
    return panels


def _chart(rows: Sequence[Row]) -> Chart:
    schema = pa.schema(
        [
            column("metric", pa.string(), "stage, metric, and how many of a list count"),
            column("system", pa.string(), "the setting, with its ranker where there are several"),
            column("value", pa.float64(), "the metric"),
            column("low", pa.float64(), "lower end of the bootstrap interval"),
            column("high", pa.float64(), "upper end"),
            column("kind", pa.string(), "a system, or chance and what could be reached"),
        ]
    )
    beside = _beside(rows)
    shown = [
        {
            "metric": _measure(row),
            "system": row["system"],
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
            "kind": _CHANCE if row["system"] in beside else _SYSTEM,
        }
        for row in rows
        if row["value"] is not None
    ]
    most = max((sum(r["metric"] == m for r in shown) for m in {r["metric"] for r in shown}), default=1)
    return Chart(
        "Metrics with intervals",
        "All systems, for a stage and metric of your choice; the lines are "
        "bootstrap intervals. Random order and a constant ranker have the candidates of "
        "the same setting; lemma-match shows what inflection loses.",
        bands("system", "value", null=None, noise=("low", "high"), colour="kind", values=COLOURS, number=most),
        pa.Table.from_pylist(shown, schema),
        key="metric",
    )


def _beside(rows: Sequence[Row]) -> set[str]:
    ends = tuple(f" {name}" for name in (RANDOM, CONSTANT, LEMMA_MATCH))
    return {row["system"] for row in rows if row["system"].endswith(ends)}


def _all(title: str, text: str, rows: Sequence[Row]) -> Choice:
    columns = ["subset", "system", "metric", "k", "value", "low", "high", "n", "numerator", "denominator", "reason"]
    schema = SIMPLIFICATION_METRICS.schema()
    table = pa.Table.from_pylist(list(rows), schema).select(columns)
    names = ["stage", *columns[1:]]
    return Choice(
        title,
        f"Metrics {text}, with bootstrap intervals; n is the number of instances that count.",
        table.rename_columns(names),
        key="stage",
        listed=True,
    )


def _named(row: Row) -> str:
    return f"{row['stage']}" + ("" if row["ranker"] is None else f", {row['ranker']}")


def _left(funnel: Sequence[Row], instances: int) -> Chart:
    schema = pa.schema(
        [
            column("setting", pa.string(), "the setting"),
            column("after", pa.string(), "the stage, from ranking on with its ranker"),
            column("instances", pa.int64(), "that still have a gold candidate"),
        ]
    )
    rows: list[Row] = []
    for row in funnel:
        if row["reason"] is not None:
            continue
        if not any(other["setting"] == row["setting"] for other in rows):
            rows.append({"setting": row["setting"], "after": "gold", "instances": instances})
        rows.append({"setting": row["setting"], "after": _named(row), "instances": row["instances_left"]})
    number = max(sum(r["setting"] == s for r in rows) for s in {r["setting"] for r in rows})
    return Chart(
        "Where gold is lost",
        "Instances that still have a gold candidate after each stage, for a setting of your "
        "choice; after pipeline: those whose chosen word is gold.",
        bars_across("after", "instances", number=number),
        pa.Table.from_pylist(rows, schema),
        key="setting",
    )


def _losses(funnel: Sequence[Row]) -> Choice:
    schema = pa.schema(
        [
            column("setting", pa.string(), "the setting"),
            column("stage", pa.string(), "the stage"),
            column("reason", pa.string(), "why candidates go no further"),
            column("dropped", pa.int64(), "candidates"),
            column("won", pa.int64(), "those that are not gold"),
            column("cost", pa.int64(), "gold candidates; of not_generated, gold that is no candidate"),
            column("gold", pa.float64(), "share of gold among those dropped", unit="%"),
            column("instances", pa.int64(), "that lost their last gold candidate there"),
        ]
    )
    rows = [
        {
            "setting": row["setting"],
            "stage": _named(row),
            "reason": row["reason"],
            "dropped": row["candidates"],
            "won": max(row["candidates"] - row["gold_candidates"], 0),
            "cost": row["gold_candidates"],
            "gold": 100 * row["gold_candidates"] / row["candidates"] if row["candidates"] else None,
            "instances": row["instances_lost"],
        }
        for row in funnel
        if row["reason"] is not None
    ]
    return Choice(
        "What each filter cost and won",
        "Candidates that go no further, by stage and reason: those that are not gold are won, gold "
        "among them is the cost. An instance loses its last gold candidate at one stage, for one "
        "reason.",
        pa.Table.from_pylist(rows, schema),
        key="setting",
        listed=True,
    )


def _drawn(paths: Sequence[str]) -> list[str]:
    """Return the instances that are shown, drawn by their ids from those of a table."""
    there: set[str] = set()
    for rows in read_rows(paths, ["instance_id"]):
        there.update(pc.unique(rows["instance_id"]).to_pylist())
    ids = pa.array(sorted(there), pa.string())
    order = permutation(ids, seed=0, label="simplification/shown")
    return sorted(ids.take(pa.array(order[:SENTENCES])).to_pylist())


_STAGES_OF_SENTENCES = pa.schema(
    [
        column("sentence", pa.string(), "with the target in brackets"),
        column("setting", pa.string(), "the setting, with the ranker"),
        column("candidate", pa.string(), "the form, or gold that is no candidate"),
        column("gold", pa.int32(), "rank in gold, 1 for what most people gave"),
        column("generated", pa.int32(), "rank"),
        column("selected", pa.bool_(), "whether it is kept"),
        column("ranked", pa.int32(), "rank; those that tie share one"),
        column("chosen", pa.bool_(), "whether it is put in"),
        column("reason", pa.string(), "why it goes no further"),
    ]
)


def sentence_panels(snapshot: Snapshot, _: Sequence[str] = ()) -> list[Panel]:
    """Return the panel that quotes some sentences, with their candidates stage by stage.

    They are drawn from those with gold; where there is none, from those with candidates.
    """
    names = (INSTANCES.name, SUBSTITUTES.name, *STAGE_COLUMNS)
    tables = {name: snapshot.paths(name) for name in names if name in snapshot.tables}
    if INSTANCES.name not in tables or CANDIDATES.name not in tables:
        return []
    with_gold = _drawn(tables.get(SUBSTITUTES.name, ()))
    ids = with_gold or _drawn(tables[CANDIDATES.name])
    rows = [
        {
            "sentence": row["sentence"],
            "setting": row["setting"] + ("" if row["ranker"] is None else f", {row['ranker']}"),
            "candidate": row["form"],
            "gold": row["gold_rank"],
            "generated": row["generated"],
            "selected": row["selected"],
            "ranked": row["ranked"],
            "chosen": row["chosen"],
            "reason": row.get("reason"),
        }
        for row in stage_rows(tables, ids)
    ]
    if not rows:
        return []
    table = pa.Table.from_pylist(rows, _STAGES_OF_SENTENCES)
    return [
        Choice(
            "Candidates stage by stage",
            f"{len(ids)} sentences, drawn by their ids: what became of each candidate"
            + (", and of gold that no generator gives." if with_gold else "; there is no gold."),
            table if with_gold else table.drop_columns(["gold"]),
            key="sentence",
            across="setting",
            listed=True,
        )
    ]
