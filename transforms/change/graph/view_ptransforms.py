"""Beam glue of the training view.

    DeriveView    PCollection[SentencePart] -> PCollection[PartView]
    EachSlice     a DoFn: PartView -> (place, Viewed)
    MergeSlices   PCollection[(place, Viewed)] -> PCollection[SliceReady]
    WriteText     PCollection[SliceReady] -> one text file per slice

Counter (namespace `change`): tokens.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from transforms.change.graph.comparisons import SliceReady
from transforms.change.spaces.text_files import write_text
from transforms.change.view.feeds import StagedView
from transforms.change.view.slice_merges import COUNT, SHUFFLE, PartCounts, Shuffled, SliceCounts
from transforms.change.view.view_stage import MEASURE, VIEW, Measured, Viewed, ViewSpec, ViewTask, limits_of
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.corpora.corpus import SentencePart
from transforms.corpora.ptransforms import FindRepeated

__all__ = ["DeriveView", "EachSlice", "MergeSlices", "PartView", "WriteText"]

PartView = tuple[str, list[Viewed]]  # a part of `sentences` by its digest, its view in every slice


class _Tasks(beam.DoFn):
    """Make the tasks of a part, one per slice."""

    def __init__(self, spec: ViewSpec) -> None:
        self._spec = spec

    def process(
        self, element: SentencePart, repeated: dict[str, list[str]], limits: list[int] | None = None
    ) -> Iterator[tuple[str, list[ViewTask]]]:
        left_out = tuple(repeated.get(element.sha256, ()))
        slices = self._spec.slices
        bins = limits if limits is not None else [None] * len(slices)
        yield (
            element.sha256,
            [
                ViewTask(element, slice, ranges, left_out, limit)
                for slice, ranges, limit in zip(slices, self._spec.ranges, bins, strict=True)
            ],
        )


class _Limits(beam.DoFn):
    def __init__(self, budget: int | str) -> None:
        self._budget = budget

    def process(self, element: tuple[int, Iterable[list[Measured]]]) -> Iterator[list[int]]:
        yield limits_of(list(element[1]), self._budget)


def _rows(part: SentencePart) -> float:
    return part.rows


@dataclass
class DeriveView(beam.PTransform):
    """Derive the training view of every part of `sentences`.

    Attributes:
        budget: most tokens per slice, `smallest` for those of the smallest slice, None for all.
        settle: whether documents may be in several parts, and are then to count once.
    """

    workspace: Workspace
    spec: ViewSpec
    budget: int | str | None
    lanes: int
    settle: bool

    def expand(self, parts: beam.PCollection[SentencePart]) -> beam.PCollection[PartView]:
        """Apply the transform."""
        spread = parts | "SpreadParts" >> SpreadOverLanes(
            weight=_rows, lanes=self.lanes, workspace=self.workspace, stage=VIEW.name, pieces=len(self.spec.slices)
        )
        found = parts | "FindRepeated" >> FindRepeated(self.settle)
        repeated = beam.pvalue.AsDict(found)
        limits = {}
        if self.budget is not None:
            measured = (
                spread
                | "MakeMeasureTasks" >> beam.ParDo(_Tasks(self.spec), repeated=repeated)
                | "MeasurePart" >> beam.ParDo(MakeArtefact(self.workspace, MEASURE, self.spec))
                | "TakeMeasured" >> beam.Values()
                | "GatherMeasured" >> beam.WithKeys(0)
                | "GroupMeasured" >> beam.GroupByKey()
                | "FindLimits" >> beam.ParDo(_Limits(self.budget))
            )
            limits["limits"] = beam.pvalue.AsSingleton(measured)
        return (
            spread
            | "MakeTasks" >> beam.ParDo(_Tasks(self.spec), repeated=repeated, **limits)
            | "DerivePart" >> beam.ParDo(MakeArtefact(self.workspace, VIEW, self.spec))
        )


class EachSlice(beam.DoFn):
    """Take a part's views apart, each with the place of its slice."""

    def process(self, element: PartView) -> Iterator[tuple[int, Viewed]]:
        """Yield place and view."""
        yield from enumerate(element[1])


class _BySlice(beam.DoFn):
    """Take what a slice's counts need, without the list of batches."""

    def process(self, element: tuple[int, Viewed]) -> Iterator[tuple[int, PartCounts]]:
        place, viewed = element
        yield (
            place,
            PartCounts(
                viewed.counts,
                viewed.documents,
                viewed.sentences_kept,
                viewed.tokens,
                viewed.largest_document,
                viewed.tokens_before,
                viewed.short,
                viewed.split,
                viewed.sampled_out,
            ),
        )


class _CountTask(beam.DoFn):
    def process(self, element: tuple[int, Iterable[PartCounts]]) -> Iterator[tuple[int, tuple[PartCounts, ...]]]:
        yield element[0], tuple(element[1])


class _CountTokens(beam.DoFn):
    def process(self, element: tuple[int, SliceCounts]) -> Iterator[tuple[int, SliceCounts]]:
        Metrics.counter("change", "tokens").inc(element[1].tokens)
        yield element


class _ByRange(beam.DoFn):
    def process(self, element: tuple[int, Viewed]) -> Iterator[tuple[tuple[int, int], StagedView]]:
        place, viewed = element
        for ordinal, number in enumerate(viewed.ranges):
            yield (place, number), StagedView(viewed.sentences, ordinal)


class _ShuffleTask(beam.DoFn):
    def process(
        self, element: tuple[tuple[int, int], Iterable[StagedView]]
    ) -> Iterator[tuple[tuple[int, int], tuple[StagedView, ...]]]:
        yield element[0], tuple(element[1])


def _by_slice(element: tuple[tuple[int, int], Shuffled]) -> tuple[int, tuple[int, Shuffled]]:
    (place, number), shuffled = element
    return place, (number, shuffled)


class _Ready(beam.DoFn):
    def process(self, element: tuple[int, dict[str, Iterable[Any]]]) -> Iterator[SliceReady]:
        place, found = element
        ranges = sorted(found["ranges"], key=_number)
        for counts in found["sizes"]:
            yield SliceReady(place, counts, tuple(shuffled.feed for _, shuffled in ranges))


def _number(entry: tuple[int, Shuffled]) -> int:
    return entry[0]


@dataclass
class MergeSlices(beam.PTransform):
    """Bring together each slice's counts and its sentences in the order of training."""

    workspace: Workspace

    def expand(self, viewed: beam.PCollection[tuple[int, Viewed]]) -> beam.PCollection[SliceReady]:
        """Apply the transform."""
        sizes = (
            viewed
            | "KeyBySlice" >> beam.ParDo(_BySlice())
            | "GroupBySlice" >> beam.GroupByKey()
            | "MakeCountTasks" >> beam.ParDo(_CountTask())
            | "MergeSlice" >> beam.ParDo(MakeArtefact(self.workspace, COUNT, None))
            | "CountTokens" >> beam.ParDo(_CountTokens())
        )
        ranges = (
            viewed
            | "KeyByRange" >> beam.ParDo(_ByRange())
            | "GroupByRange" >> beam.GroupByKey()
            | "MakeShuffleTasks" >> beam.ParDo(_ShuffleTask())
            | "MergeRange" >> beam.ParDo(MakeArtefact(self.workspace, SHUFFLE, None))
            | "KeyShuffledBySlice" >> beam.Map(_by_slice)
        )
        return (
            {"sizes": sizes, "ranges": ranges}
            | "JoinBySlice" >> beam.CoGroupByKey()
            | "MakeReady" >> beam.ParDo(_Ready())
        )


class _WriteText(beam.DoFn):
    def __init__(self, folder: str, names: tuple[str, ...]) -> None:
        self._folder = folder
        self._names = names

    def process(self, element: SliceReady) -> Iterator[str]:
        yield write_text(self._folder, self._names[element.place], element.feed)


@dataclass
class WriteText(beam.PTransform):
    """Write the training view as text, one file per slice; yields the files' paths."""

    folder: str
    names: tuple[str, ...]

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[str]:
        """Apply the transform."""
        return ready | "WriteSlice" >> beam.ParDo(_WriteText(self.folder, self.names))
