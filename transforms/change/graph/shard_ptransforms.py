"""Beam glue of training in shards.

TrainShards     PCollection[(SpaceKey, TrainTask)] -> PCollection[(SpaceKey, TrainedSpace)]

All steps are in the graph, one behind the other. The shards of all slices and seeds are the elements of a step, which
workers share; then comes an average for each slice and seed, and when it is sound, what it was made of is freed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam

from transforms.change.graph.comparisons import SpaceKey
from transforms.change.spaces.shard_stages import (
    AVERAGE,
    SHARD,
    SPACE,
    AveragedWeights,
    AverageTask,
    ShardTask,
    TrainedShard,
)
from transforms.change.spaces.shards import ShardOptions, steps_of
from transforms.change.spaces.training import TrainedSpace, TrainTask
from transforms.common.store.artefacts import Workspace, free_files
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.common.store.receipts import File
from transforms.embeddings.sgns import SgnsOptions

__all__ = ["TrainShards"]


class _Begun(NamedTuple):
    """A training before a step: what is trained, and the weights that shards start from."""

    space: TrainTask
    common: File | None


def _begin(element: tuple[SpaceKey, TrainTask]) -> tuple[SpaceKey, _Begun]:
    key, space = element
    return key, _Begun(space, None)


ShardKey = tuple[SpaceKey, int]


def _shard_tasks(
    element: tuple[SpaceKey, _Begun], step: int, sharding: ShardOptions
) -> Iterator[tuple[ShardKey, ShardTask]]:
    key, (space, common) = element
    for shard in range(sharding.shards):
        yield (key, shard), ShardTask(space, step, shard, sharding, common)


def _tokens(element: tuple[ShardKey, ShardTask]) -> float:
    return element[1].space.tokens


def _of_space(
    element: tuple[ShardKey, tuple[ShardTask, TrainedShard]],
) -> tuple[SpaceKey, tuple[ShardTask, TrainedShard]]:
    (key, _), trained = element
    return key, trained


def _average_task(element: tuple[SpaceKey, Iterable[tuple[ShardTask, TrainedShard]]]) -> tuple[SpaceKey, AverageTask]:
    key, trained = element
    ordered = sorted(trained, key=_number)
    task = ordered[0][0]
    return key, AverageTask(task.space, task.step, task.common, tuple(shard.weights for _, shard in ordered))


def _number(trained: tuple[ShardTask, TrainedShard]) -> int:
    return trained[0].shard


def _freed(element: tuple[SpaceKey, tuple[AverageTask, Any]], frees: bool) -> tuple[SpaceKey, tuple[AverageTask, Any]]:
    """Free what an average was made of, which nothing else needs."""
    _, (task, _) = element
    if frees:
        free_files([*task.shards, *([] if task.common is None else [task.common])])
    return element


def _begin_again(element: tuple[SpaceKey, tuple[AverageTask, AveragedWeights]]) -> tuple[SpaceKey, _Begun]:
    key, (task, averaged) = element
    return key, _Begun(task.space, averaged.weights)


def _trained(element: tuple[SpaceKey, tuple[AverageTask, TrainedSpace]]) -> tuple[SpaceKey, TrainedSpace]:
    key, (_, space) = element
    return key, space


@dataclass
class TrainShards(beam.PTransform):
    """Train embeddings in shards, whose weights are averaged in every step.

    Attributes:
        sharding: of how many shards and rounds; shards are two or more.
        lanes: how many keys the shards of a step are dealt out to, by tokens.
    """

    workspace: Workspace
    options: SgnsOptions
    sharding: ShardOptions
    lanes: int

    def expand(
        self, tasks: beam.PCollection[tuple[SpaceKey, TrainTask]]
    ) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Apply the transform."""
        steps = steps_of(self.sharding, self.options.epochs)
        begun = tasks | "Begin" >> beam.Map(_begin)
        for step in range(steps - 1):
            average = MakeArtefact(self.workspace, AVERAGE, self.options.dim, with_task=True)
            begun = (
                begun
                | f"Step{step + 1}" >> _Step(self, step, average)
                | f"AfterStep{step + 1}" >> beam.Map(_begin_again)
            )
        last = MakeArtefact(self.workspace, SPACE, self.options.dim, with_task=True)
        return begun | f"Step{steps}" >> _Step(self, steps - 1, last) | "TakeSpaces" >> beam.Map(_trained)


@dataclass
class _Step(beam.PTransform):
    """Train all shards from common weights, and average them."""

    training: TrainShards
    step: int
    average: MakeArtefact

    def expand(
        self, begun: beam.PCollection[tuple[SpaceKey, _Begun]]
    ) -> beam.PCollection[tuple[SpaceKey, tuple[AverageTask, Any]]]:
        """Apply the transform."""
        workspace = self.training.workspace
        return (
            begun
            | "MakeShards" >> beam.FlatMap(_shard_tasks, self.step, self.training.sharding)
            | "SpreadShards"
            >> SpreadOverLanes(weight=_tokens, lanes=self.training.lanes, workspace=workspace, stage="")
            | "TrainShard" >> beam.ParDo(MakeArtefact(workspace, SHARD, self.training.options, with_task=True))
            | "KeyBySpace" >> beam.Map(_of_space)
            | "GroupBySpace" >> beam.GroupByKey()
            | "MakeAverages" >> beam.Map(_average_task)
            | "Average" >> beam.ParDo(self.average)
            | "FreeShards" >> beam.Map(_freed, workspace.frees)
        )
