import numpy as np
import pytest
import scipy.spatial.distance
from hypothesis import given
from hypothesis import strategies as st

from transforms.change.scores.measures import MEASURES, cosine_distance, frequency_difference
from transforms.change.scores.thresholds import THRESHOLDS


@given(st.integers(0, 10_000))
def test_cosine_distance_agrees_with_scipy(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 9, 5))
    expected = [scipy.spatial.distance.cosine(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(cosine_distance(a, b), expected, atol=1e-12)


def test_cosine_distance_stays_within_its_range_and_is_nan_for_zero():
    a = np.array([[0.1, 0.3], [1.0, 2.0], [0.0, 0.0], [1.0, 1.0]])
    b = np.array([[0.1, 0.3], [-1.0, -2.0], [1.0, 0.0], [0.0, 0.0]])
    distance = cosine_distance(a, b)
    assert distance[0] == pytest.approx(0, abs=1e-15)
    assert (distance[:2] >= 0).all()
    assert distance[1] == pytest.approx(2)
    assert np.isnan(distance[2:]).all()


def test_frequency_difference():
    got = frequency_difference(np.array([5, 0, 0]), np.array([1, 3, 0]), 100, 10)
    np.testing.assert_allclose(got, [0.05, 0.3, np.nan])


def test_registries_say_what_a_measure_needs():
    assert {name: measure.aligned for name, measure in MEASURES.items()} == {"cosine": True, "frequency": False}


def test_mean_threshold_skips_missing_scores():
    assert THRESHOLDS["mean"].of(np.array([1.0, np.nan, 2.0])) == 1.5
    assert np.isnan(THRESHOLDS["mean"].of(np.array([np.nan])))
