"""Beam glue of answers: parts of pairs and questions in, parts of answers and metrics out.

AskAll          PCollection[(number, AskTask)] -> (number, Asked), (language, EncodedAsked)
AnswerAll       both -> ((language, kind, fold), TrainedSystem), PCollection[Part] of answers
MeasureAll      parts of answers, encoded questions -> PCollection[Part] of metrics
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.cloze.answers import ANSWERS
from schemas.cloze.pairs import CLOZE_METRICS
from transforms.cloze.answers.data import (
    ASK,
    ENCODE_ASKED,
    Asked,
    AskTask,
    EncodedAsked,
    VocabularyOptions,
    language_task,
)
from transforms.cloze.answers.metrics_stage import MEASURE_ANSWERS, MeasureSettings, MeasureTask
from transforms.cloze.answers.multiple_choice import CHOOSE_ANSWERS, ChoiceModel, ChoiceSettings, ChoiceTask
from transforms.cloze.answers.trained_systems import ANSWER, ANSWER_TRAIN, AnswerOptions, AnswerTask, AskTrained
from transforms.cloze.readers.data import GroupTask
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part, PartFile

__all__ = ["AnswerAll", "AskAll", "Key", "MeasureAll"]

# System, language, kind that it is trained on, and fold.
Key = tuple[str, str, str, int]


class _EncodeTasks(beam.DoFn):
    def __init__(self, languages: tuple[str, ...], pairs: tuple[Part, ...]) -> None:
        self._languages = languages
        self._pairs = pairs

    def process(self, element: tuple[int, Iterable[tuple[int, Asked]]]) -> Iterator[tuple[str, GroupTask]]:
        asked = tuple(sorted(Part.of("asked", number, one.rows) for number, one in element[1]))
        for language in self._languages:
            yield language, language_task(language, self._pairs, asked)


def _rows(element: tuple[Any, AskTask]) -> float:
    return float(element[1].pairs.rows)


def _even(_: Any) -> float:
    return 1.0


@dataclass
class AskAll(beam.PTransform):
    """Read the questions of every part, and turn those of each language into numbers."""

    workspace: Workspace
    languages: tuple[str, ...]
    pairs: tuple[Part, ...]
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
            | "Gather" >> beam.WithKeys(0)
            | "GroupAsked" >> beam.GroupByKey()
            | "Languages" >> beam.ParDo(_EncodeTasks(self.languages, self.pairs))
            | "Encode" >> beam.ParDo(MakeArtefact(self.workspace, ENCODE_ASKED, self.vocabulary))
        )
        return asked, encoded


class _TrainTasks(beam.DoFn):
    def __init__(self, keys: tuple[Key, ...]) -> None:
        self._keys = keys

    def process(self, element: tuple[str, EncodedAsked]) -> Iterator[tuple[Key, AnswerTask]]:
        own, encoded = element
        for key in self._keys:
            system, language, kind, fold = key
            if language == own:
                yield key, AnswerTask(system, language, kind, fold, encoded)


class _TrainAndPass(beam.DoFn):
    """Train, and hand the task on together with the model."""

    def __init__(self, workspace: Workspace, options: AnswerOptions) -> None:
        self._train = MakeArtefact(workspace, ANSWER_TRAIN, options)

    def process(self, element: tuple[Key, AnswerTask]) -> Iterator[Any]:
        for key, trained in self._train.process(element):
            yield beam.pvalue.TaggedOutput("trained", (key, trained))
            yield key, AskTrained(element[1], trained.model)


class _ChoiceTasks(beam.DoFn):
    def __init__(self, models: tuple[ChoiceModel, ...], pairs: tuple[Part, ...]) -> None:
        self._models = models
        self._pairs = {part.number: part for part in pairs}

    def process(self, element: tuple[int, Asked]) -> Iterator[tuple[tuple[str, int], ChoiceTask]]:
        number, asked = element
        part = Part.of("asked", number, asked.rows)
        for model in self._models:
            yield (model.system, number), ChoiceTask(model, self._pairs[number], part)


class _Numbered(beam.DoFn):
    def __init__(self, keys: tuple[Any, ...]) -> None:
        self._number = {key: number for number, key in enumerate(keys)}

    def process(self, element: tuple[Any, PartFile]) -> Iterator[Part]:
        key, part = element
        yield Part.of(ANSWERS.name, self._number[key], part)


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

    def expand(self, found: Any) -> Any:
        """Apply the transform."""
        asked, encoded = found
        trained = (
            encoded
            | "TrainTasks" >> beam.ParDo(_TrainTasks(self.keys))
            | "SpreadSystems" >> SpreadOverLanes(_even, self.lanes, self.workspace, "")
            | "Train" >> beam.ParDo(_TrainAndPass(self.workspace, self.options)).with_outputs("trained", main="asking")
        )
        answered = trained.asking | "Answer" >> beam.ParDo(MakeArtefact(self.workspace, ANSWER, self.options))
        chosen = (
            asked
            | "ChoiceTasks" >> beam.ParDo(_ChoiceTasks(self.models, self.pairs))
            | "SpreadModels" >> SpreadOverLanes(_even, self.lanes, self.workspace, "")
            | "Choose" >> beam.ParDo(MakeArtefact(self.workspace, CHOOSE_ANSWERS, self.settings))
        )
        choices = ((model.system, part.number) for model in self.models for part in self.pairs)
        parts = (
            (answered, chosen)
            | "AllAnswers" >> beam.Flatten()
            | "Number" >> beam.ParDo(_Numbered((*self.keys, *choices)))
        )
        return trained.trained, parts


class _MeasureTasks(beam.DoFn):
    def process(
        self, element: tuple[int, Iterable[Part]], encoded: Mapping[str, EncodedAsked]
    ) -> Iterator[tuple[int, MeasureTask]]:
        yield 0, MeasureTask(tuple(sorted(element[1])), tuple(sorted(encoded.items(), key=_first)))


def _first(element: tuple[str, EncodedAsked]) -> str:
    return element[0]


@dataclass
class MeasureAll(beam.PTransform):
    """Measure all answers."""

    workspace: Workspace
    settings: MeasureSettings

    def expand(self, found: Any) -> Any:
        """Apply the transform."""
        parts, encoded = found
        return (
            parts
            | "GatherAnswers" >> beam.WithKeys(0)
            | "GroupAnswers" >> beam.GroupByKey()
            | "MeasureTasks" >> beam.ParDo(_MeasureTasks(), encoded=beam.pvalue.AsDict(encoded))
            | "Measure" >> beam.ParDo(MakeArtefact(self.workspace, MEASURE_ANSWERS, self.settings))
            | "NameMetrics" >> beam.ParDo(NameParts(CLOZE_METRICS.name))
        )
