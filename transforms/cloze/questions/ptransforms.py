"""Beam glue of options and questions.

ChooseAllOptions  encoded groups, predictions, and parts of candidates -> PCollection[(number, Chosen)]
MakeQuestions     PCollection[(number, DraftTask)] -> PCollection[Drafted], PCollection[Split],
                  PCollection[Part]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.cloze import OPTIONS, PREDICTIONS, QUESTIONS
from lexbeam.transforms.cloze.questions.choice_stage import CHOOSE, ChooseTask
from lexbeam.transforms.cloze.questions.choice_stage import ChooseOptions as Choosing
from lexbeam.transforms.cloze.questions.question import QuestionOptions
from lexbeam.transforms.cloze.questions.question_stages import (
    DRAFT,
    SPLIT,
    WRITE,
    Drafted,
    DraftTask,
    QuestionSplit,
    SplitRules,
    WriteTask,
)
from lexbeam.transforms.cloze.readers.data import Encoded, QuestionGroup
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Collect, MakeArtefact, MakeParts, NameParts, SpreadOverLanes
from lexbeam.transforms.common.store.tables import Part

Key = tuple[QuestionGroup, str, int]


def _choose_tasks(
    element: tuple[int, Iterable[Part]],
    candidates: tuple[Part, ...],
    pairs: tuple[Part, ...],
    encoded: list[tuple[QuestionGroup, Encoded]],
) -> Iterator[tuple[int, ChooseTask]]:
    predictions = tuple(sorted(element[1]))
    groups = tuple(sorted(encoded, key=itemgetter(0)))
    for part in candidates:
        # A part of the candidates is of the pairs' part with the same number.
        beside = tuple(pair_part for pair_part in pairs if pair_part.number == part.number)
        yield part.number, ChooseTask(part.number, part, beside, groups, predictions)


def _rows(task: ChooseTask) -> float:
    return float(task.candidates.rows)


@dataclass
class ChooseAllOptions(beam.PTransform):
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

    def expand(self, inputs: Any) -> Any:
        """Apply the transform."""
        encoded, predicted = inputs
        predictions = predicted | "NamePredictions" >> beam.ParDo(NameParts(PREDICTIONS.name, "part", self.keys))
        chosen, options = (
            predictions
            | "Gather" >> beam.WithKeys(0)
            | "GroupPredictions" >> beam.GroupByKey()
            | "ChooseTasks"
            >> beam.FlatMap(_choose_tasks, self.candidates, self.pairs, encoded=beam.pvalue.AsList(encoded))
            | "Choose" >> MakeParts(self.workspace, CHOOSE, self.options, OPTIONS.name, self.lanes, _rows)
        )
        return chosen, (predictions, options) | "AllParts" >> beam.Flatten()


def _task(
    element: tuple[int, Drafted], pairs: tuple[Part, ...], split: tuple[int, QuestionSplit]
) -> tuple[int, WriteTask]:
    number, drafted = element
    return number, WriteTask(
        number,
        Part.of("drafts", number, drafted.rows),
        tuple(part for part in pairs if part.number == number),
        Part.of("splits", 0, split[1].rows),
    )


def _drafting(element: tuple[int, DraftTask]) -> float:
    return float(element[1].candidates.rows)


def _writing(element: tuple[int, WriteTask]) -> float:
    return float(element[1].drafts.rows)


@dataclass
class MakeQuestions(beam.PTransform):
    """Draft questions, split them, and write them with their texts.

    Attributes:
        workspace: where artefacts lie.
        options: which candidates become questions.
        rules: how they are split.
        pairs: parts of the pairs.
        lanes: how many keys work is dealt out to.
    """

    workspace: Workspace
    options: QuestionOptions
    rules: SplitRules
    pairs: tuple[Part, ...]
    lanes: int

    def expand(self, tasks: beam.PCollection) -> Any:
        """Apply the transform."""
        drafted = (
            tasks
            | "SpreadDrafts" >> SpreadOverLanes(_drafting, self.lanes, self.workspace, "")
            | "Draft" >> beam.ParDo(MakeArtefact(self.workspace, DRAFT, self.options))
        )
        split = (
            drafted
            | "AllDrafts" >> Collect("rows")
            | "QuestionSplit" >> beam.ParDo(MakeArtefact(self.workspace, SPLIT, self.rules))
        )
        written = (
            drafted
            | "Tasks" >> beam.Map(_task, self.pairs, split=beam.pvalue.AsSingleton(split))
            | "SpreadParts" >> SpreadOverLanes(_writing, self.lanes, self.workspace, "")
            | "Write" >> beam.ParDo(MakeArtefact(self.workspace, WRITE, None))
        )
        return (
            drafted | "Drafted" >> beam.Values(),
            split | "TheSplit" >> beam.Values(),
            written | "Named" >> beam.ParDo(NameParts(QUESTIONS.name)),
        )
