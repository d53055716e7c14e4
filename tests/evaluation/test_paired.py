"""Many metrics on the same resamples, against each metric measured by itself."""

import doctest

import numpy as np
import pytest

from lexbeam.transforms.evaluation import evaluating
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import Together, measure, measure_difference
from lexbeam.transforms.evaluation.metrics import Metric
from lexbeam.transforms.evaluation.outcomes import Terms

OPTIONS = BootstrapOptions(resamples=200, seed=4)
MEAN = Metric(lambda above, below: Terms(above, below), "terms", doc="toy")


def made(number=40, systems=3, seed=5):
    random = np.random.default_rng(seed)
    clusters = [f"c{place}" for place in random.integers(0, 12, number)]
    terms = [
        Terms(random.integers(0, 3, number).astype(float), random.integers(0, 4, number) + 1.0) for _ in range(systems)
    ]
    return clusters, terms


def test_doctests():
    assert doctest.testmod(evaluating).failed == 0


def test_values_and_intervals_are_those_of_each_by_itself():
    clusters, terms = made()
    together = Together(terms, clusters=clusters, options=OPTIONS)
    for place, one in enumerate(terms):
        alone = measure(MEAN, tuple(one[:2]), clusters=clusters, options=OPTIONS)
        assert together.measured(place) == pytest.approx(alone)
        for other, second in enumerate(terms):
            given = tuple(one[:2]), tuple(second[:2])
            alone = measure_difference(MEAN, *given, clusters=clusters, options=OPTIONS)
            assert together.difference(place, other) == pytest.approx(alone._replace(p_value=None))


def test_what_counts_is_told_and_what_is_undefined():
    clusters, (first, second, _) = made()
    keep = np.arange(40) < 10
    nothing = Terms(np.zeros(40), np.zeros(40), "no_candidates")
    part = Terms(second.numerator * keep, second.denominator * keep)
    everything = np.ones(40, bool)
    together = Together(
        [first, part, nothing], clusters=clusters, options=OPTIONS, counted=[everything, keep, ~everything]
    )
    assert [together.measured(place).n for place in range(3)] == [40, 10, 0]
    assert together.difference(0, 1).n == 10
    empty = together.measured(2)
    assert (empty.value, empty.denominator, empty.reason) == (None, 0, "no_candidates")
    assert together.difference(0, 2).reason == "no_candidates"
    assert together.difference(2, 0).value is None


def test_one_cluster_and_no_resamples_give_no_interval():
    _, terms = made()
    alone = Together(terms, clusters=["x"] * 40, options=OPTIONS).measured(0)
    assert (alone.low, alone.reason) == (None, "one_cluster")
    none = Together(terms, clusters=list(map(str, range(40))), options=BootstrapOptions(resamples=0)).measured(0)
    assert (none.low, none.reason) == (None, None)
    assert none.value == alone.value
