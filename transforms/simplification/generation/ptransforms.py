"""Beam glue of generation.

GenerateCandidates   PCollection[Part] -> PCollection[Generated], PCollection[Part]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.simplification.instances import CANDIDATES
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.tables import Part
from transforms.simplification.generation.inputs import Asking
from transforms.simplification.generation.stage import GENERATE, Generated, GenerationTask

__all__ = ["GenerateCandidates"]


class _Tasks(beam.DoFn):
    def __init__(self, substitutes: tuple[Part, ...]) -> None:
        self._substitutes = substitutes

    def process(self, part: Part) -> Iterator[tuple[int, GenerationTask]]:
        yield part.number, GenerationTask(part, self._substitutes)


class _Receipt(beam.DoFn):
    def process(self, element: tuple[int, Generated]) -> Iterator[Generated]:
        yield element[1]


class _Named(beam.DoFn):
    def process(self, element: tuple[int, Generated]) -> Iterator[Part]:
        number, made = element
        yield Part.of(CANDIDATES.name, number, made.part)


@dataclass
class GenerateCandidates(beam.PTransform):
    """Generate the candidates of parts of the instances; return receipts and parts.

    Attributes:
        workspace: where artefacts lie.
        asking: what instances are asked with, as workers open it.
        substitutes: all parts of people's substitutes, for generator `gold`.
    """

    workspace: Workspace
    asking: Asking
    substitutes: tuple[Part, ...]

    def expand(self, parts: beam.PCollection[Part]) -> Any:
        """Apply the transform."""
        made = (
            parts
            | "Tasks" >> beam.ParDo(_Tasks(self.substitutes))
            | "Generate" >> beam.ParDo(MakeArtefact(self.workspace, GENERATE, self.asking))
        )
        return made | "Receipts" >> beam.ParDo(_Receipt()), made | "Name" >> beam.ParDo(_Named())
