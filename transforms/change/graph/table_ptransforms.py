"""Beam glue of what is published: the table `slices`, and the parts of all change tables.

DescribeSlices   (PCollection[SliceReady], PCollection[(SpaceKey, Trained)])
                 -> PCollection[(place, Listed)]
NumberParts      what was made, by table -> PCollection[Part]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import apache_beam as beam

from schemas.change.scores import NULLS, PAIRS
from schemas.change.series import POINTS, SERIES
from schemas.change.systems import SYSTEM_CONTROLS, SYSTEM_SCORES
from transforms.change.graph.comparisons import (
    Comparisons,
    PairSeed,
    SliceReady,
    SpaceKey,
    map_number,
    slice_row,
    space_number,
)
from transforms.change.scores.combine_stage import Combined
from transforms.change.scores.system_ensembles import JoinedSystems
from transforms.change.series.series_stage import SeriesMade
from transforms.change.spaces.alignment_stage import Aligned, AlignTask
from transforms.change.spaces.neighbour_stage import SLICE, ListedPart
from transforms.change.spaces.training import TrainedSpace
from transforms.change.view.slice_merges import SliceCounts
from transforms.change.view.slices import Slice
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.tables import Part, PartFile

__all__ = ["DescribeSlices", "NumberParts"]


def _by_place(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


def _words_by_place(element: tuple[SpaceKey, TrainedSpace]) -> tuple[int, int]:
    (_, place, _), trained = element
    return place, trained.part.rows  # a row per word, in every variant


def _row(
    element: tuple[int, dict[str, Iterable[Any]]], slices: Sequence[Slice], comparisons: Comparisons
) -> Iterator[tuple[int, Any]]:
    place, joined = element
    words = next(iter(joined["words"]))
    for counts in joined["counts"]:
        yield (place, slice_row(slices[place], counts, words, comparisons.min_counts[place]))


@dataclass
class DescribeSlices(beam.PTransform):
    """Make the row of every slice, which is a part of its own."""

    workspace: Workspace
    slices: Sequence[Slice]
    comparisons: Comparisons

    def expand(self, made: Any) -> beam.PCollection[tuple[int, ListedPart]]:
        """Apply the transform to a pair of collections: `SliceReady`, and (`SpaceKey`, `TrainedSpace`)."""
        ready, spaces = made
        return (
            {
                "counts": ready | "KeyCounts" >> beam.Map(_by_place),
                "words": spaces | "KeyWords" >> beam.Map(_words_by_place),
            }
            | "JoinBySlice" >> beam.CoGroupByKey()
            | "MakeRow" >> beam.FlatMap(_row, self.slices, self.comparisons)
            | "WriteRow" >> beam.ParDo(MakeArtefact(self.workspace, SLICE, None))
        )


def _number(element: Any, table: str, part: Callable[[Any], tuple[int | None, PartFile | None]]) -> Iterator[Part]:
    number, made = part(element)
    if number is not None and made is not None:
        yield Part.of(table, number, made)


def _of_space(comparisons: Comparisons, element: tuple[SpaceKey, TrainedSpace | ListedPart]) -> tuple[int, PartFile]:
    return space_number(comparisons, element[0]), element[1].part


def _of_map(
    comparisons: Comparisons, alignments: tuple[str, ...], element: tuple[PairSeed, tuple[AlignTask, Aligned]]
) -> tuple[int | None, PartFile]:
    key, (task, aligned) = element
    return map_number(comparisons, alignments, key, task.alignment), aligned.part


def _of_place(element: tuple[int, Combined | JoinedSystems | ListedPart | SeriesMade]) -> tuple[int, PartFile]:
    return element[0], element[1].part


def _of_pair(element: tuple[int, Combined]) -> tuple[int, PartFile]:
    return element[0], element[1].pair


def _of_nulls(element: tuple[int, Combined]) -> tuple[int, PartFile | None]:
    return element[0], element[1].nulls


def _of_controls(element: tuple[int, JoinedSystems]) -> tuple[int, PartFile]:
    return element[0], element[1].controls


def _of_points(element: tuple[int, SeriesMade]) -> tuple[int, PartFile]:
    return element[0], element[1].points


def _label(table: str) -> str:
    return table.rpartition("/")[2].title()


@dataclass
class NumberParts(beam.PTransform):
    """Name the parts of the change tables that are made; each part is an artefact of its own."""

    comparisons: Comparisons
    alignments: tuple[str, ...]

    def expand(self, made: Any) -> beam.PCollection[Part]:
        """Apply the transform to collections by table."""
        space = partial(_of_space, self.comparisons)
        numbers: dict[str, Callable[[Any], tuple[int | None, PartFile | None]]] = {
            "vectors": space,
            "neighbours": space,
            "alignments": partial(_of_map, self.comparisons, self.alignments),
            "scores": _of_place,
            PAIRS.name: _of_pair,
            NULLS.name: _of_nulls,
            SYSTEM_SCORES.name: _of_place,
            SYSTEM_CONTROLS.name: _of_controls,
            "change/summary": _of_place,
            SERIES.name: _of_place,
            POINTS.name: _of_points,
            "slices": _of_place,
        }
        parts = [
            made[table] | f"Number{_label(table)}" >> beam.FlatMap(_number, table, number)
            for table, number in numbers.items()
            if table in made
        ]
        return parts | "AllParts" >> beam.Flatten()
