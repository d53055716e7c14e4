"""Beam glue of the reference scorers.

FitCases        PCollection[(place, DesignTask)] -> (PCollection[(place, Designed)],
                                                     PCollection[(system, CaseDone)])
MeasureSystems  PCollection[(system, CaseDone)] -> PCollection[Part]
KeepModel       PCollection[(system, CaseDone)] -> the digest of the model saved in a folder
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from lexbeam.schemas.complexity import IMPORTANCE, LEARNING, PREDICTIONS
from lexbeam.schemas.metrics import COMPLEXITY_METRICS
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Collect, MakeArtefact, NameParts, SpreadOverLanes
from lexbeam.transforms.common.store.tables import Part, PartFile
from lexbeam.transforms.complexity.scorers.fit_stages import (
    DESIGN,
    FIT,
    FOLDER,
    OTHER,
    Designed,
    DesignTask,
    FitOptions,
    FitRequest,
    FitTask,
    FittedCase,
    chosen_of,
    fit_tasks,
    weight_of,
)
from lexbeam.transforms.complexity.scorers.holding_out import Case, system_of
from lexbeam.transforms.complexity.scorers.scorer_metrics import (
    EVALUATE,
    POOL,
    CaseDone,
    EvaluateTask,
    ScorerMeasureOptions,
)
from lexbeam.transforms.complexity.scorers.scorer_models import SavedScorer, merged
from lexbeam.transforms.learning.models.keeping import keep_model, load_model

Key = tuple[int, Case]


@dataclass
class DesignFolders(beam.PTransform):
    """Join features, labels and splits of each folder."""

    workspace: Workspace

    def expand(self, tasks: beam.PCollection[tuple[int, DesignTask]]) -> beam.PCollection[tuple[int, Designed]]:
        """Apply the transform."""
        return tasks | "Join" >> beam.ParDo(MakeArtefact(self.workspace, DESIGN, None))


def _tasks(element: tuple[int, tuple[tuple[int, Designed], ...]], request: FitRequest) -> Iterator[tuple[Key, FitTask]]:
    yield from fit_tasks(request, dict(element[1]))


def _by_system(element: tuple[Key, FittedCase], first: str) -> tuple[str, CaseDone]:
    (_, case), fitted = element
    return system_of(case.scorer, case.mode, first), CaseDone(case, fitted)


@dataclass
class FitCases(beam.PTransform):
    """Fit every scorer to what every case is trained on, and predict what it holds out."""

    workspace: Workspace
    request: FitRequest
    options: FitOptions
    lanes: int

    def expand(self, designs: beam.PCollection[tuple[int, Designed]]) -> beam.PCollection[tuple[str, CaseDone]]:
        """Apply the transform."""
        entries = chosen_of(self.request.scorers, self.request.modes, self.options.scorer)
        return (
            designs
            | "AllFolders" >> Collect(keyed=True)
            | "MakeTasks" >> beam.FlatMap(_tasks, self.request)
            | "SpreadCases" >> SpreadOverLanes(weight_of, self.lanes, self.workspace, FIT.name)
            | "Fit" >> beam.ParDo(MakeArtefact(self.workspace, FIT, self.options, entries))
            | "KeyBySystem" >> beam.Map(_by_system, self.request.first)
        )


def _evaluate_task(
    element: tuple[str, Iterable[CaseDone | None]], designs: dict[int, Designed]
) -> tuple[str, EvaluateTask]:
    system, cases = element
    done = tuple(sorted(case for case in cases if case is not None))
    other = designs[OTHER].part.file if OTHER in designs else None
    return system, EvaluateTask(system, designs[FOLDER].part.file, other, done)


def _pool_task(element: tuple[int, tuple[tuple[str, PartFile], ...]]) -> tuple[int, list[PartFile]]:
    return 0, [part for _, part in element[1]]


@dataclass
class MeasureSystems(beam.PTransform):
    """Pool the predictions of every system, and measure them.

    Attributes:
        systems: the names of all, sorted: each is a part of every table but predictions, which are
            one part in the order of instances.
        designs: what `DesignFolders` yields.
    """

    workspace: Workspace
    systems: list[str]
    options: ScorerMeasureOptions
    designs: beam.PCollection

    def expand(self, done: beam.PCollection[tuple[str, CaseDone]]) -> beam.PCollection[Part]:
        """Apply the transform."""
        placeholders = [(system, None) for system in self.systems]
        measured = (
            (done, done.pipeline | "EverySystem" >> beam.Create(placeholders))
            | "WithEverySystem" >> beam.Flatten()
            | "GroupBySystem" >> beam.GroupByKey()
            | "MakeTasks" >> beam.Map(_evaluate_task, designs=beam.pvalue.AsDict(self.designs))
            | "Measure" >> beam.ParDo(MakeArtefact(self.workspace, EVALUATE, self.options))
        )
        predictions = (
            measured
            | "AllPredictions" >> Collect("predictions", keyed=True)
            | "PoolTask" >> beam.Map(_pool_task)
            | "Pool" >> beam.ParDo(MakeArtefact(self.workspace, POOL, None))
            | "NamePredictions" >> beam.ParDo(NameParts(PREDICTIONS.name))
        )
        tables = {"metrics": COMPLEXITY_METRICS, "importance": IMPORTANCE, "learning": LEARNING}
        parts = [
            measured | f"Name{field.title()}" >> beam.ParDo(NameParts(table.name, field, self.systems))
            for field, table in tables.items()
        ]
        return (*parts, predictions) | "AllParts" >> beam.Flatten()


def _keep(element: tuple[int, Iterable[tuple[str, CaseDone]]], folder: str, overwrite: bool) -> Iterator[SavedScorer]:
    """Save the models, if there are any: of no labelled instance there is none."""
    done = sorted(case for _, case in element[1] if case.fitted.model is not None)
    models = [load_model(case.fitted.model) for case in done if case.fitted.model]
    if models:
        yield SavedScorer(keep_model(folder, merged(models), overwrite=overwrite))


@dataclass
class KeepModel(beam.PTransform):
    """Save the models of all labelled instances, of both kinds, as one."""

    folder: str
    overwrite: bool

    def expand(self, done: beam.PCollection[tuple[str, CaseDone]]) -> beam.PCollection[SavedScorer]:
        """Apply the transform."""
        return (
            done
            | "Gather" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "Keep" >> beam.FlatMap(_keep, self.folder, self.overwrite)
        )
