"""Beam glue of instances: what was loaded in, parts of instances, substitutes and rejects out.

TakeParts        PCollection[(name, ComplexPart)] -> PCollection[Loaded]
SettleInstances  PCollection[Loaded] -> PCollection[Settlement], PCollection[Part]
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from schemas.rejects import RejectRow
from schemas.simplification.instances import INSTANCE_REJECTS, INSTANCES, SUBSTITUTES
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part
from transforms.simplification.instances.complex_words import TAKE, ComplexPart
from transforms.simplification.instances.judgments import Judgment, unknown_judgments
from transforms.simplification.instances.merge_stage import (
    LIST_REJECTS,
    SETTLE,
    PartTask,
    RejectTask,
    Settlement,
    SettleOptions,
    part_tasks,
)
from transforms.simplification.instances.read_stage import Loaded, LoadOptions, acceptable_records

__all__ = ["SettleInstances", "TakeParts"]


def _size(element: tuple[str, ComplexPart]) -> float:
    return element[1].part.bytes


def _evenly(_: tuple[int, PartTask]) -> float:
    return 1.0


def _value(element: tuple[Any, Any]) -> Any:
    return element[1]


@dataclass
class TakeParts(beam.PTransform):
    """Read parts of `complexity/instances`, each as one element."""

    workspace: Workspace
    options: LoadOptions
    lanes: int

    def expand(self, parts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            parts
            | "SpreadTaken" >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage="")
            | "TakePart" >> beam.ParDo(MakeArtefact(self.workspace, TAKE, self.options))
            | "TakenReceipts" >> beam.Map(_value)
        )


class _DealParts(beam.DoFn):
    """Yield the task of each part, unless too many records are faulty: the driver says why."""

    def __init__(self, judgments: Sequence[Judgment], parts: int, share: float) -> None:
        self._judgments = judgments
        self._parts = parts
        self._share = share

    def process(self, element: tuple[int, Iterable[Loaded]]) -> Iterator[tuple[int, PartTask]]:
        loaded = list(element[1])
        if acceptable_records(loaded, self._share):
            for task in part_tasks(loaded, self._judgments, self._parts):
                yield task.bucket, task


class _OfRejects(beam.DoFn):
    """Yield what the table of rejects is made from; judgments that no part has used are in it."""

    def __init__(self, judgments: Sequence[Judgment], rejects: Sequence[RejectRow]) -> None:
        self._judgments = judgments
        self._rejects = rejects

    def process(self, element: tuple[int, dict[str, Iterable[Any]]]) -> Iterator[Any]:
        settled = list(element[1]["settled"])
        used = {number for one in settled for number in one.judged}
        rejects = list(self._rejects)
        if settled:
            rejects += unknown_judgments(self._judgments, used)
        staged = [one.rejects for one in (*element[1]["loaded"], *settled)]
        yield 0, RejectTask(tuple(staged), tuple(rejects))


class _NameSettled(beam.DoFn):
    def process(self, element: tuple[int, Settlement]) -> Iterator[Part]:
        bucket, settled = element
        yield Part.of(INSTANCES.name, bucket, settled.instances)
        yield Part.of(SUBSTITUTES.name, bucket, settled.substitutes)


@dataclass
class SettleInstances(beam.PTransform):
    """Merge what was loaded into parts; returns the receipts of the parts, and all parts."""

    workspace: Workspace
    options: SettleOptions
    judgments: Sequence[Judgment]
    rejects: Sequence[RejectRow]
    parts: int
    share: float
    lanes: int

    def expand(self, loaded: beam.PCollection) -> Any:
        """Apply the transform."""
        keyed = loaded | "GatherAll" >> beam.WithKeys(0)
        settled = (
            keyed
            | "GroupAll" >> beam.GroupByKey()
            | "DealParts" >> beam.ParDo(_DealParts(self.judgments, self.parts, self.share))
            | "SpreadParts" >> SpreadOverLanes(weight=_evenly, lanes=self.lanes, workspace=self.workspace, stage="")
            | "SettlePart" >> beam.ParDo(MakeArtefact(self.workspace, SETTLE, self.options))
        )
        settlements = settled | "Settlements" >> beam.Map(_value)
        rejects = (
            {"loaded": keyed, "settled": settlements | "GatherSettled" >> beam.WithKeys(0)}
            | "Together" >> beam.CoGroupByKey()
            | "OfRejects" >> beam.ParDo(_OfRejects(self.judgments, self.rejects))
            | "ListRejects" >> beam.ParDo(MakeArtefact(self.workspace, LIST_REJECTS, None))
            | "NumberRejects" >> beam.ParDo(NameParts(INSTANCE_REJECTS.name))
        )
        parts = (settled | "NumberParts" >> beam.ParDo(_NameSettled()), rejects) | "AllParts" >> beam.Flatten()
        return settlements, parts
