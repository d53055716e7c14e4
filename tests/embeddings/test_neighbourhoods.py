"""Nearest neighbours of all words by blocks, against a sort of all cosines."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.embeddings import neighbours
from lexbeam.transforms.embeddings.neighbours import SpacePair, TooFewNeighboursError, nearest
from lexbeam.transforms.embeddings.spaces import Space


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
