"""Beam glue of intake: files or parts in, parts of a task's tables and of its rejects out.

LoadRecords   PCollection[(key, task)] -> PCollection[Loaded], or PCollection[(key, Loaded)]
SettleParts   PCollection[Loaded] -> PCollection[Settled], PCollection[Part]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import apache_beam as beam

from transforms.common.store.artefacts import Stage, Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part, PartFile
from transforms.intake.merging import RejectTask, Settled, rejects_of
from transforms.intake.staging import Loaded

__all__ = ["LoadRecords", "SettleParts"]


class _Sized(Protocol):
    @property
    def size(self) -> int:
        """Bytes to read."""


def _size(element: tuple[Any, _Sized]) -> float:
    return float(element[1].size)


def _evenly(_: tuple[int, object]) -> float:
    return 1.0


@dataclass
class LoadRecords(beam.PTransform):
    """Read files, or parts of tables, by a stage, each as one element, balanced over workers by size.

    Attributes:
        workspace: where artefacts lie.
        stage: reads a task, which has a `size`.
        options: of the stage.
        lanes: how many keys the work is dealt out to.
        keyed: whether receipts keep the keys of their tasks.
    """

    workspace: Workspace
    stage: Stage[Any, Any, Loaded]
    options: Any
    lanes: int
    keyed: bool = False

    def expand(self, tasks: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        read = (
            tasks
            | "Spread" >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage="")
            | "Read" >> beam.ParDo(MakeArtefact(self.workspace, self.stage, self.options))
        )
        return read if self.keyed else read | "Receipts" >> beam.Values()


def _deal_parts(
    element: tuple[int, Iterable[Loaded]], deal: Callable[[Sequence[Loaded]], Sequence[Any]]
) -> Iterator[tuple[int, Any]]:
    """Yield the task of each part; none if too many records were rejected, which the driver reports."""
    yield from enumerate(deal(list(element[1])))


def _of_rejects(
    element: tuple[int, dict[str, Iterable[Any]]], rejects: Callable[[Sequence[Loaded], Sequence[Any]], RejectTask]
) -> tuple[int, RejectTask]:
    return 0, rejects(list(element[1]["loaded"]), list(element[1]["settled"]))


def _name_settled(element: tuple[int, Settled]) -> Iterator[Part]:
    bucket, settled = element
    for table, written in settled.tables.items():
        yield Part.of(table, bucket, written)


@dataclass
class SettleParts(beam.PTransform):
    """Merge loaded rows into parts; returns the receipts of the parts, and all parts.

    Attributes:
        workspace: where artefacts lie.
        settle: the stage that makes a part.
        options: of that stage.
        list_rejects: the stage that makes the table of rejects.
        table: the name of that table.
        deal: from all receipts, the tasks of the parts in order; none if too many records were rejected.
        lanes: how many keys the work is dealt out to.
        rejects: from the receipts of files and of parts, the task of the table of rejects.
    """

    workspace: Workspace
    settle: Stage[Any, Any, Any]
    options: Any
    list_rejects: Stage[RejectTask, None, PartFile]
    table: str
    deal: Callable[[Sequence[Loaded]], Sequence[Any]]
    lanes: int
    rejects: Callable[[Sequence[Loaded], Sequence[Any]], RejectTask] = rejects_of

    def expand(self, loaded: beam.PCollection) -> Any:
        """Apply the transform."""
        keyed = loaded | "GatherAll" >> beam.WithKeys(0)
        settled = (
            keyed
            | "GroupAll" >> beam.GroupByKey()
            | "DealParts" >> beam.FlatMap(_deal_parts, self.deal)
            | "SpreadParts"
            >> SpreadOverLanes(weight=_evenly, lanes=self.lanes, workspace=self.workspace, stage=self.settle.name)
            | "SettlePart" >> beam.ParDo(MakeArtefact(self.workspace, self.settle, self.options))
        )
        settlements = settled | "Settlements" >> beam.Values()
        rejects = (
            {"loaded": keyed, "settled": settlements | "GatherSettled" >> beam.WithKeys(0)}
            | "Together" >> beam.CoGroupByKey()
            | "OfRejects" >> beam.Map(_of_rejects, self.rejects)
            | "ListRejects" >> beam.ParDo(MakeArtefact(self.workspace, self.list_rejects, None))
            | "NumberRejects" >> beam.ParDo(NameParts(self.table))
        )
        parts = (settled | "NumberParts" >> beam.FlatMap(_name_settled), rejects) | "AllParts" >> beam.Flatten()
        return settlements, parts
