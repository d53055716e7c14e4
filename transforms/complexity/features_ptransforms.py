"""Beam glue of features: parts of instances in, parts of the tables out.

ComputeFeatures   PCollection[Part] -> PCollection[Part] of complexity/features and /coverage
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

from schemas.complexity import COVERAGE, FEATURES
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import MakeArtefact, NameParts
from transforms.common.receipts import File
from transforms.common.tables import Part
from transforms.complexity.features_base import Setting
from transforms.complexity.featuring import COVER, FEATURE, Featured

__all__ = ["ComputeFeatures"]


class _Number(beam.DoFn):
    def process(self, part: Part) -> Iterator[tuple[int, Part]]:
        yield part.number, part


class _Name(beam.DoFn):
    def process(self, element: tuple[int, Featured]) -> Iterator[Part]:
        number, made = element
        yield Part.of(FEATURES.name, number, made.part)


class _Coverage(beam.DoFn):
    def process(self, element: tuple[int, Featured]) -> Iterator[tuple[int, File]]:
        yield 0, element[1].coverage


class _Together(beam.DoFn):
    def process(
        self, element: tuple[int, Iterable[File]]
    ) -> Iterator[tuple[int, tuple[File, ...]]]:
        number, covered = element
        yield number, tuple(sorted(covered, key=_digest))


def _digest(file: File) -> str:
    return file.sha256


@dataclass
class ComputeFeatures(beam.PTransform):
    """Compute the features of each part, and their coverage over all.

    Attributes:
        workspace: where artefacts lie.
        setting: groups and resources, as workers open them.
    """

    workspace: Workspace
    setting: Setting

    def expand(self, parts: beam.PCollection[Part]) -> beam.PCollection[Part]:
        """Apply the transform."""
        featured = (
            parts
            | "Number" >> beam.ParDo(_Number())
            | "Feature" >> beam.ParDo(MakeArtefact(self.workspace, FEATURE, self.setting))
        )
        covered = (
            featured
            | "Coverage" >> beam.ParDo(_Coverage())
            | "GroupCoverage" >> beam.GroupByKey()
            | "Together" >> beam.ParDo(_Together())
            | "Cover" >> beam.ParDo(MakeArtefact(self.workspace, COVER, None))
            | "NameCoverage" >> beam.ParDo(NameParts(COVERAGE.name))
        )
        named = featured | "Name" >> beam.ParDo(_Name())
        return (named, covered) | "Tables" >> beam.Flatten()
