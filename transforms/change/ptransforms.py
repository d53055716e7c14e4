"""Beam glue of lexical semantic change; every step asks a pure function for an artefact.

What comes before training is in `view_ptransforms`.

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
from transforms.change.sgns import SgnsOptions
from transforms.change.training import TrainTask, train_space
from transforms.common.artefacts import Workspace
from transforms.common.ptransforms import SpreadOverLanes

__all__ = ["AlignPairs", "ListNeighbours", "ScorePairs", "TrainSlices"]


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
                    words.extend(ranking["words"][: self._options.neighbour_words])
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
