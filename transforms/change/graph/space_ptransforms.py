"""Beam glue of spaces: slices become vectors of words.

TrainSlices         PCollection[SliceReady] -> PCollection[(SpaceKey, TrainedSpace)], by one of these:
TrainShards         PCollection[(SpaceKey, TrainTask)] -> PCollection[(SpaceKey, TrainedSpace)]
RepresentSlices     PCollection[SliceReady] -> PCollection[(SpaceKey, TrainedSpace)]

What is cut, a training into shards or a slice into pieces whose contexts are counted, is an element of its own, which
workers share. What averages and sums were made of is freed as soon as they are sound.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import apache_beam as beam

from lexbeam.transforms.change.graph.comparisons import Comparisons, SliceReady, SpaceKey, by_place, train_tasks
from lexbeam.transforms.change.graph.sequences import joint_slices, joint_spaces, joint_tasks
from lexbeam.transforms.change.spaces.context_stages import (
    ADD_CONTEXTS,
    ADDED,
    COUNT_CONTEXTS,
    REPRESENT,
    ContextOptions,
    ContextTask,
    CountedContexts,
    RepresentTask,
    SumTask,
    pieces_of,
)
from lexbeam.transforms.change.spaces.joint_stage import TRAIN_JOINTLY, JointTask
from lexbeam.transforms.change.spaces.shard_stages import AVERAGE, SHARD, SPACE, AverageTask, ShardTask, TrainedShard
from lexbeam.transforms.change.spaces.shards import ShardOptions, steps_of
from lexbeam.transforms.change.spaces.training import Train, TrainedSpace, TrainTask
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import By, Each
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.joint.trainings import JOINT_REGISTRY as JOINT_TRAININGS
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, RepresentationOptions
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.trainers import REGISTRY as TRAINERS


def _tokens_together(task: JointTask) -> float:
    return sum(each.tokens for each in task.slices)


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
        lanes: how many keys work is dealt out to, by tokens.
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
        """Make the spaces of all variants."""
        entry = REPRESENTATIONS[self.representation.representation]
        if entry.make is not None:
            counting = ContextOptions(self.options.window, entry.by_distance)
            return ready | "Represent" >> RepresentSlices(
                self.workspace, self.comparisons, counting, self.representation, self.lanes, self.frees
            )
        names = [variant.name for variant in self.comparisons.variants]
        made = []
        if APART in names:
            made.append(ready | "Apart" >> self._apart(names.index(APART)))
        if set(names) - {APART}:
            made.append(self._together(ready))
        return made[0] if len(made) == 1 else made | "AllSpaces" >> beam.Flatten()

    def _apart(self, variant: int) -> beam.PTransform:
        of_slices = {"comparisons": self.comparisons, "variant": variant}
        if self.sharding.shards > 1:
            return TrainShards(self.workspace, of_slices, self.options, self.sharding, self.lanes)
        # Null slices are trained elsewhere in the graph: the plan knows how many in all.
        return Each(
            self.workspace,
            Train(replace(self.options, min_count=1)),
            train_tasks,
            of_slices,
            lanes=self.lanes,
            weight=_tokens,
        )

    def _together(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        names = tuple(variant.name for variant in self.comparisons.variants if variant.name != APART)
        slices = ready | "KeyBySequence" >> beam.FlatMap(joint_slices, self.comparisons)
        if self.real:
            real = self.real["ready"] | "KeyRealBySequence" >> beam.FlatMap(
                joint_slices, self.comparisons, of_real=True
            )
            slices = (slices, real) | "AllSlices" >> beam.Flatten()
        made = slices | "Together" >> By(
            self.workspace,
            TRAIN_JOINTLY.with_options(self.options),
            joint_tasks,
            {"comparisons": self.comparisons, "targets": self.targets},
            lanes=self.lanes,
            weight=_tokens_together,
            entries={JOINT_TRAININGS: names, TRAINERS: (self.options.trainer,)},
        )
        return made | "EachSpace" >> beam.FlatMap(joint_spaces, self.comparisons)


def _tokens(task: TrainTask) -> float:
    return task.tokens


class _Begun(NamedTuple):
    """A training before a step: what is trained, and the weights that shards start from."""

    space: TrainTask
    common: File | None


ShardKey = tuple[SpaceKey, int]


def _begun(element: SliceReady, **of_slices: Any) -> Iterator[tuple[SpaceKey, _Begun]]:
    for key, space in train_tasks(element, **of_slices):
        yield key, _Begun(space, None)


def _shard_tasks(
    element: tuple[SpaceKey, _Begun], step: int, sharding: ShardOptions
) -> Iterator[tuple[SpaceKey, ShardTask]]:
    key, (space, common) = element
    for shard in range(sharding.shards):
        yield key, ShardTask(space, step, shard, sharding, common)


def _tokens_of_shard(task: ShardTask) -> float:
    return task.space.tokens


def _average_task(
    key: SpaceKey, trained: tuple[tuple[ShardTask, TrainedShard], ...]
) -> Iterator[tuple[SpaceKey, AverageTask]]:
    ordered = sorted(trained, key=_shard)
    task = ordered[0][0]
    yield key, AverageTask(task.space, task.step, task.common, tuple(shard.weights for _, shard in ordered))


def _shard(trained: tuple[ShardTask, TrainedShard]) -> int:
    return trained[0].shard


def _averaged_files(task: AverageTask) -> list[File]:
    return [*task.shards, *([] if task.common is None else [task.common])]


def _begun_again(element: tuple[SpaceKey, tuple[AverageTask, Any]]) -> tuple[SpaceKey, _Begun]:
    key, (task, averaged) = element
    return key, _Begun(task.space, averaged.weights)


@dataclass
class TrainShards(beam.PTransform):
    """Train embeddings in shards, whose weights are averaged in every step; all steps are in the graph.

    Attributes:
        of_slices: arguments of `train_tasks`, which says what is trained of a slice.
        sharding: of how many shards and rounds; shards are two or more.
        lanes: how many keys the shards of a step are dealt out to, by tokens.
    """

    workspace: Workspace
    of_slices: Mapping[str, Any]
    options: SgnsOptions
    sharding: ShardOptions
    lanes: int

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Train the shards of each step from common weights, and average them."""
        steps = steps_of(self.sharding, self.options.epochs)
        begun = ready | "Begin" >> beam.FlatMap(_begun, **self.of_slices)
        for step in range(1, steps + 1):
            last = step == steps
            trained = begun | f"TrainShards{step}" >> Each(
                self.workspace,
                SHARD.with_options(self.options),
                _shard_tasks,
                {"step": step - 1, "sharding": self.sharding},
                lanes=self.lanes,
                weight=_tokens_of_shard,
                with_task=True,
            )
            averaged = trained | f"Average{step}" >> By(
                self.workspace,
                (SPACE if last else AVERAGE).with_options(self.options.dim),
                _average_task,
                with_task=not last,
                frees=_averaged_files,
            )
            begun = averaged if last else averaged | f"AfterStep{step}" >> beam.Map(_begun_again)
        return begun


PieceKey = tuple[int, int]  # slice, piece


def _context_tasks(element: SliceReady, comparisons: Comparisons) -> Iterator[tuple[PieceKey, ContextTask]]:
    _, space = next(train_tasks(element, comparisons))
    pieces = pieces_of(max(map(len, element.feeds)))
    for piece in range(pieces):
        yield (element.place, piece), ContextTask(space, piece, pieces)


def _tokens_of_piece(task: ContextTask) -> float:
    return task.space.tokens / task.pieces


def _grouped(element: tuple[PieceKey, CountedContexts]) -> tuple[PieceKey, tuple[int, CountedContexts]]:
    (place, piece), counted = element
    return (place, piece // ADDED), (piece, counted)


def _sum_task(
    key: PieceKey, counted: tuple[tuple[int, CountedContexts], ...], names: tuple[str, ...]
) -> Iterator[tuple[PieceKey, SumTask]]:
    place, number = key
    yield key, SumTask(names[place], number, tuple(part for _, part in sorted(counted, key=_number)))


def _number(entry: tuple[int, CountedContexts]) -> int:
    return entry[0]


def _parts_added(task: SumTask) -> list[File]:
    return [part.cells for part in task.parts]


def _of_slice(element: tuple[PieceKey, CountedContexts]) -> tuple[int, tuple[int, CountedContexts]]:
    (place, number), total = element
    return place, (number, total)


def _represent_tasks(
    place: int,
    contexts: tuple[tuple[int, CountedContexts], ...],
    ready: tuple[SliceReady, ...],
    comparisons: Comparisons,
) -> Iterator[tuple[SpaceKey, RepresentTask]]:
    totals = tuple(total for _, total in sorted(contexts, key=_number))
    for one in ready:
        for key, space in train_tasks(one, comparisons):
            yield key, RepresentTask(space, totals)


def _sums_represented(task: RepresentTask) -> list[File]:
    return [part.cells for part in task.contexts]


@dataclass
class RepresentSlices(beam.PTransform):
    """Count the contexts of every slice, and make a space of them for every seed.

    Attributes:
        counting: what counts as a context.
        options: what counts become.
        lanes: how many keys the pieces are dealt out to, by tokens.
        frees: whether nothing needs the counts of a slice once its space is made, as of null slices, with one seed.
    """

    workspace: Workspace
    comparisons: Comparisons
    counting: ContextOptions
    options: RepresentationOptions
    lanes: int
    frees: bool

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Count pieces, add them up, whatever the seeds, and make spaces of the sums."""
        of_slices = {"comparisons": self.comparisons}
        contexts = (
            ready
            | "CountPieces"
            >> Each(
                self.workspace,
                COUNT_CONTEXTS.with_options(self.counting),
                _context_tasks,
                of_slices,
                lanes=self.lanes,
                weight=_tokens_of_piece,
            )
            | "KeyByGroup" >> beam.Map(_grouped)
            | "AddPieces"
            >> By(
                self.workspace,
                ADD_CONTEXTS.with_options(None),
                _sum_task,
                {"names": self.comparisons.names},
                frees=_parts_added,
            )
            | "KeyBySlice" >> beam.Map(_of_slice)
        )
        return {"ready": ready | "KeyReady" >> beam.Map(by_place), "contexts": contexts} | "Represent" >> By(
            self.workspace,
            REPRESENT.with_options(self.options),
            _represent_tasks,
            of_slices,
            frees=_sums_represented if self.frees else None,
        )
