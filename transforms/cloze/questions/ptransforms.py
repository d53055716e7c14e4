"""Beam glue of questions: parts of candidates, options and pairs in, parts of questions out.

MakeQuestions   PCollection[(number, DraftTask)] -> PCollection[Drafted], PCollection[Split],
                PCollection[Part]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.cloze.questions import QUESTIONS
from transforms.cloze.questions.drafts import DRAFT, Drafted, DraftTask
from transforms.cloze.questions.question import QuestionOptions
from transforms.cloze.questions.stages import SPLIT, WRITE, Split, SplitRules, WriteTask
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.common.store.tables import Part, PartFile

__all__ = ["MakeQuestions"]


class _Rows(beam.DoFn):
    def process(self, element: tuple[int, Drafted]) -> Iterator[tuple[int, PartFile]]:
        yield 0, element[1].rows


class _All(beam.DoFn):
    def process(self, element: tuple[int, Iterable[PartFile]]) -> Iterator[tuple[int, tuple[PartFile, ...]]]:
        yield element[0], tuple(sorted(element[1], key=_digest))


def _digest(part: PartFile) -> str:
    return part.file.sha256


class _Tasks(beam.DoFn):
    def __init__(self, pairs: tuple[Part, ...]) -> None:
        self._pairs = pairs

    def process(self, element: tuple[int, Drafted], split: tuple[int, Split]) -> Iterator[tuple[int, WriteTask]]:
        number, drafted = element
        yield (
            number,
            WriteTask(
                number,
                Part.of("drafts", number, drafted.rows),
                tuple(one for one in self._pairs if one.number == number),
                Part.of("splits", 0, split[1].rows),
            ),
        )


class _Second(beam.DoFn):
    def process(self, element: tuple[int, Any]) -> Iterator[Any]:
        yield element[1]


class _Named(beam.DoFn):
    def process(self, element: tuple[int, PartFile]) -> Iterator[Part]:
        yield Part.of(QUESTIONS.name, *element)


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
            | "Rows" >> beam.ParDo(_Rows())
            | "GroupDrafts" >> beam.GroupByKey()
            | "AllDrafts" >> beam.ParDo(_All())
            | "Split" >> beam.ParDo(MakeArtefact(self.workspace, SPLIT, self.rules))
        )
        written = (
            drafted
            | "Tasks" >> beam.ParDo(_Tasks(self.pairs), split=beam.pvalue.AsSingleton(split))
            | "SpreadParts" >> SpreadOverLanes(_writing, self.lanes, self.workspace, "")
            | "Write" >> beam.ParDo(MakeArtefact(self.workspace, WRITE, None))
        )
        return (
            drafted | "Drafted" >> beam.ParDo(_Second()),
            split | "TheSplit" >> beam.ParDo(_Second()),
            written | "Named" >> beam.ParDo(_Named()),
        )
