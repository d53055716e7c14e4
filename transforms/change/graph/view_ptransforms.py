"""Beam glue of the training view.

    DeriveView    PCollection[SentencePart] -> PCollection[PartView]
    each_slice    PartView -> (place, Viewed) of every slice
    MergeCounts   PCollection[(place, PartCounts)] -> PCollection[(place, SliceCounts)]
    MergeSlices   PCollection[(place, Viewed)] -> PCollection[SliceReady]
    WriteText     PCollection[SliceReady] -> one text file per slice

Counter (namespace `change`): tokens.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from lexbeam.transforms.change.graph.comparisons import PartView, SliceReady
from lexbeam.transforms.change.view.feeds import StagedView, write_text
from lexbeam.transforms.change.view.slice_merges import COUNT, SHUFFLE, PartCounts, Shuffled, SliceCounts, count_groups
from lexbeam.transforms.change.view.view_stage import (
    MEASURE,
    VIEW,
    MeasuredTokens,
    Viewed,
    ViewSpec,
    ViewTask,
    limits_of,
)
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import By, Each, SpreadOverLanes
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.corpora.ptransforms import FindRepeated


def _view_tasks(
    element: SentencePart, spec: ViewSpec, repeated: dict[str, list[str]], limits: list[int] | None = None
) -> Iterator[tuple[str, list[ViewTask]]]:
    """Yield the tasks of a part, one per slice."""
    left_out = tuple(repeated.get(element.sha256, ()))
    slices = spec.slices
    bins = limits if limits is not None else [None] * len(slices)
    yield (
        element.sha256,
        [
            ViewTask(element, slice, ranges, left_out, limit)
            for slice, ranges, limit in zip(slices, spec.ranges, bins, strict=True)
        ],
    )


def _limits(element: tuple[int, Iterable[list[MeasuredTokens]]], budget: int | str) -> list[int]:
    return limits_of(list(element[1]), budget)


def _rows(part: SentencePart) -> float:
    return part.rows


@dataclass
class DeriveView(beam.PTransform):
    """Derive the training view of every part of `sentences`.

    Attributes:
        budget: most tokens per slice, `smallest` for those of the smallest slice, None for all.
        several: whether there are several corpora, whose common documents count once.
    """

    workspace: Workspace
    spec: ViewSpec
    budget: int | str | None
    lanes: int
    several: bool

    def expand(self, parts: beam.PCollection[SentencePart]) -> beam.PCollection[PartView]:
        """Measure slices, if a budget is to be kept, and derive the views."""
        spread = parts | "SpreadParts" >> SpreadOverLanes(
            weight=_rows, lanes=self.lanes, workspace=self.workspace, stage=VIEW.name, pieces=len(self.spec.slices)
        )
        copies = parts | "FindRepeated" >> FindRepeated(self.several)
        of_parts: dict[str, Any] = {"spec": self.spec, "repeated": beam.pvalue.AsDict(copies)}
        if self.budget is not None:
            measured = (
                spread
                | "Measure" >> Each(self.workspace, MEASURE.with_options(self.spec), _view_tasks, dict(of_parts))
                | "TakeMeasured" >> beam.Values()
                | "GatherMeasured" >> beam.WithKeys(0)
                | "GroupMeasured" >> beam.GroupByKey()
                | "FindLimits" >> beam.Map(_limits, self.budget)
            )
            of_parts["limits"] = beam.pvalue.AsSingleton(measured)
        return spread | "Derive" >> Each(self.workspace, VIEW.with_options(self.spec), _view_tasks, of_parts)


def each_slice(element: PartView) -> Iterator[tuple[int, Viewed]]:
    """Take a part's views apart, each with the place of its slice."""
    yield from enumerate(element[1])


def _part_counts(element: tuple[int, Viewed]) -> tuple[int, PartCounts]:
    """Take what a slice's counts need, without the list of batches."""
    place, viewed = element
    return (
        place,
        PartCounts(
            viewed.counts,
            viewed.documents,
            viewed.sentence_count,
            viewed.tokens,
            viewed.largest_document,
            viewed.tokens_before,
            viewed.short,
            viewed.short_tokens,
            viewed.split,
            viewed.sampled_out,
        ),
    )


def _of_all(key: Any, values: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield the task that is all values of a key."""
    yield key, values


def _into_group(element: tuple[int, PartCounts], groups: int) -> tuple[tuple[int, int], PartCounts]:
    # By content, so that a part that changes has its own group summed again.
    return (element[0], hash_of(element[1].counts.sha256) % groups), element[1]


def _of_group(element: tuple[tuple[int, int], SliceCounts]) -> tuple[int, PartCounts]:
    (place, _), counts = element
    return place, PartCounts(*(getattr(counts, name) for name in PartCounts._fields))


def _by_range(element: tuple[int, Viewed]) -> Iterator[tuple[tuple[int, int], StagedView]]:
    place, viewed = element
    for ordinal, number in enumerate(viewed.ranges):
        yield (place, number), StagedView(viewed.sentences, ordinal)


def _shuffled_by_slice(element: tuple[tuple[int, int], Shuffled]) -> tuple[int, tuple[int, Shuffled]]:
    (place, number), shuffled = element
    return place, (number, shuffled)


def _ready(element: tuple[int, dict[str, Iterable[Any]]]) -> Iterator[SliceReady]:
    place, joined = element
    ranges = sorted(joined["ranges"], key=_number)
    for counts in joined["sizes"]:
        yield SliceReady(place, counts, (tuple(shuffled.feed for _, shuffled in ranges),))


def _number(entry: tuple[int, Shuffled]) -> int:
    return entry[0]


@dataclass
class MergeCounts(beam.PTransform):
    """Sum the counts of each slice's parts.

    Attributes:
        workspace: where artefacts lie.
        parts: how many parts there are of each slice; the counts of many are summed in groups first.
    """

    workspace: Workspace
    parts: int

    def expand(self, counts: beam.PCollection[tuple[int, PartCounts]]) -> beam.PCollection[tuple[int, SliceCounts]]:
        """Sum groups of parts, and the sums."""
        if groups := count_groups(self.parts):
            counts = (
                counts
                | "IntoGroups" >> beam.Map(_into_group, groups)
                | "MergeGroups" >> By(self.workspace, COUNT.with_options(None), _of_all)
                | "OfGroups" >> beam.Map(_of_group)
            )
        return counts | "MergeSlices" >> By(self.workspace, COUNT.with_options(None), _of_all)


@dataclass
class MergeSlices(beam.PTransform):
    """Bring together each slice's counts and its sentences in the order of training.

    Attributes:
        workspace: where artefacts lie.
        parts: how many views there are of each slice; the counts of many are summed in groups first.
    """

    workspace: Workspace
    parts: int

    def expand(self, viewed: beam.PCollection[tuple[int, Viewed]]) -> beam.PCollection[SliceReady]:
        """Merge counts and ranges, and join them."""
        sizes = viewed | "KeyBySlice" >> beam.Map(_part_counts) | "Counts" >> MergeCounts(self.workspace, self.parts)
        ranges = (
            viewed
            | "KeyByRange" >> beam.FlatMap(_by_range)
            | "Shuffle" >> By(self.workspace, SHUFFLE.with_options(None), _of_all)
            | "KeyShuffledBySlice" >> beam.Map(_shuffled_by_slice)
        )
        return (
            {"sizes": sizes, "ranges": ranges}
            | "JoinBySlice" >> beam.CoGroupByKey()
            | "MakeReady" >> beam.FlatMap(_ready)
        )


def _write_text(element: SliceReady, folder: str, names: tuple[str, ...]) -> str:
    return write_text(folder, names[element.place], *element.feeds)


@dataclass
class WriteText(beam.PTransform):
    """Write the training view as text, one file per slice; yields the files' paths."""

    folder: str
    names: tuple[str, ...]

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[str]:
        """Write each slice."""
        return ready | "WriteSlice" >> beam.Map(_write_text, self.folder, self.names)
