"""The last swaps of a balanced split: those that lower the largest Kolmogorov-Smirnov distance.

`balance` lowers a mean of squares; what counts in the end is a maximum. Here the sum of the eighth
powers of all differences between the distribution functions of two splits is lowered,

    J = sum_{s<t} sum_b [ d_st(b)^8 + sum_g (W d_st(g, b))^8 ],

d_st(b) the difference of the shares that s and t have up to band b, d_st(g, b) the same within
genre g. A swap is of two groups that have as many instances of every genre, so that no size
changes. Each step draws pairs of such groups, values them exactly, and makes the best swap.
"""

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.draws.balancing import Balanced, Floats, GroupedInstances, Ints, prefix_counts
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers

BY_GENRE = 0.35  # W
PAIRS = 2_048  # drawn at each step
VALUED = 64  # of these, valued exactly
TURNS = 300
PATIENCE = 20  # turns for any two splits that save little, before swapping ends
LITTLE = 0.005  # of J, which is .0006 of a distance


def sharpen(
    cells: GroupedInstances,
    start: Ints,
    splits: int,
    *,
    names: npt.NDArray[np.uint64],
    fixed: npt.NDArray[np.bool_],
    seed: int,
    turns: int = TURNS,
) -> Balanced:
    """Return splits of groups with as low a J as swaps lead to; sizes stay as they are.

    Args:
        start: a split of each group.
        splits: how many splits there are.
        names: hash of each group, ascending.
        fixed: groups that stay where they are.
        seed: of the drawn pairs.
        turns: for any two splits, at most.
    """
    state, weights = _shares(cells, start, splits)
    scale = max((float(np.abs(state[s] - state[t]).max()) for s in range(splits) for t in range(s)), default=0.0)
    split = start.copy()
    if not scale:
        return Balanced(split, 0.0, 0.0, 0)
    # As shares of the greatest difference, so that eighth powers stay near 1.
    state, weights = state / scale, weights / scale
    before = _value(state)
    steps = _swap(cells, split, state, weights, names=names, fixed=fixed, seed=seed, turns=turns)
    whole = scale**8
    return Balanced(split, before * whole, _value(state) * whole, steps)


def _shares(cells: GroupedInstances, split: Ints, splits: int) -> tuple[Floats, Floats]:
    """Return the weighted distribution functions of splits, first over all genres, and the weight of an instance."""
    genres, bands = cells.shape
    counts = np.zeros((splits, genres, bands))
    np.add.at(counts, (split[cells.group], cells.genre, cells.band), 1)
    state = np.cumsum(counts, axis=2)
    state = np.concatenate([state.sum(1, keepdims=True), state], axis=1)
    sizes = np.maximum(state[:, :, -1:], 1)
    weights = np.array([1.0] + genres * [BY_GENRE])[:, None] / sizes
    return state * weights, weights


def _swap(
    cells: GroupedInstances,
    split: Ints,
    state: Floats,
    weights: Floats,
    *,
    names: npt.NDArray[np.uint64],
    fixed: npt.NDArray[np.bool_],
    seed: int,
    turns: int,
) -> int:
    """Make swaps, by which `split` and `state` change, as long as they save enough; return their number."""
    kind = _kinds(cells)
    splits = len(state)
    pairs = [(a, b) for a in range(splits) for b in range(a + 1, splits)]
    steps = idle = turn = 0
    left = _value(state)
    while turn < turns * len(pairs) and idle < PATIENCE * len(pairs):
        a, b = pairs[turn % len(pairs)]
        drawn = numbers(names, seed=seed, label=f"complexity/sharpen {turn}", draws=2)
        turn += 1
        first, second = _matched(split, kind, a, b, drawn, fixed)
        first, second = _likely(_slopes(cells, state, weights, a, b), first, second)
        saved, at, change = _saved(cells, state, weights, a, b, first, second)
        idle = 0 if saved > LITTLE * left else idle + 1
        if saved <= 0:
            continue
        steps, left = steps + 1, left - saved
        split[first[at]], split[second[at]] = b, a
        state[a] += change * weights[a]
        state[b] -= change * weights[b]
    return steps


def _kinds(cells: GroupedInstances) -> Ints:
    """Return a number for each group, the same for those with as many instances of every genre."""
    genres, _ = cells.shape
    groups = int(cells.group[-1]) + 1
    counts = np.bincount(cells.group * genres + cells.genre, minlength=groups * genres)
    rows = counts.reshape(groups, genres)
    hashed = np.zeros(groups, np.uint64)
    for column in rows.T:
        hashed = content_hashes(hashed, column.astype(np.uint64))
    return np.unique(hashed, return_inverse=True)[1].astype(np.int64)


def _matched(
    split: Ints, kind: Ints, a: int, b: int, drawn: npt.NDArray[np.uint64], fixed: npt.NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """Return pairs of groups of two splits that are of one kind: the least draws of the first."""
    ins = np.flatnonzero((split == a) & ~fixed)
    outs = np.flatnonzero((split == b) & ~fixed)
    outs = outs[np.argsort(kind[outs], kind="stable")]
    low = np.searchsorted(kind[outs], kind[ins], side="left")
    many = np.searchsorted(kind[outs], kind[ins], side="right") - low
    ins, low, many = ins[many > 0], low[many > 0], many[many > 0]
    if len(ins) > PAIRS:
        bound = np.partition(drawn[ins, 0], PAIRS)[PAIRS]
        least = drawn[ins, 0] < bound
        ins, low, many = ins[least], low[least], many[least]
    pick = (drawn[ins, 1] % many.astype(np.uint64)).astype(np.int64)
    return ins, outs[low + pick]


def _slopes(cells: GroupedInstances, state: Floats, weights: Floats, a: int, b: int) -> Floats:
    """Return how much J grows, to first order, when a group moves from b to a."""
    rise = np.zeros_like(state[a])
    for side, sign in ((a, 1), (b, -1)):
        for c in range(len(state)):
            apart = state[side] - state[c]
            rise += sign * weights[side] * apart * _sixth(apart)
    inner = rise[:1] + rise[1:]
    suffix = np.cumsum(inner[:, ::-1], axis=1)[:, ::-1]
    slopes: Floats = np.bincount(cells.group, suffix[cells.genre, cells.band]).astype(np.float64)
    return slopes


def _likely(slopes: Floats, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return the pairs by whose swap J falls most, to first order."""
    if len(first) <= VALUED:
        return first, second
    rise = slopes[second] - slopes[first]
    order = np.argsort(rise, kind="stable")
    falls = int(np.searchsorted(rise[order], 0))
    likely = order[: max(falls, VALUED)]
    likely = likely[:: max(len(likely) // VALUED, 1)]
    return first[likely], second[likely]


def _sixth(values: Floats) -> Floats:
    squared = values * values
    return squared * squared * squared


def _power(values: Floats) -> Floats:
    squared = values * values
    squared *= squared
    squared *= squared
    return squared


def _value(state: Floats) -> float:
    splits = len(state)
    return sum(float(_power(state[s] - state[t]).sum()) for s in range(splits) for t in range(s))


def _saved(
    cells: GroupedInstances, state: Floats, weights: Floats, a: int, b: int, first: Ints, second: Ints
) -> tuple[float, int, Floats]:
    """Return how much of J the best swap saves, its place, and what it adds to the counts of a."""
    if not len(first):
        return 0.0, 0, state[a]
    change = prefix_counts(cells, second) - prefix_counts(cells, first)
    change = np.concatenate([change.sum(1, keepdims=True), change], axis=1)
    new_a, new_b = state[a] + change * weights[a], state[b] - change * weights[b]
    after = _power(new_a - new_b).sum((1, 2))
    before = _power(state[a] - state[b]).sum()
    for c in range(len(state)):
        if c not in (a, b):
            after += _power(new_a - state[c]).sum((1, 2)) + _power(new_b - state[c]).sum((1, 2))
            before += _power(state[a] - state[c]).sum() + _power(state[b] - state[c]).sum()
    at = int(np.argmin(after))
    return float(before - after[at]), at, change[at]
