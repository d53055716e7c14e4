"""Divergence of profiles to pivots against its definition, draw by draw and word by word."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cosine, jensenshannon
from scipy.stats import ortho_group

from lexbeam.transforms.change.scores import neighbourhood_measures as module
from lexbeam.transforms.change.scores.neighbourhood_measures import TooFewPivotsError, pivot_divergence, stable_words
from lexbeam.transforms.embeddings.neighbours import SpacePair
from lexbeam.transforms.embeddings.spaces import Space

WORDS = [f"w{number:02}" for number in range(60)]


def spaces(seed, dims=(5, 3)):
    """Two spaces that share most words and no dimensions, each with a vector of length zero."""
    random = np.random.default_rng(seed)
    found = []
    for words, dim in zip((WORDS[:55], WORDS[5:]), dims, strict=True):
        vectors = random.normal(size=(len(words), dim)).astype(np.float32)
        vectors[random.integers(len(words))] = 0
        found.append(Space(words, random.integers(1, 99, len(words)), vectors, 9_999))
    return found


def stable_by_definition(pair, pivots):
    rows = []
    for place, (mine, theirs) in enumerate(zip(pair.mine, pair.theirs, strict=True)):
        shares = pair.earlier.counts[mine] / pair.earlier.tokens, pair.later.counts[theirs] / pair.later.tokens
        rows.append((-min(shares), abs(np.log2(shares[0] / shares[1])), place))
    frequent = sorted(rows, key=lambda row: (row[0], row[2]))[: 10 * pivots]
    steady = sorted(frequent, key=lambda row: row[1:])
    return sorted(place for *_, place in steady[: (len(steady) + 1) // 2])


def by_definition(pair, pivots, draws, seed):
    able = np.array(stable_by_definition(pair, pivots))
    names = [pair.earlier.words[place] for place in pair.mine]
    sides = (pair.earlier.vectors[pair.mine], pair.later.vectors[pair.theirs])
    found = np.zeros((draws, len(names)))
    orders = module.numbers([names[place] for place in able], seed=seed, label="pivots", draws=draws)
    for draw in range(draws):
        drawn = able[np.argsort(orders[:, draw], kind="stable")][:pivots]
        for word in range(len(names)):
            others = [place for place in drawn if place != word]
            profiles = [np.exp([1 - cosine(rows[word], rows[other]) for other in others]) for rows in sides]
            found[draw, word] = jensenshannon(*profiles, base=2) ** 2 if len(others) > 1 else np.nan
    return found.mean(axis=0)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 20), st.integers(1, 3))
def test_the_divergence_is_that_of_its_definition(seed, pivots, draws):
    pair = SpacePair(*spaces(seed))
    assert stable_words(pair, pivots).tolist() == stable_by_definition(pair, pivots)
    with mock.patch.object(module, "QUERIES", 7):
        found = pivot_divergence(pair, pivots=pivots, pivot_draws=draws, seed=seed)
    np.testing.assert_allclose(found, by_definition(pair, pivots, draws, seed), atol=1e-6)
    assert np.nanmax(found) <= 1


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_rotating_and_scaling_a_space_changes_no_score(seed):
    earlier, later = spaces(seed)
    turned = later._replace(vectors=(3 * later.vectors @ ortho_group.rvs(3, random_state=seed)).astype(np.float32))
    asked = {"pivots": 9, "pivot_draws": 2, "seed": 1}
    scores = [pivot_divergence(SpacePair(earlier, other), **asked) for other in (later, turned)]
    np.testing.assert_allclose(*scores, atol=1e-6)
    np.testing.assert_array_equal(pivot_divergence(SpacePair(earlier, earlier), **asked), np.zeros(54))


def test_sparse_spaces_are_scored_as_dense_ones():
    dense = spaces(4, (5, 5))
    sparse = [space._replace(vectors=csr_array(space.vectors)) for space in dense]
    asked = {"pivots": 9, "pivot_draws": 2, "seed": 1}
    scores = [pivot_divergence(SpacePair(*pair), **asked) for pair in (dense, sparse)]
    np.testing.assert_allclose(*scores, atol=1e-12)


def test_a_draw_hangs_on_the_seed_and_the_texts_alone():
    pair = SpacePair(*spaces(2))
    one, other = (pivot_divergence(pair, pivots=9, pivot_draws=1, seed=seed) for seed in (1, 2))
    assert not np.allclose(one, other)
    longer = pivot_divergence(pair, pivots=9, pivot_draws=2, seed=1)
    assert not np.allclose(one, longer)


def test_more_pivots_than_half_of_the_words_are_refused():
    pair = SpacePair(*spaces(1))
    most = (len(pair.mine) + 1) // 2
    assert len(pivot_divergence(pair, pivots=most, pivot_draws=1, seed=1)) == len(pair.mine)
    with pytest.raises(TooFewPivotsError, match=f"for {most + 1} pivots"):
        pivot_divergence(pair, pivots=most + 1, pivot_draws=1, seed=1)
    nothing = SpacePair(pair.earlier, pair.later._replace(words=[f"x{word}" for word in pair.later.words]))
    with pytest.raises(TooFewPivotsError):
        pivot_divergence(nothing, pivots=2, pivot_draws=1, seed=1)
