"""Beam glue of answers: parts of pairs and questions in, parts of answers and metrics out.

AskAll          PCollection[(number, AskTask)] -> (number, Asked), (language, EncodedAsked)
AnswerAll       both -> ((language, kind, fold), TrainedSystem), PCollection[Part] of answers
MeasureAll      parts of answers, encoded questions -> PCollection[Part] of metrics
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.cloze import ANSWERS
from lexbeam.schemas.metrics import CLOZE_METRICS
from lexbeam.transforms.cloze.answers.data import (
    ASK,
    ENCODE_ASKED,
    AskTask,
    EncodedAsked,
    FiveWayQuestions,
    VocabularyOptions,
    language_task,
)
from lexbeam.transforms.cloze.answers.evaluation import MEASURE_ANSWERS, MeasureSettings, MeasureTask
from lexbeam.transforms.cloze.answers.trained_systems import (
    ANSWER,
    ANSWER_TRAIN,
    CHOOSE_ANSWERS,
    REGISTRY,
    AnswerOptions,
    AnswerTask,
    AskTrained,
    ChoiceModel,
    ChoiceSettings,
    ChoiceTask,
    TrainedSystem,
)
from lexbeam.transforms.cloze.readers.data import GroupTask
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Collect, MakeArtefact, NameParts, SpreadOverLanes
from lexbeam.transforms.common.store.tables import Part, PartFile

# System, language, kind that it is trained on, and fold.
Key = tuple[str, str, str, int]


def _encode_tasks(
    element: tuple[int, tuple[tuple[int, PartFile], ...]],
    languages: tuple[str, ...],
    pairs: tuple[Part, ...],
    more: tuple[Part, ...],
) -> Iterator[tuple[str, GroupTask]]:
    asked = tuple(Part.of("asked", number, rows) for number, rows in element[1])
    for language in languages:
        yield language, language_task(language, pairs, asked, more)


def _rows(element: tuple[object, AskTask]) -> float:
    return float(element[1].pairs.rows)


def _even(_: object) -> float:
    return 1.0


@dataclass
class AskAll(beam.PTransform):
    """Read the questions of every part, and turn those of each language into numbers.

    Attributes:
        pairs: parts of the pairs that are asked about.
        more: parts of further ones.
    """

    workspace: Workspace
    languages: tuple[str, ...]
    pairs: tuple[Part, ...]
    more: tuple[Part, ...]
    vocabulary: VocabularyOptions
    lanes: int

    def expand(self, tasks: beam.PCollection) -> Any:
        """Apply the transform."""
        asked = (
            tasks
            | "SpreadParts" >> SpreadOverLanes(_rows, self.lanes, self.workspace, "")
            | "Ask" >> beam.ParDo(MakeArtefact(self.workspace, ASK, None))
        )
        encoded = (
            asked
            | "AllAsked" >> Collect("rows", keyed=True)
            | "Languages" >> beam.FlatMap(_encode_tasks, self.languages, self.pairs, self.more)
            | "Encode" >> beam.ParDo(MakeArtefact(self.workspace, ENCODE_ASKED, self.vocabulary))
        )
        return asked, encoded


def _train_tasks(element: tuple[str, EncodedAsked], keys: tuple[Key, ...]) -> Iterator[tuple[Key, AnswerTask]]:
    encoded_language, encoded = element
    for key in keys:
        system, language, kind, fold = key
        if language == encoded_language:
            yield key, AnswerTask(system, language, kind, fold, encoded)


def _ask_task(element: tuple[Key, tuple[AnswerTask, TrainedSystem]]) -> tuple[Key, AskTrained]:
    key, (task, trained) = element
    return key, AskTrained(task, trained.model)


def _trained(element: tuple[Key, tuple[AnswerTask, TrainedSystem]]) -> tuple[Key, TrainedSystem]:
    key, (_, trained) = element
    return key, trained


def _choice_tasks(
    element: tuple[int, FiveWayQuestions], models: tuple[ChoiceModel, ...], pairs: tuple[Part, ...]
) -> Iterator[tuple[tuple[str, int], ChoiceTask]]:
    number, asked = element
    (beside,) = (part for part in pairs if part.number == number)
    for model in models:
        yield (model.system, number), ChoiceTask(model, beside, Part.of("asked", number, asked.rows))


@dataclass
class AnswerAll(beam.PTransform):
    """Train systems and ask them what is held out; ask models that come trained.

    Attributes:
        keys: what is trained, sorted.
        models: what comes trained.
        pairs: parts of the pairs.
    """

    workspace: Workspace
    keys: tuple[Key, ...]
    models: tuple[ChoiceModel, ...]
    options: AnswerOptions
    settings: ChoiceSettings
    pairs: tuple[Part, ...]
    lanes: int

    def expand(self, inputs: Any) -> Any:
        """Apply the transform."""
        asked, encoded = inputs
        trained = answered = chosen = asked.pipeline | "None" >> beam.Create([])
        if self.keys:
            systems = {REGISTRY: tuple(sorted({system for system, *_ in self.keys}))}
            train = MakeArtefact(self.workspace, ANSWER_TRAIN, self.options, systems, with_task=True)
            made = (
                encoded
                | "TrainTasks" >> beam.FlatMap(_train_tasks, self.keys)
                | "SpreadSystems" >> SpreadOverLanes(_even, self.lanes, self.workspace, "")
                | "Train" >> beam.ParDo(train)
            )
            trained = made | "Trained" >> beam.Map(_trained)
            answered = (
                made
                | "AskTasks" >> beam.Map(_ask_task)
                | "Answer" >> beam.ParDo(MakeArtefact(self.workspace, ANSWER, self.options, systems))
            )
        if self.models:
            chosen = (
                asked
                | "ChoiceTasks" >> beam.FlatMap(_choice_tasks, self.models, self.pairs)
                | "SpreadModels" >> SpreadOverLanes(_even, self.lanes, self.workspace, "")
                | "Choose" >> beam.ParDo(MakeArtefact(self.workspace, CHOOSE_ANSWERS, self.settings))
            )
        choices = ((model.system, part.number) for model in self.models for part in self.pairs)
        parts = (
            (answered, chosen)
            | "AllAnswers" >> beam.Flatten()
            | "Number" >> beam.ParDo(NameParts(ANSWERS.name, keys=(*self.keys, *choices)))
        )
        return trained, parts


def _measure_task(element: tuple[int, Iterable[Part]], encoded: Mapping[str, EncodedAsked]) -> tuple[int, MeasureTask]:
    return 0, MeasureTask(tuple(sorted(element[1])), tuple(sorted(encoded.items(), key=itemgetter(0))))


@dataclass
class MeasureAll(beam.PTransform):
    """Measure all answers."""

    workspace: Workspace
    settings: MeasureSettings

    def expand(self, inputs: Any) -> Any:
        """Apply the transform."""
        parts, encoded = inputs
        return (
            parts
            | "GatherAnswers" >> beam.WithKeys(0)
            | "GroupAnswers" >> beam.GroupByKey()
            | "MeasureTasks" >> beam.Map(_measure_task, encoded=beam.pvalue.AsDict(encoded))
            | "Measure" >> beam.ParDo(MakeArtefact(self.workspace, MEASURE_ANSWERS, self.settings))
            | "NameMetrics" >> beam.ParDo(NameParts(CLOZE_METRICS.name))
        )
