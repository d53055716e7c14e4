"""Beam glue that every domain uses: spreading work over workers, merging, keeping results.

SpreadOverLanes   PCollection[T] -> PCollection[T], balanced over workers by weight
MergeTables       PCollection[(table, bucket), Staged] -> PCollection[Part]
WriteResult       PCollection[Part or plain value] -> one JSON file that the driver reads
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import apache_beam as beam

from transforms.common import files
from transforms.common.artefacts import Workspace, plan
from transforms.common.fingerprints import canonical_json
from transforms.common.lanes import pack
from transforms.common.merge import Staged, merge_part
from transforms.common.tables import Part

__all__ = ["MergeTables", "SpreadOverLanes", "WriteResult"]

T = TypeVar("T")


class _Pack(beam.DoFn):
    def __init__(
        self, weight: Callable[[Any], float], lanes: int, workspace: Workspace, stage: str
    ) -> None:
        self._weight = weight
        self._lanes = lanes
        self._workspace = workspace
        self._stage = stage

    def process(self, element: tuple[Any, Iterable[Any]]) -> Iterator[tuple[int, list[Any]]]:
        items = sorted(element[1])
        plan(self._workspace, self._stage, len(items))
        packed = pack([self._weight(item) for item in items], self._lanes)
        for lane, indices in enumerate(packed):
            yield lane, [items[index] for index in indices]


class _Unpack(beam.DoFn):
    def process(self, element: tuple[int, Iterable[list[Any]]]) -> Iterator[Any]:
        for items in element[1]:
            yield from items


class _NotePlan(beam.DoFn):
    def __init__(self, workspace: Workspace, stage: str) -> None:
        self._workspace = workspace
        self._stage = stage

    def process(self, element: int) -> None:
        plan(self._workspace, self._stage, element)


@dataclass
class SpreadOverLanes(beam.PTransform):
    """Deal elements out to workers, each to one.

    Attributes:
        weight: work that an element stands for, in any unit.
        lanes: keys to deal out to, by weight, the heaviest first; elements must be sortable. With 0
            the runner deals elements out by its reshuffle: Flink to all of its slots in turn.
        workspace: where the number of elements is noted, for progress.
        stage: name of the stage that the elements are for.
    """

    weight: Callable[[Any], float]
    lanes: int
    workspace: Workspace
    stage: str

    def expand(self, elements: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return self._packed(elements) if self.lanes else self._reshuffled(elements)

    def _reshuffled(self, elements: beam.PCollection) -> beam.PCollection:
        # A grouping by key would not do: few keys may well fall to one slot, all of them.
        (
            elements
            | "CountAll" >> beam.CombineGlobally(beam.combiners.CountCombineFn()).without_defaults()
            | "NotePlan" >> beam.ParDo(_NotePlan(self.workspace, self.stage))
        )
        return elements | "DealOut" >> beam.Reshuffle()

    def _packed(self, elements: beam.PCollection) -> beam.PCollection:
        return (
            elements
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "PackIntoLanes"
            >> beam.ParDo(_Pack(self.weight, self.lanes, self.workspace, self.stage))
            | "GroupByLane" >> beam.GroupByKey()
            | "Unpack" >> beam.ParDo(_Unpack())
        )


class _MergePart(beam.DoFn):
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def process(self, element: tuple[tuple[str, int], Iterable[Staged]]) -> Iterator[Part]:
        (table, bucket), staged = element
        yield merge_part(self._workspace, table, bucket, list(staged))


class _IsStaged(beam.DoFn):
    """Drop the seeds that make every bucket appear, empty ones too."""

    def process(
        self, element: tuple[tuple[str, int], Iterable[Staged | None]]
    ) -> Iterator[tuple[tuple[str, int], list[Staged]]]:
        key, staged = element
        yield key, [entry for entry in staged if entry is not None]


@dataclass
class MergeTables(beam.PTransform):
    """Merge staged batches into `parts` parts of each of `tables`; empty parts are written too."""

    workspace: Workspace
    tables: tuple[str, ...]
    parts: int

    def expand(self, staged: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        every = [((table, bucket), None) for table in self.tables for bucket in range(self.parts)]
        buckets = staged.pipeline | "EveryBucket" >> beam.Create(every)
        return (
            (staged, buckets)
            | "WithEveryBucket" >> beam.Flatten()
            | "GroupByBucket" >> beam.GroupByKey()
            | "DropSeeds" >> beam.ParDo(_IsStaged())
            | "MergePart" >> beam.ParDo(_MergePart(self.workspace))
        )


class _Write(beam.DoFn):
    def __init__(self, path: str) -> None:
        self._path = path

    def process(self, element: tuple[Any, Iterable[Any]]) -> None:
        rows = sorted(element[1], key=canonical_json)
        files.write_bytes(self._path, canonical_json(rows))


def _pick(receipt: Any, names: tuple[str, ...]) -> Any:
    return {name: receipt[name] for name in names} if names else receipt


@dataclass
class WriteResult(beam.PTransform):
    """Write small rows, of plain values, as one JSON list at `path`, in one order.

    `names` picks the fields of receipts that the driver needs; none means whole rows.
    """

    path: str
    names: tuple[str, ...] = ()

    def expand(self, rows: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            rows
            | "PickFields" >> beam.Map(_pick, names=self.names)
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "Write" >> beam.ParDo(_Write(self.path))
        )
