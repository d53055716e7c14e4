"""Beam glue of series of slices.

TraceSeries     PCollection[(SpaceKey, Trained)] -> PCollection[(RunKey, Traced)]
CombineSeries   PCollection[(RunKey, Traced)] -> PCollection[(0, SeriesMade)]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.change.graph.comparisons import (
    Comparisons,
    PairSeed,
    RunKey,
    SliceReady,
    SpaceKey,
    facts_of,
    map_of,
    series_task,
    side_of,
    trace_task,
)
from transforms.change.graph.ptransforms import without_spaces
from transforms.change.series.series_stage import SERIES, SeriesMade, SeriesTask
from transforms.change.series.trace_stage import TRACE, SeriesOptions, Traced, TraceTask
from transforms.change.spaces.alignment_stage import Aligned, AlignTask
from transforms.change.spaces.training import TrainedSpace
from transforms.change.view.slice_merges import SliceCounts
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.receipts import File

__all__ = ["CombineSeries", "TraceSeries"]


def _sides(
    element: tuple[SpaceKey, TrainedSpace],
    comparisons: Comparisons,
    first: int,
    slices: int,
    counts: dict[int, SliceCounts],
) -> Iterator[tuple[RunKey, Any]]:
    """Key each space of the first variant by the run of the series that it is of, if it is of one."""
    key, trained = element
    variant, place, _ = key
    if variant == 0 and place >= first:
        facts = facts_of(comparisons, place, counts)
        yield side_of(key, first, slices, facts, trained.part.file)


def _maps(
    element: tuple[PairSeed, tuple[AlignTask, Aligned]], comparisons: Comparisons, alignment: str
) -> Iterator[tuple[RunKey, tuple[int, int, File]]]:
    """Key each map of a pair of slices by the run of the series that it is of."""
    yield from map_of(comparisons, *element, alignment)


def _trace_task(element: tuple[RunKey, dict[str, Iterable[Any]]]) -> tuple[RunKey, TraceTask]:
    key, joined = element
    return key, trace_task(key, joined["sides"], joined.get("maps", ()))


def _counts_of(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


@dataclass
class TraceSeries(beam.PTransform):
    """Trace the words that all slices of a series share, for each seed, or for each null series.

    Attributes:
        first: the place of the first slice of the first series; slices before it are in no series.
        slices: how many slices a series has.
        ready: what `MergeSlices` yields; only the counts are used.
        maps: pairs of slices that are aligned already, as `AlignPairs` yields them, by name.
        frees: whether nothing needs the spaces once they are traced.
    """

    workspace: Workspace
    comparisons: Comparisons
    first: int
    slices: int
    options: SeriesOptions
    ready: beam.PCollection
    maps: Mapping[str, beam.PCollection]
    frees: bool = False

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, TrainedSpace]]
    ) -> beam.PCollection[tuple[RunKey, Traced]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.ready | "KeyCounts" >> beam.Map(_counts_of))
        sides = spaces | "KeySpaces" >> beam.FlatMap(_sides, self.comparisons, self.first, self.slices, counts=counts)
        maps = {
            name: aligned | "KeyMaps" >> beam.FlatMap(_maps, self.comparisons, self.options.alignment)
            for name, aligned in self.maps.items()
        }
        traced = (
            {"sides": sides, **maps}
            | "JoinByRun" >> beam.CoGroupByKey()
            | "MakeTraceTasks" >> beam.Map(_trace_task)
            | "TraceRun" >> beam.ParDo(MakeArtefact(self.workspace, TRACE, self.options, with_task=self.frees))
        )
        return traced | "FreeSpaces" >> beam.Map(without_spaces) if self.frees else traced


def _traced(element: tuple[RunKey, Traced]) -> tuple[int, Traced]:
    return 0, element[1]


def _series_task(
    element: tuple[int, dict[str, Iterable[Any]]], comparisons: Comparisons, counts: dict[int, SliceCounts]
) -> tuple[int, SeriesTask]:
    joined = element[1]
    nulls, deals = joined.get("nulls", ()), joined.get("deals", ())
    return 0, series_task(comparisons, counts, joined["seeds"], nulls, deals)


@dataclass
class CombineSeries(beam.PTransform):
    """Combine the seeds of a series, and weigh them against its null series, if any.

    Attributes:
        nulls: what null series traced, by name; none without them.
        deals: how they were dealt, by name.
        ready: what `MergeSlices` yields; only the counts are used.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: SeriesOptions
    nulls: Mapping[str, beam.PCollection]
    deals: Mapping[str, beam.PCollection]
    ready: beam.PCollection

    def expand(self, traced: beam.PCollection[tuple[RunKey, Traced]]) -> beam.PCollection[tuple[int, SeriesMade]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.ready | "KeyCounts" >> beam.Map(_counts_of))
        nulls = {name: traces | "GatherNulls" >> beam.Map(_traced) for name, traces in self.nulls.items()}
        return (
            {"seeds": traced | "GatherSeeds" >> beam.Map(_traced), **nulls, **self.deals}
            | "JoinAll" >> beam.CoGroupByKey()
            | "MakeTask" >> beam.Map(_series_task, self.comparisons, counts=counts)
            | "CombineSeries" >> beam.ParDo(MakeArtefact(self.workspace, SERIES, self.options))
        )
