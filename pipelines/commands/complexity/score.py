"""Complexity scored by reference scorers: predictions, metrics, importance, learning curves.

    lexbeam complexity score lcp --scorer ridge,svr,gradient-boosting,stack
    lexbeam complexity score train --scorer stack --on trial --save models/stack
    lexbeam complexity score words --model models/stack

docs/tasks/complexity/score.md says what is computed, and how.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.pipelines.commands.complexity.labels import find_labels, labels_source
from lexbeam.pipelines.commands.complexity.words import WORDS_SCORED
from lexbeam.pipelines.commands.options import input_folder
from lexbeam.pipelines.frame.command import (
    Command,
    Graph,
    HandedBack,
    Inputs,
    InputTable,
    Opening,
    RunnerOptions,
    TableSource,
)
from lexbeam.schemas.common_tables import COMPLEXITY_METRICS
from lexbeam.schemas.complexity import FEATURES, IMPORTANCE, INSTANCES, LABELS, LEARNING, PREDICTIONS, SPLITS
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import PartFile, read_rows
from lexbeam.transforms.complexity.scorers.design import DesignColumn, columns_of
from lexbeam.transforms.complexity.scorers.holding_out import ALL, Case, HoldOptions, first_of, system_of, systems_of
from lexbeam.transforms.complexity.scorers.scorer_fits import (
    FOLDER,
    OTHER,
    CaseScoring,
    Designed,
    DesignFolder,
    DesignTask,
    FitCase,
    PredictCase,
    PredictedCase,
    chosen_of,
    fit_tasks,
    fit_weight,
    kept_tasks,
    predict_task,
)
from lexbeam.transforms.complexity.scorers.scorer_metrics import (
    CaseDone,
    EvaluatedSystem,
    EvaluateSystem,
    EvaluateTask,
    PoolPredictions,
    ScorerMeasureOptions,
    check_measures,
)
from lexbeam.transforms.complexity.scorers.scorer_models import CASE_FORMAT, FORMAT, SavedScorer, kept_scorer, opened
from lexbeam.transforms.complexity.shown.complexity_panels import quoted_panels, score_lines, score_panels
from lexbeam.transforms.complexity.shown.instance_views import SCORE_VIEWS
from lexbeam.transforms.learning.crossfitting import FittedModel, formats_chosen
from lexbeam.transforms.learning.scorer import ScorerOptions
from lexbeam.transforms.learning.scorers import SCORERS

if TYPE_CHECKING:
    import apache_beam as beam


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(RunnerOptions):
    """Options of `lexbeam complexity score`."""

    folder: str | None = input_folder("the features of `lexbeam complexity features`")
    scorer: tuple[str, ...] = option(
        ("gradient-boosting",), help="scorers", choices="lexbeam.transforms.learning.scorers:SCORERS"
    )
    on: str | None = option(
        None,
        help="instead of folds, predict the instances of this folder, and train on all of DIR",
        metavar="OTHER_DIR",
        path="place",
        published=False,
    )
    save: str | None = option(
        None,
        help="keep the scorer, trained on all labelled instances, in this folder; one scorer",
        metavar="MODEL",
        path="kept",
        published=False,
    )
    model: str | None = option(
        None,
        help="train nothing: predict the instances of the folder by a scorer that `save` kept",
        metavar="MODEL",
        path="place",
        published=False,
    )
    hold: HoldOptions = embedded(HoldOptions, group="what is held out")
    how: ScorerOptions = embedded(ScorerOptions, group="scorers")
    measures: ScorerMeasureOptions = embedded(ScorerMeasureOptions, group="evaluation")


class ScorePlan(NamedTuple):
    """What is to be scored.

    Attributes:
        folders: the tables of the folder, and of the other one.
        scorers: names.
        scoring: what is fitted and asked.
        measures: how predictions are measured.
        systems: names of what makes rows of the tables.
        splits: names of those that instances are dealt to.
        save: where a model is kept, and whether it takes the place of another.
    """

    folders: tuple[DesignTask, ...]
    scorers: tuple[str, ...]
    scoring: CaseScoring
    measures: ScorerMeasureOptions
    systems: list[str]
    splits: tuple[str, ...]
    save: tuple[str, bool] | None


_WITHOUT_LABELS = "give `model`: the folder of a model that `save` has kept, which needs no labels"
_TABLES = (FEATURES.name, INSTANCES.name, LABELS.name, SPLITS.name)


def _same(place: str, other: str) -> bool:
    return files.real(place) == files.real(other)


def _of(inputs: Inputs, table: str, folder: str, out: str) -> InputTable | None:
    for input_table in inputs.of(table):
        place = out if input_table.snapshot is None else input_table.snapshot.out
        if _same(place, folder):
            return input_table
    return None


def check_same(columns: Sequence[DesignColumn], other_columns: Sequence[DesignColumn], here: str, there: str) -> None:
    """Check that two folders have the same columns of features.

    Raises:
        UsageError: they do not; the message names the first difference.
    """
    first = {column.name: column.dtype for column in columns}
    second = {column.name: column.dtype for column in other_columns}
    remedy = "make both by `lexbeam complexity features` with the same options"
    for these, those, has, lacks in ((first, second, here, there), (second, first, there, here)):
        for name in these:
            if name not in those:
                hint = nearest(name, those.keys() - these.keys())
                raise UsageError(f"{has!r} has the feature {name!r}, {lacks!r} not{hint}; {remedy}")
    for name, dtype in first.items():
        if second[name] != dtype:
            raise UsageError(
                f"the feature {name!r} is of type {dtype} in {here!r}, of {second[name]} in {there!r}; {remedy}"
            )
    if list(first) != list(second):
        raise UsageError(f"{here!r} and {there!r} have their features in another order; {remedy}")


def _check_splits(plan: ScorePlan) -> None:
    """Check, where nothing is predicted, that instances are dealt to the splits that are named.

    Raises:
        UsageError: there is no such split.
    """
    hold, folder = plan.scoring.hold, plan.folders[0]
    named = [("test", hold.test)] if hold.test else []
    named += [("train_on", name) for name in hold.train_on]
    if all(name in plan.splits for _, name in named):
        return
    known: set[str] = set(plan.splits)
    for parts, column in ((folder.splits, "split"), (folder.instances, "published_split")):
        for rows in read_rows([checked(part) for part in parts or ()], [column]):
            known.update(pc.unique(pc.drop_null(rows[column])).to_pylist())
    for option_name, name in named:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            raise UsageError(f"`{option_name}`: no instance is of split {name!r}; there are {there}")


def _of_system(element: tuple[Case, PredictedCase], first: str) -> tuple[str, CaseDone]:
    case, said = element
    return system_of(case.scorer, case.mode, first), CaseDone(case, said)


def _evaluate_tasks(
    system: str, cases: tuple[CaseDone, ...], every: object, designs: Mapping[int, Designed]
) -> Iterator[tuple[str, EvaluateTask]]:
    other = designs[OTHER].part.file if OTHER in designs else None
    yield system, EvaluateTask(system, designs[FOLDER].part.file, other, cases)


def _pool_tasks(measured: tuple[tuple[str, EvaluatedSystem], ...]) -> Iterator[tuple[int, tuple[PartFile, ...]]]:
    yield 0, tuple(system.predictions for _, system in measured)


def _is_whole(element: tuple[Case, FittedModel]) -> bool:
    return element[0].way == ALL


def _kept(
    element: tuple[int, Iterable[tuple[Case, FittedModel]]], folder: str, overwrite: bool
) -> Iterator[SavedScorer]:
    yield from kept_scorer(folder, (fitted.model for _, fitted in element[1]), overwrite)


class ComplexityScore(Command[ScoreOptions, ScorePlan]):
    """`lexbeam complexity score`."""

    options = ScoreOptions
    examples = """\
  lexbeam complexity score lcp --scorer ridge,svr,gradient-boosting,stack
  lexbeam complexity score lcp --scorer svr --mwe words,own,double --mwe-folds token,part
  lexbeam complexity score train --scorer stack --on trial --save models/stack
  lexbeam complexity score words --model models/stack"""
    tables = (PREDICTIONS, COMPLEXITY_METRICS, IMPORTANCE, LEARNING)
    stages = (DesignFolder, FitCase, PredictCase, EvaluateSystem, PoolPredictions)
    rows: Mapping[str, type] = {"models": SavedScorer}
    strings = WORDS_SCORED
    views = SCORE_VIEWS
    opening = Opening(
        "Predicted complexity",
        "How well scorers predict the complexity of words that they were not trained on: each metric with an "
        "interval, for every scorer beside simple baselines. A scorer is of use where its interval lies above "
        "theirs.",
        ("scorer", "folds", "metric", "resamples", "level", "seed"),
    )
    summary = staticmethod(score_lines)
    report = staticmethod(score_panels)
    quotes = staticmethod(quoted_panels)

    def reads(self, options: ScoreOptions) -> Sequence[TableSource]:
        features, instances, labels, splits = _TABLES
        sources = [
            TableSource(features, options.folder, needed=True),
            TableSource(instances, options.folder, needed=True),
            labels_source(options.folder, _WITHOUT_LABELS),
            TableSource(splits, options.folder, optional=True),
        ]
        if options.on is not None:
            sources += [
                TableSource(features, options.on),
                TableSource(instances, options.on),
                TableSource(labels, options.on, optional=True),
                TableSource(splits, options.on, optional=True),
            ]
        return sources

    def check(self, options: ScoreOptions) -> None:
        hold = options.hold
        ways = {"on": options.on, "test": hold.test, "model": options.model}
        named = [name for name, value in ways.items() if value is not None]
        if len(named) > 1:
            raise UsageError(f"`{named[0]}` and `{named[1]}` each say what is predicted: give one of them")
        folds = {"importance": hold.importance, "ablation": hold.ablation, "curve": hold.curve}
        extra = [name for name, asked in folds.items() if asked]
        if named and extra:
            raise UsageError(f"`{extra[0]}` is of cross-validation: leave out `{named[0]}`")
        if options.model is not None and options.save is not None:
            raise UsageError("`model` trains nothing that `save` could keep: give one of them")
        if options.save is not None and (len(options.scorer), len(hold.mwe)) != (1, 1):
            raise UsageError("`save` keeps one model: give one `scorer`, and one way of `mwe`")
        if options.on is not None and _same(options.on, options.folder or options.out):
            raise UsageError("`on` is the folder itself: its rows would be trained on; give `folds`")
        if options.model is None:
            for name in options.scorer:
                SCORERS[name].check_installed(f"scorer `{name}`")
        check_measures(options.measures)

    def plan(self, options: ScoreOptions, inputs: Inputs) -> ScorePlan:
        places = [options.folder or options.out, *([options.on] if options.on else [])]
        folders, columns = [], []
        for place in places:
            tables = [_of(inputs, table, place, options.out) for table in _TABLES]
            if place == places[0] and tables[2] is None and options.model is None:
                own = Inputs(tuple(table for table in tables if table is not None))
                find_labels(own, labels_source(options.folder, _WITHOUT_LABELS), options.out)
            parts = [None if table is None else table.parts for table in tables]
            assert parts[0] is not None
            assert parts[1] is not None
            folders.append(DesignTask(parts[0], parts[1], parts[2], parts[3]))
            with files.open_read(checked(parts[0][0])) as stream:
                columns.append(columns_of(pq.read_schema(stream)))
        if len(columns) > 1:
            check_same(columns[0], columns[1], *places)
        model = opened(options.model, columns[0]) if options.model else None
        scorers = tuple(dict.fromkeys(options.scorer)) if model is None else (model.scorer,)
        systems = systems_of(scorers, options.hold) if model is None else [model.scorer]
        scoring = CaseScoring(options.hold, options.how, options.save is not None, model)
        save = None if options.save is None else (options.save, options.overwrite)
        dealt = _of(inputs, SPLITS.name, places[0], options.out)
        names = () if dealt is None else tuple(dealt.section.get("splits", ()))
        return ScorePlan(tuple(folders), scorers, scoring, options.measures, systems, names, save)

    def build(self, pipeline: "beam.Pipeline", plan: ScorePlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Features and labels in, predictions and what they are worth out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import By, Each, NameParts, Once
        from lexbeam.transforms.learning.ptransforms import CrossFit

        workspace, scoring = graph.workspace, plan.scoring
        graph.expect(EvaluateSystem, len(plan.systems))
        graph.expect(PoolPredictions, 1)
        folders = graph.tasks(pipeline, "Folders", enumerate(plan.folders), DesignFolder)
        designs = folders | "Design" >> Each(workspace, DesignFolder(), lambda folder: [folder])
        beside = {"designs": beam.pvalue.AsDict(designs)}
        scorers = pipeline | "Scorers" >> beam.Create(plan.scorers, reshuffle=False)
        modes = scoring.hold.mwe if scoring.model is None else tuple(scoring.model.modes.values())
        entries = {
            **chosen_of(plan.scorers, modes, scoring.options),
            **formats_chosen(CASE_FORMAT if scoring.model is None else FORMAT),
        }
        if scoring.model is None:
            models, predicted = scorers | "Score" >> CrossFit(
                workspace,
                FitCase(),
                PredictCase(),
                partial(fit_tasks, scoring=scoring),
                partial(predict_task, importance=scoring.hold.importance),
                sides=beside,
                lanes=graph.lanes,
                weight=fit_weight,
                noted=True,
                entries=entries,
            )
        else:
            kept = partial(kept_tasks, scoring=scoring)
            predicted = scorers | "Score" >> Each(workspace, PredictCase(), kept, sides=beside, entries=entries)
        first = first_of(scoring.hold) if scoring.model is None else scoring.model.modes.get("mwe", "")
        measured = {
            "cases": predicted | "KeyBySystem" >> beam.Map(_of_system, first),
            "every": pipeline | "EverySystem" >> beam.Create([(system, None) for system in plan.systems]),
        } | "Evaluate" >> By(workspace, EvaluateSystem(plan.measures), _evaluate_tasks, sides=beside)
        pooled = measured | "Pool" >> Once(workspace, PoolPredictions(), _pool_tasks)
        of_systems = {"metrics": COMPLEXITY_METRICS, "importance": IMPORTANCE, "learning": LEARNING}
        parts = [
            *(
                measured | f"Name {field}" >> beam.ParDo(NameParts(table.name, field, plan.systems))
                for field, table in of_systems.items()
            ),
            pooled | "Name predictions" >> beam.ParDo(NameParts(PREDICTIONS.name)),
        ] | "AllParts" >> beam.Flatten()
        if plan.save is None or not graph.writes:
            return {"parts": parts}
        whole = models | "Whole" >> beam.Filter(_is_whole) | "Gather" >> beam.WithKeys(0)
        saved = whole | "GroupModels" >> beam.GroupByKey() | "Keep" >> beam.FlatMap(_kept, *plan.save)
        return {"parts": parts, "models": saved}

    def resources(self, plan: ScorePlan) -> Mapping[str, Any]:
        return {} if plan.scoring.model is None else {"model": plan.scoring.model.digest}

    def section(self, plan: ScorePlan, outcome: HandedBack) -> Mapping[str, Any]:
        model = {} if plan.save is None else {"kept": [row.digest for row in outcome.rows["models"]]}
        empty = {}
        if not sum(part.rows for part in outcome.of_table(PREDICTIONS.name)):
            _check_splits(plan)
            empty = {"empty": "no predictions: too few labelled instances to train on, or none to predict"}
        return {"systems": plan.systems, "other": len(plan.folders) > 1, **empty, **model}
