"""Staged files of tables, merged into their parts: many files are gathered into fewer first.

MergeTasks    PCollection[(table, Staged)] -> by table, PCollection[(numbers, MergeTask)]
MergeTables   PCollection[(table, Staged)] -> PCollection[Part]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import apache_beam as beam

from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.store.artefacts import Step, Workspace, announce
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.ptransforms import MakeArtefact
from lexbeam.transforms.common.store.staged import Gathered, GatherTask, MergeTask, groups
from lexbeam.transforms.common.store.tables import Part, PartFile

GATHERED = 2  # levels at most of files gathered from files


def _grouped(element: tuple[str, Staged], counts: dict[str, int], parts: int, last: bool) -> Iterator[Any]:  # tagged
    table, file = element[0], element[1].for_parts(parts)  # a tenth of it, where parts are few
    number = groups(counts[table], parts, last, ranges=file.ranges)
    if number:
        yield beam.pvalue.TaggedOutput("gathered", ((table, hash_of(file.sha256) % number), file))
    else:
        yield beam.pvalue.TaggedOutput("merged", (table, file))


def _gather_task(element: tuple[tuple[str, int], Iterable[Staged]], parts: int) -> tuple[str, GatherTask]:
    (table, _), staged = element
    return table, GatherTask(parts, tuple(sorted(staged, key=attrgetter("sha256"))))


def _file_of(element: tuple[str, Gathered]) -> tuple[str, Staged]:
    return element[0], element[1].file


@dataclass
class _Gather(beam.PTransform):
    """Gather the staged files of each table into fewer, if they are more than a merge opens."""

    workspace: Workspace
    stage: Step[GatherTask, Gathered]
    parts: Any
    last: bool

    def expand(self, staged: beam.PCollection[tuple[str, Staged]]) -> beam.PCollection[tuple[str, Staged]]:
        counts = staged | "CountFiles" >> beam.combiners.Count.PerKey()
        dealt = staged | "IntoGroups" >> beam.FlatMap(
            _grouped, beam.pvalue.AsDict(counts), self.parts, self.last
        ).with_outputs("gathered", "merged")
        gathered = (
            dealt.gathered
            | "GroupFiles" >> beam.GroupByKey()
            | "MakeTasks" >> beam.Map(_gather_task, self.parts)
            | "Gather" >> beam.ParDo(MakeArtefact(self.workspace, self.stage))
            | "GatheredFiles" >> beam.Map(_file_of)
        )
        return (gathered, dealt.merged) | "AllFiles" >> beam.Flatten()


class _MergeTasks(beam.DoFn):
    """Yield the task of each part of a table, with its number; the seed that makes every table appear is dropped.

    All parts that nothing is for are one task, with their numbers.
    """

    def __init__(self, workspace: Workspace, stages: Mapping[str, str]) -> None:
        self._workspace = workspace
        self._stages = stages

    def process(
        self, element: tuple[str, Iterable[Staged | None]], parts: int
    ) -> Iterator[tuple[tuple[str, tuple[int, ...]], MergeTask]]:
        table, staged = element
        files = tuple(sorted((file for file in staged if file is not None), key=attrgetter("sha256")))
        rowless: list[int] = []
        for bucket in range(parts):
            task = MergeTask.of(bucket, parts, files)
            if task.staged:
                yield (table, (bucket,)), task
            else:
                rowless.append(bucket)
        if rowless:
            yield (table, tuple(rowless)), MergeTask.of(0, parts, ())
        announce(self._workspace, self._stages[table], parts - len(rowless) + bool(rowless))


def _of_table(element: tuple[tuple[str, tuple[int, ...]], Iterable[MergeTask]]) -> Iterator[Any]:  # tagged
    (table, numbers), tasks = element
    for task in tasks:
        yield beam.pvalue.TaggedOutput(table, (numbers, task))


@dataclass
class MergeTasks(beam.PTransform):
    """Deal staged files out to the parts of tables: by table, `(numbers, task)`.

    A task is that of one part, or of all that have no rows, whose numbers it has.

    Attributes:
        workspace: where artefacts lie.
        stages: by table, the stage that its tasks are for.
        gather: the stage that makes one file of several, where there are many.
        parts: parts of each table: a number, or a PCollection of one.
    """

    workspace: Workspace
    stages: Mapping[str, Step[Any, Any]]
    gather: Step[GatherTask, Gathered]
    parts: Any

    def expand(self, staged: beam.PCollection[tuple[str, Staged]]) -> Any:
        parts = self.parts if isinstance(self.parts, int) else beam.pvalue.AsSingleton(self.parts)
        for level in range(1, GATHERED + 1):
            last = level == GATHERED
            staged = staged | f"GatherLevel{level}" >> _Gather(self.workspace, self.gather, parts, last)
        tables = staged.pipeline | "EveryTable" >> beam.Create([(table, None) for table in self.stages])
        return (
            (staged, tables)
            | "WithEveryTable" >> beam.Flatten()
            | "GroupByTable" >> beam.GroupByKey()
            | "MakeTasks"
            >> beam.ParDo(
                _MergeTasks(self.workspace, {table: stage.name for table, stage in self.stages.items()}), parts
            )
            | "GroupByBucket" >> beam.GroupByKey()
            | "OfTables" >> beam.FlatMap(_of_table).with_outputs(*self.stages)
        )


def _numbered(element: tuple[tuple[int, ...], PartFile], table: str) -> Iterator[Part]:
    numbers, made = element
    for number in numbers:
        yield Part.of(table, number, made)


@dataclass
class MergeTables(beam.PTransform):
    """Merge staged files into the parts of each table; one file is that of all parts without rows.

    Attributes:
        workspace: where artefacts lie.
        stages: by table, the stage that merges its files.
        gather: the stage that makes one file of several, where there are many.
        parts: parts of each table: a number, or a PCollection of one.
    """

    workspace: Workspace
    stages: Mapping[str, Step[MergeTask, PartFile]]
    gather: Step[GatherTask, Gathered]
    parts: Any

    def expand(self, staged: beam.PCollection[tuple[str, Staged]]) -> beam.PCollection[Part]:
        tasks = staged | "Deal" >> MergeTasks(self.workspace, self.stages, self.gather, self.parts)
        made = [
            tasks[table]
            | f"Merge{table.title()}" >> beam.ParDo(MakeArtefact(self.workspace, stage))
            | f"Number{table.title()}" >> beam.FlatMap(_numbered, table)
            for table, stage in self.stages.items()
        ]
        return made | "AllParts" >> beam.Flatten()
