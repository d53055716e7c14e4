"""Candidates filtered by form, part of speech and similarity: table simplification/selections.

    lexbeam simplify select es --filters morphology,pos --inflector es.inflector \\
        --engine spacy:es_core_news_md

docs/tasks/simplification/rank.md says what each filter drops.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from pipelines.frame.command import Command, Graph, HandedBack, Inputs, TableSource
from pipelines.frame.common_options import RunnerOptions, model_folder
from schemas.simplification.instances import CANDIDATES, INSTANCES, REASONS, SELECTIONS
from transforms.common.options.fields import embedded, option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, Grid
from transforms.common.store.counts import summed
from transforms.inflection.kept import warn_of_languages
from transforms.report.panels import Panel, Rows
from transforms.simplification.records import JoinTask, tasks_of
from transforms.simplification.selection.inputs import SelectionFiles, check_selection, check_tagger, selection_of
from transforms.simplification.selection.options import SelectionOptions
from transforms.simplification.selection.stage import SELECT, Selected, Selection
from transforms.simplification.settings import settings_of, settings_there

if TYPE_CHECKING:
    import apache_beam as beam

__all__ = ["SELECT_CANDIDATES", "SelectCandidatesOptions"]

SECTION = "simplify.select"
STAGE = "select"


@dataclass(frozen=True, kw_only=True)
class SelectCandidatesOptions(RunnerOptions):
    """Options of `lexbeam simplify select`."""

    folder: str | None = option(
        None,
        help="folder with candidates, of `lexbeam simplify generate`; none: that of `out`",
        metavar="DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )
    own: SelectionOptions = embedded(SelectionOptions, group="selection")
    files: SelectionFiles = embedded(SelectionFiles)
    engine: str | None = option(
        None,
        help="what tags sentences for filter pos: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG",
        path="place",
        within=model_folder,
        check=check_tagger,
        group="resources",
    )
    settings: str | None = option(
        None,
        help="settings by name, each with the options that it has other than given here; "
        "settings that it does not name have those given here",
        metavar="FILE.yaml",
        path="file",
    )


class SelectionPlan(NamedTuple):
    """What is to be done: parts side by side, and what settings are filtered by."""

    tasks: tuple[tuple[int, JoinTask], ...]
    selection: Selection


def _reads(options: SelectCandidatesOptions) -> Sequence[TableSource]:
    return [TableSource(table.name, options.folder) for table in (INSTANCES, CANDIDATES)]


def _check(options: SelectCandidatesOptions) -> None:
    own = options.own
    named = {} if options.settings is None else settings_of(STAGE, own, options.settings, "")
    check_selection(named or {"": own}, options.files, options.engine)


def _plan(options: SelectCandidatesOptions, inputs: Inputs) -> SelectionPlan:
    candidates = inputs.only(CANDIDATES.name)
    names = [one["setting"] for one in candidates.section["settings"]]
    settings = settings_there(STAGE, options.own, options.settings, names)
    instances = inputs.only(INSTANCES.name)
    tasks = tasks_of(instances.parts, {CANDIDATES.name: candidates.parts})
    selection = selection_of(settings, options.files, options.engine)
    inflector = next(iter(selection.values())).inflector
    warn_of_languages(inflector, instances.section.get("languages", ()))
    return SelectionPlan(tuple(tasks), selection)


def _build(pipeline: "beam.Pipeline", plan: SelectionPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
    """Parts of instances and candidates in, parts of selections out."""
    import apache_beam as beam

    from transforms.common.store.ptransforms import MakeParts

    selection = {name: one._replace(lexicon=graph.carry(one.lexicon)) for name, one in plan.selection.items()}
    receipts, parts = (
        pipeline
        | "Parts" >> beam.Create(plan.tasks, reshuffle=False)
        | "Select" >> MakeParts(graph.workspace, SELECT, selection, SELECTIONS.name, graph.lanes)
    )
    return {"parts": parts, "selected": receipts}


def _expected(plan: SelectionPlan) -> Mapping[str, int]:
    return {SELECT.name: len(plan.tasks)}


def _resources(plan: SelectionPlan) -> Mapping[str, Any]:
    fingerprint = next(iter(plan.selection.values())).fingerprint
    return {"engine": fingerprint} if fingerprint else {}


def _section(plan: SelectionPlan, outcome: HandedBack) -> Mapping[str, Any]:
    return {
        "settings": [{"setting": name, "filters": list(one.options.filters)} for name, one in plan.selection.items()],
        "counts": summed(outcome.rows["selected"], ("setting", "outcome"), ("candidates",)),
    }


def _summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what became of the candidates of each setting."""
    section = snapshot.section(SECTION)
    for setting in section["settings"]:
        own = [row for row in section["counts"] if row["setting"] == setting["setting"]]
        kept = sum(row["candidates"] for row in own if row["outcome"] not in REASONS)
        every = sum(row["candidates"] for row in own)
        yield (f"{setting['setting']}: {kept} of {every} candidates kept by {', '.join(setting['filters'])}")
        rows = tuple((row["outcome"], str(row["candidates"])) for row in own if row["outcome"] != "kept")
        if rows:
            yield Grid(("reason or note", "candidates"), rows, frozenset({1}), 2)


def _panels(snapshot: Snapshot) -> list[Panel]:
    rows = snapshot.section(SECTION)["counts"]
    schema = pa.schema([("setting", pa.string()), ("outcome", pa.string()), ("candidates", pa.int64())])
    text = "What became of generated candidates: kept, kept with a note, or why they were dropped."
    return [Rows("Selected candidates", text, pa.Table.from_pylist(rows, schema))]


SELECT_CANDIDATES: Command[SelectCandidatesOptions, SelectionPlan] = Command(
    options=SelectCandidatesOptions,
    examples="""\
  lexbeam simplify select es --filters morphology --inflector es.inflector
  lexbeam simplify select es --filters morphology,pos --inflector es.inflector \\
      --engine spacy:es_core_news_md
  lexbeam simplify select es --filters similarity --vectors es.vec --least-similarity 0.3""",
    tables=(SELECTIONS,),
    reads=_reads,
    check=_check,
    stages=(SELECT,),
    plan=_plan,
    build=_build,
    rows={"selected": Selected},
    expected=_expected,
    resources=_resources,
    section=_section,
    summary=_summary,
    report=_panels,
)
