"""Beam glue of null pairs.

    DealSlices    PCollection[PartView] -> deals: PCollection[(pair, Deal)],
                                           views: PCollection[(place, Viewed)],
                                           sizes: PCollection[(place, Sized)]
    ScoreNulls    PCollection[(place, Viewed)] -> PCollection[(pair, ScoredSeed)]

Places and pairs of `ScoreNulls`' input are those of `nulls.null_comparisons`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from transforms.change.aligning import AlignOptions
from transforms.change.comparisons import Comparisons
from transforms.change.dealing import (
    DEAL,
    DEALT,
    SIZES,
    Deal,
    DealOptions,
    DealTask,
    DealtTask,
    Sized,
    SizesTask,
)
from transforms.change.nulls import deal_task, dealt_tasks, null_comparisons, pair_of_null
from transforms.change.preparing import Viewed
from transforms.change.ptransforms import AlignPairs, ScoreSeeds, TrainSlices
from transforms.change.scoring import ScoredSeed, ScoreOptions
from transforms.change.sgns import SgnsOptions
from transforms.change.view_ptransforms import MergeSlices, PartView
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import MakeArtefact
from transforms.common.receipts import File
from transforms.common.tables import Part

__all__ = ["DealSlices", "ScoreNulls"]


class _Sizes(beam.DoFn):
    """Make the tasks of a part, one per slice that takes part in a pair."""

    def __init__(self, comparisons: Comparisons, documents: Mapping[str, Part]) -> None:
        self._comparisons = comparisons
        self._documents = documents

    def process(self, element: PartView) -> Iterator[tuple[int, SizesTask]]:
        part, views = element
        for place in sorted({place for pair in self._comparisons.pairs for place in pair}):
            yield place, SizesTask(views[place].sentences, self._documents[part])


class _ByPair(beam.DoFn):
    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(self, element: tuple[int, Sized]) -> Iterator[tuple[int, tuple[int, File]]]:
        own, sized = element
        for pair, sides in enumerate(self._comparisons.pairs):
            for side, place in enumerate(sides):
                if place == own:
                    yield pair, (side, sized.documents)


class _DealTask(beam.DoFn):
    def process(
        self, element: tuple[int, Iterable[tuple[int, File]]]
    ) -> Iterator[tuple[int, DealTask]]:
        pair, found = element
        yield pair, deal_task(found)


class _DealtTasks(beam.DoFn):
    """Make a part's tasks, all of a pair together, keyed by the places that they are of."""

    def __init__(self, comparisons: Comparisons, ranges: tuple[int, ...]) -> None:
        self._comparisons = comparisons
        self._ranges = ranges

    def process(
        self, element: PartView, deals: dict[int, Deal]
    ) -> Iterator[tuple[tuple[int, ...], list[DealtTask]]]:
        for pair, deal in sorted(deals.items()):
            found = dealt_tasks(self._comparisons, pair, deal, element[1], self._ranges)
            yield tuple(place for place, _ in found), [task for _, task in found]


class _EachPlace(beam.DoFn):
    def process(
        self, element: tuple[tuple[int, ...], list[Viewed]]
    ) -> Iterator[tuple[int, Viewed]]:
        yield from zip(*element, strict=True)


class Dealt(NamedTuple):
    """The deals of each pair, the views of the slices that they make, documents of real ones."""

    deals: beam.PCollection[tuple[int, Deal]]
    views: beam.PCollection[tuple[int, Viewed]]
    sizes: beam.PCollection[tuple[int, Sized]]


@dataclass
class DealSlices(beam.PTransform):
    """Deal the documents of every pair of slices out anew, several times.

    Attributes:
        documents: by the digest of a part of `sentences`, the part of `documents` beside it.
        ranges: into how many ranges each slice is cut.
    """

    workspace: Workspace
    comparisons: Comparisons
    documents: Mapping[str, Part]
    options: DealOptions
    ranges: tuple[int, ...]

    def expand(self, viewed: beam.PCollection[PartView]) -> Dealt:
        """Apply the transform."""
        sizes = (
            viewed
            | "MakeSizesTasks" >> beam.ParDo(_Sizes(self.comparisons, self.documents))
            | "SizeDocuments" >> beam.ParDo(MakeArtefact(self.workspace, SIZES, None))
        )
        deals = (
            sizes
            | "KeyByPair" >> beam.ParDo(_ByPair(self.comparisons))
            | "GroupByPair" >> beam.GroupByKey()
            | "MakeDealTasks" >> beam.ParDo(_DealTask())
            | "DealPair" >> beam.ParDo(MakeArtefact(self.workspace, DEAL, self.options))
        )
        views = (
            viewed
            | "MakeDealtTasks"
            >> beam.ParDo(
                _DealtTasks(self.comparisons, self.ranges), deals=beam.pvalue.AsDict(deals)
            )
            | "DealPart" >> beam.ParDo(MakeArtefact(self.workspace, DEALT, None))
            | "EachPlace" >> beam.ParDo(_EachPlace())
        )
        return Dealt(deals, views, sizes)


class _OfPair(beam.DoFn):
    """Key a null pair's scores by the pair that it is a null of."""

    def __init__(self, nulls: int) -> None:
        self._nulls = nulls

    def process(self, element: tuple[int, Any]) -> Iterator[tuple[int, Any]]:
        yield pair_of_null(element[0], self._nulls), element[1]


@dataclass
class ScoreNulls(beam.PTransform):
    """Train, align and score every null pair as a real one, with one seed."""

    workspace: Workspace
    comparisons: Comparisons
    nulls: int
    sgns: SgnsOptions
    align: AlignOptions
    score: ScoreOptions
    lanes: int

    def expand(
        self, views: beam.PCollection[tuple[int, Viewed]]
    ) -> beam.PCollection[tuple[int, ScoredSeed]]:
        """Apply the transform."""
        own = null_comparisons(self.comparisons, self.nulls)
        ready = views | "MergeSlices" >> MergeSlices(self.workspace)
        return (
            ready
            | "Train" >> TrainSlices(self.workspace, own, self.sgns, self.lanes)
            | "Align" >> AlignPairs(self.workspace, own, self.score.alignments, self.align, ready)
            | "Score" >> ScoreSeeds(self.workspace, self.score)
            | "KeyByPair" >> beam.ParDo(_OfPair(self.nulls))
        )
