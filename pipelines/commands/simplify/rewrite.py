"""Sentences with the chosen words in place: table simplification/simplifications.

    lexbeam simplify rewrite es

docs/tasks/simplification/rank.md says when the target stays.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.simplification.instances import CANDIDATES, INSTANCES, RANKINGS, SIMPLIFICATIONS
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.report.panels import Panel, Rows
from transforms.simplification.records import JoinTask, tasks_of
from transforms.simplification.rewriting.stage import REWRITE, Rewritten

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["REWRITE_SENTENCES", "RewriteOptions"]

SECTION = "simplify.rewrite"
OUTCOMES = ("changed", "no_candidate", "keep_target")


@dataclass(frozen=True, kw_only=True)
class RewriteOptions(RunnerOptions):
    """Options of `lexbeam simplify rewrite`."""

    folder: str | None = option(
        None,
        help="folder with rankings, of `lexbeam simplify rank`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )


class RewritingPlan(NamedTuple):
    """What is to be done: parts side by side, by number."""

    tasks: tuple[tuple[int, JoinTask], ...]


def _reads(options: RewriteOptions) -> Sequence[TableSource]:
    return [TableSource(table.name, options.folder) for table in (INSTANCES, CANDIDATES, RANKINGS)]


def _plan(_: RewriteOptions, inputs: Inputs) -> RewritingPlan:
    beside = {table.name: inputs.only(table.name).parts for table in (CANDIDATES, RANKINGS)}
    return RewritingPlan(tuple(tasks_of(inputs.only(INSTANCES.name).parts, beside)))


def _build(pipeline: "beam.Pipeline", plan: RewritingPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of instances, candidates and rankings in, parts of simplifications out."""
    import apache_beam as beam

    from transforms.common.store.ptransforms import MakeParts

    receipts, parts = (
        pipeline
        | "Parts" >> beam.Create(plan.tasks, reshuffle=False)
        | "Rewrite" >> MakeParts(graph.workspace, REWRITE, None, SIMPLIFICATIONS.name, graph.lanes)
    )
    return {"parts": parts, "rewritten": receipts}


def _expected(plan: RewritingPlan) -> Mapping[str, int]:
    return {REWRITE.name: len(plan.tasks)}


def _section(_: RewritingPlan, outcome: HandedBack) -> Mapping[str, Any]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    made: list[Rewritten] = outcome.rows["rewritten"]
    for one in made:
        for count in one.counts:
            own = counts.setdefault((count.setting, count.ranker), Counter())
            own[count.outcome] += count.instances
    return {
        "counts": [
            {"setting": key[0], "ranker": key[1], **{name: counts[key][name] for name in OUTCOMES}}
            for key in sorted(counts)
        ]
    }


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield how many sentences were changed."""
    rows = tuple(
        (one["setting"], one["ranker"], *(str(one[name]) for name in OUTCOMES))
        for one in snapshot.section(SECTION)["counts"]
    )
    yield Grid(("setting", "ranker", *OUTCOMES), rows, frozenset({2, 3, 4}), 2)


def _panels(snapshot: Snapshot) -> list[Panel]:
    schema = pa.schema([("setting", pa.string()), ("ranker", pa.string()), *((n, pa.int64()) for n in OUTCOMES)])
    text = (
        "Sentences with another word in the target's place, and those that stay: without a "
        "candidate, or since the target is simpler by what was asked."
    )
    rows = pa.Table.from_pylist(snapshot.section(SECTION)["counts"], schema)
    return [Rows("Rewritten sentences", text, rows)]


REWRITE_SENTENCES: Command[RewriteOptions, RewritingPlan] = Command(
    options=RewriteOptions,
    examples="""\
  lexbeam simplify rewrite es
  lexbeam simplify rewrite es --runner-config direct_multiprocess""",
    tables=(SIMPLIFICATIONS,),
    reads=_reads,
    stages=(REWRITE,),
    plan=_plan,
    build=_build,
    rows={"rewritten": Rewritten},
    expected=_expected,
    section=_section,
    summary=_summary,
    report=_panels,
)
