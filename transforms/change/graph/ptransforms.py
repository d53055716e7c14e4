"""Beam glue of lexical semantic change, from training on; `view_ptransforms` has what comes before.

TrainSlices     PCollection[SliceReady] -> PCollection[(SpaceKey, Trained)]
AlignPairs      PCollection[(SpaceKey, Trained)] -> PCollection[(PairSeed, (AlignTask, Aligned))]
ScoreSeeds      PCollection[(PairSeed, (AlignTask, Aligned))] -> PCollection[(pair, ScoredSeed)]
CombineSeeds    PCollection[(pair, ScoredSeed)] -> PCollection[(pair, Combined)]
SummarisePairs  PCollection[(pair, Combined)] -> PCollection[(pair, Listed)]
ListNeighbours  PCollection[(SpaceKey, Trained)] -> PCollection[(SpaceKey, Listed)]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam

from transforms.change.graph.comparisons import (
    Comparisons,
    PairSeed,
    SliceReady,
    SpaceKey,
    combine_task,
    counts_of,
    facts_of,
    neighbour_task,
    train_tasks,
)
from transforms.change.graph.context_ptransforms import RepresentSlices
from transforms.change.graph.joint_ptransforms import TrainTogether
from transforms.change.graph.pair_tasks import PairSide, PairSpaces, pair_sides, pair_tasks, score_task
from transforms.change.graph.shard_ptransforms import TrainShards
from transforms.change.scores.combine_stage import COMBINE, Combined, CombineTask
from transforms.change.scores.score_stage import SCORE, ChangeScoreOptions, ScoredSeed, ScoreTask
from transforms.change.scores.summary_stage import SUMMARISE, SummaryTask, summary_columns
from transforms.change.spaces.alignment_stage import ALIGN, REGISTRY, Aligned, AlignOptions, AlignTask
from transforms.change.spaces.context_stages import ContextOptions
from transforms.change.spaces.neighbour_stage import NEIGHBOURS, ListedPart, NeighbourOptions, NeighbourTask
from transforms.change.spaces.shards import ShardOptions
from transforms.change.spaces.training import TRAIN, TrainedSpace, TrainTask
from transforms.change.view.slice_merges import SliceCounts
from transforms.common.store.artefacts import Workspace, free_files
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.embeddings.alignment import APART
from transforms.embeddings.representations import REPRESENTATIONS, RepresentationOptions
from transforms.embeddings.sgns import SgnsOptions

__all__ = [
    "AlignPairs",
    "CombineSeeds",
    "ListNeighbours",
    "ScoreSeeds",
    "SummarisePairs",
    "TrainSlices",
    "without_spaces",
]


def _tasks(element: SliceReady, comparisons: Comparisons, variant: int) -> Iterator[tuple[SpaceKey, TrainTask]]:
    yield from train_tasks(comparisons, element, variant)


def _tokens(task: tuple[SpaceKey, TrainTask]) -> float:
    return task[1].tokens


@dataclass
class TrainSlices(beam.PTransform):
    """Make a space for every variant, slice and seed: trained or made of counts.

    Trained apart, each is an element, or its shards are; slices that are trained together are one.

    Attributes:
        comparisons: slices, seeds, variants.
        options: hyperparameters of training; counting has the window of them.
        sharding: into how many shards a training is cut, and how often they are averaged.
        representation: how words become vectors.
        targets: words that may have a vector in each slice, where slices are trained together.
        frees: whether nothing needs what spaces are counted from once they are made.
        real: of null slices, `ready`: the real ones that they stand among where slices are trained together.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: SgnsOptions
    sharding: ShardOptions
    representation: RepresentationOptions
    targets: tuple[str, ...]
    lanes: int
    frees: bool = False
    real: Mapping[str, beam.PCollection] = field(default_factory=dict)

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Apply the transform."""
        entry = REPRESENTATIONS[self.representation.representation]
        if entry.make is not None:
            counting = ContextOptions(self.options.window, entry.by_distance)
            return ready | "Represent" >> RepresentSlices(
                self.workspace, self.comparisons, counting, self.representation, self.lanes, self.frees
            )
        names = [variant.name for variant in self.comparisons.variants]
        made = []
        if APART in names:
            tasks = ready | "MakeTasks" >> beam.FlatMap(_tasks, self.comparisons, names.index(APART))
            made.append(tasks | "Apart" >> _TrainApart(self))
        if set(names) - {APART}:
            made.append(
                ready
                | "Together"
                >> TrainTogether(self.workspace, self.comparisons, self.options, self.targets, self.lanes, self.real)
            )
        return made[0] if len(made) == 1 else made | "AllSpaces" >> beam.Flatten()


@dataclass
class _TrainApart(beam.PTransform):
    """Train each slice by itself."""

    training: TrainSlices

    def expand(
        self, tasks: beam.PCollection[tuple[SpaceKey, TrainTask]]
    ) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Apply the transform."""
        of = self.training
        if of.sharding.shards > 1:
            return tasks | "Shards" >> TrainShards(of.workspace, of.options, of.sharding, of.lanes)
        # Null slices are trained elsewhere in the graph: the plan knows how many in all.
        return (
            tasks
            | "SpreadTasks" >> SpreadOverLanes(weight=_tokens, lanes=of.lanes, workspace=of.workspace, stage="")
            | "TrainSpace" >> beam.ParDo(MakeArtefact(of.workspace, TRAIN, of.options))
        )


def _sides(
    element: tuple[SpaceKey, TrainedSpace], comparisons: Comparisons, slices: dict[int, SliceCounts]
) -> Iterator[tuple[PairSpaces, PairSide]]:
    """Key each space by the pairs, the seed and the variant that it takes part in."""
    key, trained = element
    yield from pair_sides(comparisons, key, facts_of(comparisons, key[1], slices), trained.part.file)


def _align_tasks(
    element: tuple[PairSpaces, Iterable[PairSide]], comparisons: Comparisons
) -> Iterator[tuple[PairSeed, AlignTask]]:
    key, sides = element
    for task in pair_tasks(comparisons, key, sides):
        yield key[:2], task


def _index_of(ready: SliceReady) -> tuple[int, SliceCounts]:
    return ready.place, ready.counts


@dataclass
class AlignPairs(beam.PTransform):
    """Fit every alignment to the two spaces of every pair of slices and seed, of the variant that it compares.

    Attributes:
        comparisons: pairs, seeds, and variants with their alignments.
        slices: what `MergeSlices` yields; only the counts are used.
        others: of null pairs, real slices over which theirs are mapped, by name; none without a common frame.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: AlignOptions
    slices: beam.PCollection
    others: Mapping[str, beam.PCollection] = field(default_factory=dict)

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, TrainedSpace]]
    ) -> beam.PCollection[tuple[PairSeed, tuple[AlignTask, Aligned]]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.slices | "KeyCounts" >> beam.Map(_index_of))
        alignments = tuple(name for variant in self.comparisons.variants for name in variant.alignments)
        sides = spaces | "KeyByPair" >> beam.FlatMap(_sides, self.comparisons, slices=counts)
        return (
            ((sides, *self.others.values()) | "AllSides" >> beam.Flatten() if self.others else sides)
            | "GroupByPair" >> beam.GroupByKey()
            | "MakeTasks" >> beam.FlatMap(_align_tasks, self.comparisons)
            | "AlignPair"
            >> beam.ParDo(MakeArtefact(self.workspace, ALIGN, self.options, {REGISTRY: alignments}, with_task=True))
        )


def _score_task(
    element: tuple[PairSeed, Iterable[tuple[AlignTask, Aligned]]], comparisons: Comparisons
) -> tuple[int, ScoreTask]:
    (pair, _), fitted = element
    return pair, score_task(comparisons, fitted)


def without_spaces(element: tuple[Any, tuple[Any, Any]]) -> tuple[Any, Any]:
    """Free the spaces of a task, a null's, of which all has been made that is needed; return key and receipt."""
    key, (task, made) = element
    free_files(task.spaces)
    return key, made


@dataclass
class ScoreSeeds(beam.PTransform):
    """Score every pair and seed.

    Attributes:
        comparisons: pairs, seeds, variants.
        frees: whether nothing needs the spaces once they are scored.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: ChangeScoreOptions
    frees: bool = False

    def expand(
        self, aligned: beam.PCollection[tuple[PairSeed, tuple[AlignTask, Aligned]]]
    ) -> beam.PCollection[tuple[int, ScoredSeed]]:
        """Apply the transform."""
        scored = (
            aligned
            | "GroupAlignments" >> beam.GroupByKey()
            | "MakeTasks" >> beam.Map(_score_task, self.comparisons)
            | "ScoreSeed" >> beam.ParDo(MakeArtefact(self.workspace, SCORE, self.options, with_task=self.frees))
        )
        return scored | "FreeSpaces" >> beam.Map(without_spaces) if self.frees else scored


def _combine_task(
    element: tuple[int, dict[str, Iterable[Any]]], comparisons: Comparisons, slices: dict[int, SliceCounts]
) -> tuple[int, CombineTask]:
    pair, joined = element
    counts = counts_of(comparisons, pair, slices)
    nulls, deals = joined.get("nulls", ()), joined.get("deals", ())
    return pair, combine_task(joined["seeds"], counts, nulls, deals)


@dataclass
class CombineSeeds(beam.PTransform):
    """Combine the seeds of every pair, and weigh them against its null pairs, if any.

    Attributes:
        nulls: what null pairs scored, and how they were dealt: `nulls` and `deals`, by pair.
        slices: what `MergeSlices` yields; only the counts are used.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: ChangeScoreOptions
    nulls: Mapping[str, beam.PCollection]
    slices: beam.PCollection

    def expand(self, scored: beam.PCollection[tuple[int, ScoredSeed]]) -> beam.PCollection[tuple[int, Combined]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.slices | "KeyCounts" >> beam.Map(_index_of))
        return (
            {"seeds": scored, **self.nulls}
            | "JoinByPair" >> beam.CoGroupByKey()
            | "MakeCombineTasks" >> beam.Map(_combine_task, self.comparisons, slices=counts)
            | "CombineSeeds" >> beam.ParDo(MakeArtefact(self.workspace, COMBINE, self.options))
        )


def _summary_task(
    element: tuple[int, Combined], comparisons: Comparisons, slices: dict[int, SliceCounts]
) -> tuple[int, SummaryTask]:
    pair, combined = element
    counts = counts_of(comparisons, pair, slices)
    return pair, SummaryTask(combined.part.file, counts)


@dataclass
class SummarisePairs(beam.PTransform):
    """Bring together all that is known of the words of every pair.

    Attributes:
        slices: what `MergeSlices` yields; only the counts are used.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: ChangeScoreOptions
    slices: beam.PCollection

    def expand(self, combined: beam.PCollection[tuple[int, Combined]]) -> beam.PCollection[tuple[int, ListedPart]]:
        """Apply the transform."""
        counts = beam.pvalue.AsDict(self.slices | "KeyCounts" >> beam.Map(_index_of))
        return (
            combined
            | "MakeTasks" >> beam.Map(_summary_task, self.comparisons, slices=counts)
            | "SummarisePair" >> beam.ParDo(MakeArtefact(self.workspace, SUMMARISE, summary_columns(self.options)))
        )


def _neighbour_task(
    element: tuple[SpaceKey, TrainedSpace],
    comparisons: Comparisons,
    options: ChangeScoreOptions,
    combined: dict[int, Combined],
) -> tuple[SpaceKey, NeighbourTask]:
    key, trained = element
    return (
        key,
        neighbour_task(
            comparisons, key, trained.part.file, combined, targets=options.targets, most=options.neighbour_words
        ),
    )


@dataclass
class ListNeighbours(beam.PTransform):
    """Find the neighbours of targets and most changed words in every space.

    Attributes:
        score: says which words get neighbours: targets, and how many of the most changed.
        options: how many neighbours they get.
        combined: what `CombineSeeds` yields.
    """

    workspace: Workspace
    comparisons: Comparisons
    score: ChangeScoreOptions
    options: NeighbourOptions
    combined: beam.PCollection

    def expand(
        self, spaces: beam.PCollection[tuple[SpaceKey, TrainedSpace]]
    ) -> beam.PCollection[tuple[SpaceKey, ListedPart]]:
        """Apply the transform."""
        return (
            spaces
            | "MakeTasks"
            >> beam.Map(_neighbour_task, self.comparisons, self.score, combined=beam.pvalue.AsDict(self.combined))
            | "FindNeighbours" >> beam.ParDo(MakeArtefact(self.workspace, NEIGHBOURS, self.options))
        )
