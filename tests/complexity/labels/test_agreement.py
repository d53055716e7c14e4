import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.complexity.labels.aggregation import split_half, weights_by_agreement


def simulated(noise, instances=400, each=10, seed=0):
    """Judgments with a known reliability of their means."""
    random = np.random.default_rng(seed)
    true = random.normal(size=instances)
    units = np.repeat(np.arange(instances), each)
    values = true[units] + random.normal(scale=noise, size=len(units))
    return true, units, values


@pytest.mark.parametrize("each", [2, 5, 10])
def test_reliability_and_ceiling_are_those_of_the_simulation(each):
    true, units, values = simulated(1.5, each=each)
    keys = content_hashes([f"{n}" for n in range(len(units))])
    found = split_half(units, keys, values, seed=1)
    # Of means of m judgments: var(true) / (var(true) + var(noise) / m).
    expected = 1 / (1 + 1.5**2 / each)
    assert found.reliability == pytest.approx(expected, abs=0.06)
    means = np.bincount(units, values) / np.bincount(units)
    assert found.ceiling == pytest.approx(np.corrcoef(true, means)[0, 1], abs=0.04)
    assert (found.instances, found.draws) == (400, 100)


def test_halves_depend_on_keys_alone():
    _, units, values = simulated(1, instances=30, each=5)
    keys = content_hashes([f"{n}" for n in range(len(units))])
    found = split_half(units, keys, values, seed=3, draws=5)
    order = np.random.default_rng(1).permutation(len(units))
    again = split_half(units[order], keys[order], values[order], seed=3, draws=5)
    assert again.correlation == pytest.approx(found.correlation, abs=1e-12)
    other = split_half(units, keys, values, seed=4, draws=5)
    assert other.correlation != found.correlation


def test_two_judgments_each_are_halves_of_one():
    units = np.array([0, 0, 1, 1, 2, 2, 3])
    values = np.array([0, 0, 0.5, 0.5, 1, 1, 0.3])
    keys = content_hashes([f"{n}" for n in range(7)])
    found = split_half(units, keys, values, seed=1)
    assert found.correlation == pytest.approx(1)
    assert (found.reliability, found.ceiling) == (pytest.approx(1), pytest.approx(1))
    assert found.instances == 3  # one instance has a single judgment


def test_what_has_no_reliability():
    keys = content_hashes(["a", "b", "c", "d"])
    one = np.array([0, 0, 1, 1])
    assert split_half(one[:0], keys[:0], np.zeros(0), seed=1) is None
    assert split_half(one, keys, np.full(4, 0.5), seed=1) is None
    assert split_half(np.arange(4), keys, np.arange(4.0), seed=1) is None
    assert split_half(one[:2], keys[:2], np.arange(2.0), seed=1) is None


def test_a_negative_correlation_gives_no_reliability_and_no_ceiling():
    # Who judges one instance high judges the other low, in both halves the other way round.
    units = np.array([0, 0, 1, 1, 2, 2])
    values = np.array([0.0, 1, 0.1, 0.9, 0.25, 0.8])
    keys = content_hashes([f"{n}" for n in range(6)])
    found = split_half(units, keys, values, seed=1, draws=200)
    assert found.correlation < 0
    assert (found.reliability, found.ceiling) == (None, None)


@given(st.integers(2, 5), st.integers(5, 9), st.integers(0, 10_000))
def test_weights_are_correlations_with_the_mean_of_the_others(people, instances, seed):
    random = np.random.default_rng(seed)
    table = random.choice([0, 0.25, 0.5, 0.75, 1], size=(people, instances))
    there = random.random(table.shape) < 0.8
    rows = [(unit, who) for who in range(people) for unit in range(instances) if there[who, unit]]
    assume({who for _, who in rows} == set(range(people)))
    units, whose = map(np.array, zip(*rows, strict=True))
    found = weights_by_agreement(units, whose, table[whose, units])
    for who in range(people):
        own, others = [], []
        for unit in range(instances):
            rest = [table[o, unit] for o in range(people) if o != who and there[o, unit]]
            if there[who, unit] and rest:
                own.append(table[who, unit])
                others.append(np.mean(rest))
        if len(own) < 5 or np.ptp(others) < 1e-9:
            assert found[who] == 1
        elif np.ptp(own) == 0:
            assert found[who] == 0
        else:
            expected = max(0, np.corrcoef(own, others)[0, 1])
            assert found[who] == pytest.approx(expected, abs=1e-9)
