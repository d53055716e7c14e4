"""Permutation tests against all labelings, and scipy's of paired samples."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions, permutation_p
from lexbeam.transforms.evaluation.metrics import METRICS

MANY = BootstrapOptions(resamples=2000)


def drawn(seed, size):
    random = np.random.default_rng(seed)
    gold = random.normal(size=size)
    return gold, gold + random.normal(0, 0.6, size), gold + random.normal(0, 1.6, size)


@pytest.mark.parametrize("name", ["mae", "pearson", "spearman", "accuracy", "f1", "average_precision"])
def test_p_is_that_of_all_labelings(name):
    metric = METRICS[name]
    gold, first, second = drawn(3, 9)
    if metric.takes != "pairs":
        gold = gold > 0
    if metric.takes == "classes":
        first, second = first > 0, second > 0
    if metric.ordinal:
        # The scale of a system does not matter where order alone counts.
        wanted_first, wanted_second = stats.rankdata(first), stats.rankdata(second)
        second = 100 * second
    else:
        wanted_first, wanted_second = first, second

    def value(said):
        outcome = metric.function(gold, said)
        return float(outcome.numerator.sum() / outcome.denominator.sum()) if hasattr(outcome, "numerator") else outcome

    real = abs(value(wanted_first) - value(wanted_second))
    found = []
    for labels in product([False, True], repeat=9):
        mine, theirs = np.where(labels, wanted_second, wanted_first), np.where(labels, wanted_first, wanted_second)
        found.append(abs(value(mine) - value(theirs)) >= real - 1e-12)
    got = permutation_p(metric, (gold, first), (gold, second), clusters=list("abcdefghi"), options=MANY)
    assert got == pytest.approx(np.mean(found), abs=0.03)


def test_p_of_a_mean_error_is_that_of_scipy():
    gold, first, second = drawn(5, 30)
    errors = np.abs(gold - first), np.abs(gold - second)
    wanted = stats.permutation_test(
        errors, lambda x, y: x.mean() - y.mean(), permutation_type="samples", n_resamples=4000, random_state=1
    ).pvalue
    names = [str(place) for place in range(30)]
    got = permutation_p(METRICS["mae"], (gold, first), (gold, second), clusters=names, options=MANY)
    assert got == pytest.approx(wanted, abs=0.03)


def test_equal_systems_have_p_1_and_clusters_change_labels_as_wholes():
    gold, first, second = drawn(1, 12)
    names = [str(place) for place in range(12)]
    metric = METRICS["spearman"]
    assert permutation_p(metric, (gold, first), (gold, first * 2), clusters=names, options=MANY) == 1
    # One cluster: both labelings give the same size of difference.
    assert permutation_p(metric, (gold, first), (gold, second), clusters=["a"] * 12, options=MANY) == 1
    none = BootstrapOptions(resamples=0)
    assert permutation_p(metric, (gold, first), (gold, second), clusters=names, options=none) is None
    flat = np.zeros(12)
    assert permutation_p(metric, (gold, first), (gold, flat), clusters=names, options=MANY) is None


def test_p_is_calibrated_where_two_systems_are_alike():
    options = BootstrapOptions(resamples=99)
    names = [str(place) for place in range(20)]
    found = []
    for seed in range(60):
        gold, first, _ = drawn(seed, 20)
        second = gold + np.random.default_rng(900 + seed).normal(0, 0.6, 20)
        found.append(permutation_p(METRICS["spearman"], (gold, first), (gold, second), clusters=names, options=options))
    assert np.mean(np.array(found) <= 0.05) <= 0.15
    assert 0.35 <= np.mean(found) <= 0.65
