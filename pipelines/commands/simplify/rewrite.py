"""Sentences with the chosen words in place: table simplification/simplifications.

docs/tasks/simplification/rank.md says when the target stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SIMPLIFICATIONS
from lexbeam.transforms.common.options.fields import embedded
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.inflection.models import InflectorReference, inflector_reference, warn_of_languages
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn
from lexbeam.transforms.simplification.records import JoinTask, as_given, tasks_of
from lexbeam.transforms.simplification.resources import InflectorFile
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import (
    RewriteSentences,
    RewritingOptions,
    Rewritten,
    check_rewriting,
)

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "simplify.rewrite"
OUTCOMES = ("changed", "no_candidate", "keep_target", "no_agreement", "other_sex")


@dataclass(frozen=True, kw_only=True)
class RewriteOptions(RunnerOptions):
    """Options of `lexbeam simplify rewrite`."""

    folder: str | None = input_folder("rankings, of `lexbeam simplify rank`")
    rewriting: RewritingOptions = embedded(RewritingOptions)
    files: InflectorFile = embedded(InflectorFile)


class RewritingPlan(NamedTuple):
    """What is to be done: parts side by side, by number, and how, see `RewriteSentences`."""

    tasks: tuple[tuple[int, JoinTask], ...]
    agreement: str
    inflector: InflectorReference | None


_REWRITTEN = SectionTable(
    "Rewritten sentences",
    "Sentences with another word in the target's place, and those that stay: without a "
    "candidate, since the target is simple enough to stay, or since words around no candidate agree with it.",
    (
        TableColumn("setting", "name of the setting", pa.string()),
        TableColumn("ranker", "the ranker", pa.string()),
        TableColumn("changed", "sentences with another word"),
        TableColumn("no_candidate", "sentences that stay: the target has no candidate"),
        TableColumn("keep_target", "sentences that stay: the target is simple enough"),
        TableColumn("no_agreement", "sentences that stay: words around no candidate agree with it"),
        TableColumn("other_sex", "sentences that stay: a candidate denotes a person of the other sex"),
    ),
)


class SimplifyRewrite(Command[RewriteOptions, RewritingPlan]):
    """`lexbeam simplify rewrite`."""

    options = RewriteOptions
    examples = """\
  lexbeam simplify rewrite es --inflector es.inflector
  lexbeam simplify rewrite es --inflector es.inflector --agreement drop
  lexbeam simplify rewrite es --runner-config direct_multiprocess"""
    tables = (SIMPLIFICATIONS,)
    stages = (RewriteSentences,)
    rows: Mapping[str, type] = {"rewritten": Rewritten}
    opening = Opening(
        "Rewritten sentences",
        "How many sentences have another word in the target's place, and why others stay as they were.",
    )

    def reads(self, options: RewriteOptions) -> Sequence[TableSource]:
        beside = [TableSource(table.name, options.folder) for table in (CANDIDATES, RANKINGS)]
        return [TableSource(INSTANCES.name, options.folder, needed=True), *beside]

    def check(self, options: RewriteOptions) -> None:
        check_rewriting(options.rewriting, options.files.inflector)

    def plan(self, options: RewriteOptions, inputs: Inputs) -> RewritingPlan:
        beside = {table.name: inputs.only(table.name).parts for table in (CANDIDATES, RANKINGS)}
        inflector = inflector_reference(options.files.inflector) if options.files.inflector else None
        instances = inputs.only(INSTANCES.name)
        warn_of_languages(inflector, instances.section.get("languages", ()))
        return RewritingPlan(tuple(tasks_of(instances.parts, beside)), options.rewriting.agreement, inflector)

    def build(self, pipeline: "beam.Pipeline", plan: RewritingPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of instances, candidates and rankings in, parts of simplifications out."""
        step = RewriteSentences(plan.agreement, plan.inflector)
        return graph.each_part(pipeline, step, plan.tasks, as_given, table=SIMPLIFICATIONS, receipts="rewritten")

    def section(self, _: RewritingPlan, outcome: HandedBack) -> Mapping[str, Any]:
        made: list[Rewritten] = outcome.rows["rewritten"]
        counts = totals({(row.setting, row.ranker, row.outcome): row.instances} for part in made for row in part.counts)
        systems = sorted({(setting, ranker) for setting, ranker, _ in counts})
        return {
            "counts": [
                {"setting": setting, "ranker": ranker, **{name: counts[setting, ranker, name] for name in OUTCOMES}}
                for setting, ranker in systems
            ]
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        yield _REWRITTEN.grid(snapshot.section(SECTION)["counts"])

    def report(self, snapshot: Snapshot) -> list[Panel]:
        return [_REWRITTEN.panel(snapshot.section(SECTION)["counts"])]
