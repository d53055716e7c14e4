"""Beam glue of intake: files or parts in, parts of a task's tables and of its rejects out.

LoadRecords   PCollection[(name, task)] -> PCollection[Loaded]
SettleParts   PCollection[Loaded] -> PCollection[Settled], PCollection[Part]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.common.store.artefacts import Stage, Workspace
from transforms.common.store.ptransforms import MakeArtefact, NameParts, SpreadOverLanes
from transforms.common.store.tables import Part, PartFile
from transforms.intake.merging import RejectTask, Settled, rejects_of
from transforms.intake.staging import Loaded

__all__ = ["LoadRecords", "SettleParts"]


def _size(element: tuple[str, Any]) -> float:
    return element[1].size


def _evenly(_: tuple[int, Any]) -> float:
    return 1.0


def _receipt(element: tuple[Any, Any]) -> Any:
    return element[1]


@dataclass
class LoadRecords(beam.PTransform):
    """Read files, or parts of tables, by a stage, each as one element, dealt out to workers by their bytes.

    Attributes:
        workspace: where artefacts lie.
        stage: reads a task, which has a `size`.
        options: of the stage.
        lanes: how many keys work is dealt out to.
    """

    workspace: Workspace
    stage: Stage[Any, Any, Loaded]
    options: Any
    lanes: int

    def expand(self, tasks: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            tasks
            | "Spread" >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage="")
            | "Read" >> beam.ParDo(MakeArtefact(self.workspace, self.stage, self.options))
            | "Receipts" >> beam.Map(_receipt)
        )


class _DealParts(beam.DoFn):
    """Yield the task of each part; of none where too many records were rejected: the driver says why."""

    def __init__(self, deal: Callable[[Sequence[Loaded]], Sequence[Any]]) -> None:
        self._deal = deal

    def process(self, element: tuple[int, Iterable[Loaded]]) -> Iterator[tuple[int, Any]]:
        yield from enumerate(self._deal(list(element[1])))


class _OfRejects(beam.DoFn):
    def __init__(self, rejects: Callable[[Sequence[Loaded], Sequence[Any]], RejectTask]) -> None:
        self._rejects = rejects

    def process(self, element: tuple[int, dict[str, Iterable[Any]]]) -> Iterator[tuple[int, RejectTask]]:
        yield 0, self._rejects(list(element[1]["loaded"]), list(element[1]["settled"]))


class _NameSettled(beam.DoFn):
    def process(self, element: tuple[int, Settled]) -> Iterator[Part]:
        bucket, settled = element
        for table, written in settled.tables.items():
            yield Part.of(table, bucket, written)


@dataclass
class SettleParts(beam.PTransform):
    """Merge what was loaded into parts; returns the receipts of the parts, and all parts.

    Attributes:
        workspace: where artefacts lie.
        settle: the stage that makes a part.
        options: of the stage.
        list_rejects: the stage that makes the table of rejects.
        table: the name of that table.
        deal: from all receipts, the tasks of the parts in order; none where too many records were rejected.
        lanes: how many keys work is dealt out to.
        rejects: from receipts of files and of parts, what the table of rejects is made from.
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
            | "DealParts" >> beam.ParDo(_DealParts(self.deal))
            | "SpreadParts" >> SpreadOverLanes(weight=_evenly, lanes=self.lanes, workspace=self.workspace, stage="")
            | "SettlePart" >> beam.ParDo(MakeArtefact(self.workspace, self.settle, self.options))
        )
        settlements = settled | "Settlements" >> beam.Map(_receipt)
        rejects = (
            {"loaded": keyed, "settled": settlements | "GatherSettled" >> beam.WithKeys(0)}
            | "Together" >> beam.CoGroupByKey()
            | "OfRejects" >> beam.ParDo(_OfRejects(self.rejects))
            | "ListRejects" >> beam.ParDo(MakeArtefact(self.workspace, self.list_rejects, None))
            | "NumberRejects" >> beam.ParDo(NameParts(self.table))
        )
        parts = (settled | "NumberParts" >> beam.ParDo(_NameSettled()), rejects) | "AllParts" >> beam.Flatten()
        return settlements, parts
