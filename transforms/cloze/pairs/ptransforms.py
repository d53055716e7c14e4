"""Beam glue of pairs: units of files, or parts of corpora, in; parts of pairs and rejects out.

LoadUnits    PCollection[(name, Unit)] -> PCollection[Loaded]
LoadCorpora  PCollection[(SHA-256, PartPair)] -> PCollection[Loaded]
SettlePairs  PCollection[Loaded] -> PCollection[Settled], PCollection[Part]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.cloze.pairs import PAIR_REJECTS, PAIRS
from transforms.cloze.pairs.merge_stage import (
    LIST_REJECTS,
    SETTLE,
    PartTask,
    Settled,
    SettleOptions,
    acceptable_units,
    part_tasks,
)
from transforms.cloze.pairs.read_stage import READ, READ_CORPUS, CorpusOptions, Loaded, LoadOptions
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part
from transforms.corpora.corpus import PartPair
from transforms.formats.ingest.stage import Unit
from transforms.formats.ingest.staging import StagedRejects

__all__ = ["LoadCorpora", "LoadUnits", "SettlePairs"]


def _size(element: tuple[str, Unit]) -> float:
    return element[1].size


def _bytes(element: tuple[str, PartPair]) -> float:
    return element[1].sentences.bytes


def _evenly(_: tuple[int, PartTask]) -> float:
    return 1.0


def _receipt(element: tuple[str, Loaded]) -> Loaded:
    return element[1]


@dataclass
class LoadUnits(beam.PTransform):
    """Read units of files, dealt out to workers by their bytes."""

    workspace: Workspace
    options: LoadOptions
    lanes: int

    def expand(self, units: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            units
            | "SpreadUnits" >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage="")
            | "ReadUnit" >> beam.ParDo(MakeArtefact(self.workspace, READ, self.options))
            | "Receipts" >> beam.Map(_receipt)
        )


@dataclass
class LoadCorpora(beam.PTransform):
    """Read parts of corpora, dealt out to workers by their bytes."""

    workspace: Workspace
    options: CorpusOptions
    lanes: int

    def expand(self, parts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            parts
            | "SpreadParts" >> SpreadOverLanes(weight=_bytes, lanes=self.lanes, workspace=self.workspace, stage="")
            | "ReadPart" >> beam.ParDo(MakeArtefact(self.workspace, READ_CORPUS, self.options))
            | "Receipts" >> beam.Map(_receipt)
        )


class _DealParts(beam.DoFn):
    """Yield the task of each part, unless too many records were rejected: the driver says why."""

    def __init__(self, parts: int, share: float) -> None:
        self._parts = parts
        self._share = share

    def process(self, element: tuple[int, Iterable[Loaded]]) -> Iterator[tuple[int, PartTask]]:
        loaded = list(element[1])
        if acceptable_units(loaded, self._share):
            for task in part_tasks(loaded, self._parts):
                yield task.bucket, task


class _OfRejects(beam.DoFn):
    def process(self, element: tuple[int, Iterable[Loaded]]) -> Iterator[tuple[int, list[StagedRejects]]]:
        yield 0, [one.rejects for one in element[1]]


class _NameSettled(beam.DoFn):
    def process(self, element: tuple[int, Settled]) -> Iterator[Part]:
        bucket, settled = element
        yield Part.of(PAIRS.name, bucket, settled.part)


def _settled(element: tuple[int, Settled]) -> Settled:
    return element[1]


@dataclass
class SettlePairs(beam.PTransform):
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
            | "SpreadTasks" >> SpreadOverLanes(weight=_evenly, lanes=self.lanes, workspace=self.workspace, stage="")
            | "SettlePart" >> beam.ParDo(MakeArtefact(self.workspace, SETTLE, self.options))
        )
        rejects = (
            together
            | "OfRejects" >> beam.ParDo(_OfRejects())
            | "ListRejects" >> beam.ParDo(MakeArtefact(self.workspace, LIST_REJECTS, None))
            | "NumberRejects" >> beam.ParDo(NameParts(PAIR_REJECTS.name))
        )
        parts = (settled | "NumberParts" >> beam.ParDo(_NameSettled()), rejects) | "AllParts" >> beam.Flatten()
        return settled | "Settlements" >> beam.Map(_settled), parts
