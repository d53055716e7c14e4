"""What is done with sparse vectors is what is done with the same vectors, dense."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from lexbeam.schemas.change.spaces import VECTORS
from lexbeam.transforms.change.scores.measures import cosine_distance, euclidean_distance
from lexbeam.transforms.change.scores.neighbourhood_measures import local_neighbourhood_distance, neighbour_overlap
from lexbeam.transforms.embeddings import neighbours
from lexbeam.transforms.embeddings.alignment import fit_alignment
from lexbeam.transforms.embeddings.neighbours import SpacePair, mean_neighbours, neighbours_table
from lexbeam.transforms.embeddings.spaces import (
    Side,
    Space,
    apply,
    at_length_one,
    dense,
    is_sparse,
    lengths,
    products,
    row_dots,
    with_direction,
)

WORDS = 40


def spaces(seed, sparse):
    """Two spaces, whose vocabularies overlap; a word of each has no context."""
    draw = np.random.default_rng(seed)
    made = []
    for first in (0, 5):
        rows = (draw.poisson(0.4, (WORDS, WORDS)) * draw.random((WORDS, WORDS))).astype(np.float32)  # no ties
        rows[12 - first] = 0  # the same word in both
        rows[20] = 0
        words = [f"w{number:02}" for number in range(first, first + WORDS)]
        made.append(Space(words, np.full(WORDS, 9), csr_array(rows) if sparse else rows, 999))
    return made


def intersected(earlier, later):
    """The dense rows of shared words and shared contexts, picked by name."""
    shared = [word for word in earlier.words if word in later.words]
    places = [[space.words.index(word) for word in shared] for space in (earlier, later)]
    return [
        dense(space.vectors)[np.ix_(own, own)].astype(float)
        for space, own in zip((earlier, later), places, strict=True)
    ]


def test_rows_alike():
    rows = np.random.default_rng(1).poisson(0.5, (9, 30)).astype(float)
    rows[3] = 0
    some, thin = rows[[1, 4, 3]], csr_array(rows)
    assert [is_sparse(thin), is_sparse(rows)] == [True, False]
    np.testing.assert_array_equal(with_direction(thin), with_direction(rows))
    np.testing.assert_allclose(lengths(thin), np.linalg.norm(rows, axis=1), rtol=1e-14)
    np.testing.assert_allclose(dense(at_length_one(thin)), at_length_one(rows), rtol=1e-14)
    np.testing.assert_allclose(products(csr_array(some), thin), some @ rows.T, rtol=1e-14)
    np.testing.assert_allclose(row_dots(thin, csr_array(rows[::-1])), (rows * rows[::-1]).sum(axis=1), rtol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_column_intersection_takes_the_contexts_that_both_have_by_name(seed):
    earlier, later = spaces(seed, sparse=True)
    fitted = fit_alignment("column-intersection", earlier, later)
    first, second = intersected(earlier, later)
    mapped = [
        dense(apply(side, space.vectors))[[space.words.index(word) for word in earlier.words if word in later.words]]
        for side, space in ((fitted.source, earlier), (fitted.target, later))
    ]
    np.testing.assert_array_equal(mapped[0], first)
    np.testing.assert_array_equal(mapped[1], second)
    assert fitted.fit_words == len(first) == WORDS - 5
    assert fitted.residual == pytest.approx(np.sqrt(((first - second) ** 2).sum() / len(first)))


def test_column_intersection_of_a_space_with_itself_is_the_identity():
    space, _ = spaces(4, sparse=True)
    fitted = fit_alignment("column-intersection", space, space)
    for side in (fitted.source, fitted.target):
        np.testing.assert_array_equal(dense(apply(side, space.vectors)), dense(space.vectors))
    assert fitted.residual == 0
    assert np.nanmax(cosine_distance(space.vectors.astype(float), space.vectors.astype(float))) < 1e-12


def test_contexts_can_be_those_of_other_words_and_there_may_be_none():
    earlier, later = spaces(4, sparse=True)
    fitted = fit_alignment("column-intersection", earlier, later, fit_on="without-targets", targets=("w07", "w08"))
    names = [earlier.words[place] for place in fitted.source.contexts]
    assert names == [later.words[place] for place in fitted.target.contexts]
    assert set(earlier.words) & set(later.words) - set(names) == {"w07", "w08"}
    other = later._replace(words=[f"x{word}" for word in later.words])
    nothing = fit_alignment("column-intersection", earlier, other)
    assert (nothing.reason, nothing.residual, nothing.fit_words) == ("too_few_shared", None, 0)


@pytest.mark.parametrize("measure", [cosine_distance, euclidean_distance])
def test_distances_of_sparse_rows_are_those_of_dense_ones(measure):
    first, second = intersected(*spaces(2, sparse=True))
    expected = measure(first, second)
    np.testing.assert_allclose(measure(csr_array(first), csr_array(second)), expected, atol=1e-12)
    assert 0 < np.isnan(expected).sum() < len(expected)


@pytest.mark.parametrize("measure", [local_neighbourhood_distance, neighbour_overlap])
def test_neighbourhoods_of_sparse_spaces_are_those_of_dense_ones(measure, monkeypatch):
    monkeypatch.setattr(neighbours, "BLOCK", 7)
    for seed in range(3):
        thin, full = (SpacePair(*spaces(seed, sparse)) for sparse in (True, False))
        np.testing.assert_array_equal(thin.mine, full.mine)
        np.testing.assert_allclose(measure(thin, neighbourhood=6), measure(full, neighbourhood=6), atol=1e-6)


def test_neighbours_in_a_sparse_space_are_those_in_the_dense_one():
    thin, full = (spaces(5, sparse)[0] for sparse in (True, False))
    words = ["w01", "w12", "w20", "w33", "absent"]
    tables = [neighbours_table("s", 1, space, words, k=4, min_count=1).to_pydict() for space in (thin, full)]
    assert tables[0]["neighbour"] == tables[1]["neighbour"]
    np.testing.assert_allclose(tables[0]["cosine"], tables[1]["cosine"], atol=1e-7)
    found, expected = (mean_neighbours([space, space], words, k=3, min_count=1) for space in (thin, full))
    assert {word: [near.word for near in nearest] for word, nearest in found.items()} == {
        word: [near.word for near in nearest] for word, nearest in expected.items()
    }


def test_no_matrix_maps_a_sparse_space():
    space, _ = spaces(1, sparse=True)
    with pytest.raises(ValueError, match="mapped by no matrix"):
        apply(Side(matrix=np.eye(WORDS)), space.vectors)


def test_the_table_of_vectors_has_contexts_and_weights_in_place_of_a_vector():
    assert VECTORS.schema(dim=None).names[-2:] == ["contexts", "weights"]
    assert VECTORS.schema(dim=3).names[:-1] == VECTORS.schema(dim=None).names[:-2]
