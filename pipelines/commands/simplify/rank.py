"""Candidates ranked by simplicity: table simplification/rankings.

    lexbeam simplify rank es --ranker senses --wordlist zipf=wordfreq:es

docs/tasks/simplification/rank.md says what each ranker's score is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions
from schemas.complexity.instances import INSTANCES as LABELLED
from schemas.complexity.instances import LABELS
from schemas.simplification.instances import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SUBSTITUTES
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store.counts import summed
from transforms.report.panels import Panel, Rows
from transforms.simplification.ranking.inputs import RankingFiles, check_ranking, rankings_of, uses_regressor
from transforms.simplification.ranking.options import RankingOptions
from transforms.simplification.ranking.regressor import FIT, Fitting, Regressed, RegressorTask
from transforms.simplification.ranking.stage import RANK, RankedPart, Rankings
from transforms.simplification.records import JoinTask, tasks_of
from transforms.simplification.settings import settings_of, settings_there

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["RANK_CANDIDATES", "RankOptions"]

SECTION = "simplify.rank"
STAGE = "rank"
COUNTS = ("instances", "candidates", "phrases", "unknown", "kept")


@dataclass(frozen=True, kw_only=True)
class RankOptions(RunnerOptions):
    """Options of `lexbeam simplify rank`."""

    folder: str | None = option(
        None,
        help="folder with candidates, and selections if there are any; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    own: RankingOptions = embedded(RankingOptions, group="ranking")
    files: RankingFiles = embedded(RankingFiles)
    settings: str | None = option(
        None,
        help="settings by name, each with the options that it has other than given here; "
        "settings that it does not name have those given here",
        metavar="FILE.yaml",
        path="file",
    )


class RankingPlan(NamedTuple):
    """What is to be done.

    Attributes:
        tasks: parts side by side, by number.
        rankings: what settings are ranked by.
        fit: what a regressor is learned from; None: none is asked for.
        fitting: how.
    """

    tasks: tuple[tuple[int, JoinTask], ...]
    rankings: Rankings
    fit: RegressorTask | None
    fitting: Fitting


def _named(options: RankOptions) -> dict[str, RankingOptions]:
    if options.settings is None:
        return {"": options.own}
    return settings_of(STAGE, options.own, options.settings, "")


def _reads(options: RankOptions) -> Sequence[TableSource]:
    found = [TableSource(table.name, options.folder) for table in (INSTANCES, CANDIDATES)]
    found.append(TableSource(SELECTIONS.name, options.folder, optional=True))
    if uses_regressor({**_named(options), "given": options.own}):
        found.append(TableSource(SUBSTITUTES.name, options.folder, optional=True))
        found += [TableSource(table.name, options.files.complexity) for table in (LABELLED, LABELS)]
    return found


def _check(options: RankOptions) -> None:
    check_ranking(_named(options), options.files)


def _plan(options: RankOptions, inputs: Inputs) -> RankingPlan:
    instances, candidates = inputs.only(INSTANCES.name), inputs.only(CANDIDATES.name)
    names = [one["setting"] for one in candidates.section["settings"]]
    settings = settings_there(STAGE, options.own, options.settings, names)
    rankings = rankings_of(settings, options.files)
    selections = inputs.of(SELECTIONS.name)
    beside = selections[0] if selections else candidates
    tasks = tasks_of(instances.parts, {beside.table: beside.parts})
    first = next(iter(rankings.values()))
    fit = None
    if uses_regressor(settings):
        gold = inputs.of(SUBSTITUTES.name)
        fit = RegressorTask(
            inputs.only(LABELLED.name).parts,
            inputs.only(LABELS.name).parts,
            instances.parts,
            gold[0].parts if gold else (),
            candidates.parts,
        )
    fitting = Fitting(options.files.regressor_scorer, first.lexicon, first.lists)
    return RankingPlan(tuple(tasks), rankings, fit, fitting)


def _build(pipeline: "beam.Pipeline", plan: RankingPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of instances and candidates or selections in, parts of rankings out."""
    import apache_beam as beam

    from transforms.common.store.ptransforms import MakeParts
    from transforms.simplification.ranking.ptransforms import WithRegressor

    lexicon = graph.carry(plan.fitting.lexicon)
    rankings = {name: one._replace(lexicon=lexicon) for name, one in plan.rankings.items()}
    tasks, regressed = (
        pipeline
        | "Parts" >> beam.Create(plan.tasks, reshuffle=False)
        | "Regressor" >> WithRegressor(graph.workspace, plan.fit, plan.fitting._replace(lexicon=lexicon))
    )
    receipts, parts = tasks | "Rank" >> MakeParts(graph.workspace, RANK, rankings, RANKINGS.name, graph.lanes)
    return {"parts": parts, "ranked": receipts, "regressed": regressed}


def _expected(plan: RankingPlan) -> Mapping[str, int]:
    return {RANK.name: len(plan.tasks), **({FIT.name: 1} if plan.fit else {})}


def _section(plan: RankingPlan, outcome: HandedBack) -> Mapping[str, Any]:
    regressed: list[Regressed] = outcome.rows["regressed"]
    return {
        "settings": [
            {"setting": name, "rankers": list(one.options.ranker), "keep_target": one.options.keep_target}
            for name, one in plan.rankings.items()
        ],
        "counts": summed(outcome.rows["ranked"], ("setting", "ranker"), COUNTS),
        "regressor": [
            {
                "scorer": one.scorer,
                "words": one.words,
                "left_out": one.excluded,
                "names": one.names,
                "other_language": one.other_language,
                "sha256": one.file.sha256,
            }
            for one in regressed
        ],
    }


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what each ranker ranked."""
    section = snapshot.section(SECTION)
    for one in section["regressor"]:
        yield (
            f"regressor: {one['scorer']}, trained on {one['words']} labelled words; "
            f"{one['left_out']} that stand here by form or lemma were left out, {one['names']} "
            f"names, {one['other_language']} of other languages"
        )
    rows = tuple((one["setting"], one["ranker"], *(str(one[name]) for name in COUNTS)) for one in section["counts"])
    heads = ("setting", "ranker", "instances", "candidates", "phrases", "unknown", "target stays")
    yield Grid(heads, rows, frozenset(range(2, len(heads))), 2)


def _panels(snapshot: Snapshot) -> list[Panel]:
    schema = pa.schema([("setting", pa.string()), ("ranker", pa.string()), *((n, pa.int64()) for n in COUNTS)])
    text = (
        "What rankers ranked: instances with candidates, candidates, phrases among them, those "
        "that the ranker does not know, instances whose target stays."
    )
    rows = pa.Table.from_pylist(snapshot.section(SECTION)["counts"], schema)
    return [Rows("Ranked candidates", text, rows)]


RANK_CANDIDATES: Command[RankOptions, RankingPlan] = Command(
    options=RankOptions,
    examples="""\
  lexbeam simplify rank es --ranker frequency --wordlist zipf=wordfreq:es
  lexbeam simplify rank es --ranker senses,average --average-of senses,frequency \\
      --wordlist zipf=wordfreq:es --keep-target if-more-frequent
  lexbeam simplify rank es --ranker regressor --complexity cwi --wordlist zipf=wordfreq:es""",
    tables=(RANKINGS,),
    reads=_reads,
    check=_check,
    stages=(FIT, RANK),
    plan=_plan,
    build=_build,
    rows={"ranked": RankedPart, "regressed": Regressed},
    expected=_expected,
    section=_section,
    summary=_summary,
    report=_panels,
)
