"""Slices trained together, as an artefact: those of a comparison and a seed in, a part of `vectors` for each out."""

from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from lexbeam.transforms.change.spaces.training import (
    TrainedSpace,
    TrainTask,
    cut_rows,
    feed_of,
    trainer_chosen,
    uses_of,
    write_space,
)
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.embeddings.joint.slices import JointSlices, SliceText
from lexbeam.transforms.embeddings.joint.trainings import JOINT_TRAININGS, JOINT_REGISTRY
from lexbeam.transforms.embeddings.sgns import SgnsOptions


class JointTask(NamedTuple):
    """Slices to train together with a seed.

    Attributes:
        slices: in the order of time.
        training: key of `JOINT_TRAININGS`; the variant of the spaces.
        wanted: numbers of those whose spaces are wanted.
        targets: that have a vector in each slice, sorted; empty where all words have.
        anchor: the slice that others go on from; None: the one before each, or it does not matter.
    """

    slices: tuple[TrainTask, ...]
    training: str
    wanted: tuple[int, ...]
    targets: tuple[str, ...] = ()
    anchor: int | None = None


@dataclass(frozen=True)
class TrainedSpaces:
    """The spaces that were wanted, in the order of their slices."""

    spaces: tuple[TrainedSpace, ...]


def _text(task: TrainTask, counts: pa.Table) -> SliceText:
    return SliceText(task.slice, feed_of(task), uses_of(counts), task.min_count, task.sentences, task.tokens)


def _train(artefact: Artefact, task: JointTask, options: SgnsOptions) -> TrainedSpaces:
    counts = [read_counts(one.counts) for one in task.slices]
    texts = [_text(one, of) for one, of in zip(task.slices, counts, strict=True)]
    joint = JointSlices(texts, task.slices[0].seed, frozenset(task.targets), task.anchor)
    made = JOINT_TRAININGS[task.training].train(joint, options)
    spaces = [
        write_space(
            artefact,
            task.slices[place],
            counts[place],
            made[place].words,
            options.dim,
            cut_rows(made[place].vectors),
            variant=task.training,
            suffix=f"-{place}",
        )
        for place in task.wanted
    ]
    return TrainedSpaces(tuple(spaces))


def _chosen(task: JointTask, options: SgnsOptions) -> dict[str, tuple[str, ...]]:
    return {JOINT_REGISTRY: (task.training,), **trainer_chosen(task, options)}


TRAIN_JOINTLY: Stage[JointTask, SgnsOptions, TrainedSpaces] = Stage(
    name="change/train-jointly",
    noun="embeddings",
    receipt=TrainedSpaces,
    build=_train,
    unused={"options.min_count": "each slice has a cut of its own, that of its task"},
    unordered=("task.targets",),
    chosen=_chosen,
    blas=True,
    unit="comparisons",
)
