"""Beam glue of lexical semantic change, from training on; `view_ptransforms` has what comes before.

TrainSlices     PCollection[SliceReady] -> PCollection[(SpaceKey, Trained)]
AlignPairs      PCollection[(SpaceKey, Trained)] -> PCollection[(PairSeed, (AlignTask, Aligned))]
ScoreSeeds      PCollection[(PairSeed, (AlignTask, Aligned))] -> PCollection[(pair, ScoredSeed)]
CombineSeeds    PCollection[(pair, ScoredSeed)] -> PCollection[(pair, Combined)]
SummarisePairs  PCollection[(pair, Combined)] -> PCollection[(pair, Listed)]
ListNeighbours  PCollection[(SpaceKey, Trained)] -> PCollection[(SpaceKey, Listed)]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.change.graph.comparisons import (
    Comparisons,
    PairSeed,
    SliceReady,
    SpaceKey,
    align_tasks,
    combine_task,
    counts_of,
    facts_of,
    neighbour_task,
    train_tasks,
)
from transforms.change.scores.score_stages import (
    COMBINE,
    SCORE,
    Combined,
    CombineTask,
    ScoredSeed,
    ScoreOptions,
    ScoreTask,
    cosine_alignments,
)
from transforms.change.scores.summary_stage import SUMMARISE, SummaryTask
from transforms.change.spaces.alignment_stage import ALIGN, Aligned, AlignOptions, AlignTask, SliceFacts
from transforms.change.spaces.neighbour_stage import NEIGHBOURS, Listed, NeighbourOptions, NeighbourTask
from transforms.change.spaces.training import TRAIN, Trained, TrainTask
from transforms.change.view.slice_merges import SliceCounts
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.common.store.receipts import File
from transforms.embeddings.sgns import SgnsOptions

__all__ = ["AlignPairs", "CombineSeeds", "ListNeighbours", "ScoreSeeds", "SummarisePairs", "TrainSlices"]


class _Tasks(beam.DoFn):
    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(self, element: SliceReady) -> Iterator[tuple[SpaceKey, TrainTask]]:
        yield from train_tasks(self._comparisons, element)


def _tokens(task: tuple[SpaceKey, TrainTask]) -> float:
    return task[1].tokens


@dataclass
class TrainSlices(beam.PTransform):
    """Train an embedding for every slice and seed, each as one element, balanced by tokens."""

    workspace: Workspace
    comparisons: Comparisons
    options: SgnsOptions
    lanes: int

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, Trained]]:
        """Apply the transform."""
        return (
            ready
            | "MakeTasks" >> beam.ParDo(_Tasks(self.comparisons))
            | "SpreadTasks"
            >> SpreadOverLanes(
                # Null slices are trained elsewhere in the graph: the plan knows how many in all.
                weight=_tokens,
                lanes=self.lanes,
                workspace=self.workspace,
                stage="",
            )
            | "TrainSpace" >> beam.ParDo(MakeArtefact(self.workspace, TRAIN, self.options))
        )


_Side = tuple[int, SliceFacts, File]


class _Sides(beam.DoFn):
    """Key each space by the pairs and the seed that it takes part in."""

    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(
        self, element: tuple[SpaceKey, Trained], slices: dict[int, SliceCounts]
    ) -> Iterator[tuple[PairSeed, _Side]]:
        (own, seed), trained = element
        facts = facts_of(self._comparisons, own, slices)
        for pair, sides in enumerate(self._comparisons.pairs):
            for side, place in enumerate(sides):
                if place == own:
                    yield (pair, seed), (side, facts, trained.part.file)


class _AlignTasks(beam.DoFn):
    def __init__(self, alignments: tuple[str, ...]) -> None:
        self._alignments = alignments

    def process(
        self, element: tuple[PairSeed, Iterable[_Side]]
    ) -> Iterator[tuple[tuple[PairSeed, AlignTask], AlignTask]]:
        key, found = element
        sides = [(facts, file) for _, facts, file in sorted(found)]
        for task in align_tasks(sides, key[1], self._alignments):
            yield (key, task), task


def _index_of(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


def _with_task(element: tuple[tuple[PairSeed, AlignTask], Aligned]) -> tuple[PairSeed, tuple[AlignTask, Aligned]]:
    (key, task), aligned = element
    return key, (task, aligned)


@dataclass
class AlignPairs(beam.PTransform):
    """Fit every alignment to the two spaces of every pair of slices and seed.

    Attributes:
        alignments: their names.
        slices: what `MergeSlices` yields; only the counts are used.
    """

    workspace: Workspace
    comparisons: Comparisons
    alignments: tuple[str, ...]
    options: AlignOptions
    slices: beam.PCollection

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, Trained]]
    ) -> beam.PCollection[tuple[PairSeed, tuple[AlignTask, Aligned]]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.slices | "KeyCounts" >> beam.Map(_index_of))
        return (
            spaces
            | "KeyByPair" >> beam.ParDo(_Sides(self.comparisons), slices=counts)
            | "GroupByPair" >> beam.GroupByKey()
            | "MakeTasks" >> beam.ParDo(_AlignTasks(self.alignments))
            | "AlignPair" >> beam.ParDo(MakeArtefact(self.workspace, ALIGN, self.options))
            | "KeepTask" >> beam.Map(_with_task)
        )


class _ScoreTasks(beam.DoFn):
    def process(self, element: tuple[PairSeed, Iterable[tuple[AlignTask, Aligned]]]) -> Iterator[tuple[int, ScoreTask]]:
        (pair, _), found = element
        fitted = list(found)
        task = fitted[0][0]
        maps = {task.alignment: None if task.alignment == "none" else aligned.part.file for task, aligned in fitted}
        yield pair, ScoreTask(task.slices, task.spaces, task.seed, maps)


@dataclass
class ScoreSeeds(beam.PTransform):
    """Score every pair and seed."""

    workspace: Workspace
    options: ScoreOptions

    def expand(
        self, aligned: beam.PCollection[tuple[PairSeed, tuple[AlignTask, Aligned]]]
    ) -> beam.PCollection[tuple[int, ScoredSeed]]:
        """Apply the transform."""
        return (
            aligned
            | "GroupAlignments" >> beam.GroupByKey()
            | "MakeTasks" >> beam.ParDo(_ScoreTasks())
            | "ScoreSeed" >> beam.ParDo(MakeArtefact(self.workspace, SCORE, self.options))
        )


class _CombineTasks(beam.DoFn):
    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(
        self, element: tuple[int, dict[str, Iterable[Any]]], slices: dict[int, SliceCounts]
    ) -> Iterator[tuple[int, CombineTask]]:
        pair, found = element
        counts = counts_of(self._comparisons, pair, slices)
        nulls, deals = found.get("nulls", ()), found.get("deals", ())
        yield pair, combine_task(found["seeds"], counts, nulls, deals)


@dataclass
class CombineSeeds(beam.PTransform):
    """Combine the seeds of every pair, and weigh them against its null pairs where there are any.

    Attributes:
        nulls: what null pairs scored, and how they were dealt: `nulls` and `deals`, by pair.
        slices: what `MergeSlices` yields; only the counts are used.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: ScoreOptions
    nulls: Mapping[str, beam.PCollection]
    slices: beam.PCollection

    def expand(self, scored: beam.PCollection[tuple[int, ScoredSeed]]) -> beam.PCollection[tuple[int, Combined]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.slices | "KeyCounts" >> beam.Map(_index_of))
        return (
            {"seeds": scored, **self.nulls}
            | "JoinByPair" >> beam.CoGroupByKey()
            | "MakeCombineTasks" >> beam.ParDo(_CombineTasks(self.comparisons), slices=counts)
            | "CombineSeeds" >> beam.ParDo(MakeArtefact(self.workspace, COMBINE, self.options))
        )


class _SummaryTasks(beam.DoFn):
    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons

    def process(
        self, element: tuple[int, Combined], slices: dict[int, SliceCounts]
    ) -> Iterator[tuple[int, SummaryTask]]:
        pair, combined = element
        counts = counts_of(self._comparisons, pair, slices)
        yield pair, SummaryTask(combined.part.file, counts)


@dataclass
class SummarisePairs(beam.PTransform):
    """Bring together all that is known of the words of every pair.

    Attributes:
        slices: what `MergeSlices` yields; only the counts are used.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: ScoreOptions
    slices: beam.PCollection

    def expand(self, combined: beam.PCollection[tuple[int, Combined]]) -> beam.PCollection[tuple[int, Listed]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.slices | "KeyCounts" >> beam.Map(_index_of))
        return (
            combined
            | "MakeTasks" >> beam.ParDo(_SummaryTasks(self.comparisons), slices=counts)
            | "SummarisePair" >> beam.ParDo(MakeArtefact(self.workspace, SUMMARISE, cosine_alignments(self.options)))
        )


class _NeighbourTasks(beam.DoFn):
    def __init__(self, comparisons: Comparisons, options: ScoreOptions) -> None:
        self._comparisons = comparisons
        self._options = options

    def process(
        self, element: tuple[SpaceKey, Trained], combined: dict[int, Combined]
    ) -> Iterator[tuple[SpaceKey, NeighbourTask]]:
        key, trained = element
        yield (
            key,
            neighbour_task(
                self._comparisons,
                key,
                trained.part.file,
                combined,
                targets=self._options.targets,
                most=self._options.neighbour_words,
            ),
        )


@dataclass
class ListNeighbours(beam.PTransform):
    """Find the neighbours of targets and most changed words in every slice and seed.

    Attributes:
        score: says which words get neighbours: targets, and how many of the most changed.
        options: how many neighbours they get.
        combined: what `CombineSeeds` yields.
    """

    workspace: Workspace
    comparisons: Comparisons
    score: ScoreOptions
    options: NeighbourOptions
    combined: beam.PCollection

    def expand(self, spaces: beam.PCollection[tuple[SpaceKey, Trained]]) -> beam.PCollection[tuple[SpaceKey, Listed]]:
        """Apply the transform."""
        return (
            spaces
            | "MakeTasks"
            >> beam.ParDo(_NeighbourTasks(self.comparisons, self.score), combined=beam.pvalue.AsDict(self.combined))
            | "FindNeighbours" >> beam.ParDo(MakeArtefact(self.workspace, NEIGHBOURS, self.options))
        )
