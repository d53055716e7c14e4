"""Pairs of slices, real and null: their tasks of alignment and scores, and the tasks of dealing that make nulls.

Nulls are slices and pairs of their own, which are numbered here. Documents are dealt within groups of slices: every
pair, and then all slices if there is a series. Null k of a group has as many slices as the group; the slices of a
group's nulls follow one another, and so do the groups. Null pair k of pair p is pair `p * nulls + k`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from lexbeam.transforms.change.graph.comparisons import Comparisons, PairSeed, PartView, SliceReady, SpaceKey, facts_of
from lexbeam.transforms.change.scores.null_deals import Deal, DealTask, DealtTask, Sized, SizesTask
from lexbeam.transforms.change.scores.seed_scores import ScoreTask, VariantSpaces
from lexbeam.transforms.change.spaces.aligning import AlignOptions, AlignTask, PairFrame, SliceSpace, fit_arguments
from lexbeam.transforms.change.view.counts import SliceCounts
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import Part, PartFile
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, APART, frame_places
from lexbeam.transforms.embeddings.joint_trainings import JOINT_TRAININGS


def align_tasks(
    sides: tuple[SliceSpace, SliceSpace],
    seed: int,
    alignments: Collection[str],
    options: AlignOptions,
    variant: str = APART,
    frame: PairFrame | None = None,
) -> Iterator[AlignTask]:
    """Yield the tasks of a pair, seed and variant, one per alignment.

    Args:
        sides: the earlier slice and the later one.
        seed: of the spaces.
        alignments: keys of `ALIGNMENTS`.
        options: how they are fitted.
        variant: of the spaces.
        frame: what alignments that move a space map both into; None: one onto the other.
    """
    for alignment in sorted(set(alignments)):
        within = frame if ALIGNMENTS[alignment].moves else None
        yield AlignTask(sides, seed, variant, alignment, fit_arguments(options, alignment), within)


PairSpaces = tuple[int, int, int]  # pair, seed, variant
PairSide = tuple[int, SliceSpace]  # a slice that a pair is aligned with: its place among the real ones


def pair_sides(
    element: tuple[SpaceKey, PartFile], comparisons: Comparisons, slices: Mapping[int, SliceCounts]
) -> Iterator[tuple[PairSpaces, PairSide]]:
    """Yield the pairs that a space takes part in, or is needed for as one over which slices are mapped."""
    (variant, trained, seed), made = element
    side = SliceSpace(comparisons.names[trained], slices[trained].tokens, made.file)
    for pair, places in enumerate(comparisons.pairs):
        origins = comparisons.origins[pair] if comparisons.origins else places
        for place, origin in zip(places, origins, strict=True):
            if place == trained:
                yield (pair, seed, variant), (origin, side)
        if not comparisons.origins and trained in _between(comparisons, places, variant):
            yield (pair, seed, variant), (trained, side)


def null_sides(
    element: tuple[SpaceKey, PartFile], comparisons: Comparisons, real: Comparisons, slices: Mapping[int, SliceCounts]
) -> Iterator[tuple[PairSpaces, PairSide]]:
    """Yield the null pairs whose slices are mapped over a real slice, with its space; `slices` are the real ones."""
    (variant, trained, seed), made = element
    if seed in comparisons.seeds:
        for pair, origins in enumerate(comparisons.origins):
            if trained in _between(comparisons, origins, variant):
                yield (
                    (pair, seed, variant),
                    (trained, SliceSpace(real.names[trained], slices[trained].tokens, made.file)),
                )


def _between(comparisons: Comparisons, pair: tuple[int, int], variant: int) -> list[int]:
    """Return the slices over which those of a pair are mapped; spaces that are trained together need no map."""
    if comparisons.frame is None or comparisons.variants[variant].name != APART:
        return []
    return frame_places(pair, comparisons.frame.anchor)


def pair_tasks(
    key: PairSpaces, sides: Iterable[PairSide], comparisons: Comparisons, options: AlignOptions
) -> Iterator[tuple[PairSeed, AlignTask]]:
    """Yield the tasks of a pair, seed and variant from all slices that it is aligned with."""
    pair, seed, number = key
    variant = comparisons.variants[number]
    places = comparisons.origins[pair] if comparisons.origins else comparisons.pairs[pair]
    found = dict(sides)
    earlier, later = places
    frame = None
    if comparisons.frame is not None:
        others = tuple((place, side) for place, side in sorted(found.items()) if place not in places)
        frame = PairFrame(places, comparisons.frame.anchor, others)
    for task in align_tasks((found[earlier], found[later]), seed, variant.alignments, options, variant.name, frame):
        yield (pair, seed), task


def score_tasks(
    key: PairSeed,
    fitted: Iterable[tuple[AlignTask, PartFile]],
    comparisons: Comparisons,
    slices: Mapping[int, SliceCounts],
    nulls: int = 1,
) -> Iterator[tuple[int, ScoreTask]]:
    """Yield the task of a pair and seed from all its alignments; of null pairs, this many are of one pair."""
    made = list(fitted)
    variants = []
    for variant in comparisons.variants:
        of = [(task, aligned) for task, aligned in made if task.variant == variant.name]
        maps = {task.alignment: None if task.alignment == "none" else aligned.file for task, aligned in of}
        of_targets = variant.name != APART and JOINT_TRAININGS[variant.name].of_targets
        variants.append(VariantSpaces(variant.name, tuple(side.space for side in of[0][0].sides), maps, of_targets))
    pair, seed = key
    earlier, later = (facts_of(comparisons, place, slices) for place in comparisons.pairs[pair])
    yield pair // nulls, ScoreTask((earlier, later), seed, tuple(variants))


T = TypeVar("T")

Groups = tuple[tuple[int, ...], ...]  # places of the slices of each group


def groups_of(comparisons: Comparisons, series: bool) -> Groups:
    """Return the groups whose documents are dealt: pairs, and perhaps all slices as a series."""
    all_places = tuple(range(len(comparisons.names)))
    return (*comparisons.pairs, all_places) if series else comparisons.pairs


def first_place(groups: Groups, group: int, nulls: int) -> int:
    """Return the place of the first slice of a group's nulls."""
    return nulls * sum(len(places) for places in groups[:group])


def null_slices(comparisons: Comparisons, groups: Groups, nulls: int) -> Comparisons:
    """Return the null slices and pairs; they have the frequency cuts and variants of the real ones, one seed."""
    names: list[str] = []
    cuts: list[int] = []
    pairs: list[tuple[int, int]] = []
    sequences: list[tuple[int, ...]] = []
    origins: list[tuple[int, int]] = []
    for group, places in enumerate(groups):
        is_pair = group < len(comparisons.pairs)
        label = ":".join(comparisons.names[place] for place in places) if is_pair else "series"
        for number in range(nulls):
            if is_pair:
                pairs.append((len(names), len(names) + 1))
                origins.append(comparisons.pairs[group])
            own = {place: len(names) + index for index, place in enumerate(places)}
            sequences.append(tuple(own.get(place, -1 - place) for place in range(len(comparisons.names))))
            for place in places:
                names.append(f"{label} null {number + 1} as {comparisons.names[place]}")
                cuts.append(comparisons.min_counts[place])
    return Comparisons(
        tuple(names),
        tuple(cuts),
        tuple(pairs),
        comparisons.seeds[:1],
        comparisons.variants,
        tuple(sequences),
        comparisons.frame,
        tuple(origins),
        comparisons,
    )


def of_groups(element: tuple[int, T], groups: range) -> Iterator[tuple[int, T]]:
    """Yield what is of some groups, numbered from 0."""
    group, value = element
    if group in groups:
        yield groups.index(group), value


def sizes_tasks(
    element: PartView, groups: Groups, documents: Mapping[str, Part], sentences: bool
) -> Iterator[tuple[int, SizesTask]]:
    """Yield the tasks of a part, one per slice that is in a group.

    `documents` are, by the digest of a part of `sentences`, the part of `documents` beside it.
    """
    part, views = element
    for place in sorted({place for group in groups for place in group}):
        yield place, SizesTask(views[place].staged, documents[part], sentences)


def by_group(element: tuple[int, Sized], groups: Groups) -> Iterator[tuple[int, tuple[int, Sized]]]:
    """Yield each group that a slice is in, and what is in the slice with its place there."""
    place, sized = element
    for group, places in enumerate(groups):
        if place in places:
            yield group, (places.index(place), sized)


def deal_tasks(group: int, sized: Iterable[tuple[int, Sized]], groups: Groups) -> Iterator[tuple[int, DealTask]]:
    """Yield the task of a group from the parts of its slices, each with the place of its slice."""
    slices, found = len(groups[group]), list(sized)
    sentences = [(place, each.sentences) for place, each in found if each.sentences is not None]
    yield (
        group,
        DealTask(
            _by_slice(slices, [(place, each.documents) for place, each in found]),
            _by_slice(slices, sentences) if sentences else (),
        ),
    )


def _by_slice(slices: int, entries: Iterable[tuple[int, File]]) -> tuple[tuple[File, ...], ...]:
    ordered = sorted(entries, key=lambda entry: entry[1].sha256)
    return tuple(tuple(file for slice_place, file in ordered if slice_place == place) for place in range(slices))


def dealt_slices(groups: Groups, group: int, deal: Deal) -> list[tuple[int, File]]:
    """Return the null slices of a group, by place, each with its documents."""
    size = len(groups[group])
    first = first_place(groups, group, len(deal.nulls))
    return [
        (first + number * size + index, documents)
        for number, held in enumerate(deal.nulls)
        for index, documents in enumerate(held)
    ]


def dealt_tasks(element: PartView, groups: Groups, deals: Mapping[int, Deal]) -> Iterator[tuple[int, DealtTask]]:
    """Yield what is counted of a part in the nulls of all groups: tasks with the places of null slices."""
    _, views = element
    for group, deal in sorted(deals.items()):
        group_views = tuple(views[place].staged for place in groups[group])
        for place, documents in dealt_slices(groups, group, deal):
            yield place, DealtTask(group_views, documents)


def group_of(groups: Groups, place: int, nulls: int) -> int:
    """Return the group whose nulls a null slice is of."""
    return next(group for group in range(len(groups)) if place < first_place(groups, group + 1, nulls))


def null_ready(
    element: tuple[int, SliceCounts], groups: Groups, deals: Mapping[int, Deal], ready: Mapping[int, SliceReady]
) -> SliceReady:
    """Return a null slice ready for training: it reads the files of the slices that it is dealt from.

    Args:
        element: the place of the null slice, and what is counted in it.
        groups: whose documents are dealt.
        deals: of all groups.
        ready: the real slices, by place.
    """
    place, counts = element
    group = group_of(groups, place, len(next(iter(deals.values())).nulls))
    documents = dict(dealt_slices(groups, group, deals[group]))[place]
    feeds = tuple(feed for real in groups[group] for feed in ready[real].feeds)
    return SliceReady(place, counts, feeds, documents)
