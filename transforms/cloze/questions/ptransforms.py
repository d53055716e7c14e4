"""Beam glue of questions: parts of candidates, options and pairs in, parts of questions out.

MakeQuestions   PCollection[(number, DraftTask)] -> PCollection[Drafted], PCollection[Split],
                PCollection[Part]
"""

from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.schemas.cloze.questions import QUESTIONS
from lexbeam.transforms.cloze.questions.drafts import DRAFT, Drafted, DraftTask
from lexbeam.transforms.cloze.questions.question import QuestionOptions
from lexbeam.transforms.cloze.questions.stages import SPLIT, WRITE, QuestionSplit, SplitRules, WriteTask
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import Collect, MakeArtefact, NameParts, SpreadOverLanes
from lexbeam.transforms.common.store.tables import Part


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
