"""Measures of neighbourhoods against their definitions, word by word."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cosine
from scipy.stats import ortho_group

from lexbeam.transforms.change.scores import neighbourhood_measures as module
from lexbeam.transforms.change.scores.neighbourhood_measures import (
    local_neighbourhood_distance,
    mapped_neighbour_distance,
    neighbour_overlap,
)
from lexbeam.transforms.embeddings.neighbours import SpacePair, TooFewNeighboursError
from lexbeam.transforms.embeddings.spaces import Space


def spaces(seed, dims=(5, 3)):
    """Two spaces that share most words and no dimensions, each with a vector of length zero."""
    random = np.random.default_rng(seed)
    found = []
    for words, dim in zip(("abcdefghijklmnop", "defghijklmnopqrst"), dims, strict=True):
        vectors = random.normal(size=(len(words), dim)).astype(np.float32)
        vectors[random.integers(len(words))] = 0
        found.append(Space(list(words), np.full(len(words), 9), vectors, 99))
    return found


def near(space, word, k):
    """The k nearest words of a word, itself the first, as a search among all rows finds them."""
    rows = dict(zip(space.words, space.vectors.astype(float), strict=True))
    able = [other for other in rows if rows[other].any()]
    return sorted(able, key=lambda other: cosine(rows[word], rows[other]))[:k], rows


def by_definition(earlier, later, word, k):
    """Local neighbourhood distance in the steps of LSCDetection."""
    (first, here), (second, there) = near(earlier, word, k), near(later, word, k)
    union = sorted({other for other in first + second if other in here and other in there and other != word})
    union = [other for other in union if here[other].any() and there[other].any()]
    if not union:
        return np.nan
    return cosine(*([1 - cosine(rows[word], rows[other]) for other in union] for rows in (here, there)))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12))
def test_local_neighbourhood_distance_and_overlap_are_those_of_their_definitions(seed, k):
    earlier, later = spaces(seed)
    pair = SpacePair(earlier, later)
    words = [earlier.words[place] for place in pair.mine]
    with mock.patch.object(module, "NUMBERS", 100):
        found = local_neighbourhood_distance(pair, neighbourhood=k)
    np.testing.assert_allclose(found, [by_definition(earlier, later, word, k) for word in words], atol=1e-9)
    shares = [1 - len({*near(earlier, word, k)[0][1:]} & {*near(later, word, k)[0][1:]}) / (k - 1) for word in words]
    np.testing.assert_allclose(neighbour_overlap(pair, neighbourhood=k), shares, atol=1e-12)


@pytest.mark.parametrize("measure", [local_neighbourhood_distance, neighbour_overlap])
def test_a_rotated_space_has_the_same_neighbourhoods(measure):
    earlier, _ = spaces(3)
    turned = earlier._replace(vectors=(2 * earlier.vectors @ ortho_group.rvs(5, random_state=1)).astype(np.float32))
    assert measure(SpacePair(earlier, turned), neighbourhood=5) == pytest.approx(np.zeros(15), abs=1e-6)


def test_a_neighbourhood_larger_than_a_vocabulary_is_refused():
    pair = SpacePair(*spaces(1))
    assert len(local_neighbourhood_distance(pair, neighbourhood=15)) == len(pair.mine)
    with pytest.raises(TooFewNeighboursError):
        local_neighbourhood_distance(pair, neighbourhood=16)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12))
def test_mapped_neighbour_distance_is_that_of_its_definition(seed, k):
    random = np.random.default_rng(seed)
    sides = [np.where(random.random((20, 4)) < 0.3, 0, random.normal(size=(20, 4))) for _ in range(2)]
    for rows in sides:
        rows[random.integers(20)] = 0
    expected = []
    for word in range(20):
        means = []
        for rows in sides:
            others = [other for other in range(20) if other != word and rows[other].any()]
            near = sorted(
                others, key=lambda other, rows=rows: cosine(rows[word], rows[other]) if rows[word].any() else 0
            )
            means.append(np.mean([rows[other] for other in near[: k - 1]], axis=0))
        both = all(rows[word].any() for rows in sides)
        expected.append(cosine(*means) if both and np.linalg.norm(means, axis=1).all() else np.nan)
    with mock.patch.object(module, "NUMBERS", 100):
        for form in (np.asarray, csr_array):
            found = mapped_neighbour_distance(*map(form, sides), neighbourhood=k)
            np.testing.assert_allclose(found, expected, atol=1e-9)


def test_mapped_neighbours_of_equal_spaces_are_equal_and_too_many_are_refused():
    rows = np.random.default_rng(1).normal(size=(9, 3))
    assert mapped_neighbour_distance(rows, 2 * rows, neighbourhood=9) == pytest.approx(np.zeros(9), abs=1e-12)
    with pytest.raises(TooFewNeighboursError):
        mapped_neighbour_distance(rows, rows, neighbourhood=10)
