"""Nulls as slices and pairs of their own: what they are called, and the tasks they become.

Documents are dealt within groups of slices: every pair, and then all slices if there is a series.
Null k of a group has as many slices as the group; the slices of a group's nulls follow one another,
and so do the groups. Null pair k of pair p is pair `p * nulls + k`.
"""

from collections.abc import Iterable, Mapping, Sequence

from transforms.change.graph.comparisons import Comparisons, SliceReady
from transforms.change.nulls.deal_stages import Deal, DealTask, DealtTask, Sized
from transforms.change.view.slice_merges import SliceCounts
from transforms.change.view.view_stage import Viewed
from transforms.common.store.receipts import File

__all__ = [
    "Groups",
    "deal_task",
    "dealt_slices",
    "dealt_tasks",
    "first_place",
    "group_of",
    "groups_of",
    "null_ready",
    "null_slices",
]

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


def deal_task(slices: int, sized: Iterable[tuple[int, Sized]]) -> DealTask:
    """Return the task of a group with this many slices, from their parts, each with the place of its slice."""
    found = list(sized)
    sentences = [(place, each.sentences) for place, each in found if each.sentences is not None]
    return DealTask(
        _by_slice(slices, [(place, each.documents) for place, each in found]),
        _by_slice(slices, sentences) if sentences else (),
    )


def _by_slice(slices: int, entries: Iterable[tuple[int, File]]) -> tuple[tuple[File, ...], ...]:
    ordered = sorted(entries, key=_sha256)
    return tuple(tuple(file for slice_place, file in ordered if slice_place == place) for place in range(slices))


def _sha256(entry: tuple[int, File]) -> str:
    return entry[1].sha256


def dealt_slices(groups: Groups, group: int, deal: Deal) -> list[tuple[int, File]]:
    """Return the null slices of a group, by place, each with its documents."""
    size = len(groups[group])
    first = first_place(groups, group, len(deal.nulls))
    return [
        (first + number * size + index, documents)
        for number, held in enumerate(deal.nulls)
        for index, documents in enumerate(held)
    ]


def dealt_tasks(groups: Groups, group: int, deal: Deal, views: Sequence[Viewed]) -> list[tuple[int, DealtTask]]:
    """Return what is counted of a part in the nulls of a group: tasks with the places of null slices."""
    group_views = tuple(views[place].sentences for place in groups[group])
    return [(place, DealtTask(group_views, documents)) for place, documents in dealt_slices(groups, group, deal)]


def group_of(groups: Groups, place: int, nulls: int) -> int:
    """Return the group whose nulls a null slice is of."""
    return next(group for group in range(len(groups)) if place < first_place(groups, group + 1, nulls))


def null_ready(
    groups: Groups, place: int, counts: SliceCounts, deals: Mapping[int, Deal], feeds: Mapping[int, tuple[File, ...]]
) -> SliceReady:
    """Return a null slice ready for training: it reads the files of the slices that it is dealt from.

    Args:
        groups: whose documents are dealt.
        place: of the null slice.
        counts: what is counted in it.
        deals: of all groups.
        feeds: of the real slices, by place.
    """
    group = group_of(groups, place, len(next(iter(deals.values())).nulls))
    documents = dict(dealt_slices(groups, group, deals[group]))[place]
    return SliceReady(place, counts, tuple(feeds[real] for real in groups[group]), documents)
