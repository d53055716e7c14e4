"""Beam glue of nulls: documents dealt out anew, trained on and scored.

    DealSlices   PCollection[PartView] -> PCollection[(group, Deal)]
    CountDeals   PCollection[PartView] -> PCollection[SliceReady]
    of_groups    (group, T) -> (group, T) of some groups, from 0
    ScoreNulls   PCollection[(SpaceKey, Trained)] -> PCollection[(pair, ScoredSeed)]

Groups are those of `null_pairs.groups_of`; places of null slices those of `null_pairs.null_slices`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.change.graph.comparisons import Comparisons, SliceReady, SpaceKey, facts_of
from transforms.change.graph.null_pairs import Groups, deal_task, dealt_tasks, null_ready
from transforms.change.graph.pair_tasks import PairSide, PairSpaces, null_sides
from transforms.change.graph.ptransforms import AlignPairs, ScoreSeeds
from transforms.change.graph.view_ptransforms import MergeCounts, PartView
from transforms.change.nulls.deal_stages import (
    DEAL,
    DEALT,
    SIZES,
    Deal,
    DealOptions,
    Dealt,
    DealTask,
    DealtTask,
    Sized,
    SizesTask,
)
from transforms.change.scores.score_stage import ChangeScoreOptions, ScoredSeed
from transforms.change.spaces.alignment_stage import AlignOptions
from transforms.change.spaces.training import TrainedSpace
from transforms.change.view.slice_merges import PartCounts, SliceCounts
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.receipts import File
from transforms.common.store.tables import Part

__all__ = ["CountDeals", "DealSlices", "RealSides", "ScoreNulls", "of_groups"]


def _sizes(
    element: PartView, groups: Groups, documents: Mapping[str, Part], sentences: bool
) -> Iterator[tuple[int, SizesTask]]:
    """Make the tasks of a part, one per slice that is in a group."""
    part, views = element
    for place in sorted({place for group in groups for place in group}):
        yield place, SizesTask(views[place].sentences, documents[part], sentences)


def _by_group(element: tuple[int, Sized], groups: Groups) -> Iterator[tuple[int, tuple[int, Sized]]]:
    """Key what is in a slice by each group that it is in, with its place there."""
    place, sized = element
    for group, places in enumerate(groups):
        if place in places:
            yield group, (places.index(place), sized)


def _deal_task(element: tuple[int, Iterable[tuple[int, Sized]]], groups: Groups) -> tuple[int, DealTask]:
    group, sized = element
    return group, deal_task(len(groups[group]), sized)


def _dealt_tasks(element: PartView, groups: Groups, deals: dict[int, Deal]) -> Iterator[tuple[int, DealtTask]]:
    """Make a part's tasks, keyed by the null slices that they are of."""
    for group, deal in sorted(deals.items()):
        yield from dealt_tasks(groups, group, deal, element[1])


def _part_counts(element: tuple[int, Dealt]) -> tuple[int, PartCounts]:
    place, dealt = element
    return place, PartCounts(
        dealt.counts, dealt.documents, dealt.sentence_count, dealt.tokens, dealt.largest_document, 0, 0, 0, 0, 0
    )


def _counts_of(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


def _feeds_of(ready: SliceReady) -> tuple[int, tuple[File, ...]]:
    (feed,) = ready.feeds
    return ready.place, feed


def _ready(
    element: tuple[int, SliceCounts], groups: Groups, deals: dict[int, Deal], feeds: dict[int, tuple[File, ...]]
) -> SliceReady:
    return null_ready(groups, *element, deals, feeds)


@dataclass
class DealSlices(beam.PTransform):
    """Compare the documents of every pair of slices, and deal those of every group out anew, as often as is asked.

    Attributes:
        documents: by the digest of a part of `sentences`, the part of `documents` beside it.
    """

    workspace: Workspace
    groups: Groups
    documents: Mapping[str, Part]
    options: DealOptions

    def expand(self, viewed: beam.PCollection[PartView]) -> beam.PCollection[tuple[int, Deal]]:
        """Apply the transform."""
        return (
            viewed
            | "MakeSizesTasks" >> beam.FlatMap(_sizes, self.groups, self.documents, self.options.sentences)
            | "SizeDocuments" >> beam.ParDo(MakeArtefact(self.workspace, SIZES, None))
            | "KeyByGroup" >> beam.FlatMap(_by_group, self.groups)
            | "GroupByGroup" >> beam.GroupByKey()
            | "MakeDealTasks" >> beam.Map(_deal_task, self.groups)
            | "DealGroup" >> beam.ParDo(MakeArtefact(self.workspace, DEAL, self.options))
        )


@dataclass
class CountDeals(beam.PTransform):
    """Count the slices that deals make, and bring together what they are trained from.

    Attributes:
        parts: how many views there are of each slice.
        deals: what `DealSlices` yields.
        ready: the real slices, whose files of sentences the null ones read.
    """

    workspace: Workspace
    groups: Groups
    parts: int
    deals: beam.PCollection
    ready: beam.PCollection

    def expand(self, viewed: beam.PCollection[PartView]) -> beam.PCollection[SliceReady]:
        """Apply the transform."""
        deals = beam.pvalue.AsDict(self.deals)
        feeds = beam.pvalue.AsDict(self.ready | "Feeds" >> beam.Map(_feeds_of))
        return (
            viewed
            | "MakeDealtTasks" >> beam.FlatMap(_dealt_tasks, self.groups, deals=deals)
            | "CountPart" >> beam.ParDo(MakeArtefact(self.workspace, DEALT, None))
            | "PartCounts" >> beam.Map(_part_counts)
            | "Counts" >> MergeCounts(self.workspace, self.parts)
            | "MakeReady" >> beam.Map(_ready, self.groups, deals=deals, feeds=feeds)
        )


def of_groups(element: tuple[int, Any], groups: range) -> Iterator[tuple[int, Any]]:
    """Keep the values of some groups, numbered from 0."""
    group, value = element
    if group in groups:
        yield groups.index(group), value


def _of_pair(element: tuple[int, Any], nulls: int) -> tuple[int, Any]:
    """Key a null pair's scores by the pair that it is a null of."""
    null, scored = element
    return null // nulls, scored


def _real_sides(
    element: tuple[SpaceKey, TrainedSpace], comparisons: Comparisons, real: Comparisons, slices: dict[int, SliceCounts]
) -> Iterator[tuple[PairSpaces, PairSide]]:
    key, trained = element
    yield from null_sides(comparisons, key, facts_of(real, key[1], slices), trained.part.file)


@dataclass
class RealSides(beam.PTransform):
    """Key real spaces by the null pairs whose slices are mapped over them.

    Attributes:
        comparisons: the null slices and pairs.
        real: the real ones.
        ready: the real slices; only the counts are used.
    """

    comparisons: Comparisons
    real: Comparisons
    ready: beam.PCollection

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, TrainedSpace]]
    ) -> beam.PCollection[tuple[PairSpaces, PairSide]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.ready | "KeyCounts" >> beam.Map(_counts_of))
        return spaces | "KeyByNull" >> beam.FlatMap(_real_sides, self.comparisons, self.real, slices=counts)


@dataclass
class ScoreNulls(beam.PTransform):
    """Align and score every null pair as a real one.

    Attributes:
        comparisons: the null slices and pairs.
        nulls: null pairs of each pair.
        ready: what `CountDeals` yields; only the counts are used.
        frees: whether the null spaces are freed once they are scored.
        others: what `RealSides` yields, by name; none without a common frame.
    """

    workspace: Workspace
    comparisons: Comparisons
    nulls: int
    align: AlignOptions
    score: ChangeScoreOptions
    ready: beam.PCollection
    frees: bool
    others: Mapping[str, beam.PCollection]

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, TrainedSpace]]
    ) -> beam.PCollection[tuple[int, ScoredSeed]]:
        """Apply the transform."""
        return (
            spaces
            | "Align" >> AlignPairs(self.workspace, self.comparisons, self.align, self.ready, self.others)
            | "Score" >> ScoreSeeds(self.workspace, self.comparisons, self.score, self.frees)
            | "KeyByPair" >> beam.Map(_of_pair, self.nulls)
        )
