"""Beam glue of the training view.

    DeriveView    PCollection[SentencePart] -> PCollection[receipt of derive_part]
    MergeSlices   PCollection[receipt of derive_part] -> PCollection[SliceReady]
    WriteText     PCollection[SliceReady] -> one text file per slice

Counter (namespace `change`): tokens.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from transforms.change.plan import SliceReady
from transforms.change.preparing import (
    SentencePart,
    StagedView,
    ViewPlan,
    derive_part,
    document_ids,
    limits_of,
    measure_part,
    merge_range,
    merge_slice,
)
from transforms.change.text import write_text
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import SpreadOverLanes

__all__ = ["DeriveView", "MergeSlices", "WriteText"]


class _Documents(beam.DoFn):
    def process(self, element: SentencePart) -> Iterator[tuple[str, str]]:
        for name in document_ids(element):
            yield name, element.sha256


class _Repeated(beam.DoFn):
    def process(self, element: tuple[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
        name, parts = element
        for part in sorted(parts)[1:]:
            yield part, name


class _Sorted(beam.DoFn):
    def process(self, element: tuple[str, Iterable[str]]) -> Iterator[tuple[str, list[str]]]:
        part, names = element
        yield part, sorted(names)


class _Measure(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: ViewPlan) -> None:
        self._workspace = workspace
        self._plan = plan

    def process(self, element: SentencePart, repeated: dict[str, list[str]]) -> Iterator[list[Any]]:
        left_out = repeated.get(element.sha256, [])
        yield measure_part(self._workspace, element, self._plan, left_out)


class _Limits(beam.DoFn):
    def __init__(self, budget: int | str) -> None:
        self._budget = budget

    def process(self, element: tuple[int, Iterable[list[Any]]]) -> Iterator[list[int]]:
        yield limits_of(list(element[1]), self._budget)


class _Derive(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: ViewPlan) -> None:
        self._workspace = workspace
        self._plan = plan

    def process(
        self,
        element: SentencePart,
        repeated: dict[str, list[str]],
        limits: list[int] | None = None,
    ) -> Iterator[dict[str, Any]]:
        left_out = repeated.get(element.sha256, [])
        yield derive_part(self._workspace, element, self._plan, limits, left_out)


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
    plan: ViewPlan
    budget: int | str | None
    lanes: int
    settle: bool

    def expand(self, parts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        spread = parts | "SpreadParts" >> SpreadOverLanes(
            weight=_rows, lanes=self.lanes, workspace=self.workspace, stage="view"
        )
        repeated = beam.pvalue.AsDict(self._repeated(parts))
        derive = _Derive(self.workspace, self.plan)
        if self.budget is None:
            return spread | "DerivePart" >> beam.ParDo(derive, repeated=repeated)
        limits = (
            spread
            | "MeasurePart" >> beam.ParDo(_Measure(self.workspace, self.plan), repeated=repeated)
            | "GatherMeasured" >> beam.WithKeys(0)
            | "GroupMeasured" >> beam.GroupByKey()
            | "FindLimits" >> beam.ParDo(_Limits(self.budget))
        )
        return spread | "DerivePart" >> beam.ParDo(
            derive, repeated=repeated, limits=beam.pvalue.AsSingleton(limits)
        )

    def _repeated(self, parts: beam.PCollection) -> beam.PCollection:
        """Return, by part, the documents that another corpus holds too."""
        if not self.settle:
            return parts.pipeline | "NoneRepeated" >> beam.Create([])
        return (
            parts
            | "ListDocuments" >> beam.ParDo(_Documents())
            | "GroupById" >> beam.GroupByKey()
            | "FindRepeated" >> beam.ParDo(_Repeated())
            | "GroupByPart" >> beam.GroupByKey()
            | "SortRepeated" >> beam.ParDo(_Sorted())
        )


class _BySlice(beam.DoFn):
    """Key what a slice's counts need, without the list of batches."""

    def __init__(self, slices: int) -> None:
        self._slices = slices

    def process(self, element: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        small = {name: element[name] for name in ("counts", "sizes", "totals")}
        for index in range(self._slices):
            yield index, small


class _MergeSlice(beam.DoFn):
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def process(
        self, element: tuple[int, Iterable[dict[str, Any]]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        index, receipts = element
        merged = merge_slice(self._workspace, index, list(receipts))
        Metrics.counter("change", "tokens").inc(merged["tokens"])
        yield index, merged


class _ByRange(beam.DoFn):
    def process(self, element: dict[str, Any]) -> Iterator[tuple[tuple[int, int], StagedView]]:
        for index, number, ordinal in element["batches"]:
            yield (index, number), StagedView(element["path"], ordinal)


class _MergeRange(beam.DoFn):
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def process(
        self, element: tuple[tuple[int, int], Iterable[StagedView]]
    ) -> Iterator[tuple[int, tuple[int, str]]]:
        (index, number), staged = element
        yield index, (number, merge_range(self._workspace, list(staged))["path"])


class _Ready(beam.DoFn):
    def process(self, element: tuple[int, dict[str, Iterable[Any]]]) -> Iterator[SliceReady]:
        index, found = element
        feed = tuple(path for _, path in sorted(found["ranges"]))
        for receipt in found["sizes"]:
            yield SliceReady(index, receipt, feed)


@dataclass
class MergeSlices(beam.PTransform):
    """Bring together each slice's counts and its sentences in the order of training."""

    workspace: Workspace
    slices: int

    def expand(self, receipts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        sizes = (
            receipts
            | "KeyBySlice" >> beam.ParDo(_BySlice(self.slices))
            | "GroupBySlice" >> beam.GroupByKey()
            | "MergeSlice" >> beam.ParDo(_MergeSlice(self.workspace))
        )
        ranges = (
            receipts
            | "KeyByRange" >> beam.ParDo(_ByRange())
            | "GroupByRange" >> beam.GroupByKey()
            | "MergeRange" >> beam.ParDo(_MergeRange(self.workspace))
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
    """Write the training view as text, one file per slice."""

    folder: str
    names: tuple[str, ...]

    def expand(self, ready: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return ready | "WriteSlice" >> beam.ParDo(_WriteText(self.folder, self.names))
