"""Slices that are trained together, real and null, and the tasks that this makes."""

from collections.abc import Iterable, Iterator, Sequence

from lexbeam.transforms.change.graph.comparisons import Comparisons, SliceReady, SpaceKey, needed_places, train_task
from lexbeam.transforms.change.spaces.joint_stage import JointTask, TrainedSpaces
from lexbeam.transforms.change.spaces.training import TrainedSpace
from lexbeam.transforms.embeddings.alignment import APART
from lexbeam.transforms.embeddings.joint.trainings import JOINT_TRAININGS

# Keys of groupings, as in `comparisons`.
SequenceKey = tuple[int, int]  # variant, sequence
JointKey = tuple[int, int, int]  # variant, sequence, seed


def needed_sequences(comparisons: Comparisons, variant: int) -> list[int]:
    """Return the sequences that are trained together for a variant, by their numbers."""
    needed = set(needed_places(comparisons, variant))
    return [number for number, places in enumerate(comparisons.sequences) if needed.intersection(places)]


def joint_slices(
    ready: SliceReady, comparisons: Comparisons, *, of_real: bool = False
) -> Iterator[tuple[SequenceKey, tuple[int, SliceReady]]]:
    """Yield a slice, with its number, by the variants and sequences in which it is trained together with others.

    Args:
        ready: the slice.
        comparisons: what is compared.
        of_real: whether it is a real one that null slices stand among.
    """
    place = -1 - ready.place if of_real else ready.place
    for number, variant in enumerate(comparisons.variants):
        if variant.name != APART:
            for sequence in needed_sequences(comparisons, number):
                if place in comparisons.sequences[sequence]:
                    yield (number, sequence), (place, ready)


def joint_tasks(
    key: SequenceKey, slices: Iterable[tuple[int, SliceReady]], comparisons: Comparisons, targets: Sequence[str] = ()
) -> Iterator[tuple[JointKey, JointTask]]:
    """Yield the tasks of slices that are trained together, one per seed.

    Args:
        key: variant and sequence.
        slices: of the sequence, by number.
        comparisons: what is compared.
        targets: words that may have a vector in each slice.
    """
    number, sequence = key
    name = comparisons.variants[number].name
    training = JOINT_TRAININGS[name]
    places, ready = comparisons.sequences[sequence], dict(slices)
    known = tuple(sorted(set(targets))) if training.of_targets else ()
    anchor = comparisons.frame.anchor if comparisons.frame and training.goes_on else None
    wanted = tuple(index for index, place in enumerate(places) if place >= 0)
    for seed in comparisons.seeds:
        tasks = (
            train_task(comparisons.real if place < 0 and comparisons.real else comparisons, ready[place], seed)
            for place in places
        )
        yield (number, sequence, seed), JointTask(tuple(tasks), name, wanted, known, anchor)


def joint_spaces(
    element: tuple[JointKey, TrainedSpaces], comparisons: Comparisons
) -> Iterator[tuple[SpaceKey, TrainedSpace]]:
    """Yield the spaces of slices that were trained together."""
    (variant, sequence, seed), made = element
    wanted = [place for place in comparisons.sequences[sequence] if place >= 0]
    for place, space in zip(wanted, made.spaces, strict=True):
        yield (variant, place, seed), space
