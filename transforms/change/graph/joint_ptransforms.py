"""Beam glue of slices that are trained together.

TrainTogether     PCollection[SliceReady] -> PCollection[(SpaceKey, TrainedSpace)]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import apache_beam as beam

from transforms.change.graph.comparisons import Comparisons, SliceReady, SpaceKey
from transforms.change.graph.sequences import JointKey, SequenceKey, joint_slices, joint_spaces, joint_tasks
from transforms.change.spaces.joint_stage import TRAIN_JOINTLY, JointTask, TrainedSpaces
from transforms.change.spaces.training import TrainedSpace
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.embeddings.alignment import APART
from transforms.embeddings.joint.trainings import REGISTRY as JOINT_TRAININGS
from transforms.embeddings.sgns import SgnsOptions
from transforms.embeddings.trainers import REGISTRY as TRAINERS

__all__ = ["TrainTogether"]


def _sequences(
    element: SliceReady, comparisons: Comparisons, of_real: bool = False
) -> Iterator[tuple[SequenceKey, tuple[int, SliceReady]]]:
    yield from joint_slices(comparisons, element, of_real=of_real)


def _joint_tasks(
    element: tuple[SequenceKey, Iterable[tuple[int, SliceReady]]], comparisons: Comparisons, targets: tuple[str, ...]
) -> Iterator[tuple[JointKey, JointTask]]:
    yield from joint_tasks(comparisons, *element, targets=targets)


def _tokens(element: tuple[JointKey, JointTask]) -> float:
    return sum(task.tokens for task in element[1].slices)


def _spaces(
    element: tuple[JointKey, TrainedSpaces], comparisons: Comparisons
) -> Iterator[tuple[SpaceKey, TrainedSpace]]:
    yield from joint_spaces(comparisons, *element)


@dataclass
class TrainTogether(beam.PTransform):
    """Train the slices of each sequence together, for every variant that asks for it.

    Attributes:
        options: hyperparameters.
        targets: words that may have a vector in each slice.
        lanes: how many keys the sequences are dealt out to, by tokens.
        real: of null slices, `ready`: the real ones that they stand among.
    """

    workspace: Workspace
    comparisons: Comparisons
    options: SgnsOptions
    targets: tuple[str, ...]
    lanes: int
    real: Mapping[str, beam.PCollection]

    def expand(self, ready: beam.PCollection[SliceReady]) -> beam.PCollection[tuple[SpaceKey, TrainedSpace]]:
        """Apply the transform."""
        names = tuple(variant.name for variant in self.comparisons.variants if variant.name != APART)
        chosen = {JOINT_TRAININGS: names, TRAINERS: (self.options.trainer,)}
        slices = ready | "KeyBySequence" >> beam.FlatMap(_sequences, self.comparisons)
        if self.real:
            real = self.real["ready"] | "KeyRealBySequence" >> beam.FlatMap(_sequences, self.comparisons, of_real=True)
            slices = (slices, real) | "AllSlices" >> beam.Flatten()
        return (
            slices
            | "GroupBySequence" >> beam.GroupByKey()
            | "MakeTasks" >> beam.FlatMap(_joint_tasks, self.comparisons, self.targets)
            | "SpreadTasks" >> SpreadOverLanes(weight=_tokens, lanes=self.lanes, workspace=self.workspace, stage="")
            | "TrainTogether" >> beam.ParDo(MakeArtefact(self.workspace, TRAIN_JOINTLY, self.options, chosen))
            | "EachSpace" >> beam.FlatMap(_spaces, self.comparisons)
        )
