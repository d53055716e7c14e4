"""Judgments to labels: tables complexity/judgments, complexity/labels, and how far people agree.

    lexbeam complexity aggregate words --judgments sheets/

docs/tasks/complexity/judgments.md says what counts, and what the figures mean.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pipelines.frame.command import Action, Command, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import PublishOptions
from pipelines.frame.inputs import list_inputs
from schemas.columns import column
from schemas.complexity.instances import INSTANCES, JUDGMENT_REASONS, JUDGMENT_REJECTS, JUDGMENTS, LABELS
from transforms.common.code.fingerprints import digest
from transforms.common.errors import UsageError
from transforms.common.options.fields import embedded, option
from transforms.common.publish.sections import owner_of
from transforms.common.publish.snapshots import Snapshot, find_snapshot
from transforms.common.shown import Block, Grid, number
from transforms.common.store import files
from transforms.common.store.resources import content_digest
from transforms.common.store.sound import checked
from transforms.common.store.tables import read_table
from transforms.complexity.labels.aggregation import AggregationOptions, settle_judgments
from transforms.complexity.labels.judgments import JudgmentFileOptions, read_judgments
from transforms.complexity.labels.sheet import COLUMNS
from transforms.complexity.labels.tables import figures_of, judgment_rows, label_rows
from transforms.report.panels import Panel, Rows

__all__ = ["AGGREGATE", "ComplexityAggregateOptions"]

SECTION = "complexity.aggregate"
LOADED = "complexity.load"


@dataclass(frozen=True, kw_only=True)
class ComplexityAggregateOptions(PublishOptions):
    """Options of `lexbeam complexity aggregate`."""

    folder: str | None = option(
        None,
        help="folder with the instances; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    judgments: tuple[str, ...] = option(
        help="files, folders or globs: sheets that people filled in, and tables with a judgment a row",
        metavar="FILE",
        path="input",
        published=False,
    )
    tables: JudgmentFileOptions = embedded(JudgmentFileOptions, group="judgments")
    how: AggregationOptions = embedded(AggregationOptions, group="aggregation")


def _reads(options: ComplexityAggregateOptions) -> Sequence[TableSource]:
    return [TableSource(INSTANCES.name, options.folder)]


def _refuse_labels_of_files(out: str) -> UsageError:
    return UsageError(
        f"the labels at {files.shown(out)} came with the files that were loaded, and would be lost "
        "with the instances: give another `out` for those of the judgments"
    )


def _check(options: ComplexityAggregateOptions) -> None:
    snapshot = find_snapshot(options.out)
    if snapshot is not None and owner_of(snapshot.manifest, LABELS.name) == LOADED:
        raise _refuse_labels_of_files(options.out)


@dataclass(frozen=True)
class AggregatePlan:
    """What labels are made from: the rules, and name, bytes and SHA-256 of files of judgments."""

    how: AggregationOptions
    files: list[dict[str, Any]]


def _plan(options: ComplexityAggregateOptions, inputs: Inputs) -> AggregatePlan:
    given = inputs.only(INSTANCES.name)
    if given.is_here and given.name == LOADED and given.section.get("labelled"):
        raise _refuse_labels_of_files(options.out)
    return AggregatePlan(
        options.how,
        [
            {"name": one.name, "bytes": one.size, "sha256": content_digest(one.path)}
            for one in list_inputs(options.judgments, (), options.out)
        ],
    )


def _aggregate(options: ComplexityAggregateOptions, action: Action) -> Mapping[str, pa.Table]:
    """Read the judgments, settle which count, and make labels of them."""
    parts = [checked(part) for part in action.inputs.only(INSTANCES.name).parts]
    instances = read_table(parts, list(COLUMNS))
    names = instances["instance_id"].to_pylist()
    found = read_judgments(options.judgments, instances, options.tables)
    judged = settle_judgments(found.judgments, set(names), options.how)
    return {
        JUDGMENTS.name: judgment_rows(judged),
        LABELS.name: label_rows(judged, names, options.how),
        JUDGMENT_REJECTS.name: pa.Table.from_pylist(
            [row._asdict() for row in found.rejects], schema=JUDGMENT_REJECTS.schema()
        ),
    }


def _resources(plan: AggregatePlan) -> Mapping[str, Any]:
    return {"judgments": digest(sorted(one["sha256"] for one in plan.files))}


def _section(plan: AggregatePlan, outcome: HandedBack) -> Mapping[str, Any]:
    judgments, labels, rejects = (
        read_table([checked(part) for part in outcome.of_table(table.name)])
        for table in (JUDGMENTS, LABELS, JUDGMENT_REJECTS)
    )
    reasons = Counter(rejects["reason"].to_pylist())
    return {
        "inputs": plan.files,
        **figures_of(judgments, labels, plan.how),
        "rejected": reasons.total(),
        "rejects": dict(sorted(reasons.items())),
    }


_FIGURES = ("alpha", "split_half", "reliability", "ceiling")
_COUNTS = ("judgments", "instances", "labelled")


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    section = snapshot.section(SECTION)
    rejects = "".join(f", {reason} {count}" for reason, count in section["rejects"].items())
    yield (
        f"{section['judgments']} judgments by {section['annotators']} annotators, "
        f"{section['kept']} count; {section['rejected']} rows rejected{rejects}"
    )
    for reason, count in section["reasons"].items():
        yield f"  {reason} {count}: {JUDGMENT_REASONS[reason]}"
    rows = tuple(
        (row["group"] or "all", *(str(row[name]) for name in _COUNTS), *(number(row[name]) or "-" for name in _FIGURES))
        for row in section["groups"]
    )
    heads = ("group", *_COUNTS, "alpha", "split-half r", "reliability", "ceiling of Pearson's r")
    yield Grid(heads, rows, frozenset(range(1, len(heads))), 2)


def _panels(snapshot: Snapshot) -> list[Panel]:
    rows = pa.Table.from_pylist(
        [
            {"group": row["group"] or "all", **{name: row[name] for name in _COUNTS + _FIGURES}}
            for row in snapshot.section(SECTION)["groups"]
        ],
        schema=pa.schema(
            [
                column("group", pa.string(), "group of annotators"),
                column("judgments", pa.int64(), "judgments that count"),
                column("instances", pa.int64(), "instances that are judged, or asked about"),
                column("labelled", pa.int64(), "those that have a complexity"),
                column("alpha", pa.float64(), "Krippendorff's alpha for interval data"),
                column("split_half", pa.float64(), "Pearson's r of the means of random halves"),
                column("reliability", pa.float64(), "that of all judgments, by Spearman-Brown"),
                column("ceiling", pa.float64(), "its root: what Pearson's r a system can reach"),
            ]
        ),
    )
    text = "How far annotators agree on complexity, and the ceiling that this sets on any system."
    return [Rows("Agreement of judgments", text, rows)]


AGGREGATE: Command[ComplexityAggregateOptions, AggregatePlan] = Command(
    options=ComplexityAggregateOptions,
    examples="""\
  lexbeam complexity aggregate words --judgments sheets/complexity.*.tsv
  lexbeam complexity aggregate words --judgments crowd.csv --annotator-column worker \\
      --min-annotations 3 --weights agreement""",
    tables=(JUDGMENTS, LABELS, JUDGMENT_REJECTS),
    reads=_reads,
    check=_check,
    plan=_plan,
    resources=_resources,
    section=_section,
    summary=_summary,
    report=_panels,
    action=_aggregate,
)
