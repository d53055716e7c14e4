"""Beam glue of lexical semantic change; every step asks a pure function for an artefact.

DeriveView    PCollection[SentencePart] -> PCollection[receipt of derive_part]
MergeSlices   PCollection[receipt of derive_part] -> PCollection[SliceReady]
TrainSlices   PCollection[SliceReady] -> PCollection[receipt of train_space]
AlignPairs    PCollection[receipt of train_space] -> PCollection[(PairTask, alignments path)]
ScorePairs    PCollection[(PairTask, alignments path)] -> PCollection[receipt of combine_pair]
ListNeighbours  spaces and combined scores -> PCollection[receipt of find_neighbours]
WriteText     PCollection[SliceReady] -> one text file per slice
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics

from transforms.change.pairs import (
    PairTask,
    ScoreOptions,
    SliceFacts,
    align_pair,
    combine_pair,
    find_neighbours,
    score_seed,
)
from transforms.change.plan import PairPlan, SliceReady, facts_of, train_tasks, with_cut
from transforms.change.preparing import (
    SentencePart,
    StagedView,
    ViewPlan,
    derive_part,
    limits_of,
    measure_part,
    merge_range,
    merge_slice,
)
from transforms.change.sgns import SgnsOptions
from transforms.change.text import write_text
from transforms.change.training import TrainTask, train_space
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import SpreadOverLanes

__all__ = [
    "AlignPairs", "DeriveView", "ListNeighbours", "MergeSlices", "ScorePairs", "TrainSlices",
    "WriteText",
]  # fmt: skip


class _Measure(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: ViewPlan) -> None:
        self._workspace = workspace
        self._plan = plan

    def process(self, element: SentencePart) -> Iterator[list[Any]]:
        yield measure_part(self._workspace, element, self._plan)


class _Limits(beam.DoFn):
    def __init__(self, budget: int | None) -> None:
        self._budget = budget

    def process(self, element: tuple[int, Iterable[list[Any]]]) -> Iterator[list[int]]:
        yield limits_of(list(element[1]), self._budget)


class _Derive(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: ViewPlan) -> None:
        self._workspace = workspace
        self._plan = plan

    def process(
        self, element: SentencePart, limits: list[int] | None = None
    ) -> Iterator[dict[str, Any]]:
        yield derive_part(self._workspace, element, self._plan, limits)


def _rows(part: SentencePart) -> float:
    return part.rows


@dataclass
class DeriveView(beam.PTransform):
    """Derive the training view of every part of `sentences`.

    Attributes:
        budget: most tokens per slice, 0 for those of the smallest slice, None for all.
    """

    workspace: Workspace
    plan: ViewPlan
    budget: int | None
    lanes: int

    def expand(self, parts: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        spread = parts | "SpreadParts" >> SpreadOverLanes(
            weight=_rows, lanes=self.lanes, workspace=self.workspace, stage="view"
        )
        derive = _Derive(self.workspace, self.plan)
        if self.budget is None:
            return spread | "DerivePart" >> beam.ParDo(derive)
        limits = (
            spread
            | "MeasurePart" >> beam.ParDo(_Measure(self.workspace, self.plan))
            | "GatherMeasured" >> beam.WithKeys(0)
            | "GroupMeasured" >> beam.GroupByKey()
            | "FindLimits" >> beam.ParDo(_Limits(self.budget or None))
        )
        return spread | "DerivePart" >> beam.ParDo(derive, limits=beam.pvalue.AsSingleton(limits))


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


class _Tasks(beam.DoFn):
    def __init__(self, plan: PairPlan) -> None:
        self._plan = plan

    def process(self, element: SliceReady) -> Iterator[TrainTask]:
        yield from train_tasks(self._plan, element)


class _Train(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: PairPlan, options: SgnsOptions) -> None:
        self._workspace = workspace
        self._plan = plan
        self._options = options

    def process(self, element: TrainTask) -> Iterator[dict[str, Any]]:
        cut = self._plan.min_counts[element.place]
        yield train_space(self._workspace, element, with_cut(self._options, cut))


def _tokens(task: TrainTask) -> float:
    return task.tokens


@dataclass
class TrainSlices(beam.PTransform):
    """Train an embedding for every slice and seed, each as one element."""

    workspace: Workspace
    plan: PairPlan
    options: SgnsOptions
    lanes: int

    def expand(self, ready: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            ready
            | "MakeTasks" >> beam.ParDo(_Tasks(self.plan))
            | "SpreadTasks"
            >> SpreadOverLanes(
                weight=_tokens, lanes=self.lanes, workspace=self.workspace, stage="train"
            )
            | "TrainSpace" >> beam.ParDo(_Train(self.workspace, self.plan, self.options))
        )


class _Facts(beam.DoFn):
    """Key each space by the pairs and the seed that it takes part in."""

    def __init__(self, plan: PairPlan) -> None:
        self._plan = plan

    def process(
        self, element: dict[str, Any], slices: dict[int, dict[str, Any]]
    ) -> Iterator[tuple[tuple[int, int], tuple[int, SliceFacts, str]]]:
        facts = facts_of(self._plan, element["place"], slices)
        for pair, sides in enumerate(self._plan.pairs):
            for side, index in enumerate(sides):
                if index == element["place"]:
                    yield (pair, element["seed"]), (side, facts, element["part"][2])


class _Align(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: PairPlan, options: ScoreOptions) -> None:
        self._workspace = workspace
        self._plan = plan
        self._options = options

    def process(
        self, element: tuple[tuple[int, int], Iterable[tuple[int, SliceFacts, str]]]
    ) -> Iterator[tuple[PairTask, list[Any]]]:
        (pair, seed), found = element
        (_, earlier, first), (_, later, second) = sorted(found)
        part = pair * len(self._plan.seeds) + self._plan.seeds.index(seed)
        task = PairTask(pair, seed, part, (earlier, later), (first, second))
        yield task, align_pair(self._workspace, task, self._options)["part"]


def _index_of(ready: SliceReady) -> tuple[int, dict[str, Any]]:
    return ready.place, ready.receipt


@dataclass
class AlignPairs(beam.PTransform):
    """Align the two spaces of every pair of slices and seed, each as one element."""

    workspace: Workspace
    plan: PairPlan
    options: ScoreOptions
    slices: beam.PCollection

    def expand(self, spaces: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        sizes = beam.pvalue.AsDict(self.slices | "KeySizes" >> beam.Map(_index_of))
        return (
            spaces
            | "KeyByPair" >> beam.ParDo(_Facts(self.plan), slices=sizes)
            | "GroupByPair" >> beam.GroupByKey()
            | "AlignPair" >> beam.ParDo(_Align(self.workspace, self.plan, self.options))
        )


class _Score(beam.DoFn):
    def __init__(self, workspace: Workspace, options: ScoreOptions) -> None:
        self._workspace = workspace
        self._options = options

    def process(self, element: tuple[PairTask, list[Any]]) -> Iterator[tuple[int, str]]:
        task, part = element
        scored = score_seed(self._workspace, task, part[2], self._options)
        yield task.pair, scored["path"]


class _Combine(beam.DoFn):
    def __init__(self, workspace: Workspace, options: ScoreOptions) -> None:
        self._workspace = workspace
        self._options = options

    def process(self, element: tuple[int, Iterable[str]]) -> Iterator[dict[str, Any]]:
        pair, paths = element
        yield combine_pair(self._workspace, pair, list(paths), self._options)


@dataclass
class ScorePairs(beam.PTransform):
    """Score every pair and seed, then combine the seeds of each pair."""

    workspace: Workspace
    options: ScoreOptions

    def expand(self, aligned: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            aligned
            | "ScoreSeed" >> beam.ParDo(_Score(self.workspace, self.options))
            | "GroupSeeds" >> beam.GroupByKey()
            | "CombineSeeds" >> beam.ParDo(_Combine(self.workspace, self.options))
        )


class _Neighbours(beam.DoFn):
    def __init__(self, workspace: Workspace, plan: PairPlan, options: ScoreOptions) -> None:
        self._workspace = workspace
        self._plan = plan
        self._options = options

    def process(
        self,
        element: dict[str, Any],
        slices: dict[int, dict[str, Any]],
        combined: list[dict[str, Any]],
    ) -> Iterator[dict[str, Any]]:
        index, seed = element["place"], element["seed"]
        words = list(self._options.targets)
        for receipt in combined:
            if index in self._plan.pairs[receipt["pair"]]:
                for ranking in receipt["tops"]:
                    words.extend(ranking["words"])
        yield find_neighbours(
            self._workspace,
            facts_of(self._plan, index, slices),
            seed,
            element["part"][1],
            element["part"][2],
            words,
            self._options,
        )


@dataclass
class ListNeighbours(beam.PTransform):
    """Find the neighbours of targets and most changed words in every slice and seed."""

    workspace: Workspace
    plan: PairPlan
    options: ScoreOptions
    slices: beam.PCollection
    combined: beam.PCollection

    def expand(self, spaces: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        sizes = beam.pvalue.AsDict(self.slices | "KeySizes" >> beam.Map(_index_of))
        return spaces | "FindNeighbours" >> beam.ParDo(
            _Neighbours(self.workspace, self.plan, self.options),
            slices=sizes,
            combined=beam.pvalue.AsList(self.combined),
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
