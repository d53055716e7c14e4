"""Judgments to labels: tables complexity/judgments, complexity/labels, and how far people agree.

    lexbeam complexity aggregate words --judgments sheets/

docs/tasks/complexity/judgments.md says what counts, and what the figures mean.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lexbeam.pipelines.commands.intake import file_digests
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Action, Command, HandedBack, Inputs, TableSource
from lexbeam.pipelines.frame.common_options import PublishOptions
from lexbeam.pipelines.frame.inputs import list_inputs
from lexbeam.pipelines.frame.openings import Opening
from lexbeam.schemas.complexity import INSTANCES, JUDGMENT_REASONS, JUDGMENT_REJECTS, JUDGMENTS, LABELS
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.sections import owner_of
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot
from lexbeam.transforms.common.shown import Block, amount, counts_tail, explained_counts
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.complexity.labels.aggregation import (
    AggregationOptions,
    figures_of,
    judgment_rows,
    label_rows,
    settle_judgments,
)
from lexbeam.transforms.complexity.labels.judgments import COLUMNS, JudgmentFileOptions, read_judgments
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn

SECTION = "complexity.aggregate"
LOADED = "complexity.load"


@dataclass(frozen=True, kw_only=True)
class ComplexityAggregateOptions(PublishOptions):
    """Options of `lexbeam complexity aggregate`."""

    folder: str | None = input_folder("the instances")
    judgments: tuple[str, ...] = option(
        help="files, folders or globs: sheets that people filled in, and tables with a judgment a row",
        metavar="FILE",
        path="input",
        data="records",
        published=False,
    )
    tables: JudgmentFileOptions = embedded(JudgmentFileOptions, group="judgments")
    how: AggregationOptions = embedded(AggregationOptions, group="aggregation")


def _refuse_labels_of_files(out: str) -> UsageError:
    return UsageError(
        f"the labels at {files.shown(out)} came with the files that were loaded, and would be lost "
        "with the instances: give another `out` for those of the judgments"
    )


@dataclass(frozen=True)
class AggregatePlan:
    """What labels are made from: the rules, and name, bytes and SHA-256 of files of judgments."""

    how: AggregationOptions
    files: list[dict[str, Any]]


_AGREEMENT = SectionTable(
    "Agreement of judgments",
    "How far annotators agree on complexity, and the ceiling that this sets on any system.",
    (
        TableColumn("group", "group of annotators", pa.string()),
        TableColumn("judgments", "judgments that count"),
        TableColumn("instances", "instances that are judged, or asked about"),
        TableColumn("labelled", "those that have a complexity"),
        TableColumn("alpha", "Krippendorff's alpha for interval data", pa.float64()),
        TableColumn("split_half", "Pearson's r of the means of random halves", pa.float64(), "split-half r"),
        TableColumn("reliability", "that of all judgments, by Spearman-Brown", pa.float64()),
        TableColumn("ceiling", "its root: what Pearson's r a system can reach", pa.float64(), "ceiling of Pearson's r"),
    ),
)


def _groups(section: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**row, "group": row["group"] or "all"} for row in section["groups"]]


class ComplexityAggregate(Command[ComplexityAggregateOptions, AggregatePlan]):
    """`lexbeam complexity aggregate`."""

    options = ComplexityAggregateOptions
    examples = """\
  lexbeam complexity aggregate words --judgments sheets/complexity.*.tsv
  lexbeam complexity aggregate words --judgments crowd.csv --annotator-column worker \\
      --min-annotations 3 --weights agreement"""
    tables = (JUDGMENTS, LABELS, JUDGMENT_REJECTS)
    opening = Opening(
        "Judgments of complexity",
        "What annotators said, put together to a label for each word in its sentence, and how far annotators "
        "agree. Low agreement limits what any scorer can reach.",
        ("min-annotations", "repeated", "weights", "groups", "seed"),
    )

    def reads(self, options: ComplexityAggregateOptions) -> Sequence[TableSource]:
        return [TableSource(INSTANCES.name, options.folder)]

    def check(self, options: ComplexityAggregateOptions) -> None:
        snapshot = find_snapshot(options.out)
        if snapshot is not None and owner_of(snapshot.manifest, LABELS.name) == LOADED:
            raise _refuse_labels_of_files(options.out)

    def plan(self, options: ComplexityAggregateOptions, inputs: Inputs) -> AggregatePlan:
        instances = inputs.only(INSTANCES.name)
        if instances.is_here and instances.name == LOADED and instances.section.get("labelled"):
            raise _refuse_labels_of_files(options.out)
        return AggregatePlan(options.how, file_digests(list_inputs(options.judgments, (), options.out)))

    def action(self, options: ComplexityAggregateOptions, action: Action) -> Mapping[str, pa.Table]:
        """Read the judgments, settle which count, and make labels of them."""
        parts = [checked(part) for part in action.inputs.only(INSTANCES.name).parts]
        instances = read_table(parts, list(COLUMNS))
        names = instances["instance_id"].to_pylist()
        answers = read_judgments(options.judgments, instances, options.tables)
        judged = settle_judgments(answers.judgments, set(names), options.how)
        return {
            JUDGMENTS.name: judgment_rows(judged),
            LABELS.name: label_rows(judged, names, options.how),
            JUDGMENT_REJECTS.name: pa.Table.from_pylist(
                [row._asdict() for row in answers.rejects], schema=JUDGMENT_REJECTS.schema()
            ),
        }

    def resources(self, plan: AggregatePlan) -> Mapping[str, Any]:
        return {"judgments": digest(sorted(file["sha256"] for file in plan.files))}

    def section(self, plan: AggregatePlan, outcome: HandedBack) -> Mapping[str, Any]:
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

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section(SECTION)
        yield (
            f"{amount(section['judgments'], 'judgments')} by {amount(section['annotators'], 'annotators')}, "
            f"{section['kept']} count; {amount(section['rejected'], 'rows')} rejected{counts_tail(section['rejects'])}"
        )
        yield from explained_counts(section["reasons"], JUDGMENT_REASONS)
        yield _AGREEMENT.grid(_groups(section))

    def report(self, snapshot: Snapshot) -> list[Panel]:
        return [_AGREEMENT.panel(_groups(snapshot.section(SECTION)))]
