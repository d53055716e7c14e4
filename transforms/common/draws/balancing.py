"""Groups of instances dealt to splits so that genres and values are alike in each.

A genre is any stratum, and a value may be a complexity or a score.

What is minimised is a Cramér-von Mises distance. Let C_s(g, b) be how many instances of genre g in
bands up to b of values the split s has, C(g, b) how many there are in all, and p_s its share.
The deviation is D_s(g, b) = C_s(g, b) - p_s C(g, b), and its sum over genres D_s(b). Then

    F = sum_s p_s^-2 [ mean_b D_s(b)^2 + A mean_b sum_g D_s(g, b)^2 + M sum_g D_s(g, last)^2 ].

The Kolmogorov-Smirnov distance of two splits of the sizes asked for is at most the sum of their
largest |D_s(b)| / (p_s n), so F falls with it; the last term holds the sizes of splits and the
shares of genres. A group has few instances, so what a move of it adds to F is read off suffix sums
of D: all moves are valued at once, in time linear in the instances. Each step takes the best swap
of two groups (or move of one) among the best moves and some drawn ones. F only falls.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.draws.by_content import numbers

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BY_GENRE = 1.0  # A
SIZES = 4.0  # M
BEST = 48  # moves of each direction that swaps are made of, and as many drawn ones
STEPS = 3_000
PATIENCE = 30  # steps with other drawn moves that save little, before no more is to be had
LITTLE = 1e-3  # of F
LEAST = 1e-12  # of F at the start: below, rounding may decide


class GroupedInstances(NamedTuple):
    """Instances sorted by group, as they count.

    Attributes:
        group: of each instance, non-decreasing from 0; each group has an instance.
        genre: of each instance, from 0.
        band: of each instance, the band of its value, from 0.
    """

    group: Ints
    genre: Ints
    band: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """How many genres and bands there are."""
        return int(self.genre.max()) + 1, int(self.band.max()) + 1


class Balanced(NamedTuple):
    """Splits of groups.

    Attributes:
        split: of each group, int64.
        before: what is lowered, F here and J in `sharpening`, of the start.
        after: the same in the end, at most `before`.
        steps: swaps and moves made.
    """

    split: Ints
    before: float
    after: float
    steps: int


def prefix_counts(cells: GroupedInstances, groups: Ints) -> Floats:
    """Return how many instances groups have, of shape (groups, genres, bands up to this one)."""
    genres, bands = cells.shape
    starts = np.searchsorted(cells.group, groups, side="left")
    lengths = np.searchsorted(cells.group, groups, side="right") - starts
    of = np.repeat(np.arange(len(groups)), lengths)
    rows = np.arange(len(of)) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    size = genres * bands
    place = cells.genre[rows] * bands + cells.band[rows]
    ones = np.ones(len(of))  # so that counts are floats from the start
    counts = np.bincount(of * size + place, ones, minlength=len(groups) * size)
    prefix = np.asarray(counts, np.float64).reshape(len(groups), genres, bands)
    return np.cumsum(prefix, axis=2, out=prefix)


class _State:
    """Deviations of a dealing, and what moves add to F."""

    def __init__(self, cells: GroupedInstances, split: Ints, shares: Floats) -> None:
        self.cells, self.split, self.shares = cells, split.copy(), shares
        self.genres, self.bands = cells.shape
        self.starts = np.flatnonzero(np.diff(cells.group, prepend=-1))
        self.ends = np.append(self.starts[1:], len(cells.group))
        self.place = cells.genre * self.bands + cells.band
        self.weights = shares**-2.0
        size = self.genres * self.bands
        counts = np.bincount(split[cells.group] * size + self.place, minlength=len(shares) * size).reshape(
            len(shares), self.genres, self.bands
        )
        wanted = shares[:, None, None] * counts.sum(0)
        self.off: Floats = np.cumsum(counts - wanted, axis=2)  # D_s(g, b)

    def value(self) -> float:
        """Return F."""
        off = self.off
        parts = (
            (off.sum(1) ** 2).sum(1) / self.bands
            + BY_GENRE * (off**2).sum((1, 2)) / self.bands
            + SIZES * (off[:, :, -1] ** 2).sum(1)
        )
        return float(self.weights @ parts)

    def slopes(self) -> Floats:
        """Return p_s^-2 <D_s, v> of every split and group v, of shape (splits, groups)."""
        inner = (self.off.sum(1, keepdims=True) + BY_GENRE * self.off) / self.bands
        suffix = np.cumsum(inner[:, :, ::-1], axis=2)[:, :, ::-1] + SIZES * self.off[:, :, -1:]
        suffix = (self.weights[:, None, None] * suffix).reshape(len(self.shares), -1)
        return np.stack([np.add.reduceat(row[self.place], self.starts) for row in suffix])

    def vectors(self, groups: Ints) -> Floats:
        """Return groups as vectors whose inner products are those of F."""
        cum = prefix_counts(self.cells, groups)
        size = self.genres * self.bands
        return np.concatenate(
            [
                cum.sum(1) * self.bands**-0.5,
                (cum * (BY_GENRE / self.bands) ** 0.5).reshape(len(groups), size),
                cum[:, :, -1] * SIZES**0.5,
            ],
            axis=1,
        )

    def move(self, group: int, to: int) -> None:
        rows = slice(self.starts[group], self.ends[group])
        for cell in self.place[rows].tolist():
            genre, band = divmod(cell, self.bands)
            self.off[self.split[group], genre, band:] -= 1
            self.off[to, genre, band:] += 1
        self.split[group] = to


def _squares(cells: GroupedInstances) -> Floats:
    """Return <v, v> of every group v, without the vectors.

    A sum over bands of a squared count is one over pairs of instances, which are together from the
    higher band on: the k-th of a group from below is the higher one of 2k - 1 pairs.
    """
    _, bands = cells.shape
    left = (bands - cells.band) / bands
    groups = int(cells.group[-1]) + 1
    key = cells.group * (int(cells.genre.max()) + 1) + cells.genre
    squares = np.bincount(cells.group, (2 * _ranks(cells.group, cells.band) - 1) * left, minlength=groups)
    pairs = 2 * _ranks(key, cells.band) - 1
    # Each pair of a genre counts in its size, too: sum of 2k - 1 is the square.
    squares = squares + np.bincount(cells.group, pairs * (BY_GENRE * left + SIZES), minlength=groups)
    return squares.astype(np.float64)


def _ranks(keys: Ints, values: Ints) -> Ints:
    """Return the place of each row among those of its key by value, from 1."""
    order = np.lexsort((values, keys))
    ordered = keys[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(np.append(first, len(keys)))
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.arange(len(keys)) - np.repeat(first, lengths) + 1
    return ranks


def distance(cells: GroupedInstances, split: Ints, shares: Floats) -> float:
    """Return F of a dealing of groups to splits."""
    return _State(cells, split, shares).value()


def balance(
    cells: GroupedInstances,
    start: Ints,
    shares: Floats,
    *,
    names: npt.NDArray[np.uint64],
    fixed: npt.NDArray[np.bool_],
    seed: int,
    steps: int = STEPS,
) -> Balanced:
    """Return splits of groups with as low an F as swaps lead to.

    Args:
        start: a split of each group, which the result is no worse than.
        shares: of each split, above 0.
        names: hash of each group, ascending: by these moves are drawn and ties decided.
        fixed: groups that stay where they are.
        seed: of the drawn moves.
        steps: swaps at most.
    """
    state = _State(cells, start, shares)
    before = state.value()
    squares, free = _squares(cells), np.flatnonzero(~fixed)
    made = idle = turn = 0
    left = before
    with one_thread():
        while made < steps and idle < PATIENCE:
            drawn = numbers(names[free], seed=seed, label=f"complexity/balance {turn}")
            turn += 1
            swap = _best_swap(state, squares, free, drawn)
            if swap is None or swap.saved <= LEAST * before:
                idle += 1  # also where nothing is left, or less than that by rounding
                continue
            idle = 0 if swap.saved > LITTLE * left else idle + 1
            for group, to in swap.moves:
                state.move(group, to)
            made, left = made + 1, left - swap.saved
    return Balanced(state.split, before, state.value(), made)


class _Swap(NamedTuple):
    saved: float
    moves: tuple[tuple[int, int], ...]


def _best_swap(state: _State, squares: Floats, free: Ints, drawn: npt.NDArray[np.uint64]) -> _Swap | None:
    """Return what saves most of F among swaps and moves of likely groups."""
    slopes = state.slopes()[:, free]
    where = state.split[free]
    best: _Swap | None = None
    for a in range(len(state.shares)):
        for b in range(a + 1, len(state.shares)):
            weight = state.weights[a] + state.weights[b]
            gains = 2 * (slopes[a] - slopes[b])
            ins, outs = np.flatnonzero(where == a), np.flatnonzero(where == b)
            there, back = (gains[ins] - weight * squares[free[ins]], -gains[outs] - weight * squares[free[outs]])
            entering = _likely(there, drawn[ins])
            leaving = _likely(back, drawn[outs])
            first, second = free[ins[entering]], free[outs[leaving]]
            saved = np.zeros((len(first) + 1, len(second) + 1))
            saved[:-1, :-1] = 2 * weight * (state.vectors(first) @ state.vectors(second).T)
            saved[:-1] += there[entering][:, None]
            saved[:, :-1] += back[leaving][None]
            x, y = divmod(int(np.argmax(saved)), len(second) + 1)
            if best is None or saved[x, y] > best.saved:
                moves = [(int(first[x]), b)] if x < len(first) else []
                moves += [(int(second[y]), a)] if y < len(second) else []
                best = _Swap(float(saved[x, y]), tuple(moves))
    return best


def _likely(gains: Floats, drawn: npt.NDArray[np.uint64]) -> Ints:
    """Return the places of the greatest gains and of the least draws, ascending."""
    if len(gains) <= 2 * BEST:
        return np.arange(len(gains))
    bound = np.partition(gains, -BEST)[-BEST]
    above, at = np.flatnonzero(gains > bound), np.flatnonzero(gains == bound)
    drawn_least = np.flatnonzero(drawn <= np.partition(drawn, BEST)[BEST])
    return np.unique(np.concatenate([above, at[: BEST - len(above)], drawn_least]))
