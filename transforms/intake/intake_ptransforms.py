"""Beam glue of intake: files or parts in, parts of a task's tables, of its rejects and of its inputs out.

LoadFiles     PCollection[InputPatterns] -> PCollection[Loaded]
LoadParts     PCollection[(key, task)] -> PCollection[Loaded], or PCollection[(key, Loaded)]
SettleParts   PCollection[Loaded] -> PCollection[Settled], PCollection[LoadedCounts], PCollection[Part]
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import apache_beam as beam

from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.parts import parts_for
from lexbeam.transforms.common.store.artefacts import Stage, Workspace
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.ptransforms import MakeArtefact, MergeTables, MergeTasks, SpreadOverLanes
from lexbeam.transforms.common.store.staged import Gathered, GatherTask, MergeTask
from lexbeam.transforms.common.store.tables import Part, PartFile
from lexbeam.transforms.formats.ingest.ptransforms import ListFiles, MakeOfFiles, NumberUnits
from lexbeam.transforms.intake.intake_staging import Loaded, LoadedCounts, sum_loaded
from lexbeam.transforms.intake.settling import Settled, TaskStages

_ROWS = "rows"


class _Sized(Protocol):
    @property
    def size(self) -> float:
        """Bytes to read."""


def _size(element: tuple[Any, _Sized]) -> float:
    return float(element[1].size)


def _evenly(_: tuple[int, object]) -> float:
    return 1.0


@dataclass
class LoadFiles(beam.PTransform):
    """List files, and read them by a stage, in units of which each is one element.

    Attributes:
        workspace: where artefacts lie.
        folder: of this run alone, for listings.
        stage: reads a unit.
        options: of the stage.
        lanes: how many keys the work is dealt out to.
        keyed: whether receipts have the numbers of their units.
    """

    workspace: Workspace
    folder: str
    stage: Stage[Any, Any, Loaded]
    options: Any
    lanes: int
    keyed: bool = False

    def expand(self, patterns: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        units = patterns | "List" >> ListFiles(None, self.folder) | "AllUnits" >> beam.Flatten()
        if self.keyed:
            units = units | "NumberUnits" >> NumberUnits()
        read = (
            units
            | "Spread"
            >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage=self.stage.name)
            | "Read" >> beam.ParDo(MakeOfFiles(self.workspace, self.stage, self.options))
        )
        return read if self.keyed else read | "Receipts" >> beam.Values()


@dataclass
class LoadParts(beam.PTransform):
    """Read parts of tables by a stage, each as one element, balanced over workers by size.

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


def _staged(element: Any, field: str, table: str) -> Iterator[tuple[str, Staged]]:
    file = getattr(element, field)
    if file is not None:
        yield table, file


def _parts_of(counts: LoadedCounts, acceptable: Callable[[LoadedCounts], bool], stated: int) -> int:
    """Return how many parts there are; none if too many records were rejected, which the driver reports."""
    return (stated or parts_for(counts.count)) if acceptable(counts) else 0


def _dealt(
    element: tuple[tuple[int, ...], MergeTask], counts: LoadedCounts, deal: Callable[[MergeTask, LoadedCounts], Any]
) -> tuple[tuple[int, ...], Any]:
    return element[0], deal(element[1], counts)


def _name_settled(element: tuple[tuple[int, ...], Settled]) -> Iterator[Part]:
    numbers, settled = element
    for table, written in settled.tables.items():
        for number in numbers:
            yield Part.of(table, number, written)


def _task_alone(task: MergeTask, _: LoadedCounts) -> MergeTask:
    return task


@dataclass
class SettleParts(beam.PTransform):
    """Merge loaded rows into parts; returns the receipts of the parts, the counts of all rows, and all parts.

    Attributes:
        workspace: where artefacts lie.
        stages: of the task.
        options: of the stage that settles.
        acceptable: whether few enough records were rejected.
        parts: of each table; 0: as many as the number of rows asks for.
        lanes: how many keys the work is dealt out to.
        deal: from the rows of a part, and the counts of all, the task of the part.
    """

    workspace: Workspace
    stages: TaskStages
    options: Any
    acceptable: Callable[[LoadedCounts], bool]
    parts: int
    lanes: int
    deal: Callable[[MergeTask, LoadedCounts], Any] = _task_alone

    def expand(self, loaded: beam.PCollection) -> Any:
        """Apply the transform."""
        workspace, stages = self.workspace, self.stages
        counts = loaded | "SumLoaded" >> beam.CombineGlobally(sum_loaded)
        parts = counts | "DecideParts" >> beam.Map(_parts_of, self.acceptable, self.parts)
        tasks = (
            loaded
            | "ListRows" >> beam.FlatMap(_staged, _ROWS, _ROWS)
            | "DealRows" >> MergeTasks(workspace, {_ROWS: stages.settle}, stages.gather, parts)
        )
        settled = (
            tasks[_ROWS]
            | "DealParts" >> beam.Map(_dealt, beam.pvalue.AsSingleton(counts), self.deal)
            | "SpreadParts" >> SpreadOverLanes(weight=_evenly, lanes=self.lanes, workspace=workspace, stage="")
            | "SettlePart" >> beam.ParDo(MakeArtefact(workspace, stages.settle, self.options))
        )
        settlements = settled | "Settlements" >> beam.Values()
        made = [
            settled | "NumberParts" >> beam.FlatMap(_name_settled),
            (loaded, settlements)
            | "AllReceipts" >> beam.Flatten()
            | "AllRejects" >> self._table(stages.rejects, "rejects", 1),
        ]
        if stages.inputs is not None:
            made.append(loaded | "AllInputs" >> self._table(stages.inputs, "inputs", parts))
        return settlements, counts, made | "AllParts" >> beam.Flatten()

    def _table(self, made: tuple[Table, Stage[MergeTask, Table, PartFile]], field: str, parts: Any) -> "_ListTable":
        return _ListTable(self.workspace, *made, field, self.stages.gather, parts)


@dataclass
class _ListTable(beam.PTransform):
    """Make a table of what receipts have staged in a field."""

    workspace: Workspace
    table: Table
    stage: Stage[MergeTask, Table, PartFile]
    field: str
    gather: Stage[GatherTask, None, Gathered]
    parts: Any

    def expand(self, receipts: beam.PCollection) -> beam.PCollection[Part]:
        name = self.table.name
        merge = MergeTables(self.workspace, {name: self.stage}, self.gather, self.parts, {name: self.table})
        return receipts | "List" >> beam.FlatMap(_staged, self.field, name) | "Merge" >> merge
