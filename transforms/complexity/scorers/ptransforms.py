"""Beam glue of the reference scorers.

FitCases        PCollection[(place, DesignTask)] -> (PCollection[(place, Designed)],
                                                     PCollection[(system, CaseDone)])
MeasureSystems  PCollection[(system, CaseDone)] -> PCollection[Part]
KeepModel       PCollection[(system, CaseDone)] -> a model in a folder, and its digest
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.complexity.instances import COMPLEXITY_METRICS, IMPORTANCE, LEARNING, PREDICTIONS
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part, PartFile
from transforms.complexity.scorers.evaluation_stage import EVALUATE, CaseDone, Evaluated, EvaluateTask, MeasureOptions
from transforms.complexity.scorers.fit_stages import DESIGN, FIT, Designed, DesignTask, FitOptions, FitTask, FittedCase
from transforms.complexity.scorers.holding_out import Case, system_of
from transforms.complexity.scorers.kept_models import KeptModel, merged
from transforms.complexity.scorers.pool_stage import POOL
from transforms.complexity.scorers.tasks import OTHER, OWN, Asked, fit_tasks, weight_of
from transforms.learning.models.keeping import keep_model, load_model

__all__ = ["DesignFolders", "FitCases", "KeepModel", "MeasureSystems"]

Key = tuple[int, Case]


@dataclass
class DesignFolders(beam.PTransform):
    """Join features, labels and splits of each folder."""

    workspace: Workspace

    def expand(self, tasks: beam.PCollection[tuple[int, DesignTask]]) -> beam.PCollection[tuple[int, Designed]]:
        """Apply the transform."""
        return tasks | "Join" >> beam.ParDo(MakeArtefact(self.workspace, DESIGN, None))


class _Tasks(beam.DoFn):
    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def process(self, element: tuple[int, Iterable[tuple[int, Designed]]]) -> Iterator[tuple[Key, FitTask]]:
        yield from fit_tasks(self._asked, dict(element[1]))


def _by_system(element: tuple[Key, FittedCase], first: str) -> tuple[str, CaseDone]:
    (_, case), fitted = element
    return system_of(case.scorer, case.mode, first), CaseDone(case, fitted)


@dataclass
class FitCases(beam.PTransform):
    """Fit every scorer to what every case is trained on, and predict what it holds out."""

    workspace: Workspace
    asked: Asked
    options: FitOptions
    lanes: int

    def expand(self, designs: beam.PCollection[tuple[int, Designed]]) -> beam.PCollection[tuple[str, CaseDone]]:
        """Apply the transform."""
        return (
            designs
            | "Gather" >> beam.WithKeys(0)
            | "GroupFolders" >> beam.GroupByKey()
            | "MakeTasks" >> beam.ParDo(_Tasks(self.asked))
            | "SpreadCases" >> SpreadOverLanes(weight_of, self.lanes, self.workspace, FIT.name)
            | "Fit" >> beam.ParDo(MakeArtefact(self.workspace, FIT, self.options))
            | "KeyBySystem" >> beam.Map(_by_system, self.asked.first)
        )


class _EvaluateTasks(beam.DoFn):
    def process(
        self, element: tuple[str, Iterable[CaseDone | None]], designs: dict[int, Designed]
    ) -> Iterator[tuple[str, EvaluateTask]]:
        system, found = element
        done = tuple(sorted(one for one in found if one is not None))
        other = designs[OTHER].part.file if OTHER in designs else None
        yield system, EvaluateTask(system, designs[OWN].part.file, other, done)


class _Parts(beam.DoFn):
    def __init__(self, systems: list[str]) -> None:
        self._number = {system: number for number, system in enumerate(systems)}

    def process(self, element: tuple[str, Evaluated]) -> Iterator[Part]:
        system, found = element
        number = self._number[system]
        yield Part.of(COMPLEXITY_METRICS.name, number, found.metrics)
        yield Part.of(IMPORTANCE.name, number, found.importance)
        yield Part.of(LEARNING.name, number, found.learning)


class _Predictions(beam.DoFn):
    def process(self, element: tuple[str, Evaluated]) -> Iterator[tuple[int, tuple[str, PartFile]]]:
        system, found = element
        yield 0, (system, found.predictions)


class _Pooled(beam.DoFn):
    def process(self, element: tuple[int, Iterable[tuple[str, PartFile]]]) -> Iterator[tuple[int, list[PartFile]]]:
        by_system = dict(element[1])
        yield 0, [by_system[system] for system in sorted(by_system)]


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
    options: MeasureOptions
    designs: beam.PCollection

    def expand(self, done: beam.PCollection[tuple[str, CaseDone]]) -> beam.PCollection[Part]:
        """Apply the transform."""
        every = [(system, None) for system in self.systems]
        measured = (
            (done, done.pipeline | "EverySystem" >> beam.Create(every))
            | "WithEverySystem" >> beam.Flatten()
            | "GroupBySystem" >> beam.GroupByKey()
            | "MakeTasks" >> beam.ParDo(_EvaluateTasks(), designs=beam.pvalue.AsDict(self.designs))
            | "Measure" >> beam.ParDo(MakeArtefact(self.workspace, EVALUATE, self.options))
        )
        predictions = (
            measured
            | "TakePredictions" >> beam.ParDo(_Predictions())
            | "GroupPredictions" >> beam.GroupByKey()
            | "OrderSystems" >> beam.ParDo(_Pooled())
            | "Pool" >> beam.ParDo(MakeArtefact(self.workspace, POOL, None))
            | "NamePredictions" >> beam.ParDo(NameParts(PREDICTIONS.name))
        )
        parts = measured | "NameParts" >> beam.ParDo(_Parts(self.systems))
        return (parts, predictions) | "AllParts" >> beam.Flatten()


class _Keep(beam.DoFn):
    def __init__(self, folder: str, overwrite: bool) -> None:
        self._folder = folder
        self._overwrite = overwrite

    def process(self, element: tuple[int, Iterable[tuple[str, CaseDone]]]) -> Iterator[KeptModel]:
        done = sorted(one for _, one in element[1] if one.fitted.model is not None)
        models: list[Any] = [load_model(one.fitted.model) for one in done if one.fitted.model]
        yield KeptModel(keep_model(self._folder, merged(models), overwrite=self._overwrite))


@dataclass
class KeepModel(beam.PTransform):
    """Keep the models of all labelled instances, of both kinds, as one."""

    folder: str
    overwrite: bool

    def expand(self, done: beam.PCollection[tuple[str, CaseDone]]) -> beam.PCollection[KeptModel]:
        """Apply the transform."""
        return (
            done
            | "Gather" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "Keep" >> beam.ParDo(_Keep(self.folder, self.overwrite))
        )
