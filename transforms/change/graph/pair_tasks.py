"""Pairs of slices, real and null, with the spaces that they are aligned with and scored by, and the tasks of this."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from lexbeam.transforms.change.graph.comparisons import Comparisons, PairSeed, SpaceKey, facts_of
from lexbeam.transforms.change.scores.score_stage import ScoreTask, VariantSpaces
from lexbeam.transforms.change.spaces.alignment_stage import Aligned, AlignTask, FrameSlice, PairFrame, SliceFacts
from lexbeam.transforms.change.spaces.training import TrainedSpace
from lexbeam.transforms.change.view.slice_merges import SliceCounts
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, APART
from lexbeam.transforms.embeddings.frames import frame_places
from lexbeam.transforms.embeddings.joint.trainings import JOINT_TRAININGS


def align_tasks(
    sides: Sequence[tuple[SliceFacts, File]],
    seed: int,
    alignments: Collection[str],
    variant: str = APART,
    frame: PairFrame | None = None,
) -> Iterator[AlignTask]:
    """Yield the tasks of a pair, seed and variant, one per alignment.

    Args:
        sides: the earlier slice and the later one, with their spaces.
        seed: of the spaces.
        alignments: keys of `ALIGNMENTS`.
        variant: of the spaces.
        frame: what alignments that move a space map both into; None: one onto the other.
    """
    (earlier, first), (later, second) = sides
    for alignment in sorted(set(alignments)):
        within = frame if ALIGNMENTS[alignment].moves else None
        yield AlignTask((earlier, later), (first, second), seed, variant, alignment, within)


PairSpaces = tuple[int, int, int]  # pair, seed, variant
PairSide = tuple[int, SliceFacts, File]  # a slice that a pair is aligned with: its place among the real ones


def pair_sides(
    element: tuple[SpaceKey, TrainedSpace], comparisons: Comparisons, slices: Mapping[int, SliceCounts]
) -> Iterator[tuple[PairSpaces, PairSide]]:
    """Yield the pairs that a space takes part in, or is needed for as one over which slices are mapped."""
    (variant, trained, seed), made = element
    facts, space = facts_of(comparisons, trained, slices), made.part.file
    for pair, places in enumerate(comparisons.pairs):
        origins = comparisons.origins[pair] if comparisons.origins else places
        for place, origin in zip(places, origins, strict=True):
            if place == trained:
                yield (pair, seed, variant), (origin, facts, space)
        if not comparisons.origins and trained in _between(comparisons, places, variant):
            yield (pair, seed, variant), (trained, facts, space)


def null_sides(
    element: tuple[SpaceKey, TrainedSpace],
    comparisons: Comparisons,
    real: Comparisons,
    slices: Mapping[int, SliceCounts],
) -> Iterator[tuple[PairSpaces, PairSide]]:
    """Yield the null pairs whose slices are mapped over a real slice, with its space; `slices` are the real ones."""
    (variant, trained, seed), made = element
    if seed in comparisons.seeds:
        for pair, origins in enumerate(comparisons.origins):
            if trained in _between(comparisons, origins, variant):
                yield (pair, seed, variant), (trained, facts_of(real, trained, slices), made.part.file)


def _between(comparisons: Comparisons, pair: tuple[int, int], variant: int) -> list[int]:
    """Return the slices over which those of a pair are mapped; spaces that are trained together need no map."""
    if comparisons.frame is None or comparisons.variants[variant].name != APART:
        return []
    return frame_places(pair, comparisons.frame.anchor)


def pair_tasks(
    key: PairSpaces, sides: Iterable[PairSide], comparisons: Comparisons
) -> Iterator[tuple[PairSeed, AlignTask]]:
    """Yield the tasks of a pair, seed and variant from all slices that it is aligned with."""
    pair, seed, number = key
    variant = comparisons.variants[number]
    places = comparisons.origins[pair] if comparisons.origins else comparisons.pairs[pair]
    found = {place: (facts, space) for place, facts, space in sides}
    ends = [found[place] for place in places]
    frame = None
    if comparisons.frame is not None:
        others = (
            FrameSlice(place, facts.name, facts.tokens, space)
            for place, (facts, space) in sorted(found.items())
            if place not in places
        )
        frame = PairFrame(places, comparisons.frame.anchor, tuple(others))
    for task in align_tasks(ends, seed, variant.alignments, variant.name, frame):
        yield (pair, seed), task


def score_tasks(
    key: PairSeed, fitted: Iterable[tuple[AlignTask, Aligned]], comparisons: Comparisons, nulls: int = 1
) -> Iterator[tuple[int, ScoreTask]]:
    """Yield the task of a pair and seed from all its alignments; of null pairs, this many are of one pair."""
    made = list(fitted)
    variants = []
    for variant in comparisons.variants:
        of = [(task, aligned) for task, aligned in made if task.variant == variant.name]
        maps = {task.alignment: None if task.alignment == "none" else aligned.part.file for task, aligned in of}
        of_targets = variant.name != APART and JOINT_TRAININGS[variant.name].of_targets
        variants.append(VariantSpaces(variant.name, of[0][0].spaces, maps, of_targets))
    task = made[0][0]
    yield key[0] // nulls, ScoreTask(task.slices, task.seed, tuple(variants))
