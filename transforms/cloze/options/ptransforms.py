"""Beam glue of options: groups of questions in, parts of predictions and options out.

ReadInFolds     PCollection[(number, GroupTask)] -> encoded groups, trained readers, predictions
ChooseOptions   the same, and parts of candidates -> PCollection[(number, Chosen)]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.cloze.pairs import OPTIONS, PREDICTIONS
from transforms.cloze.options.choice_stage import CHOOSE, ChooseTask, Chosen
from transforms.cloze.options.choice_stage import ChooseOptions as Choosing
from transforms.cloze.readers.data import Encoded, EncodeOptions, Group
from transforms.cloze.readers.encoding import ENCODE
from transforms.cloze.readers.options import FREQUENCY
from transforms.cloze.readers.stages import READ_PREDICT, READ_TRAIN, FoldOptions, Predicted, PredictTask, ReadTask
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.common.store.tables import Part

__all__ = ["ChooseOptions", "ReadInFolds"]

Key = tuple[Group, str, int]


class _ReadTasks(beam.DoFn):
    def __init__(self, readers: tuple[str, ...], folds: int) -> None:
        self._readers = readers
        self._folds = folds

    def process(self, element: tuple[Group, Encoded]) -> Iterator[tuple[Key, ReadTask]]:
        group, encoded = element
        for reader in self._readers:
            for fold in range(self._folds):
                yield (group, reader, fold), ReadTask(group, reader, fold, encoded)


class _WithoutModel(beam.DoFn):
    def process(self, element: tuple[Key, ReadTask]) -> Iterator[tuple[Key, PredictTask]]:
        key, task = element
        yield key, PredictTask(task, None)


class _TrainAndPass(beam.DoFn):
    """Train, and hand the task on together with the model."""

    def __init__(self, workspace: Workspace, options: FoldOptions) -> None:
        self._train = MakeArtefact(workspace, READ_TRAIN, options)

    def process(self, element: tuple[Key, ReadTask]) -> Iterator[Any]:
        for key, trained in self._train.process(element):
            yield beam.pvalue.TaggedOutput("trained", (key, trained))
            yield key, PredictTask(element[1], trained.model)


def _even(_: tuple[Key, ReadTask]) -> float:
    return 1.0


@dataclass
class ReadInFolds(beam.PTransform):
    """Encode the questions of groups, train readers on all folds but one, and ask them that one.

    Attributes:
        readers: their names; `frequency` is not trained.
    """

    workspace: Workspace
    readers: tuple[str, ...]
    encode: EncodeOptions
    options: FoldOptions
    lanes: int

    def expand(self, groups: beam.PCollection) -> Any:
        """Apply the transform."""
        encoded = groups | "Encode" >> beam.ParDo(MakeArtefact(self.workspace, ENCODE, self.encode))
        trained_readers = tuple(one for one in self.readers if one != FREQUENCY)
        others = tuple(one for one in self.readers if one == FREQUENCY)
        tasks = (
            encoded
            | "TasksOfReaders" >> beam.ParDo(_ReadTasks(trained_readers, self.options.folds))
            | "SpreadReaders" >> SpreadOverLanes(_even, self.lanes, self.workspace, "")
        )
        trained = tasks | "Train" >> beam.ParDo(_TrainAndPass(self.workspace, self.options)).with_outputs(
            "trained", main="asking"
        )
        drawn = (
            encoded
            | "TasksOfDraws" >> beam.ParDo(_ReadTasks(others, self.options.folds))
            | "WithoutModel" >> beam.ParDo(_WithoutModel())
        )
        predicted = (
            (trained.asking, drawn)
            | "AllAsked" >> beam.Flatten()
            | "Predict" >> beam.ParDo(MakeArtefact(self.workspace, READ_PREDICT, self.options))
        )
        return encoded, trained.trained, predicted


class _NamePredictions(beam.DoFn):
    def __init__(self, keys: tuple[Key, ...]) -> None:
        self._number = {key: number for number, key in enumerate(keys)}

    def process(self, element: tuple[Key, Predicted]) -> Iterator[Part]:
        key, found = element
        yield Part.of(PREDICTIONS.name, self._number[key], found.part)


class _Tasks(beam.DoFn):
    def __init__(self, candidates: tuple[Part, ...], pairs: tuple[Part, ...]) -> None:
        self._candidates = candidates
        self._pairs = pairs

    def process(
        self, element: tuple[int, Iterable[Part]], encoded: list[tuple[Group, Encoded]]
    ) -> Iterator[tuple[int, ChooseTask]]:
        predictions = tuple(sorted(element[1]))
        groups = tuple(sorted(encoded, key=_group))
        for part in self._candidates:
            # A part of the candidates is of the pairs' part with the same number.
            pairs = tuple(one for one in self._pairs if one.number == part.number)
            yield part.number, ChooseTask(part.number, part, pairs, groups, predictions)


def _group(element: tuple[Group, Encoded]) -> Group:
    return element[0]


def _number(element: tuple[int, ChooseTask]) -> float:
    return float(element[1].candidates.rows)


class _NameOptions(beam.DoFn):
    def process(self, element: tuple[int, Chosen]) -> Iterator[Part]:
        number, chosen = element
        yield Part.of(OPTIONS.name, number, chosen.part)


class _Second(beam.DoFn):
    def process(self, element: tuple[Any, Any]) -> Iterator[Any]:
        yield element[1]


@dataclass
class ChooseOptions(beam.PTransform):
    """Choose the options of every part of the candidates.

    Attributes:
        keys: of all predictions, sorted: each is a part of them.
        candidates: parts of the candidates.
        pairs: parts of the pairs.
    """

    workspace: Workspace
    options: Choosing
    keys: tuple[Key, ...]
    candidates: tuple[Part, ...]
    pairs: tuple[Part, ...]
    lanes: int

    def expand(self, found: Any) -> Any:
        """Apply the transform."""
        encoded, predicted = found
        predictions = predicted | "NamePredictions" >> beam.ParDo(_NamePredictions(self.keys))
        chosen = (
            predictions
            | "Gather" >> beam.WithKeys(0)
            | "GroupPredictions" >> beam.GroupByKey()
            | "ChooseTasks" >> beam.ParDo(_Tasks(self.candidates, self.pairs), encoded=beam.pvalue.AsList(encoded))
            | "SpreadParts" >> SpreadOverLanes(_number, self.lanes, self.workspace, "")
            | "Choose" >> beam.ParDo(MakeArtefact(self.workspace, CHOOSE, self.options))
        )
        options = chosen | "NameOptions" >> beam.ParDo(_NameOptions())
        parts = (predictions, options) | "AllParts" >> beam.Flatten()
        return chosen | "Receipts" >> beam.ParDo(_Second()), parts
