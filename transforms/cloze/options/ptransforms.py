"""Beam glue of options: groups of questions in, parts of predictions and options out.

ChooseAllOptions   encoded groups, predictions, and parts of candidates -> PCollection[(number, Chosen)]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import apache_beam as beam

from lexbeam.schemas.cloze.options import OPTIONS, PREDICTIONS
from lexbeam.transforms.cloze.options.choice_stage import CHOOSE, ChooseTask
from lexbeam.transforms.cloze.options.choice_stage import ChooseOptions as Choosing
from lexbeam.transforms.cloze.readers.data import Encoded, QuestionGroup
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import MakeParts, NameParts
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
