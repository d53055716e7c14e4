"""PPMI, decomposition and random indexing, each against a plain computation."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lexbeam.transforms.embeddings.counted_vectors import ppmi, projected, random_vectors, truncated_svd


def counted(seed, words=30, share=0.3):
    """Symmetric counts, about this share of them above 0."""
    draw = np.random.default_rng(seed)
    upper = np.triu(draw.integers(1, 40, (words, words)) * (draw.random((words, words)) < share))
    return upper + upper.T


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999), st.sampled_from([1.0, 0.75, 0.0]), st.sampled_from([1.0, 5.0, 0.5]))
def test_ppmi_is_the_published_formula(seed, smoothing, shift):
    counts = counted(seed, 9)
    found = ppmi(csr_array(counts), smoothing=smoothing, shift=shift)
    smoothed = [sum(counts[:, c]) ** smoothing for c in range(9)]
    for w in range(9):
        for c in range(9):
            expected = 0.0
            if counts[w, c]:
                ratio = counts[w, c] / (sum(counts[w]) * smoothed[c] / sum(smoothed))
                expected = max(0.0, math.log(ratio) - math.log(shift))
            assert found[w, c] == pytest.approx(expected, abs=1e-12)
    assert (found.data > 0).all()


def test_without_smoothing_and_shift_ppmi_is_that_of_probabilities():
    counts = counted(3)
    joint = counts / counts.sum()
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0))), 0)
    np.testing.assert_allclose(ppmi(csr_array(counts), smoothing=1, shift=1).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize(("words", "dim"), [(30, 12), (200, 12), (12, 12), (8, 12)])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0])
def test_dimensions_are_those_of_numpy(words, dim, gamma):
    matrix = ppmi(csr_array(counted(words, words)), smoothing=0.75, shift=1.0)
    found = truncated_svd(matrix, dim=dim, gamma=gamma)
    left, values, _ = np.linalg.svd(matrix.toarray())
    kept = min(words, dim)
    signs = np.sign(left[np.abs(left).argmax(axis=0), np.arange(words)])
    expected = (left * signs * values**gamma)[:, :kept]
    np.testing.assert_allclose(found[:, :kept], expected, atol=1e-7)
    assert not found[:, kept:].any()
    assert found.shape == (words, dim)


def test_words_without_association_are_zero_and_directions_without_rank_too():
    draw = np.random.default_rng(0)
    some = draw.random((150, 4))
    matrix = np.zeros((200, 200))
    matrix[:150, :150] = some @ some.T
    found = [truncated_svd(csr_array(matrix), dim=20, gamma=0.0) for _ in range(2)]
    assert found[0].tobytes() == found[1].tobytes()
    np.testing.assert_array_equal(found[0].any(axis=0), np.arange(20) < 4)
    np.testing.assert_array_equal(found[0].any(axis=1), np.arange(200) < 150)
    assert not truncated_svd(csr_array((5, 5)), dim=3, gamma=0.0).any()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 9), st.integers(1, 20), st.integers(0, 30))
def test_random_vectors_have_a_place_in_each_span_and_hang_on_the_word_alone(seed, nonzero, more):
    dim, words = nonzero + more, [f"w{number}" for number in range(40)]
    found = random_vectors(words, dim=dim, nonzero=nonzero, seed=seed).toarray()
    bounds = [number * dim // nonzero for number in range(nonzero + 1)]
    for start, end in pairwise(bounds):
        np.testing.assert_array_equal(np.abs(found[:, start:end]).sum(axis=1), 1)
    some = random_vectors(words[5:9:2], dim=dim, nonzero=nonzero, seed=seed).toarray()
    np.testing.assert_array_equal(some, found[5:9:2])


def test_places_and_signs_are_even_and_seeds_differ():
    words = [f"w{number}" for number in range(4_000)]
    found = random_vectors(words, dim=50, nonzero=5, seed=1).toarray()
    assert np.abs(found.sum(axis=0) / 400).max() < 0.2
    assert np.abs(np.abs(found).sum(axis=0) / 400 - 1).max() < 0.2
    assert (found != random_vectors(words, dim=50, nonzero=5, seed=2).toarray()).any(axis=1).mean() > 0.99


def test_projection_is_the_product_written_out():
    counts, words = counted(5), [f"w{number}" for number in range(30)]
    vectors = random_vectors(words, dim=8, nonzero=3, seed=2)
    found = projected(csr_array(counts), vectors)
    expected = np.zeros((30, 8))
    for word in range(30):
        for context in range(30):
            expected[word] += counts[word, context] * vectors.toarray()[context]
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.float32


def test_distances_survive_a_projection_into_many_dimensions():
    draw = np.random.default_rng(4)
    counts = draw.poisson(0.3, (60, 1_000))
    words = [f"w{number}" for number in range(1_000)]
    found = projected(csr_array(counts), random_vectors(words, dim=4_000, nonzero=20, seed=1)).astype(float)
    units, exact = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (found, counts))
    assert np.abs(units @ units.T - exact @ exact.T).max() < 0.08


def test_random_indexing_is_shared_random_projection():
    """SRV: the counts of two slices, over the contexts of either, times one random matrix."""
    slices = [sorted({f"w{n}" for n in np.random.default_rng(seed).integers(0, 60, 40)}) for seed in (1, 2)]
    contexts = sorted({*slices[0], *slices[1]})
    shared = random_vectors(contexts, dim=12, nonzero=4, seed=5).toarray()
    for seed, words in enumerate(slices):
        counts = counted(seed, len(words))
        spread = np.zeros((len(words), len(contexts)), np.int64)
        spread[:, [contexts.index(word) for word in words]] = counts
        found = projected(csr_array(counts), random_vectors(words, dim=12, nonzero=4, seed=5))
        np.testing.assert_array_equal(found, spread @ shared)
