"""GloVe against its published equations in float64, in every width of vectors, and by planted structure."""

import hashlib
import importlib
import types

import numpy as np
import pytest
from scipy.sparse import csr_array

from lexbeam.transforms.common.code import loops
from lexbeam.transforms.common.code.loops import padded
from lexbeam.transforms.common.draws.by_content import permutation, uniform
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.embeddings.counted_vectors import compiled_glove, train_glove
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS


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
