import numpy as np
import pytest
import scipy.integrate
import scipy.spatial.distance
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.scores.measures import (
    COUNTS,
    MEASURES,
    REGISTRY,
    SPACES,
    cosine_distance,
    euclidean_distance,
    frequency_difference,
    gaussian_divergence,
    log_frequency_difference,
    raw_frequency_difference,
)
from lexbeam.transforms.change.scores.scoring import ChangeScoreOptions
from lexbeam.transforms.common.options.fields import options_of


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


@given(st.integers(0, 10_000))
def test_euclidean_distance_is_that_of_unit_vectors(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 9, 5))
    a[0], b[1] = -2 * b[0], 3 * a[1]
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (a, b)]
    expected = [scipy.spatial.distance.euclidean(x, y) for x, y in zip(*unit, strict=True)]
    found = euclidean_distance(a, b)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (found[0], found[1]) == (pytest.approx(2), pytest.approx(0, abs=1e-12))
    # It ranks as the cosine does.
    np.testing.assert_allclose(found**2 / 2, cosine_distance(a, b), atol=1e-12)


def test_gaussian_divergence_is_that_of_normal_distributions():
    """By integration in one dimension, by the formula of matrices in three."""
    normal = scipy.stats.norm
    for first, second, *shares in ((1.0, -2.0, 0.02, 0.01), (3.0, 1.0, 0.01, 0.04), (1.0, -1.0, 0.03, 0.03)):
        found = gaussian_divergence(*(np.array([[x]]) for x in (first, second)), shares=as_shares(*shares))
        means, (wide, wider) = np.sign([first, second]), np.sqrt(np.divide(shares, np.mean(shares)))
        p, q = normal(means[0], wide), normal(means[1], wider)
        expected, _ = scipy.integrate.quad(lambda x, p=p, q=q: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), -12, 12)
        assert found == pytest.approx([expected])
    random = np.random.default_rng(1)
    one, other = (random.normal(size=(1, 3)) for _ in range(2))
    gap = (one / np.linalg.norm(one) - other / np.linalg.norm(other))[0]
    matrices = [np.eye(3) * 2 * share / 0.03 for share in (0.01, 0.02)]
    inverse = np.linalg.inv(matrices[1])
    logarithm = np.log(np.linalg.det(matrices[1]) / np.linalg.det(matrices[0]))
    expected = (np.trace(inverse @ matrices[0]) + gap @ inverse @ gap - 3 + logarithm) / 2
    assert gaussian_divergence(one, other, shares=as_shares(0.01, 0.02)) == pytest.approx([expected])
    assert gaussian_divergence(one, other, shares=as_shares(0.01, 0.01)) == pytest.approx(cosine_distance(one, other))
    assert np.isnan(gaussian_divergence(one, other * 0, shares=as_shares(0.01, 0.01)))


def as_shares(*shares):
    return tuple(np.array([share]) for share in shares)


def test_euclidean_distance_is_nan_for_zero():
    found = euclidean_distance(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert np.isnan(found).all()


def test_raw_and_logarithmic_differences_of_frequency():
    counts = np.array([8, 0, 3, 0]), np.array([2, 3, 0, 0])
    np.testing.assert_allclose(raw_frequency_difference(*counts, 64, 8), [6, 3, 3, np.nan])
    # 8 in 64 is an eighth, 2 in 8 a quarter.
    np.testing.assert_allclose(log_frequency_difference(*counts, 64, 8), [1, np.nan, np.nan, np.nan])


def test_registries_say_what_a_measure_needs():
    takes = {name: measure.takes for name, measure in MEASURES.items()}
    of_contexts = {name for name, measure in MEASURES.items() if measure.of and not measure.uses}
    assert of_contexts == {"types", "types-raw", "types-log2", "entropy", "entropy-normalised", "entropy-log2"}
    assert {name for name in takes if takes[name] == SPACES} - of_contexts == {
        "lnd",
        "neighbour-overlap",
        "pivots",
        "resistance",
        "topics",
    }
    assert {name for name in takes if takes[name] == COUNTS} == {"frequency", "frequency-raw", "frequency-log2"}


def test_an_option_that_measures_use_says_so():
    of = {name: entry.of for name, entry in options_of(ChangeScoreOptions).items() if entry.of.startswith(REGISTRY)}
    for name in {name for measure in MEASURES.values() for name in measure.uses} | of.keys():
        users = [measure for measure in MEASURES if name in MEASURES[measure].uses]
        assert of[name] == f"{REGISTRY}={','.join(users)}"
