"""Simplification evaluated against gold: every stage of our tables, or a file of a shared task.

docs/tasks/simplification/evaluate.md says what is read, and what is computed.
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.pipelines.commands.evaluation import Evaluation, out_or_told
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import HandedBack, Inputs, Opening, PublishOptions, TableSource
from lexbeam.schemas.common_tables import SIMPLIFICATION_METRICS
from lexbeam.schemas.simplification import (
    CANDIDATES,
    FUNNEL,
    INSTANCES,
    RANKINGS,
    SELECTIONS,
    SIMPLIFICATIONS,
    SUBSTITUTES,
)
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError, NoDataError, UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_snapshot
from lexbeam.transforms.common.shown import Block, amount
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.inflection.models import load_inflector
from lexbeam.transforms.simplification.evaluation.evaluated_tables import (
    STAGE_COLUMNS,
    EvaluatedSettings,
    SimplificationMeasureOptions,
    evaluate_tables,
    figure_rows,
    gold_in,
    gold_settings,
)
from lexbeam.transforms.simplification.evaluation.list_measures import GoldInstances, Lemmas, gold_of
from lexbeam.transforms.simplification.evaluation.submissions import (
    SUBMITTED,
    Prediction,
    chosen_lists,
    evaluate_rows,
    matched_rows,
    read_gold,
    read_predictions,
    submission_of,
)
from lexbeam.transforms.simplification.instances.benchmark_layouts import LAYOUTS
from lexbeam.transforms.simplification.shown.metric_panels import (
    EVALUATION_VIEWS,
    FunnelOptions,
    evaluation_panels,
    funnel_blocks,
    metric_blocks,
)

log = logging.getLogger("lexbeam")

_TABLES = (INSTANCES, SUBSTITUTES)
_STAGES = (CANDIDATES, SELECTIONS, RANKINGS, SIMPLIFICATIONS)
_FILES, _WRITING = "files of shared tasks", "a submission to write"


@dataclass(frozen=True, kw_only=True)
class EvaluateSimplifyOptions(PublishOptions):
    """Options of `lexbeam evaluate simplify`."""

    out: str | None = out_or_told("the tables are published; of files, none: they are only told")  # type: ignore[assignment]
    folder: str | None = input_folder("instances and candidates, of `lexbeam simplify`")
    measures: SimplificationMeasureOptions = embedded(SimplificationMeasureOptions, group="evaluation")
    inflector: str | None = option(
        None,
        help="form dictionary of `lexbeam simplify train-inflector`, by which candidates are "
        "also matched by their lemmas",
        metavar="FILE",
        path="file",
        published=False,
        group="evaluation",
    )
    gold: str | None = option(
        None,
        help="in place of a folder: rows of sentence, target and substitutes",
        metavar="FILE",
        path="file",
        data="rows",
        published=False,
        group=_FILES,
    )
    predictions: str | None = option(
        None,
        help="rows of sentence, target and substitutes, the best first",
        metavar="FILE",
        path="file",
        data="rows",
        published=False,
        group=_FILES,
    )
    layout: str = option("tsar", help="layout of `gold`", choices=LAYOUTS, group=_FILES)
    system: str = option("predictions", help="what the table calls `predictions`", group=_FILES)
    to: str | None = option(
        None,
        help="also write the lists of a setting as a file that TSAR-2022 takes",
        metavar="FILE",
        path="written",
        published=False,
        group=_WRITING,
    )
    stage: str | None = option(
        None,
        help="lists of this stage; if not given, of the last that is published",
        choices=SUBMITTED,
        published=False,
        group=_WRITING,
    )
    setting: str | None = option(
        None, help="lists of this setting, where there are several", published=False, group=_WRITING
    )
    ranker: str | None = option(
        None, help="lists of this ranker, where there are several", published=False, group=_WRITING
    )


class SimplifyEvaluationPlan(NamedTuple):
    """What is evaluated.

    Attributes:
        gold: the instances.
        rows: of files, predictions by instance; None: tables are evaluated.
        tables: paths of the parts of the tables of stages.
        lemmas: what a form may be a form of; None: it is not known.
        notes: what a person is warned of.
        declared: settings that the stages were made with, each with its rankers; they may have no row.
    """

    gold: GoldInstances
    rows: Mapping[str, Prediction] | None
    tables: Mapping[str, Sequence[str]]
    lemmas: Lemmas | None
    notes: Sequence[str]
    declared: Mapping[str, Sequence[str]]


def _of_files(options: EvaluateSimplifyOptions) -> bool:
    return options.gold is not None or options.predictions is not None


def _check_writing(options: EvaluateSimplifyOptions) -> None:
    if options.to is None:
        for name in ("stage", "setting", "ranker"):
            if getattr(options, name) is not None:
                raise UsageError(f"`{name}` says what is written: name a file by `to`")
    elif not options.to or options.to.endswith(("/", os.sep)):
        raise UsageError(f"`to` {options.to!r} names no file")
    elif files.exists(options.to) and not options.overwrite:
        raise UsageError(
            f"`to` {files.shown(options.to)} is there: move it away, name another file, or replace it with `overwrite`"
        )


def _declared(inputs: Inputs) -> dict[str, list[str]]:
    """Return the settings that the manifest names at any stage, each with its rankers."""
    rankers: dict[str, set[str]] = {}
    for table in inputs.tables:
        if table.table in STAGE_COLUMNS:
            for setting in table.section.get("settings", ()):
                rankers.setdefault(setting["setting"], set()).update(setting.get("rankers", ()))
    return {name: sorted(rankers[name]) for name in sorted(rankers)}


def _check_gold(gold: GoldInstances, where: str, notes: list[str], *, of_files: bool) -> None:
    if not gold.ids:
        if of_files:
            raise LexbeamError(f"{where} has no instance with a substitute, so that nothing can be evaluated")
        raise NoDataError(
            f"no metrics: {where} has no instance with a substitute; `lexbeam show DIR --stages TARGET` tells "
            "what became of candidates"
        )
    if gold.without:
        notes.append(
            f"{where}: {amount(len(gold.without), 'instances')} without a substitute but the target: not counted"
        )


def _lemmas(path: str) -> Lemmas:
    forms = load_inflector(path).forms

    def lemmas_of(form: str) -> list[str]:
        return sorted({entry.lemma for entry in forms.of_form(form)}) or [form]

    return lemmas_of


class EvaluateSimplify(Evaluation[EvaluateSimplifyOptions, SimplifyEvaluationPlan]):
    """`lexbeam evaluate simplify`."""

    options = EvaluateSimplifyOptions
    examples = """\
  lexbeam evaluate simplify simplified --k 10,50
  lexbeam evaluate simplify simplified --baseline thesaurus --inflector es.inflector
  lexbeam evaluate simplify simplified --overwrite --to run1.tsv --setting thesaurus
  lexbeam evaluate simplify --gold gold.tsv --predictions run1.tsv --layout tsar"""
    tables = (SIMPLIFICATION_METRICS, FUNNEL)
    shown = staticmethod(metric_blocks)
    views = EVALUATION_VIEWS
    opening = Opening(
        "Substitutes against gold",
        "How well generated, selected and ranked words agree with those that people gave: each metric with an "
        "interval, stage by stage, and where gold is lost on the way.",
        ("k", "cluster", "baseline", "resamples", "level"),
    )
    report = staticmethod(evaluation_panels)

    def reads(self, options: EvaluateSimplifyOptions) -> Sequence[TableSource]:
        if _of_files(options):
            return []
        needed = [TableSource(table.name, options.folder, needed=True) for table in _TABLES]
        return [*needed, *(TableSource(table.name, options.folder, optional=True) for table in _STAGES)]

    def check(self, options: EvaluateSimplifyOptions) -> None:
        if not _of_files(options):
            if options.out is None:
                raise UsageError("nothing says what is evaluated: name a folder, or files by `gold` and `predictions`")
            _check_writing(options)
            return
        for name in ("gold", "predictions"):
            if getattr(options, name) is None:
                raise UsageError(f"`{name}` is missing: files need both, `gold` and `predictions`")
        for name in ("folder", "to", "inflector"):
            if getattr(options, name) is not None:
                raise UsageError(f"`{name}` does not go with files (`gold`, `predictions`)")

    def plan(self, options: EvaluateSimplifyOptions, inputs: Inputs) -> SimplifyEvaluationPlan:
        as_written = options.measures.tsar_scorer
        notes: list[str] = []
        if options.gold is not None and options.predictions is not None:
            judged = read_gold(options.gold, options.layout, notes, as_written=as_written)
            predicted = read_predictions(options.predictions)
            rows = matched_rows(judged, predicted, options.predictions, notes)
            gold = gold_of(judged, as_written=as_written)
            _check_gold(gold, f"`gold` {files.shown(options.gold)}", notes, of_files=True)
            return SimplifyEvaluationPlan(gold, rows, {}, None, notes, {})
        paths = {table.table: [checked(part) for part in table.parts] for table in inputs.tables}
        gold = gold_in({table.name: paths[table.name] for table in _TABLES})
        _check_gold(gold, f"table {SUBSTITUTES.name}", notes, of_files=False)
        tables = {name: paths[name] for name in STAGE_COLUMNS if name in paths}
        if not tables:
            raise UsageError("there are instances, and no candidates of them: run `lexbeam simplify generate` first")
        if options.to is not None:
            chosen_lists(tables, options.stage, options.setting, options.ranker)
        lemmas = None if options.inflector is None else _lemmas(options.inflector)
        return SimplifyEvaluationPlan(gold, None, tables, lemmas, notes, _declared(inputs))

    def measure(
        self, options: EvaluateSimplifyOptions, plan: SimplifyEvaluationPlan, _: Inputs
    ) -> Mapping[str, pa.Table]:
        for note in plan.notes:
            log.warning("%s", note)
        measures = replace(options.measures, k=tuple(sorted(set(options.measures.k))))
        figures: EvaluatedSettings
        if plan.rows is not None:
            figures = evaluate_rows(plan.gold, plan.rows, options.system, measures)
        else:
            figures = evaluate_tables(plan.gold, plan.tables, measures, plan.lemmas, plan.declared)
        rows = list(figure_rows(plan.gold, figures, measures))
        metrics = pa.Table.from_pylist(rows, schema=SIMPLIFICATION_METRICS.schema())
        funnel = pa.Table.from_pylist(list(figures.funnel.rows()), schema=FUNNEL.schema())
        return {SIMPLIFICATION_METRICS.name: metrics, FUNNEL.name: funnel}

    def resources(self, plan: SimplifyEvaluationPlan) -> Mapping[str, Any]:
        gold = [plan.gold.ids, plan.gold.targets, [dict(ranks) for ranks in plan.gold.ranks]]
        rows = (
            {}
            if plan.rows is None
            else {"predictions": digest([[name, row.words] for name, row in sorted(plan.rows.items())])}
        )
        settings = {"settings": digest(plan.declared)} if plan.declared else {}
        return {"gold": digest(gold), **rows, **settings}

    def section(self, plan: SimplifyEvaluationPlan, _: HandedBack) -> Mapping[str, Any]:
        candidates = plan.tables.get(CANDIDATES.name, ())
        return {
            "instances": len(plan.gold.ids),
            "without_gold": len(plan.gold.without),
            "substitutes": int(plan.gold.sizes.sum()),
            "gold_given": gold_settings(candidates),
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section("evaluate.simplify")
        level = 100 * section["options"]["level"]
        with_gold = f"{amount(section['instances'], 'instances')} with {amount(section['substitutes'], 'substitutes')}"
        yield f"{with_gold}; intervals of {level:g} %"
        for name in section["gold_given"]:
            yield f"{name}: candidates come from gold, so that only rankers are measured"
        yield from super().summary(snapshot)
        yield from funnel_blocks(snapshot, FunnelOptions(funnel="all"))

    def after(self, options: EvaluateSimplifyOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
        if options.to is None:
            return
        tables = snapshot if options.folder is None else open_snapshot(options.folder)
        text = submission_of(tables, options.stage, options.setting, options.ranker)
        if folder := os.path.dirname(options.to):
            files.make_folder(folder)
        files.write_bytes(options.to, text.encode(), durable=True)
        rows = text.count("\n")
        tell(f"{files.shown(options.to)}: {amount(rows, 'rows')}")
