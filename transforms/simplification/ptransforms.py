"""Beam glue of simplification: the parts of one number in, a part of the next table out.

MakeParts   PCollection[(number, task)] -> PCollection[receipt], PCollection[Part]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.common.store.artefacts import Stage, Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.common.store.tables import Part
from transforms.simplification.records import PartTask

__all__ = ["MakeParts"]


class _Receipt(beam.DoFn):
    def process(self, element: tuple[int, Any]) -> Iterator[Any]:
        yield element[1]


class _Named(beam.DoFn):
    def __init__(self, table: str) -> None:
        self._table = table

    def process(self, element: tuple[int, Any]) -> Iterator[Part]:
        number, made = element
        yield Part.of(self._table, number, made.part)


def _weight(element: tuple[int, PartTask]) -> float:
    return float(element[1].weight)


@dataclass
class MakeParts(beam.PTransform):
    """Make the parts of a table, each from those of the same number of other tables.

    Attributes:
        workspace: where artefacts lie.
        stage: makes one; its receipt has a `part`.
        options: of the stage.
        table: the name of the table that is made.
        lanes: how many keys work is dealt out to.
    """

    workspace: Workspace
    stage: Stage[Any, Any, Any]
    options: Any
    table: str
    lanes: int

    def expand(self, tasks: beam.PCollection) -> Any:
        """Apply the transform."""
        made = (
            tasks
            | "Spread" >> SpreadOverLanes(_weight, self.lanes, self.workspace, "")
            | "Make" >> beam.ParDo(MakeArtefact(self.workspace, self.stage, self.options))
        )
        return made | "Receipts" >> beam.ParDo(_Receipt()), made | "Name" >> beam.ParDo(_Named(self.table))
