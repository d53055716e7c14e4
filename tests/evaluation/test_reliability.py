"""Krippendorff's alpha against all pairs one by one, and his own example."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.evaluation.reliability import alpha, fleiss_kappa, nominal_alpha


def squared(a, b):
    return (a - b) ** 2


def unlike(a, b):
    return float(a != b)


def brute_alpha(instances, values, differ=squared):
    """Alpha by all ordered pairs, one by one."""
    units = {}
    for unit, value in zip(instances, values, strict=True):
        units.setdefault(unit, []).append(value)
    units = [held for held in units.values() if len(held) > 1]
    total = sum(map(len, units))
    observed = sum(sum(differ(a, b) for a, b in itertools.permutations(held, 2)) / (len(held) - 1) for held in units)
    pooled = [value for held in units for value in held]
    expected = sum(differ(a, b) for a, b in itertools.permutations(pooled, 2)) / (total - 1)
    return 1 - observed / expected if expected else None


JUDGED = st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0, 0.25, 0.5, 0.75, 1])), max_size=30)


@given(JUDGED)
def test_alpha_is_that_of_all_pairs(judged):
    instances = np.array([unit for unit, _ in judged], np.int64)
    values = np.array([value for _, value in judged], np.float64)
    expected = brute_alpha(instances, values) if len(judged) else None
    found = alpha(instances, values)
    assert found is None if expected is None else found == pytest.approx(expected)


@given(JUDGED)
def test_nominal_alpha_is_that_of_all_pairs(judged):
    instances = np.array([unit for unit, _ in judged], np.int64)
    values = np.array([4 * value for _, value in judged], np.int64)
    expected = brute_alpha(instances, values, unlike) if len(judged) else None
    found = nominal_alpha(instances, values)
    assert found is None if expected is None else found == pytest.approx(expected)


def test_alpha_of_krippendorffs_example():
    # Krippendorff (2011), section C: four observers, twelve units, with missing data.
    table = """1 2 3 3 2 1 4 1 2 . . .
               1 2 3 3 2 2 4 1 2 5 . 3
               . 3 3 3 2 3 4 2 2 5 1 .
               1 2 3 3 2 4 4 1 2 5 1 ."""
    judged = [(unit, float(cell)) for row in table.splitlines() for unit, cell in enumerate(row.split()) if cell != "."]
    instances, values = map(np.array, zip(*judged, strict=True))
    assert alpha(instances, values) == pytest.approx(0.849, abs=5e-4)
    assert nominal_alpha(instances, values.astype(int)) == pytest.approx(0.743, abs=5e-4)


def test_kappa_of_fleisss_example():
    # Ten subjects in five categories by fourteen raters, the table that textbooks take: .210.
    table = """0 0 0 0 14  0 2 6 4 2  0 0 3 5 6  0 3 9 2 0  2 2 8 1 1
               7 7 0 0 0  3 2 6 3 0  2 5 3 2 2  6 5 2 1 0  0 2 2 3 7"""
    counts = np.array(table.split(), int).reshape(10, 5)
    instances = np.repeat(np.arange(10), 14)
    values = np.concatenate([np.repeat(np.arange(5), row) for row in counts])
    assert fleiss_kappa(instances, values) == pytest.approx(0.210, abs=5e-4)


def test_kappa_where_numbers_of_answers_differ():
    # Two of three pairs differ in the first, none in the second; the third has no pair. Shares 2/5, 1/5, 2/5.
    instances, values = np.array([0, 0, 0, 1, 1, 2]), np.array([2, 2, 1, 0, 0, 2])
    by_chance = (4 + 1 + 4) / 25
    assert fleiss_kappa(instances, values) == pytest.approx(((1 / 3 + 1) / 2 - by_chance) / (1 - by_chance))
    assert fleiss_kappa(np.array([0, 0]), np.array([1, 1])) is None
    assert fleiss_kappa(np.array([0, 1]), np.array([0, 1])) is None
