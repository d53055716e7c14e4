"""What the change pipeline compares: slices, pairs of them and seeds, and the tasks they become."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from transforms.change.nulls.deal_stages import Deal
from transforms.change.scores.score_stages import Combined, CombineTask, ScoredSeed
from transforms.change.spaces.alignment_stage import AlignTask, SliceFacts
from transforms.change.spaces.neighbour_stage import NeighbourTask
from transforms.change.spaces.training import TrainTask
from transforms.change.view.slice_merges import SliceCounts
from transforms.common.store.receipts import File

__all__ = [
    "Comparisons",
    "PairSeed",
    "SliceReady",
    "SpaceKey",
    "align_tasks",
    "combine_task",
    "counts_of",
    "facts_of",
    "neighbour_task",
    "train_tasks",
]


class Comparisons(NamedTuple):
    """What is compared: names and frequency cuts of slices, pairs of their indices, seeds."""

    names: tuple[str, ...]
    min_counts: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...]


class SliceReady(NamedTuple):
    """A slice, by its place in the order of time, ready for training: its counts, its sentences."""

    place: int
    counts: SliceCounts
    feed: tuple[File, ...]


# Keys of groupings, which Beam wants as plain tuples: places of slices and of pairs, and seeds.
SpaceKey = tuple[int, int]  # slice, seed
PairSeed = tuple[int, int]  # pair, seed


def train_tasks(comparisons: Comparisons, ready: SliceReady) -> Iterator[tuple[SpaceKey, TrainTask]]:
    """Yield a slice's training tasks, one per seed."""
    for seed in comparisons.seeds:
        yield (
            (ready.place, seed),
            TrainTask(
                tokens=ready.counts.tokens,
                slice=comparisons.names[ready.place],
                seed=seed,
                min_count=comparisons.min_counts[ready.place],
                counts=ready.counts.counts,
                sentences=ready.counts.sentences,
                feed=ready.feed,
            ),
        )


def facts_of(comparisons: Comparisons, place: int, slices: Mapping[int, SliceCounts]) -> SliceFacts:
    """Return what aligning and scoring know of a slice."""
    found = slices[place]
    return SliceFacts(
        comparisons.names[place], found.counts, found.tokens, found.documents, comparisons.min_counts[place]
    )


def counts_of(comparisons: Comparisons, pair: int, slices: Mapping[int, SliceCounts]) -> tuple[File, ...]:
    """Return the files of counts of a pair's slices, the earlier one first."""
    return tuple(slices[place].counts for place in comparisons.pairs[pair])


def align_tasks(
    sides: Sequence[tuple[SliceFacts, File]], seed: int, alignments: Collection[str]
) -> Iterator[AlignTask]:
    """Yield the tasks of a pair and seed, one per alignment; `sides` are earlier and later."""
    (earlier, first), (later, second) = sides
    for alignment in sorted(set(alignments)):
        yield AlignTask((earlier, later), (first, second), seed, alignment)


def combine_task(
    seeds: Iterable[ScoredSeed], counts: tuple[File, ...], nulls: Iterable[ScoredSeed], deals: Iterable[Deal]
) -> CombineTask:
    """Return the task of a pair from the scores of its seeds and of its null pairs, if any."""
    return CombineTask(
        tuple(sorted(seeds, key=_sha256)), counts, tuple(sorted(nulls, key=_sha256)), next(iter(deals), None)
    )


def _sha256(scored: ScoredSeed) -> str:
    return scored.rows.sha256


def neighbour_task(
    comparisons: Comparisons,
    key: SpaceKey,
    space: File,
    combined: Mapping[int, Combined],
    *,
    targets: Sequence[str],
    most: int,
) -> NeighbourTask:
    """Return the words to look up in a space: targets, and the `most` changed of each of its pairs.

    `combined` are the scores of all pairs, by place.
    """
    place, seed = key
    words = set(targets)
    for pair, found in combined.items():
        if place in comparisons.pairs[pair]:
            for ranking in found.tops:
                words.update(ranking.words[:most])
    return NeighbourTask(comparisons.names[place], seed, space, tuple(sorted(words)))
