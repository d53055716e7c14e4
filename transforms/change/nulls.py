"""Null pairs as slices and pairs of their own: what they are called, and the tasks they become.

To every pair of slices belong `nulls` null pairs, each of two slices: null pair k of pair p is pair
`p * nulls + k`, and its slices are at the places `2 * (p * nulls + k)` and the next.

To a series of slices belong `nulls` null series, each of as many slices: those of null series k of
n slices are at the places `k * n` to `k * n + n - 1`.
"""

from collections.abc import Iterable, Sequence

from transforms.change.comparisons import Comparisons
from transforms.change.dealing import Deal, DealTask, DealtTask, SeriesDeal, SeriesDealTask
from transforms.change.preparing import Viewed
from transforms.common.receipts import File

__all__ = [
    "deal_task", "dealt_tasks", "null_comparisons", "null_series", "pair_of_null",
    "series_deal_task", "series_dealt_tasks",
]  # fmt: skip


def null_comparisons(comparisons: Comparisons, nulls: int) -> Comparisons:
    """Return the null slices and pairs; they have the frequency cuts of the real ones, one seed."""
    names: list[str] = []
    cuts: list[int] = []
    pairs: list[tuple[int, int]] = []
    for earlier, later in comparisons.pairs:
        for number in range(nulls):
            pairs.append((len(names), len(names) + 1))
            for place in (earlier, later):
                both = f"{comparisons.names[earlier]}:{comparisons.names[later]}"
                names.append(f"{both} null {number + 1} as {comparisons.names[place]}")
                cuts.append(comparisons.min_counts[place])
    return Comparisons(tuple(names), tuple(cuts), tuple(pairs), comparisons.seeds[:1])


def pair_of_null(null: int, nulls: int) -> int:
    """Return the pair that a null pair is a null of."""
    return null // nulls


def deal_task(sides: Iterable[tuple[int, File]]) -> DealTask:
    """Return the task of a pair from the files of its sides, 0 the earlier and 1 the later."""
    found = sorted(sides, key=_sha256)
    earlier, later = (tuple(file for own, file in found if own == side) for side in (0, 1))
    return DealTask(earlier, later)


def _sha256(entry: tuple[int, File]) -> str:
    return entry[1].sha256


def dealt_tasks(
    comparisons: Comparisons,
    pair: int,
    deal: Deal,
    views: Sequence[Viewed],
    ranges: Sequence[int],
) -> list[tuple[int, DealtTask]]:
    """Return what a part becomes in the null pairs of a pair: tasks with the places of slices."""
    sides = comparisons.pairs[pair]
    first = 2 * pair * len(deal.nulls)
    both = (views[sides[0]], views[sides[1]])
    return [
        (first + 2 * number + side, DealtTask(both, earlier, side, ranges[place]))
        for number, earlier in enumerate(deal.nulls)
        for side, place in enumerate(sides)
    ]


def null_series(comparisons: Comparisons, nulls: int) -> Comparisons:
    """Return the slices of null series, with the frequency cuts of the real ones, and one seed."""
    names = [
        f"series null {number + 1} as {name}"
        for number in range(nulls)
        for name in comparisons.names
    ]
    return Comparisons(tuple(names), comparisons.min_counts * nulls, (), comparisons.seeds[:1])


def series_deal_task(slices: int, found: Iterable[tuple[int, File]]) -> SeriesDealTask:
    """Return the task of a series from files by the places of the slices that they are of."""
    held = sorted(found, key=_sha256)
    return SeriesDealTask(
        tuple(tuple(file for own, file in held if own == place) for place in range(slices))
    )


def series_dealt_tasks(
    deal: SeriesDeal, views: Sequence[Viewed], ranges: Sequence[int]
) -> list[tuple[int, DealtTask]]:
    """Return what a part becomes in the null series: tasks with the places of slices."""
    return [
        (number * len(held) + place, DealtTask(tuple(views), documents, 0, ranges[place]))
        for number, held in enumerate(deal.nulls)
        for place, documents in enumerate(held)
    ]
