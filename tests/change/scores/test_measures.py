import warnings

import numpy as np
import pyarrow as pa
import pytest
import scipy.integrate
import scipy.spatial.distance
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lexbeam.transforms.change.scores.measures import (
    COUNTS,
    MADE,
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
from lexbeam.transforms.change.scores.pair_scores import ScoredSlice, score_pair, with_made
from lexbeam.transforms.change.scores.ranking import RankedWordOptions
from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions
from lexbeam.transforms.change.view import counts
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, fit_alignment
from lexbeam.transforms.embeddings.spaces import Space


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


WORDS = [f"w{number:02}" for number in range(16)]
PARAMETERS = {"neighbourhood": 4, "pivots": 3, "pivot_draws": 2, "graph_words": 9, "topic_words": 9}
LARGE, SMALL = np.float32(3e38), np.float32(1e-45)


def of_words(rows, words):
    """Rows of the first words; of as many contexts, where these are words."""
    return (rows[: len(words), : len(words)] if rows.shape[1] == len(WORDS) else rows[: len(words)]), words


def spaces(sparse):
    """By name, the vectors and words of an earlier and a later space; sparse ones are counts."""
    draw = np.random.default_rng(1)
    size = (len(WORDS), len(WORDS) if sparse else 3)

    def some(size):
        return (draw.poisson(0.8, size) if sparse else draw.normal(size=size)).astype(np.float32)

    def few(rank):
        return some((size[0], rank)) @ some((rank, size[1]))

    first, second, alike = some(size), some(size), np.full(size, 3, np.float32)
    found = {
        "ordinary": (first, second),
        "zero": (np.zeros_like(first), second),
        "both zero": (np.zeros_like(first), np.zeros_like(first)),
        "identical": (first, first),
        "one direction": (alike, second),
        "one direction in both": (alike, alike / 3 if sparse else alike * 0.7),
        "one direction or none": (np.where(np.arange(len(WORDS))[:, None] < 3, np.float32(0), alike), second),
        "rank 1": (few(1), few(1)),
        "rank 2": (few(2), few(2)),
    }
    for directions in (1, 2, 4):
        rows = np.where(np.arange(len(WORDS))[:, None] < directions, first + 1, 0).astype(np.float32)
        found[f"{directions} with a direction"] = (rows, second)
    pairs = {name: [of_words(rows, WORDS) for rows in pair] for name, pair in found.items()}
    pairs["disjoint"] = [of_words(first, WORDS), of_words(second, [f"x{word}" for word in WORDS])]
    for number in (0, 1, 2):
        pairs[f"{number} words"] = [of_words(rows, WORDS[:number]) for rows in (first, second)]
    largest = [rows / np.abs(rows).max() * LARGE for rows in (first, second)]
    least = [np.sign(rows) * SMALL for rows in (first, second)]
    extreme = {"huge": largest, "denormal": least, "huge and denormal": (largest[0], least[1])}
    return pairs, {name: [of_words(rows, WORDS) for rows in pair] for name, pair in extreme.items()}


def slice_of(name, rows, words, sparse):
    uses = np.arange(len(words)) + 5
    table = pa.table([words, uses, [9] * len(words), [None] * len(words)], schema=counts.COUNTS)
    space = Space(words, uses, csr_array(rows) if sparse else rows, int(uses.sum()))
    return ScoredSlice(name, space, table, space.tokens, 9, 2)


def scored(pair, sparse, measures, made):
    """Rows by each measure, and by each alignment that can be of such spaces."""
    slices = [slice_of(name, *side, sparse) for name, side in zip(("early", "late"), pair, strict=True)]
    alignments = {
        name: fit_alignment(name, *(side.space for side in slices))
        for name in ALIGNMENTS.ours()
        if not ALIGNMENTS[name].joint and (name == "none" or ALIGNMENTS[name].of_words == sparse)
    }
    asked = {"targets": ["w00", "nowhere"], "rank": RankedWordOptions(min_count=1, min_documents=1)}
    rows = score_pair(*slices, seed=1, alignments=alignments, measures=measures, parameters=PARAMETERS, **asked)
    return with_made(rows, made)


@pytest.mark.parametrize("sparse", [False, True])
def test_scores_are_numbers_or_have_a_reason(sparse):
    measures = [name for name, entry in MEASURES.ours().items() if sparse or not entry.of]
    made = [name for name in measures if MEASURES[name].takes == MADE]
    counted = [name for name in measures if MEASURES[name].of == ("count",)]
    usual, extreme = spaces(sparse)
    wrong, reasons = [], {}
    for name, pair in {**usual, **extreme}.items():
        taken = [m for m in measures if m not in (made if name in usual else made + counted)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = scored(pair, sparse, taken, made if name in ("ordinary", "zero", "disjoint", "0 words") else [])
        reasons[name] = set()
        for row in rows.to_pylist():
            score, reason = row["score"], row["reason"]
            fine = reason is not None if score is None else reason is None and 0 <= score < np.inf
            wrong += [] if fine else [(name, row["alignment"], row["measure"], row["word"], score, reason)]
            if MEASURES[row["measure"]].takes != COUNTS and row["word"] == "w00":
                reasons[name].add((row["alignment"], reason))
    assert not wrong
    assert {reason for _, reason in reasons["ordinary"]} == {None}
    assert {reason for _, reason in reasons["both zero"]} & {None} == set()
    if not sparse:
        for name in ("one direction", "one direction or none"):
            assert ("op", "rank_deficient") in reasons[name]
        assert {kind for kind, reason in reasons["2 with a direction"] if reason == "too_few_shared"} == {
            name for name, method in ALIGNMENTS.items() if method.least_words
        }
