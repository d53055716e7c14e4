"""Candidates filtered by form, part of speech and similarity: table simplification/selections.

docs/tasks/simplification/rank.md says what each filter drops.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from lexbeam.pipelines.commands.options import input_folder, settings_file
from lexbeam.pipelines.frame.command import (
    Command,
    Graph,
    HandedBack,
    Inputs,
    Opening,
    RunnerOptions,
    TableSource,
    model_folder,
)
from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, SELECTIONS
from lexbeam.transforms.annotation.engines.known_engines import stated_engine
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store.receipts import summed
from lexbeam.transforms.inflection.models import warn_of_languages
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn
from lexbeam.transforms.simplification.records import JoinTask, as_given, tasks_of
from lexbeam.transforms.simplification.selection.candidate_filter import SelectionOptions
from lexbeam.transforms.simplification.selection.candidate_selection import (
    SelectCandidates,
    Selected,
    Selection,
    SelectionFiles,
    check_selection,
    check_tagger,
    selection_of,
)
from lexbeam.transforms.simplification.settings import settings_of, settings_of_candidates

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "simplify.select"
STAGE = "select"


@dataclass(frozen=True, kw_only=True)
class SelectCandidatesOptions(RunnerOptions):
    """Options of `lexbeam simplify select`."""

    folder: str | None = input_folder("candidates, of `lexbeam simplify generate`")
    selection: SelectionOptions = embedded(SelectionOptions, group="selection")
    files: SelectionFiles = embedded(SelectionFiles)
    engine: str | None = option(
        None,
        help="what tags sentences for filter pos: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG",
        path="place",
        within=model_folder,
        stands_for=stated_engine,
        check=check_tagger,
        group="resources",
    )
    settings: str | None = settings_file("settings that it does not name have those given here")


class SelectionPlan(NamedTuple):
    """What is to be done: parts side by side, and what settings are filtered by."""

    tasks: tuple[tuple[int, JoinTask], ...]
    selection: Selection


_OUTCOMES = SectionTable(
    "Selected candidates",
    "What became of generated candidates: kept, kept with a note, or why they were dropped.",
    (
        TableColumn("setting", "name of the setting", pa.string()),
        TableColumn("outcome", "kept, kept with this note, or dropped for this reason", pa.string(), "reason or note"),
        TableColumn("candidates", "how many"),
    ),
)


class SimplifySelect(Command[SelectCandidatesOptions, SelectionPlan]):
    """`lexbeam simplify select`."""

    options = SelectCandidatesOptions
    examples = """\
  lexbeam simplify select es --filters morphology --inflector es.inflector
  lexbeam simplify select es --filters morphology,pos --inflector es.inflector \\
      --engine spacy:es_core_news_md
  lexbeam simplify select es --filters similarity --vectors es.vec --least-similarity 0.3
  lexbeam simplify select en --filters morphology,context --encoder models/minilm"""
    tables = (SELECTIONS,)
    stages = (SelectCandidates,)
    rows: Mapping[str, type] = {"selected": Selected}
    opening = Opening(
        "Candidates that fit",
        "Which candidates the filters of form, part of speech and similarity let pass, and what each of them took out.",
        ("filters", "same-pos", "least-similarity", "least-ngram"),
    )

    def reads(self, options: SelectCandidatesOptions) -> Sequence[TableSource]:
        return [TableSource(INSTANCES.name, options.folder, needed=True), TableSource(CANDIDATES.name, options.folder)]

    def check(self, options: SelectCandidatesOptions) -> None:
        default = options.selection
        named = {} if options.settings is None else settings_of(STAGE, default, options.settings, "")
        check_selection(named or {"": default}, options.files, options.engine)

    def plan(self, options: SelectCandidatesOptions, inputs: Inputs) -> SelectionPlan:
        candidates = inputs.only(CANDIDATES.name)
        names = [setting["setting"] for setting in candidates.section["settings"]]
        settings = settings_of_candidates(STAGE, options.selection, options.settings, names)
        instances = inputs.only(INSTANCES.name)
        tasks = tasks_of(instances.parts, {CANDIDATES.name: candidates.parts})
        selection = selection_of(settings, options.files, options.engine)
        inflector = next(iter(selection.values())).inflector
        warn_of_languages(inflector, instances.section.get("languages", ()))
        return SelectionPlan(tuple(tasks), selection)

    def build(self, pipeline: "beam.Pipeline", plan: SelectionPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Parts of instances and candidates in, parts of selections out."""
        step = SelectCandidates(graph.carry_all(plan.selection))
        return graph.each_part(pipeline, step, plan.tasks, as_given, table=SELECTIONS, receipts="selected")

    def resources(self, plan: SelectionPlan) -> Mapping[str, Any]:
        fingerprint = next(iter(plan.selection.values())).fingerprint
        return {"engine": fingerprint} if fingerprint else {}

    def section(self, plan: SelectionPlan, outcome: HandedBack) -> Mapping[str, Any]:
        return {
            "settings": [
                {"setting": name, "filters": list(setting.options.filters)} for name, setting in plan.selection.items()
            ],
            "counts": summed(outcome.rows["selected"], ("setting", "outcome", "kept"), ("candidates",)),
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section(SECTION)
        for setting in section["settings"]:
            rows = [row for row in section["counts"] if row["setting"] == setting["setting"]]
            passed = sum(row["candidates"] for row in rows if row["kept"])
            generated = sum(row["candidates"] for row in rows)
            yield f"{setting['setting']}: {passed} of {generated} candidates kept by {', '.join(setting['filters'])}"
            if noted := [row for row in rows if row["outcome"] != "kept"]:
                yield _OUTCOMES.grid(noted, without=("setting",))

    def report(self, snapshot: Snapshot) -> list[Panel]:
        return [_OUTCOMES.panel(snapshot.section(SECTION)["counts"])]
