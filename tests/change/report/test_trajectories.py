import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.shown.pictures import Link, common_space, directions, project
from lexbeam.transforms.embeddings.alignment import fit_alignment
from lexbeam.transforms.embeddings.spaces import Side, Space, apply


def by_svd(points):
    """Principal components by another way: the singular vectors of the centred points."""
    centred = points - points.mean(axis=0)
    _, singular, loadings = np.linalg.svd(centred, full_matrices=False)
    largest = np.abs(loadings).argmax(axis=1)
    loadings = loadings * np.sign(loadings[np.arange(len(loadings)), largest])[:, None]
    return (centred @ loadings.T)[:, :2], (singular**2 / (singular**2).sum())[:2]


@given(st.integers(0, 2**32 - 1), st.integers(4, 40), st.integers(3, 60))
def test_the_plane_is_that_of_the_singular_vectors(seed, number, dim):
    random = np.random.default_rng(seed)
    points = random.normal(size=(number, dim)) * (1 + np.arange(dim) ** 2)
    found = project(points)
    places, shares = by_svd(points)
    np.testing.assert_allclose(found.places, places, atol=1e-6 * np.abs(places).max())
    np.testing.assert_allclose(found.shares, shares, atol=1e-9)


def test_the_sign_does_not_depend_on_the_sign_of_what_is_found():
    points = np.array([[0.0, 5, 1], [1, -5, 0], [2, 1, 0]])
    turned = project(-points)
    np.testing.assert_allclose(turned.places, -project(points).places, atol=1e-12)


@pytest.mark.parametrize(
    ("points", "shares"),
    [
        ([[1.0, 2, 3]], (0.0, 0.0)),
        ([[1.0, 2], [1, 2], [1, 2]], (0.0, 0.0)),
        ([[0.0, 0], [3, 4]], (1.0, 0.0)),
        ([[1.0], [2], [4]], (1.0, 0.0)),
    ],
)
def test_points_that_span_no_plane_have_zeros(points, shares):
    found = project(np.array(points))
    assert found.shares == pytest.approx(shares)
    for axis, share in enumerate(shares):
        assert share or not found.places[:, axis].any()
    assert found.places.shape == (len(points), 2)


def spaces(number, words=40, dim=6):
    random = np.random.default_rng(7)
    base = random.normal(size=(words, dim))
    names = [f"w{n:02}" for n in range(words)]
    for _ in range(number):
        turn = np.linalg.qr(random.normal(size=(dim, dim)))[0]
        vectors = (base @ turn + random.normal(size=base.shape) / 10).astype(np.float32)
        yield Space(names, np.full(words, 9), vectors, 1000)


def linked(made, pairs):
    names = [str(n) for n in range(len(made))]
    links = []
    for one, other in pairs:
        fitted = fit_alignment("op", made[one], made[other])
        links.append(Link(names[one], names[other], fitted.source, fitted.target))
    return names, links


def test_consecutive_alignments_are_followed_to_the_first_slice():
    made = list(spaces(4))
    names, links = linked(made, [(0, 1), (1, 2), (2, 3)])
    sides = common_space(names, links)
    assert list(sides) == names
    for place in range(1, 4):
        step = apply(links[place - 1].target, made[place].vectors)
        for back in reversed(links[: place - 1]):
            step = step @ back.target.matrix
        np.testing.assert_allclose(apply(sides[names[place]], made[place].vectors), step, atol=1e-9)
    # The cosine of a word in neighbouring slices is the one that its score is made of.
    here = [directions(sides[name], made[n].vectors) for n, name in enumerate(names)]
    for n, link in enumerate(links):
        one, other = here[n : n + 2]
        z, x = apply(link.source, made[n].vectors), apply(link.target, made[n + 1].vectors)
        cosines = (z * x).sum(axis=1) / np.linalg.norm(z, axis=1) / np.linalg.norm(x, axis=1)
        np.testing.assert_allclose((one * other).sum(axis=1), cosines, atol=1e-9)


def test_the_shortest_way_is_taken():
    made = list(spaces(3))
    names, links = linked(made, [(0, 1), (1, 2), (0, 2)])
    direct = common_space(names, links)["2"]
    np.testing.assert_array_equal(direct.matrix, links[2].target.matrix)


def test_a_slice_that_no_alignment_reaches_is_left_out():
    made = list(spaces(4))
    names, links = linked(made, [(0, 1), (2, 3)])
    assert list(common_space(names, links)) == ["0", "1"]
    assert common_space(names, links[1:]) == {}


def test_directions_have_unit_length_and_zero_stays_zero():
    side = Side(unit_length=True, mean=np.array([0.1, 0.0]))
    found = directions(side, np.array([[3, 4], [0, 0]], np.float32))
    assert np.linalg.norm(found[0]) == pytest.approx(1.0)
    assert not found[1].any()
