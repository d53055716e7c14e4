"""Beam glue of series of slices.

    TraceSeries     PCollection[(SpaceKey, Trained)] -> PCollection[(number, Traced)]
    DealSeries      PCollection[PartView], PCollection[(place, Sized)] -> deals and views
    TraceNulls      PCollection[(place, Viewed)] -> PCollection[(number, Traced)]
    CombineSeries   PCollection[(number, Traced)] -> PCollection[(0, SeriesMade)]

Places of null series are those of `nulls.null_series`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from transforms.change.aligning import Aligned, AlignTask
from transforms.change.comparisons import (
    Comparisons,
    PairSeed,
    SliceReady,
    SpaceKey,
    facts_of,
)
from transforms.change.dealing import (
    DEAL_SERIES,
    DEALT,
    DealOptions,
    DealtTask,
    SeriesDeal,
    SeriesDealTask,
    Sized,
)
from transforms.change.nulls import null_series, series_deal_task, series_dealt_tasks
from transforms.change.preparing import Viewed
from transforms.change.ptransforms import TrainSlices
from transforms.change.series_tables import SERIES, SeriesMade, SeriesTask
from transforms.change.series_tasks import RunKey, map_of, series_task, side_of, trace_task
from transforms.change.sgns import SgnsOptions
from transforms.change.slice_merges import SliceCounts
from transforms.change.tracing import TRACE, SeriesOptions, Traced, TraceTask
from transforms.change.training import Trained
from transforms.change.view_ptransforms import MergeSlices, PartView
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import MakeArtefact
from transforms.common.receipts import File

__all__ = ["CombineSeries", "DealSeries", "TraceNulls", "TraceSeries"]


class _Sides(beam.DoFn):
    """Key each space by the run of the series that it is of."""

    def __init__(self, comparisons: Comparisons, slices: int) -> None:
        self._comparisons = comparisons
        self._slices = slices

    def process(
        self, element: tuple[SpaceKey, Trained], counts: dict[int, SliceCounts]
    ) -> Iterator[tuple[RunKey, Any]]:
        key, trained = element
        facts = facts_of(self._comparisons, key[0], counts)
        yield side_of(key, self._slices, facts, trained.part.file)


class _Maps(beam.DoFn):
    """Key each map of a pair of slices by the run of the series that it is of."""

    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(
        self, element: tuple[PairSeed, tuple[AlignTask, Aligned]]
    ) -> Iterator[tuple[RunKey, tuple[int, int, File]]]:
        yield from map_of(self._comparisons, *element)


class _TraceTask(beam.DoFn):
    def process(
        self, element: tuple[RunKey, dict[str, Iterable[Any]]]
    ) -> Iterator[tuple[RunKey, TraceTask]]:
        key, found = element
        yield key, trace_task(key, found["sides"], found.get("maps", ()))


def _counts_of(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


@dataclass
class TraceSeries(beam.PTransform):
    """Trace the words that all slices of a series share, for each seed, or for each null series.

    Attributes:
        slices: how many slices a series has.
        ready: what `MergeSlices` yields; only the counts are used.
        maps: pairs of slices that are aligned already, as `AlignPairs` yields them, by name.
    """

    workspace: Workspace
    comparisons: Comparisons
    slices: int
    options: SeriesOptions
    ready: beam.PCollection
    maps: Mapping[str, beam.PCollection]

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, Trained]]
    ) -> beam.PCollection[tuple[RunKey, Traced]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.ready | "KeyCounts" >> beam.Map(_counts_of))
        sides = spaces | "KeySpaces" >> beam.ParDo(
            _Sides(self.comparisons, self.slices), counts=counts
        )
        maps = {
            name: aligned | "KeyMaps" >> beam.ParDo(_Maps(self.comparisons))
            for name, aligned in self.maps.items()
        }
        return (
            {"sides": sides, **maps}
            | "JoinByRun" >> beam.CoGroupByKey()
            | "MakeTraceTasks" >> beam.ParDo(_TraceTask())
            | "TraceRun" >> beam.ParDo(MakeArtefact(self.workspace, TRACE, self.options))
        )


class _OfPlace(beam.DoFn):
    def process(self, element: tuple[int, Sized]) -> Iterator[tuple[int, tuple[int, File]]]:
        place, sized = element
        yield 0, (place, sized.documents)


class _DealTask(beam.DoFn):
    def __init__(self, slices: int) -> None:
        self._slices = slices

    def process(
        self, element: tuple[int, Iterable[tuple[int, File]]]
    ) -> Iterator[tuple[int, SeriesDealTask]]:
        yield 0, series_deal_task(self._slices, element[1])


class _DealtTasks(beam.DoFn):
    """Make a part's tasks, all of them together, keyed by the places that they are of."""

    def __init__(self, ranges: tuple[int, ...]) -> None:
        self._ranges = ranges

    def process(
        self, element: PartView, deals: dict[int, SeriesDeal]
    ) -> Iterator[tuple[tuple[int, ...], list[DealtTask]]]:
        for deal in deals.values():
            found = series_dealt_tasks(deal, element[1], self._ranges)
            yield tuple(place for place, _ in found), [task for _, task in found]


class _EachPlace(beam.DoFn):
    def process(
        self, element: tuple[tuple[int, ...], list[Viewed]]
    ) -> Iterator[tuple[int, Viewed]]:
        yield from zip(*element, strict=True)


class DealtSeries(NamedTuple):
    """The deal of a series, and the views of the slices that it makes."""

    deals: beam.PCollection[tuple[int, SeriesDeal]]
    views: beam.PCollection[tuple[int, Viewed]]


@dataclass
class DealSeries(beam.PTransform):
    """Deal the documents of all slices out anew, several times.

    Attributes:
        ranges: into how many ranges each slice is cut.
        sizes: the documents of each part and slice, as `DealSlices` yields them.
    """

    workspace: Workspace
    options: DealOptions
    ranges: tuple[int, ...]
    sizes: beam.PCollection

    def expand(self, viewed: beam.PCollection[PartView]) -> DealtSeries:
        """Apply the transform."""
        deals = (
            self.sizes
            | "KeyAll" >> beam.ParDo(_OfPlace())
            | "GroupAll" >> beam.GroupByKey()
            | "MakeDealTask" >> beam.ParDo(_DealTask(len(self.ranges)))
            | "DealAll" >> beam.ParDo(MakeArtefact(self.workspace, DEAL_SERIES, self.options))
        )
        views = (
            viewed
            | "MakeDealtTasks"
            >> beam.ParDo(_DealtTasks(self.ranges), deals=beam.pvalue.AsDict(deals))
            | "DealPart" >> beam.ParDo(MakeArtefact(self.workspace, DEALT, None))
            | "EachPlace" >> beam.ParDo(_EachPlace())
        )
        return DealtSeries(deals, views)


@dataclass
class TraceNulls(beam.PTransform):
    """Train and trace every null series as the real one, with one seed."""

    workspace: Workspace
    comparisons: Comparisons
    nulls: int
    sgns: SgnsOptions
    options: SeriesOptions
    lanes: int

    def expand(
        self, views: beam.PCollection[tuple[int, Viewed]]
    ) -> beam.PCollection[tuple[RunKey, Traced]]:
        """Apply the transform."""
        own = null_series(self.comparisons, self.nulls)
        slices = len(self.comparisons.names)
        ready = views | "MergeSlices" >> MergeSlices(self.workspace)
        return (
            ready
            | "Train" >> TrainSlices(self.workspace, own, self.sgns, self.lanes)
            | "Trace" >> TraceSeries(self.workspace, own, slices, self.options, ready, {})
        )


def _traced(element: tuple[RunKey, Traced]) -> tuple[int, Traced]:
    return 0, element[1]


class _SeriesTask(beam.DoFn):
    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(
        self, element: tuple[int, dict[str, Iterable[Any]]], counts: dict[int, SliceCounts]
    ) -> Iterator[tuple[int, SeriesTask]]:
        found = element[1]
        nulls, deals = found.get("nulls", ()), found.get("deals", ())
        yield 0, series_task(self._comparisons, counts, found["seeds"], nulls, deals)


@dataclass
class CombineSeries(beam.PTransform):
    """Combine the seeds of a series, and weigh them against its null series where there are any.

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

    def expand(
        self, traced: beam.PCollection[tuple[RunKey, Traced]]
    ) -> beam.PCollection[tuple[int, SeriesMade]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.ready | "KeyCounts" >> beam.Map(_counts_of))
        nulls = {
            name: found | "GatherNulls" >> beam.Map(_traced) for name, found in self.nulls.items()
        }
        return (
            {"seeds": traced | "GatherSeeds" >> beam.Map(_traced), **nulls, **self.deals}
            | "JoinAll" >> beam.CoGroupByKey()
            | "MakeTask" >> beam.ParDo(_SeriesTask(self.comparisons), counts=counts)
            | "CombineSeries" >> beam.ParDo(MakeArtefact(self.workspace, SERIES, self.options))
        )
