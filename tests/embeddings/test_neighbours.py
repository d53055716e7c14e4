from unittest import mock

import numpy as np
import pytest
import scipy.spatial.distance
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.schemas.change.spaces import NEIGHBOURS
from lexbeam.transforms.embeddings import neighbours
from lexbeam.transforms.embeddings import neighbours as module
from lexbeam.transforms.embeddings.neighbours import (
    SpacePair,
    TooFewNeighboursError,
    mean_neighbours,
    nearest,
    nearest_neighbours,
    neighbours_table,
)
from lexbeam.transforms.embeddings.spaces import Space


def brute_force(vectors, query, candidates, k):
    if not vectors[query].any():
        return []
    found = [
        (scipy.spatial.distance.cosine(vectors[query], vectors[other]), other)
        for other in candidates
        if other != query and vectors[other].any()
    ]
    return sorted((round(distance, 9), other) for distance, other in found)[:k]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 30))
def test_agrees_with_brute_force_ties_to_the_lower_row_whatever_the_block(seed, k, block):
    generator = np.random.default_rng(seed)
    # one-hot rows: many exact ties, and zero rows
    vectors = np.eye(4, dtype=np.float32)[generator.integers(0, 4, 25)]
    vectors[generator.integers(0, 25, 3)] = 0
    candidates = np.flatnonzero(generator.random(25) < 0.8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        found = nearest_neighbours(vectors, queries=np.arange(6), candidates=candidates, k=k)
    for query, (places, cosines) in enumerate(found):
        expected = brute_force(vectors.astype(float), query, candidates, k)
        assert places.tolist() == [place for _, place in expected]
        np.testing.assert_allclose(1 - cosines, [distance for distance, _ in expected], atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_agrees_with_brute_force_on_random_vectors(seed):
    vectors = np.random.default_rng(seed).normal(size=(40, 7)).astype(np.float32)
    found = nearest_neighbours(vectors, queries=np.array([3, 9]), candidates=np.arange(40), k=5)
    for query, (places, _) in zip((3, 9), found, strict=True):
        expected = brute_force(vectors.astype(float), query, range(40), 5)
        assert places.tolist() == [place for _, place in expected]


def test_table_has_the_words_of_the_space_and_frequent_neighbours():
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.2], [0, 1]], np.float32)
    space = Space(list("abcd"), np.array([9, 1, 9, 9]), vectors, 100)
    table = neighbours_table("early", 1, space, ["d", "a", "absent", "a"], k=2, min_count=5)
    assert table.schema == NEIGHBOURS.schema()
    assert [tuple(row.values())[:6] for row in table.to_pylist()] == [
        ("a", "early", 1, "apart", 1, "c"),
        ("a", "early", 1, "apart", 2, "d"),
        ("d", "early", 1, "apart", 1, "c"),
        ("d", "early", 1, "apart", 2, "a"),
    ]
    assert neighbours_table("early", 1, space, [], k=2, min_count=5).num_rows == 0


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 30))
def test_means_over_seeds_agree_with_brute_force(seed, k, block):
    generator = np.random.default_rng(seed)
    spaces = []
    for _ in range(generator.integers(1, 4)):
        words = sorted(generator.choice(list("abcdefghijkl"), 9, replace=False))
        # Few directions, for ties, and vectors of length zero.
        vectors = generator.integers(-1, 2, (9, 2)).astype(np.float32)
        spaces.append(Space(words, generator.integers(1, 9, 9), vectors, 99))
    asked = ["c", "a", "absent", "a"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        found = mean_neighbours(iter(spaces), asked, k=k, min_count=4)
    assert set(found) == {word for word in asked for space in spaces if word in space.words}
    for word, near in found.items():
        cosines = {}
        for space in spaces:
            vector = dict(zip(space.words, space.vectors.astype(float), strict=True))
            count = dict(zip(space.words, space.counts, strict=True))
            for other in space.words:
                if word not in vector or not vector[word].any() or not vector[other].any():
                    continue
                if other != word and count[other] >= 4:
                    distance = scipy.spatial.distance.cosine(vector[word], vector[other])
                    cosines.setdefault(other, []).append(1 - distance)
        means = {other: np.mean(some) for other, some in cosines.items()}
        assert len(near) == min(k, len(means))
        assert [one.cosine for one in near] == pytest.approx(sorted(means.values())[::-1][:k])
        for one in near:
            assert one.cosine == pytest.approx(means[one.word])
            assert one.seeds == len(cosines[one.word])


def test_ties_of_means_are_settled_by_word():
    space = Space(list("abcd"), np.full(4, 9), np.ones((4, 2), np.float32), 99)
    near = mean_neighbours([space, space], ["b"], k=2, min_count=1)["b"]
    assert [one.word for one in near] == ["a", "c"]


def by_sorting(vectors, queries, number):
    rows = vectors.astype(float)
    able = [place for place in range(len(rows)) if rows[place].any()]
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    found = []
    for query in queries:
        others = [place for place in able if place != query]
        found.append(sorted(others, key=lambda place: (-round(unit[place] @ unit[query], 9), place))[:number])
    return found


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(2, 40), st.floats(0.1, 1))
def test_agrees_with_a_sort_of_all_cosines_however_blocks_are_cut(seed, number, block, share):
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(40, 4)).astype(np.float32)
    vectors[random.integers(0, 40, 3)] = 0
    asked = np.flatnonzero(vectors.any(axis=1) & (random.random(40) < share))
    with mock.patch.object(neighbours, "BLOCK", block):
        assert nearest(vectors, asked, number).tolist() == by_sorting(vectors, asked, number)


def test_ties_go_to_the_lower_row():
    corners = np.array([[1, 0], [0, 1], [0, -1], [-1, 0], [1, 0]], np.float32)
    with mock.patch.object(neighbours, "BLOCK", 2):
        assert nearest(corners, np.arange(2), 3).tolist() == [[4, 1, 2], [0, 3, 4]]


def test_as_many_neighbours_as_there_are_and_no_more():
    vectors = np.array([[1, 0], [0, 0], [1, 1], [0, 1]], np.float32)
    assert nearest(vectors, np.array([0]), 2).tolist() == [[2, 3]]
    with pytest.raises(TooFewNeighboursError, match="3 words with a direction for 3 neighbours"):
        nearest(vectors, np.array([0]), 3)


def space(words, vectors):
    return Space(words, np.full(len(words), 9), np.array(vectors, np.float32), 99)


def test_a_pair_compares_shared_words_with_a_direction_and_numbers_them():
    pair = SpacePair(
        space(list("abcd"), [[1, 0], [9, 1], [0, 1], [0, 0]]),
        space(list("bcdx"), [[1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0.1, 0]]),
    )
    assert (pair.mine.tolist(), pair.theirs.tolist()) == ([1, 2], [0, 1])
    first, second = pair.neighbours(2)
    assert (first.tolist(), second.tolist()) == ([[-1, 1], [0, -1]], [[-1, 1], [-1, 0]])
