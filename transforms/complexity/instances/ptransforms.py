"""Beam glue of labelled files: parts of instances, labels and rejects out.

SettleParts  PCollection[Loaded] -> PCollection[Settlement], PCollection[Part]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.complexity.instances import INSTANCES, LABELS, LOAD_REJECTS
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part
from transforms.complexity.instances.merge_stage import (
    LIST_REJECTS,
    SETTLE,
    PartTask,
    Settlement,
    SettleOptions,
    acceptable_files,
    part_tasks,
)
from transforms.complexity.instances.read_stage import Loaded
from transforms.formats.ingest.staging import StagedRejects

__all__ = ["SettleParts"]


def _evenly(_: tuple[int, PartTask]) -> float:
    return 1.0


class _DealParts(beam.DoFn):
    """Yield the task of each part, unless too many rows were rejected: the driver says why."""

    def __init__(self, parts: int, share: float) -> None:
        self._parts = parts
        self._share = share

    def process(self, element: tuple[int, Iterable[Loaded]]) -> Iterator[tuple[int, PartTask]]:
        loaded = list(element[1])
        if acceptable_files(loaded, self._share):
            for task in part_tasks(loaded, self._parts):
                yield task.bucket, task


class _OfRejects(beam.DoFn):
    def process(self, element: tuple[int, Iterable[Loaded]]) -> Iterator[tuple[int, list[StagedRejects]]]:
        yield 0, [one.rejects for one in element[1]]


class _NameSettled(beam.DoFn):
    def process(self, element: tuple[int, Settlement]) -> Iterator[Part]:
        bucket, settled = element
        yield Part.of(INSTANCES.name, bucket, settled.instances)
        if settled.labels is not None:
            yield Part.of(LABELS.name, bucket, settled.labels)


def _settlement(element: tuple[int, Settlement]) -> Settlement:
    return element[1]


@dataclass
class SettleParts(beam.PTransform):
    """Merge what was loaded into parts; returns the receipts of the parts, and all parts."""

    workspace: Workspace
    options: SettleOptions
    parts: int
    share: float
    lanes: int

    def expand(self, loaded: beam.PCollection) -> Any:
        """Apply the transform."""
        together = loaded | "GatherAll" >> beam.WithKeys(0) | "GroupAll" >> beam.GroupByKey()
        settled = (
            together
            | "DealParts" >> beam.ParDo(_DealParts(self.parts, self.share))
            | "SpreadParts" >> SpreadOverLanes(weight=_evenly, lanes=self.lanes, workspace=self.workspace, stage="")
            | "SettlePart" >> beam.ParDo(MakeArtefact(self.workspace, SETTLE, self.options))
        )
        rejects = (
            together
            | "OfRejects" >> beam.ParDo(_OfRejects())
            | "ListRejects" >> beam.ParDo(MakeArtefact(self.workspace, LIST_REJECTS, None))
            | "NumberRejects" >> beam.ParDo(NameParts(LOAD_REJECTS.name))
        )
        parts = (settled | "NumberParts" >> beam.ParDo(_NameSettled()), rejects) | "AllParts" >> beam.Flatten()
        return settled | "Settlements" >> beam.Map(_settlement), parts
