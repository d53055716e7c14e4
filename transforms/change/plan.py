"""What the change pipeline is told: slices to compare, and how a slice becomes training tasks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from transforms.change.pairs import SliceFacts
from transforms.change.sgns import SgnsOptions
from transforms.change.training import TrainTask

__all__ = ["PairPlan", "SliceReady", "facts_of", "train_tasks", "with_cut"]


class PairPlan(NamedTuple):
    """What is compared: names and frequency cuts of slices, pairs of their indices, seeds."""

    names: tuple[str, ...]
    min_counts: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    seeds: tuple[int, ...]


class SliceReady(NamedTuple):
    """A slice ready for training: its merged sizes and the files of its sentences."""

    place: int
    receipt: dict[str, Any]
    feed: tuple[str, ...]


def train_tasks(plan: PairPlan, ready: SliceReady) -> Iterator[TrainTask]:
    """Yield a slice's training tasks, one per seed, with their parts of table vectors."""
    for place, seed in enumerate(plan.seeds):
        yield TrainTask(
            tokens=ready.receipt["tokens"],
            slice=plan.names[ready.place],
            place=ready.place,
            seed=seed,
            part=ready.place * len(plan.seeds) + place,
            counts=ready.receipt["path"],
            sentences=ready.receipt["sentences"],
            feed=ready.feed,
        )


def with_cut(options: SgnsOptions, min_count: int) -> SgnsOptions:
    """Return the options of a slice with its own frequency cut."""
    return replace(options, min_count=min_count)


def facts_of(plan: PairPlan, index: int, slices: Mapping[int, dict[str, Any]]) -> SliceFacts:
    """Return what scoring knows of a slice."""
    receipt = slices[index]
    return SliceFacts(
        plan.names[index],
        receipt["path"],
        receipt["tokens"],
        receipt["documents"],
        plan.min_counts[index],
    )
