"""Beam glue of intake: files in, parts of a task's tables, of its rejects and of its inputs out.

LoadFiles     PCollection[InputPatterns] -> PCollection[(key, Loaded)]
SettleParts   PCollection[Loaded] -> PCollection[Settled], PCollection[LoadedCounts], PCollection[Part]
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.transforms.common.portions import parts_for
from lexbeam.transforms.common.store.artefacts import Step, Workspace
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.merging_ptransforms import MergeTables, MergeTasks
from lexbeam.transforms.common.store.ptransforms import Each, SpreadOverLanes
from lexbeam.transforms.common.store.staged import Gather, MergeTask
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.formats.ingest.ingestion import Unit
from lexbeam.transforms.formats.ingest.intake_tables import MergeListed
from lexbeam.transforms.formats.ingest.ptransforms import ListFiles, MakeOfFiles, NumberUnits
from lexbeam.transforms.intake.intake_staging import Loaded, LoadedCounts, sum_loaded
from lexbeam.transforms.intake.settling import Settled, SettleRows

_ROWS = "rows"


def _size(element: tuple[Any, Any]) -> float:
    return float(element[1].size)


def _evenly(_: object) -> float:
    return 1.0


@dataclass
class LoadFiles(beam.PTransform):
    """List files, and read them, in units of which each is one element.

    Attributes:
        folder: of this run alone, for listings.
        lanes: how many keys the work is dealt out to.
        numbered: whether the keys of receipts are numbers.
    """

    workspace: Workspace
    folder: str
    step: Step[Unit, Loaded]
    lanes: int
    numbered: bool = False

    def expand(self, patterns: beam.PCollection) -> beam.PCollection:
        units = patterns | "List" >> ListFiles(None, self.folder) | "AllUnits" >> beam.Flatten()
        if self.numbered:
            units = units | "NumberUnits" >> NumberUnits()
        return (
            units
            | "Spread"
            >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage=self.step.name)
            | "Read" >> beam.ParDo(MakeOfFiles(self.workspace, self.step))
        )


def _staged(element: Any, field: str, table: str) -> Iterator[tuple[str, Staged]]:
    file = getattr(element, field)
    if file is not None:
        yield table, file


def _parts_of(counts: LoadedCounts, accepts: Callable[[LoadedCounts], bool], stated: int) -> int:
    """Return how many parts there are; none if too many records were rejected, which the driver reports."""
    return (stated or parts_for(counts.count)) if accepts(counts) else 0


def _dealt(
    element: tuple[tuple[int, ...], MergeTask], deal: Callable[[MergeTask, LoadedCounts], Any], counts: LoadedCounts
) -> Iterator[tuple[tuple[int, ...], Any]]:
    yield element[0], deal(element[1], counts)


def _name_settled(element: tuple[tuple[int, ...], Settled]) -> Iterator[Part]:
    numbers, settled = element
    for table, written in settled.tables.items():
        for number in numbers:
            yield Part.of(table, number, written)


@dataclass
class SettleParts(beam.PTransform):
    """Merge loaded rows into parts; returns the receipts of the parts, the counts of all rows, and all parts.

    Attributes:
        accepts: whether few enough records were rejected.
        parts: of each table; 0: as many as the number of rows asks for.
        lanes: how many keys the work is dealt out to.
        of_files: whether files were read, and not tables.
        deal: from the rows of a part, and the counts of all, the task of the part.
    """

    workspace: Workspace
    settle: SettleRows[Any]
    accepts: Callable[[LoadedCounts], bool]
    parts: int
    lanes: int
    of_files: bool
    deal: Callable[[MergeTask, LoadedCounts], Any]

    def expand(self, loaded: beam.PCollection) -> Any:
        settle, workspace = self.settle, self.workspace
        counts = loaded | "SumLoaded" >> beam.CombineGlobally(sum_loaded)
        parts = counts | "DecideParts" >> beam.Map(_parts_of, self.accepts, self.parts)
        rows = loaded | "ListRows" >> beam.FlatMap(_staged, _ROWS, _ROWS)
        tasks = rows | "DealRows" >> MergeTasks(workspace, {_ROWS: settle}, settle.gather(), parts)
        sides = {"deal": self.deal, "counts": beam.pvalue.AsSingleton(counts)}
        settled = tasks[_ROWS] | "SettlePart" >> Each(
            workspace, settle, _dealt, sides=sides, lanes=self.lanes, weight=_evenly
        )
        settlements = settled | "Settlements" >> beam.Values()
        rejects, inputs = settle.merging()
        made = [
            settled | "NumberParts" >> beam.FlatMap(_name_settled),
            (loaded, settlements)
            | "AllReceipts" >> beam.Flatten()
            | "AllRejects" >> self._listed(rejects, "rejects", 1),
        ]
        if self.of_files:
            made.append(loaded | "AllInputs" >> self._listed(inputs, "inputs", parts))
        return settlements, counts, made | "AllParts" >> beam.Flatten()

    def _listed(self, merge: MergeListed, field: str, parts: Any) -> "_ListTable":
        return _ListTable(self.workspace, merge, field, self.settle.gather(), parts)


@dataclass
class _ListTable(beam.PTransform):
    workspace: Workspace
    merge: MergeListed
    field: str
    gather: Gather
    parts: Any

    def expand(self, receipts: beam.PCollection) -> beam.PCollection[Part]:
        name = self.merge.table.name
        merge = MergeTables(self.workspace, {name: self.merge}, self.gather, self.parts)
        return receipts | "List" >> beam.FlatMap(_staged, self.field, name) | "Merge" >> merge
