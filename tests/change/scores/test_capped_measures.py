"""Resistance distance against the whole Laplacian of each word's graph; topics against planted ones."""

from functools import partial

import numpy as np
import pytest
from gensim.models import HdpModel
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import jensenshannon

from lexbeam.transforms.change.scores import neighbourhood_measures
from lexbeam.transforms.change.scores.neighbourhood_measures import resistance_distance, topic_divergence
from lexbeam.transforms.embeddings.neighbours import NoScoreError, SpacePair
from lexbeam.transforms.embeddings.spaces import Space

WORDS = [f"w{number:02}" for number in range(24)]


def spaces(seed, share=0.4):
    """Two sparse spaces that share most words, some rare in one; dimensions are the words of each."""
    random = np.random.default_rng(seed)
    found = []
    for words in (WORDS[:20], WORDS[4:]):
        rows = random.random((20, 20)) * (random.random((20, 20)) < share)
        found.append(Space(words, random.integers(1, 99, 20), csr_array(rows.astype(np.float32)), 999))
    return found


def chosen_words(pair, most):
    """The words that are compared, and those of them that have the greatest smaller relative frequency."""
    shared = [pair.earlier.words[place] for place in pair.mine]

    def rarest(word):
        return min(s.counts[s.words.index(word)] / s.tokens for s in (pair.earlier, pair.later))

    return shared, sorted(shared, key=lambda word: (-rarest(word), word))[:most]


def by_definition(pair, most):
    """Resistances by the pseudo-inverse of the whole Laplacian, of the part of the graph where both nodes are."""
    shared, chosen = chosen_words(pair, most)
    sides = []
    for space in (pair.earlier, pair.later):
        rows = space.vectors.toarray().astype(float)
        sides.append(lambda a, b, space=space, rows=rows: rows[space.words.index(a), space.words.index(b)])

    found = []
    for word in shared:
        others = [other for other in chosen if other != word]
        size = len(others) + 2
        edges = np.zeros((size, size))
        for i, a in enumerate(others):
            for j, b in enumerate(others):
                edges[i, j] = sum(side(a, b) + side(b, a) for side in sides) / 4 * (i != j)
            for node, side in ((-2, sides[0]), (-1, sides[1])):
                edges[i, node] = edges[node, i] = side(word, a)
        reach = np.linalg.matrix_power((edges > 0).astype(float) + np.eye(size), size)[-2] > 0
        if not reach[-1]:
            found.append(np.nan)
            continue
        laplacian = (np.diag(edges.sum(axis=1)) - edges)[np.ix_(reach, reach)]
        inverse = np.linalg.pinv(laplacian)
        found.append(inverse[-1, -1] + inverse[-2, -2] - 2 * inverse[-1, -2])
    return found


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 20), st.sampled_from([0.05, 0.2, 0.6]))
def test_resistances_are_those_of_the_whole_laplacian(seed, most, share):
    pair = SpacePair(*spaces(seed, share))
    if len(pair.mine) < 2:
        return
    found = resistance_distance(pair, graph_words=most)
    np.testing.assert_allclose(found, by_definition(pair, most), rtol=1e-5)


def planted(seed=1, moved=(0, 1)):
    """Two spaces of two topics; some words are of the one topic in the earlier space and of the other in the later."""
    random = np.random.default_rng(seed)
    found = []
    for later in (False, True):
        topic = np.arange(60) % 2
        topic[list(moved)] = (topic[list(moved)] + later) % 2
        means = np.where(topic[:, None] == np.arange(60) % 2, 6.0, 0.2)
        counts = random.poisson(means).astype(np.float32)
        found.append(Space([f"w{n:02}" for n in range(60)], np.full(60, 50), csr_array(counts), 9_999))
    return SpacePair(*found)


def test_words_of_another_topic_diverge_and_the_seed_says_all():
    pair = planted()
    found = topic_divergence(pair, topic_words=60, seed=1)
    assert set(np.argsort(-found)[:2]) == {0, 1}
    assert found.min() >= 0
    assert found[:2].min() > 0.5 > 3 * np.median(found)
    np.testing.assert_array_equal(topic_divergence(pair, topic_words=60, seed=1), found)
    assert (topic_divergence(pair, topic_words=60, seed=2) != found).any()
    same = SpacePair(pair.earlier, pair.earlier)
    np.testing.assert_array_equal(topic_divergence(same, topic_words=60, seed=1), np.zeros(60))


def test_divergences_of_topics_are_those_of_the_process_itself():
    """Documents by loops, a model of their own, and the distance of another library."""
    pair = planted()
    uses = np.random.default_rng(2).permutation(60) + 9
    pair = SpacePair(pair.earlier._replace(counts=uses), pair.later._replace(counts=uses[::-1]))
    shared, chosen = chosen_words(pair, 30)
    contexts = sorted(chosen)

    def document(space, word):
        counts = space.vectors.toarray()[space.words.index(word)]
        times = [int(counts[space.words.index(context)]) for context in contexts]
        return [(number, time) for number, time in enumerate(times) if time]

    documents = [document(space, word) for word in contexts for space in (pair.earlier, pair.later)]
    model = HdpModel(documents, dict(enumerate(contexts)), T=50, K=10, chunksize=256, random_state=7)
    expected = []
    for word in shared:
        weights = [model.inference([document(space, word)])[0] for space in (pair.earlier, pair.later)]
        expected.append(jensenshannon(*(some / some.sum() for some in weights), base=2) ** 2)
    assert np.max(expected) > 0.1
    np.testing.assert_allclose(topic_divergence(pair, topic_words=30, seed=7), expected, rtol=0, atol=1e-12)


def test_topics_are_told_of_some_words_at_a_time(monkeypatch):
    pair = planted()
    found = topic_divergence(pair, topic_words=30, seed=1)
    monkeypatch.setattr(neighbourhood_measures, "ASKED", 7)
    np.testing.assert_array_equal(topic_divergence(pair, topic_words=30, seed=1), found)


def test_a_word_without_contexts_among_those_taken_has_no_value():
    pair = planted()
    rows = pair.earlier.vectors.toarray()
    rows[7] = 0
    rows[7, 59] = 3
    lone = SpacePair(pair.earlier._replace(vectors=csr_array(rows)), pair.later)
    assert np.flatnonzero(np.isnan(topic_divergence(lone, topic_words=20, seed=1))).tolist() == [7]
    assert np.flatnonzero(np.isnan(resistance_distance(lone, graph_words=20))).tolist() == [7]


def test_spaces_without_two_shared_words_have_no_value():
    earlier, later = spaces(1)
    nothing = SpacePair(earlier, later._replace(words=[f"x{word}" for word in later.words]))
    for measure in (partial(resistance_distance, graph_words=9), partial(topic_divergence, topic_words=9, seed=1)):
        with pytest.raises(NoScoreError) as error:
            measure(nothing)
        assert error.value.reason == "too_few_shared"
