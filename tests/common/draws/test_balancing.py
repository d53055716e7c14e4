"""The swaps of balanced splits, against the formulas term by term."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.draws.balancing import (
    BY_GENRE,
    SIZES,
    GroupedInstances,
    balance,
    distance,
    prefix_counts,
)
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.sharpening import BY_GENRE as SHARP
from lexbeam.transforms.common.draws.sharpening import sharpen

SHARES = np.array([0.7, 0.2, 0.1])


def cells_of(number, seed=0, bands=12, genres=2):
    """Return random groups of 1 to 4 instances."""
    draw = np.random.default_rng(seed)
    group = np.repeat(np.arange(number), draw.integers(1, 5, size=number))
    genre, band = draw.integers(genres, size=len(group)), draw.integers(bands, size=len(group))
    genre[0], band[0] = genres - 1, bands - 1
    return GroupedInstances(group, genre, band)


def dealt(number, seed=1):
    return np.random.default_rng(seed).choice(3, size=number, p=SHARES)


def by_definition(cells, split, shares):
    """F, term by term."""
    genres, bands = cells.shape
    rows = split[cells.group]
    total = 0.0
    for s, share in enumerate(shares):
        off = np.array(
            [
                [
                    ((rows == s) & (cells.genre == g) & (cells.band <= b)).sum()
                    - share * ((cells.genre == g) & (cells.band <= b)).sum()
                    for b in range(bands)
                ]
                for g in range(genres)
            ]
        )
        total += share**-2 * (
            (off.sum(0) ** 2).mean() + BY_GENRE * (off**2).sum(0).mean() + SIZES * (off[:, -1] ** 2).sum()
        )
    return total


def largest_powers(cells, split, splits=3):
    """J without its scale: eighth powers of differences, term by term."""
    genres, bands = cells.shape
    rows = split[cells.group]

    def shares(s, held):
        own = held & (rows == s)
        return np.array([(own & (cells.band <= b)).sum() for b in range(bands)]) / max(own.sum(), 1)

    total = 0.0
    for s in range(splits):
        for t in range(s):
            for weight, held in [(1, cells.band >= 0)] + [(SHARP, cells.genre == g) for g in range(genres)]:
                total += ((weight * (shares(s, held) - shares(t, held))) ** 8).sum()
    return total


def test_the_distance_is_the_formula():
    cells, split = cells_of(40), dealt(40)
    assert distance(cells, split, SHARES) == pytest.approx(by_definition(cells, split, SHARES))


def test_prefix_counts_by_hand():
    cells = GroupedInstances(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 2, 0]))
    assert prefix_counts(cells, np.array([1, 0])).tolist() == [[[1, 1, 1], [0, 0, 0]], [[0, 1, 1], [0, 0, 1]]]


def run(cells, start, *, fixed=None, seed=1, **more):
    number = int(cells.group[-1]) + 1
    names = np.sort(content_hashes(list(range(number))))
    fixed = np.zeros(number, bool) if fixed is None else fixed
    found = balance(cells, start, SHARES, names=names, fixed=fixed, seed=seed, **more)
    return found, sharpen(cells, found.split, 3, names=names, fixed=fixed, seed=seed)


@settings(max_examples=12)
@given(st.integers(1, 40), st.integers(0, 100), st.integers(1, 3), st.integers(1, 12))
def test_no_result_is_worse_than_its_start(number, seed, genres, bands):
    cells, start = cells_of(number, seed, bands, genres), dealt(number, seed)
    found, last = run(cells, start)
    assert found.before == pytest.approx(by_definition(cells, start, SHARES))
    assert found.after == pytest.approx(by_definition(cells, found.split, SHARES))
    assert found.after <= found.before
    assert last.after <= last.before
    assert largest_powers(cells, last.split) <= largest_powers(cells, found.split) * (1 + 1e-9)

    def sizes(split):
        return np.bincount(split[cells.group] * genres + cells.genre, minlength=3 * genres).tolist()

    assert sizes(last.split) == sizes(found.split)


def test_every_step_saves_what_it_says():
    cells, start = cells_of(60), dealt(60)
    values = [run(cells, start, steps=steps)[0].after for steps in range(1, 12)]
    assert values == sorted(values, reverse=True)
    assert [run(cells, start, steps=steps)[0].steps for steps in (1, 3)] == [1, 3]
    assert len(set(values[:5])) == 5


def test_an_optimum_has_no_better_swap():
    # As few groups as are all valued at each step: the result cannot be improved by one swap.
    cells, start = cells_of(30, bands=6), dealt(30)
    found, _ = run(cells, start)
    best = by_definition(cells, found.split, SHARES)
    for one in range(30):
        for other in range(30):
            split = found.split.copy()
            split[one], split[other] = split[other], split[one]
            assert by_definition(cells, split, SHARES) >= best - 1e-6
        for to in range(3):
            split = found.split.copy()
            split[one] = to
            assert by_definition(cells, split, SHARES) >= best - 1e-6


def test_fixed_groups_stay():
    cells, start = cells_of(50), dealt(50)
    fixed = np.arange(50) % 3 == 0
    _, last = run(cells, start, fixed=fixed)
    assert (last.split[fixed] == start[fixed]).all()
    assert (last.split != start).any()
