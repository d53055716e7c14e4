"""Co-occurrence counts, against counting by hand."""

import hashlib
import importlib
import math
import types
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lexbeam.transforms.common.code import loops
from lexbeam.transforms.common.code.loops import padded
from lexbeam.transforms.common.draws.by_content import permutation, uniform
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.embeddings import counted_vectors
from lexbeam.transforms.embeddings.counted_vectors import (
    STEPS,
    compiled_glove,
    count_pairs,
    ppmi,
    projected,
    random_vectors,
    symmetric,
    train_glove,
    truncated_svd,
)
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=12), max_size=12)


def by_hand(sentences, words, window, worth=lambda distance: 1):
    """How often each word has each in its window, place by place, in sentences without other words."""
    counts = np.zeros((len(words), len(words)), int)
    for sentence in sentences:
        known = [words.index(word) for word in sentence if word in words]
        for place, word in enumerate(known):
            for other in range(max(0, place - window), min(len(known), place + window + 1)):
                if other != place:
                    counts[word, known[other]] += worth(abs(other - place))
    return counts


@settings(max_examples=60, deadline=None)
@given(SENTENCES, st.sets(st.sampled_from("abcdefg")), st.integers(1, 15), st.integers(0, 12))
def test_counts_are_those_by_hand_however_sentences_are_cut(sentences, chosen, window, cut):
    words = sorted(chosen)
    whole = pa.array(sentences, pa.list_(pa.string()))
    coded = pa.ListArray.from_arrays(whole.offsets, whole.values.dictionary_encode())
    pieces = [[whole], [coded.slice(0, cut), coded.slice(cut)], [coded.slice(cut), whole.slice(0, cut)]]
    expected = by_hand(sentences, words, window)
    for batches in pieces:
        found = symmetric([count_pairs(batches, pa.array(words, pa.string()), window)])
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.toarray(), expected)
        assert (found.data > 0).all()
    near = symmetric([count_pairs([whole], pa.array(words, pa.string()), window, by_distance=True)])
    worth = by_hand(sentences, words, window, lambda distance: round(STEPS / distance))
    np.testing.assert_array_equal(near.toarray(), worth)


def test_parts_add_up_to_the_whole_in_any_order_to_the_bytes(monkeypatch):
    monkeypatch.setattr(counted_vectors, "HELD", 500)  # so that pairs are added up on the way
    draw = np.random.default_rng(1)
    sentences = [[f"w{n}" for n in draw.zipf(1.3, 20) % 40] for _ in range(300)]
    words = pa.array(sorted({word for sentence in sentences for word in sentence}))
    parts = [count_pairs([pa.array(sentences[start : start + 100])], words, 5) for start in (0, 100, 200)]
    whole = symmetric([count_pairs([pa.array(sentences)], words, 5)])
    np.testing.assert_array_equal(whole.toarray(), by_hand(sentences, words.to_pylist(), 5))
    near = symmetric([count_pairs([pa.array(sentences)], words, 5, by_distance=True)])
    worth = by_hand(sentences, words.to_pylist(), 5, lambda distance: round(STEPS / distance))
    np.testing.assert_array_equal(near.toarray(), worth)
    for order in (parts, parts[::-1]):
        added = symmetric(order)
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(added, name), getattr(whole, name))


def test_pairs_are_added_up_seldom_however_many_there_are(monkeypatch):
    monkeypatch.setattr(counted_vectors, "HELD", 10)
    real, times = np.unique, []
    monkeypatch.setattr(np, "unique", lambda *args, **options: times.append(1) or real(*args, **options))
    words = pa.array([f"w{number:03}" for number in range(200)])
    sentences = [pa.array([[words[n].as_py(), words[m].as_py()] for m in range(n)]) for n in range(1, 200)]
    assert count_pairs(sentences, words, 1).nnz == 199 * 200 // 2
    assert len(times) < 40  # of 199 arrays: each time there is half as much again


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


def is_compiled():
    try:
        compiled_glove()
    except UsageError:
        return False
    return True


needs_loop = pytest.mark.skipif(not is_compiled(), reason="the loop of GloVe is not compiled here")


def counts(words, seed=0, share=0.5):
    """Weighted counts, symmetric, as those of two topics: words of even and of odd numbers."""
    random = np.random.default_rng(seed)
    topic = np.arange(words) % 2
    means = np.where(topic[:, None] == topic, 8.0, 0.5)
    upper = np.triu(random.gamma(means) * (random.random((words, words)) < share))
    return csr_array(upper + upper.T)


def by_the_book(counts, words, dim, iterations, x_max, seed):
    drawn = (uniform(words, seed=seed, label="glove", draws=2 * dim + 2) - 0.5) / dim
    w, u, b, c = drawn[:, :dim], drawn[:, dim : 2 * dim], drawn[:, -2], drawn[:, -1]
    sums = [np.ones_like(value) for value in (w, u, b, c)]
    rows = np.repeat(np.arange(len(words)), np.diff(counts.indptr))
    for iteration in range(iterations):
        for cell in permutation(np.arange(counts.nnz, dtype=np.uint64), seed=seed, label=f"glove {iteration}"):
            i, j, x = rows[cell], counts.indices[cell], counts.data[cell]
            off = min(1, (x / x_max) ** 0.75) * (w[i] @ u[j] + b[i] + c[j] - np.log(x))
            for value, total, place, gradient in zip(
                (w, u, b, c), sums, (i, j, i, j), (off * u[j], off * w[i].copy(), off, off), strict=True
            ):
                value[place] = value[place] - 0.05 * gradient / np.sqrt(total[place])
                total[place] = total[place] + gradient**2
    return w + u


@needs_loop
@pytest.mark.parametrize("dim", [1, 5, 16, 33])
def test_vectors_are_those_of_the_published_equations(dim):
    words = [f"w{n}" for n in range(12)]
    asked = {"dim": dim, "iterations": 4, "x_max": 9.0, "seed": 3}
    found = train_glove(counts(12), words, **asked)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, by_the_book(counts(12), words, *asked.values()), atol=2e-5)


@needs_loop
def test_the_bytes_are_the_same_in_every_width_and_hang_on_the_seed():
    words = [f"w{n}" for n in range(40)]
    asked = {"dim": 50, "iterations": 3, "x_max": 5.0}
    made = {
        name: hashlib.sha256(train_glove(counts(40), words, seed=1, variant=name, **asked)).hexdigest()
        for name in (*compiled_glove().variants(), "")
    }
    assert len(set(made.values())) == 1
    assert made[""] != hashlib.sha256(train_glove(counts(40), words, seed=2, **asked)).hexdigest()
    with pytest.raises(ValueError, match="variant v9 does not run here"):
        train_glove(counts(40), words, seed=1, variant="v9", **asked)


@needs_loop
def test_words_of_a_topic_come_near_each_other_and_products_near_the_logarithms():
    whole = counts(40, share=0.8)
    vectors = train_glove(whole, [f"w{n}" for n in range(40)], dim=10, iterations=40, x_max=10.0, seed=1)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    same = (np.arange(40) % 2)[:, None] == np.arange(40) % 2
    np.fill_diagonal(same, False)
    assert cosines[same].mean() > 0.5 > 0 > cosines[~same & ~np.eye(40, dtype=bool)].mean()


@needs_loop
def test_a_word_without_contexts_has_a_vector_of_zero():
    cells = counts(6, share=1).toarray()
    cells[2] = cells[:, 2] = 0
    found = train_glove(csr_array(cells), list("abcdef"), dim=3, iterations=2, x_max=5.0, seed=1)
    assert found.any(axis=1).tolist() == [True, True, False, True, True, True]


@needs_loop
def test_numbers_beyond_bounds_are_refused():
    endless = csr_array(np.full((2, 2), np.inf))
    with pytest.raises(LexbeamError, match="raise `x_max`"):
        train_glove(endless, ["a", "b"], dim=2, iterations=1, x_max=1.0, seed=1)


@pytest.fixture
def missing(monkeypatch):
    """Let the loop be missing, or of another source."""
    importing = importlib.import_module
    compiled_glove.cache_clear()
    yield lambda load: monkeypatch.setattr(
        loops.importlib, "import_module", lambda name: (load if name.endswith("_glove") else importing)(name)
    )
    compiled_glove.cache_clear()


def test_without_the_loop_the_message_says_what_to_do(missing):
    def fail(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    missing(fail)
    with pytest.raises(UsageError, match=r"`representation` glove is not compiled.*C compiler.*`representation` svd"):
        REPRESENTATIONS["glove"].check_installed("it")
    missing(lambda name: types.SimpleNamespace(SOURCE="0" * 64))
    with pytest.raises(UsageError, match="another version of its source"):
        compiled_glove()


@needs_loop
def test_the_loop_checks_what_it_is_given():
    whole = counts(3, share=1)
    rows = np.repeat(np.arange(3, dtype=np.int32), 3)
    cells = [rows, whole.indices.astype(np.int32), *np.zeros((2, 9), np.float32)]

    def train(matrices=None, biases=None, cells=cells, order=(0,), width=16):
        matrices = matrices or [padded(3, 2) + 1 for _ in range(4)]
        biases = np.ones((4, 3), np.float32) if biases is None else biases
        compiled_glove().train(*matrices, biases, *cells, np.array(order, np.int64), width, 0.05, "")

    train()
    for told, wrong in {
        "rows are not padded": {"width": 15},
        "not of one shape": {"matrices": [padded(n, 2) for n in (3, 3, 3, 2)]},
        "biases are not of all words": {"biases": np.ones((4, 2), np.float32)},
        "not as many rows": {"cells": [*cells[:3], np.zeros(8, np.float32)]},
        "a word is not there": {"cells": [rows + 1, *cells[1:]]},
        "a cell is not there": {"order": (9,)},
    }.items():
        with pytest.raises(ValueError, match=told):
            train(**wrong)
