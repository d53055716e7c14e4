"""Beam glue that every domain uses: artefacts, spreading work over workers, merging, results.

MakeArtefact      a DoFn: (key, task) -> (key, receipt)
SpreadOverLanes   PCollection[T] -> PCollection[T], balanced over workers by weight
MergeTables       PCollection[((table, bucket), StagedRun)] -> PCollection[Part]
WriteResult       PCollection[T] -> one JSON file that the driver reads
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import apache_beam as beam

from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.common.store.artefacts import Stage, Workspace, announce, make_all
from transforms.common.store.lanes import pack
from transforms.common.store.merge import MergeTask, StagedRun
from transforms.common.store.receipts import encode
from transforms.common.store.tables import Part, PartFile

__all__ = ["MakeArtefact", "MergeTables", "NameParts", "SpreadOverLanes", "WriteResult"]

T = TypeVar("T")


class _Pack(beam.DoFn):
    def __init__(
        self, weight: Callable[[Any], float], lanes: int, workspace: Workspace, stage: str, pieces: int
    ) -> None:
        self._weight = weight
        self._pieces = pieces
        self._lanes = lanes
        self._workspace = workspace
        self._stage = stage

    def process(self, element: tuple[Any, Iterable[Any]]) -> Iterator[tuple[int, list[Any]]]:
        items = sorted(element[1])
        if self._stage:
            announce(self._workspace, self._stage, self._pieces * len(items))
        packed = pack([self._weight(item) for item in items], self._lanes)
        for lane, indices in enumerate(packed):
            yield lane, [items[index] for index in indices]


class _Unpack(beam.DoFn):
    def process(self, element: tuple[int, Iterable[list[Any]]]) -> Iterator[Any]:
        for items in element[1]:
            yield from items


class _NotePlan(beam.DoFn):
    def __init__(self, workspace: Workspace, stage: str, pieces: int) -> None:
        self._workspace = workspace
        self._stage = stage
        self._pieces = pieces

    def process(self, element: int) -> None:
        announce(self._workspace, self._stage, self._pieces * element)


@dataclass
class SpreadOverLanes(beam.PTransform):
    """Deal elements out to workers, each to one.

    Attributes:
        weight: work that an element stands for, in any unit.
        lanes: keys to deal out to, by weight, the heaviest first; elements must be sortable. With 0
            the runner deals elements out by its reshuffle: Flink to all of its slots in turn.
        workspace: where the number of elements is noted, for progress.
        stage: name of the stage that the elements are for; empty where the number is not to be
            noted, for it is known beforehand.
        pieces: artefacts that an element becomes.
    """

    weight: Callable[[Any], float]
    lanes: int
    workspace: Workspace
    stage: str
    pieces: int = 1

    def expand(self, elements: beam.PCollection[T]) -> beam.PCollection[T]:
        """Apply the transform."""
        return self._packed(elements) if self.lanes else self._reshuffled(elements)

    def _reshuffled(self, elements: beam.PCollection) -> beam.PCollection:
        # A grouping by key would not do: few keys may well fall to one slot, all of them.
        if self.stage:
            (
                elements
                | "CountAll" >> beam.CombineGlobally(beam.combiners.CountCombineFn()).without_defaults()
                | "NotePlan" >> beam.ParDo(_NotePlan(self.workspace, self.stage, self.pieces))
            )
        return elements | "DealOut" >> beam.Reshuffle()

    def _packed(self, elements: beam.PCollection) -> beam.PCollection:
        return (
            elements
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "PackIntoLanes" >> beam.ParDo(_Pack(self.weight, self.lanes, self.workspace, self.stage, self.pieces))
            | "GroupByLane" >> beam.GroupByKey()
            | "Unpack" >> beam.ParDo(_Unpack())
        )


class MakeArtefact(beam.DoFn):
    """Make a task's artefact, or take it up: `(key, task)` to `(key, receipt)`.

    Of a stage that makes artefacts `together`, a task is a list of tasks, and so is the receipt.
    """

    def __init__(self, workspace: Workspace, stage: Stage[Any, Any, Any], options: Any) -> None:
        self._workspace = workspace
        self._stage = stage
        self._options = options
        self._code = stage.code().digest

    def process(self, element: tuple[Any, Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the receipt."""
        if self._stage.code().digest != self._code:
            raise LexbeamError(
                f"stage {self._stage.name}: this worker has other code or other packages than the "
                "driver: install the same Lexbeam and the same lock file on both"
            )
        key, task = element
        tasks = task if self._stage.together else [task]
        receipts = make_all(self._workspace, self._stage, tasks, self._options)
        yield key, receipts if self._stage.together else receipts[0]


class _Task(beam.DoFn):
    """Make the task of a bucket; the seeds that make every bucket appear are dropped."""

    def __init__(self, parts: int) -> None:
        self._parts = parts

    def process(self, element: tuple[tuple[str, int], Iterable[StagedRun | None]]) -> Iterator[Any]:
        (table, bucket), runs = element
        found = tuple(entry for run in runs if run is not None for entry in run.staged())
        yield beam.pvalue.TaggedOutput(table, (bucket, MergeTask(bucket, self._parts, found)))


class NameParts(beam.DoFn):
    """Name the parts of a table: `(number, PartFile)` to `Part`."""

    def __init__(self, table: str) -> None:
        self._table = table

    def process(self, element: tuple[int, PartFile]) -> Iterator[Part]:
        """Yield the part."""
        number, written = element
        yield Part.of(self._table, number, written)


@dataclass
class MergeTables(beam.PTransform):
    """Merge staged batches into `parts` parts of each table; empty parts are written too.

    Attributes:
        workspace: where artefacts lie.
        stages: by table, the stage that merges its batches.
        parts: parts of each table.
        options: by table, the options of its stage; None where there are none.
    """

    workspace: Workspace
    stages: Mapping[str, Stage[MergeTask, Any, PartFile]]
    parts: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def expand(self, staged: beam.PCollection[tuple[tuple[str, int], StagedRun]]) -> beam.PCollection[Part]:
        """Apply the transform."""
        every = [((table, bucket), None) for table in self.stages for bucket in range(self.parts)]
        buckets = staged.pipeline | "EveryBucket" >> beam.Create(every)
        tasks = (
            (staged, buckets)
            | "WithEveryBucket" >> beam.Flatten()
            | "GroupByBucket" >> beam.GroupByKey()
            | "MakeTasks" >> beam.ParDo(_Task(self.parts)).with_outputs(*self.stages)
        )
        parts = [
            tasks[table]
            | f"Merge{table.title()}" >> beam.ParDo(MakeArtefact(self.workspace, stage, self.options.get(table)))
            | f"Number{table.title()}" >> beam.ParDo(NameParts(table))
            for table, stage in self.stages.items()
        ]
        return parts | "AllParts" >> beam.Flatten()


class _Write(beam.DoFn):
    def __init__(self, path: str) -> None:
        self._path = path

    def process(self, element: tuple[int, Iterable[Any]]) -> None:
        rows = sorted(encode(row) for row in element[1])
        files.write_bytes(self._path, b"[" + b",".join(rows) + b"]")


@dataclass
class WriteResult(beam.PTransform):
    """Write small rows, dataclasses or named tuples, as one JSON list at `path`, in one order."""

    path: str

    def expand(self, rows: beam.PCollection[Any]) -> beam.PCollection[None]:
        """Apply the transform."""
        return (
            rows
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "Write" >> beam.ParDo(_Write(self.path)).with_output_types(type(None))
        )
