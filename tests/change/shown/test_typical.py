"""How typical uses are."""

import numpy as np
import pytest

from lexbeam.transforms.change.shown.examples import typicality, weighted
from lexbeam.transforms.embeddings.spaces import Space


def test_vectors_are_of_unit_length_times_a_weight_that_falls_with_frequency():
    vectors = np.array([[3, 4], [0, 2], [5, 0]], np.float32)
    space = Space(["a", "b", "c"], np.array([1, 10, 100]), vectors, 1000)
    found = weighted(space, ["c", "a", "absent"])
    assert list(found) == ["a", "c"]
    np.testing.assert_allclose(found["a"], np.array([0.6, 0.8]) * 0.001 / (0.001 + 0.001))
    np.testing.assert_allclose(found["c"], np.array([1, 0]) * 0.001 / (0.001 + 0.1))


def test_the_use_among_its_like_is_the_most_typical():
    vectors = {"sea": np.array([1.0, 0.1]), "sail": np.array([1.0, -0.1]), "law": np.array([0, 1.0])}
    found = typicality([["sea", "sail"], ["law"], ["sail"], []], vectors)
    assert found[3] is None
    assert found[0] > found[2] > found[1]
    centre = np.mean([[1, 0], [0, 1], vectors["sail"] / np.sqrt(1.01)], axis=0)
    assert found[1] == pytest.approx(centre[1] / np.linalg.norm(centre))


def test_without_vectors_no_use_is_typical():
    assert typicality([["a"], []], {}) == [None, None]
    opposite = {"a": np.array([1.0]), "b": np.array([-1.0])}
    assert typicality([["a"], ["b"], ["a", "b"]], opposite) == [None, None, None]
