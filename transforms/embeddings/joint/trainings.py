"""Ways of training slices together, by name; an alignment of the same name compares what they make."""

from collections.abc import Callable
from dataclasses import dataclass

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS
from lexbeam.transforms.embeddings.joint.compass import by_compass
from lexbeam.transforms.embeddings.joint.initialised import initialised, initialised_at_unit_length
from lexbeam.transforms.embeddings.joint.marked import injected, referenced
from lexbeam.transforms.embeddings.joint.slices import JointSlices
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.starts import Weights

JOINT_REGISTRY = "lexbeam.transforms.embeddings.joint.trainings:JOINT_TRAININGS"


@dataclass(frozen=True)
class JointTraining(Entry):
    """A way of training slices together.

    Attributes:
        train: returns the weights of each slice, of the words that training apart would take; the axes are shared.
        goes_on: whether slices go on from what others have learnt, from an anchor if one is named.
        of_targets: whether targets alone have a vector in each slice by it, and other words one for all.
    """

    train: Callable[[JointSlices, SgnsOptions], list[Weights]]
    of_targets: bool = False
    goes_on: bool = False


JOINT_TRAININGS: Registry[JointTraining] = Registry(
    {
        "vi": JointTraining(initialised, goes_on=True, doc="each slice goes on from the one before"),
        "vi-l2": JointTraining(initialised_at_unit_length, goes_on=True, doc="the same with input vectors at length 1"),
        "tr": JointTraining(referenced, True, doc="one model, targets have a vector in each slice and one context"),
        "wi": JointTraining(injected, True, doc="one model, targets are another word in each slice"),
        "compass": JointTraining(by_compass, doc="each slice is trained against contexts of all slices"),
    },
    what="joint training",
    group="lexbeam.joint_trainings",
)


def of_targets(alignment: str) -> bool:
    """Return whether targets alone have a vector in each slice by an alignment, one that is not installed taken for no.

    >>> of_targets("tr"), of_targets("vi"), of_targets("op")
    (True, False, False)
    """
    joint = ALIGNMENTS[alignment].joint if alignment in ALIGNMENTS else ""
    return bool(joint) and JOINT_TRAININGS[joint].of_targets
