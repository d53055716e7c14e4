"""Candidates ranked by simplicity: table simplification/rankings.

docs/tasks/simplification/rank.md says what each ranker's score is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from lexbeam.pipelines.commands.options import input_folder, settings_file
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, Opening, RunnerOptions, TableSource
from lexbeam.schemas.complexity import INSTANCES as LABELLED
from lexbeam.schemas.complexity import LABELS
from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SUBSTITUTES
from lexbeam.transforms.common.options.fields import embedded
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import summed
from lexbeam.transforms.learning.crossfitting import FittedModel
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn
from lexbeam.transforms.simplification.ranking.options import (
    RankingFiles,
    RankingOptions,
    check_ranking,
    rankings_of,
    uses_regressor,
)
from lexbeam.transforms.simplification.ranking.ranked_parts import RankCandidates, RankedPart, Rankings, RankTask
from lexbeam.transforms.simplification.ranking.regressor import FitRegressor, RegressorTask
from lexbeam.transforms.simplification.records import JoinTask, as_given, tasks_of
from lexbeam.transforms.simplification.settings import settings_of, settings_of_candidates

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "simplify.rank"
STAGE = "rank"
COUNTS = ("instances", "candidates", "phrases", "unknown", "kept")


@dataclass(frozen=True, kw_only=True)
class RankOptions(RunnerOptions):
    """Options of `lexbeam simplify rank`."""

    folder: str | None = input_folder("candidates, and selections if there are any")
    ranking: RankingOptions = embedded(RankingOptions, group="ranking")
    files: RankingFiles = embedded(RankingFiles)
    settings: str | None = settings_file("settings that it does not name have those given here")


class RankingPlan(NamedTuple):
    """What is to be done.

    Attributes:
        tasks: parts side by side, by number.
        rankings: what settings are ranked by.
        labelled: what a regressor is learned from; None: none is asked for.
        fit: how.
    """

    tasks: tuple[tuple[int, JoinTask], ...]
    rankings: Rankings
    labelled: RegressorTask | None
    fit: FitRegressor


def _named(options: RankOptions) -> dict[str, RankingOptions]:
    if options.settings is None:
        return {"": options.ranking}
    return settings_of(STAGE, options.ranking, options.settings, "")


_RANKED = SectionTable(
    "Ranked candidates",
    "What rankers ranked: instances with candidates, candidates, phrases among them, those "
    "that the ranker does not know, instances whose target stays.",
    (
        TableColumn("setting", "name of the setting", pa.string()),
        TableColumn("ranker", "the ranker", pa.string()),
        TableColumn("instances", "instances with candidates"),
        TableColumn("candidates", "their candidates"),
        TableColumn("phrases", "candidates of several words"),
        TableColumn("unknown", "candidates that the ranker does not know"),
        TableColumn("kept", "instances whose target stays", head="target stays"),
    ),
)


def _rank_tasks(element: tuple[int, JoinTask], regressed: FittedModel | None = None) -> Iterator[tuple[int, RankTask]]:
    number, parts = element
    yield number, RankTask(parts, None if regressed is None else regressed.model)


class SimplifyRank(Command[RankOptions, RankingPlan]):
    """`lexbeam simplify rank`."""

    options = RankOptions
    examples = """\
  lexbeam simplify rank es --ranker frequency --wordlist zipf=wordfreq:es
  lexbeam simplify rank es --ranker senses,average --average-of senses,frequency \\
      --wordlist zipf=wordfreq:es --keep-target if-more-frequent
  lexbeam simplify rank es --ranker regressor --complexity cwi --wordlist zipf=wordfreq:es"""
    tables = (RANKINGS,)
    stages = (FitRegressor, RankCandidates)
    rows: Mapping[str, type] = {"ranked": RankedPart, "regressed": FittedModel}
    opening = Opening(
        "Candidates by simplicity",
        "The candidates that are left, the simplest first, by each ranker.",
        ("ranker", "average-of", "phrases", "keep-target"),
    )

    def reads(self, options: RankOptions) -> Sequence[TableSource]:
        sources = [
            TableSource(INSTANCES.name, options.folder, needed=True),
            TableSource(CANDIDATES.name, options.folder),
        ]
        sources.append(TableSource(SELECTIONS.name, options.folder, optional=True))
        if uses_regressor({**_named(options), "given": options.ranking}):
            sources.append(TableSource(SUBSTITUTES.name, options.folder, optional=True))
            sources += [TableSource(table.name, options.files.complexity) for table in (LABELLED, LABELS)]
        return sources

    def check(self, options: RankOptions) -> None:
        check_ranking(_named(options), options.files)

    def plan(self, options: RankOptions, inputs: Inputs) -> RankingPlan:
        instances, candidates = inputs.only(INSTANCES.name), inputs.only(CANDIDATES.name)
        names = [setting["setting"] for setting in candidates.section["settings"]]
        settings = settings_of_candidates(STAGE, options.ranking, options.settings, names)
        rankings = rankings_of(settings, options.files)
        selections = inputs.of(SELECTIONS.name)
        beside = selections[0] if selections else candidates
        tasks = tasks_of(instances.parts, {beside.table: beside.parts})
        first = next(iter(rankings.values()))
        labelled = None
        if uses_regressor(settings):
            gold = inputs.of(SUBSTITUTES.name)
            labelled = RegressorTask(
                inputs.only(LABELLED.name).parts,
                inputs.only(LABELS.name).parts,
                instances.parts,
                gold[0].parts if gold else (),
                candidates.parts,
            )
        fit = FitRegressor(options.files.regressor_scorer, first.lexicon, first.lists)
        return RankingPlan(tuple(tasks), rankings, labelled, fit)

    def build(self, pipeline: "beam.Pipeline", plan: RankingPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of instances and candidates or selections in, parts of rankings out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import Each

        step = RankCandidates(graph.carry_all(plan.rankings))
        sides: dict[str, Any] = {}
        if plan.labelled is None:
            regressed = pipeline | "None" >> beam.Create([])
        else:
            labelled = graph.tasks(pipeline, "Labelled", [(0, plan.labelled)], FitRegressor)
            fit = Each(graph.workspace, replace(plan.fit, lexicon=graph.carry(plan.fit.lexicon)), as_given)
            regressed = labelled | "Fit" >> fit | "Regressed" >> beam.Values()
            sides = {"regressed": beam.pvalue.AsSingleton(regressed)}
        ranked = graph.each_part(pipeline, step, plan.tasks, _rank_tasks, sides, table=RANKINGS, receipts="ranked")
        return {**ranked, "regressed": regressed}

    def section(self, plan: RankingPlan, outcome: HandedBack) -> Mapping[str, Any]:
        regressed: list[FittedModel] = outcome.rows["regressed"]
        return {
            "settings": [
                {"setting": name, "rankers": list(ranking.options.ranker), "keep_target": ranking.options.keep_target}
                for name, ranking in plan.rankings.items()
            ],
            "counts": summed(outcome.rows["ranked"], ("setting", "ranker"), COUNTS),
            "regressor": [
                {
                    "scorer": plan.fit.scorer,
                    "words": fitted.figures.rows,
                    "left_out": fitted.figures.left_out["excluded"],
                    "names": fitted.figures.left_out["name"],
                    "other_language": fitted.figures.left_out["other_language"],
                    "sha256": fitted.model.weights.sha256,
                }
                for fitted in regressed
                if fitted.model is not None
            ],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section(SECTION)
        for regressor in section["regressor"]:
            yield (
                f"regressor: {regressor['scorer']}, trained on {regressor['words']} labelled words; "
                f"{regressor['left_out']} that stand here by form or lemma were left out, {regressor['names']} "
                f"names, {regressor['other_language']} of other languages"
            )
        yield _RANKED.grid(section["counts"])

    def report(self, snapshot: Snapshot) -> list[Panel]:
        return [_RANKED.panel(snapshot.section(SECTION)["counts"])]
