"""What the change pipeline is told: slices to compare, and how they become tasks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from transforms.change.aligning import AlignTask, SliceFacts
from transforms.change.listing import NeighbourTask
from transforms.change.scoring import Combined
from transforms.change.slice_merges import SliceCounts
from transforms.change.training import TrainTask
from transforms.common.receipts import File

__all__ = [
    "PairPlan", "PairSeed", "SliceReady", "SpaceKey", "align_tasks", "facts_of", "neighbour_task",
    "train_tasks",
]  # fmt: skip


class PairPlan(NamedTuple):
    """What is compared: names and frequency cuts of slices, pairs of their indices, seeds."""

    names: tuple[str, ...]
    min_counts: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...]


class SliceReady(NamedTuple):
    """A slice, by its place in the plan, ready for training: its counts, its sentences."""

    place: int
    counts: SliceCounts
    feed: tuple[File, ...]


# Keys of what is made, by places in the plan: of a grouping Beam wants plain tuples.
SpaceKey = tuple[int, int]  # slice, seed
PairSeed = tuple[int, int]  # pair, seed


def train_tasks(plan: PairPlan, ready: SliceReady) -> Iterator[tuple[SpaceKey, TrainTask]]:
    """Yield a slice's training tasks, one per seed."""
    for seed in plan.seeds:
        yield (
            (ready.place, seed),
            TrainTask(
                tokens=ready.counts.tokens,
                slice=plan.names[ready.place],
                seed=seed,
                min_count=plan.min_counts[ready.place],
                counts=ready.counts.counts,
                sentences=ready.counts.sentences,
                feed=ready.feed,
            ),
        )


def facts_of(plan: PairPlan, place: int, slices: Mapping[int, SliceCounts]) -> SliceFacts:
    """Return what aligning and scoring know of a slice."""
    found = slices[place]
    return SliceFacts(
        plan.names[place], found.counts, found.tokens, found.documents, plan.min_counts[place]
    )


def align_tasks(
    sides: Sequence[tuple[SliceFacts, File]], seed: int, alignments: Collection[str]
) -> Iterator[AlignTask]:
    """Yield the tasks of a pair, given by its two sides, one per alignment."""
    (earlier, first), (later, second) = sides
    for alignment in sorted(set(alignments)):
        yield AlignTask((earlier, later), (first, second), seed, alignment)


def neighbour_task(
    plan: PairPlan,
    key: SpaceKey,
    space: File,
    combined: Mapping[int, Combined],
    *,
    targets: Sequence[str],
    most: int,
) -> NeighbourTask:
    """Return what is looked for in a space: targets, and the `most` changed words of its pairs."""
    place, seed = key
    words = set(targets)
    for pair, found in combined.items():
        if place in plan.pairs[pair]:
            for ranking in found.tops:
                words.update(ranking.words[:most])
    return NeighbourTask(plan.names[place], seed, space, tuple(sorted(words)))
