"""Beam glue of learning: models are fitted, and asked what they have not seen.

CrossFit    PCollection[T] -> PCollection[(key, FittedModel)], PCollection[(key, R)]
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam

from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Each
from lexbeam.transforms.learning.crossfitting import Asked, FitModel, FittedModel, PredictRows


def _same(task: Any) -> Any:
    return task


def _even(_: object) -> float:
    return 1.0


def _asks(
    element: tuple[Any, tuple[Any, FittedModel]], asked: Callable[[Any], Any]
) -> Iterator[tuple[Any, Asked[Any]]]:
    key, (task, fitted) = element
    yield key, Asked(asked(task), fitted.model)


def _model(element: tuple[Any, tuple[Any, FittedModel]]) -> tuple[Any, FittedModel]:
    key, (_, fitted) = element
    return key, fitted


@dataclass
class CrossFit(beam.PTransform):
    """Fit a model for each task, and ask it what the task holds out: models and predictions, by key.

    Attributes:
        workspace: where artefacts lie.
        tasks: a pure function from an element, and what is read beside, to keys and tasks of `fit`.
        asked: from a task of `fit`, what the model is asked; the task itself if not given.
        sides: what is read beside, by the names of the function's arguments.
        lanes: how many keys fits are dealt out to, by weight.
        weight: of a task, in any unit.
        noted: whether the number of tasks is noted, for progress, since the plan does not know it.
        entries: of registries, that any task chooses.
    """

    workspace: Workspace
    fit: FitModel[Any]
    predict: PredictRows[Any, Any]
    tasks: Callable[..., Iterable[tuple[Any, Any]]]
    asked: Callable[[Any], Any] = _same
    sides: Mapping[str, Any] = field(default_factory=dict)
    lanes: int = 0
    weight: Callable[[Any], float] = _even
    noted: bool = False
    entries: Mapping[str, Collection[str]] | None = None

    def expand(self, elements: beam.PCollection[Any]) -> Any:
        fitted = elements | "Fit" >> Each(
            self.workspace,
            self.fit,
            self.tasks,
            sides=self.sides,
            lanes=self.lanes,
            weight=self.weight,
            noted=self.noted,
            entries=self.entries,
            with_task=True,
        )
        predicted = fitted | "Predict" >> Each(
            self.workspace,
            self.predict,
            self._asks,
            lanes=self.lanes if self.noted else None,
            weight=_even,
            noted=self.noted,
            entries=self.entries,
        )
        return fitted | "Models" >> beam.Map(_model), predicted

    def _asks(self, element: Any) -> Iterator[tuple[Any, Asked[Any]]]:
        yield from _asks(element, self.asked)
