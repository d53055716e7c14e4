"""Beam glue of spaces that are made of counts.

RepresentSlices     PCollection[SliceReady] -> PCollection[(SpaceKey, TrainedSpace)]

The pieces of all slices are the elements of one step, which workers share; each slice's counts are added up, several
pieces at a time, whatever its seeds, and what was added up is freed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.change.graph.comparisons import Comparisons, SliceReady, SpaceKey, train_tasks
from transforms.change.spaces.context_stages import (
    ADD_CONTEXTS,
    ADDED,
    COUNT_CONTEXTS,
    REPRESENT,
    ContextOptions,
    ContextTask,
    CountedContexts,
    RepresentTask,
    SumTask,
    pieces_of,
)
from transforms.change.spaces.training import TrainedSpace
from transforms.common.store.artefacts import Workspace, free_files
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.embeddings.representations import RepresentationOptions

__all__ = ["RepresentSlices"]

PieceKey = tuple[int, int]  # slice, piece


def _context_tasks(element: SliceReady, comparisons: Comparisons) -> Iterator[tuple[PieceKey, ContextTask]]:
    _, space = next(train_tasks(comparisons, element))
    pieces = pieces_of(max(map(len, element.feeds)))
    for piece in range(pieces):
        yield (element.place, piece), ContextTask(space, piece, pieces)


def _tokens(element: tuple[PieceKey, ContextTask]) -> float:
    return element[1].space.tokens / element[1].pieces


def _by_group(element: tuple[PieceKey, CountedContexts]) -> tuple[PieceKey, tuple[int, CountedContexts]]:
    (place, piece), counted = element
    return (place, piece // ADDED), (piece, counted)


def _sum_task(
    element: tuple[PieceKey, Iterable[tuple[int, CountedContexts]]], names: tuple[str, ...]
) -> tuple[PieceKey, SumTask]:
    (place, number), counted = element
    return (place, number), SumTask(names[place], number, tuple(part for _, part in sorted(counted, key=_number)))


def _number(entry: tuple[int, CountedContexts]) -> int:
    return entry[0]


def _added(
    element: tuple[PieceKey, tuple[SumTask, CountedContexts]], frees: bool
) -> tuple[int, tuple[int, CountedContexts]]:
    """Free what was added up, which nothing else needs; key the sum by its slice."""
    (place, number), (task, total) = element
    if frees:
        free_files([part.cells for part in task.parts])
    return place, (number, total)


def _by_place(ready: SliceReady) -> tuple[int, SliceReady]:
    return ready.place, ready


def _represent_tasks(
    element: tuple[int, dict[str, Iterable[Any]]], comparisons: Comparisons
) -> Iterator[tuple[SpaceKey, RepresentTask]]:
    _, joined = element
    contexts = tuple(total for _, total in sorted(joined["contexts"], key=_number))
    for ready in joined["ready"]:
        for key, space in train_tasks(comparisons, ready):
            yield key, RepresentTask(space, contexts)


def _freed(element: tuple[SpaceKey, tuple[RepresentTask, TrainedSpace]], frees: bool) -> tuple[SpaceKey, TrainedSpace]:
    key, (task, made) = element
    if frees:
        free_files([part.cells for part in task.contexts])
    return key, made


@dataclass
class RepresentSlices(beam.PTransform):
    """Count the contexts of every slice, and make a space of them for every seed.

    Attributes:
        counting: what counts as a context.
        options: what counts become.
        lanes: how many keys the pieces are dealt out to, by tokens.
        frees: whether nothing needs the counts of a slice once its space is made, as of null slices, with one seed.
    """

    workspace: Workspace
    comparisons: Comparisons
    counting: ContextOptions
    options: RepresentationOptions
    lanes: int
    frees: bool

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Apply the transform."""
        workspace = self.workspace
        contexts = (
            ready
            | "MakePieces" >> beam.FlatMap(_context_tasks, self.comparisons)
            | "SpreadPieces" >> SpreadOverLanes(weight=_tokens, lanes=self.lanes, workspace=workspace, stage="")
            | "CountPiece" >> beam.ParDo(MakeArtefact(workspace, COUNT_CONTEXTS, self.counting))
            | "KeyByGroup" >> beam.Map(_by_group)
            | "GroupPieces" >> beam.GroupByKey()
            | "MakeSums" >> beam.Map(_sum_task, self.comparisons.names)
            | "AddPieces" >> beam.ParDo(MakeArtefact(workspace, ADD_CONTEXTS, None, with_task=True))
            | "FreePieces" >> beam.Map(_added, workspace.frees)
        )
        made = (
            {"ready": ready | "KeyReady" >> beam.Map(_by_place), "contexts": contexts}
            | "JoinBySlice" >> beam.CoGroupByKey()
            | "MakeTasks" >> beam.FlatMap(_represent_tasks, self.comparisons)
            | "RepresentSlice" >> beam.ParDo(MakeArtefact(workspace, REPRESENT, self.options, with_task=self.frees))
        )
        return made | "FreeContexts" >> beam.Map(_freed, workspace.frees) if self.frees else made
