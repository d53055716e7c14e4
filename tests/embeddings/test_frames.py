"""Common frames of three or more slices: chains of maps, and maps onto an anchor."""

import numpy as np
import pytest

from lexbeam.transforms.embeddings.alignment import ALIGNMENTS, fit_alignment, fit_in_frame, frame_places
from lexbeam.transforms.embeddings.spaces import Space, apply

MOVING = [name for name, method in ALIGNMENTS.items() if method.moves]
WORDS, DIM = 40, 4


def turn(random):
    return np.linalg.qr(random.normal(size=(DIM, DIM)))[0]


def spaces_of(turns, noise=0.0, words=WORDS):
    """Spaces that are turns of one, all but for noise."""
    random = np.random.default_rng(3)
    base = random.normal(size=(words, DIM))
    return {
        place: Space(
            [f"w{n:03}" for n in range(words)],
            np.full(words, 9),
            ((base + noise * random.normal(size=base.shape)) @ one).astype(np.float32),
            999,
        )
        for place, one in enumerate(turns)
    }


def aligned(found, spaces, pair):
    return [apply(side, spaces[place].vectors) for side, place in zip((found.source, found.target), pair, strict=True)]


@pytest.mark.parametrize("anchor", [None, 0, 1, 3])
@pytest.mark.parametrize("name", MOVING)
def test_planted_rotations_are_undone_between_any_two_slices(name, anchor):
    random = np.random.default_rng(1)
    spaces = spaces_of([turn(random) for _ in range(4)])
    for pair in ((0, 1), (1, 2), (0, 3), (1, 3)):
        needed = {place: spaces[place] for place in {*pair, *frame_places(pair, anchor)}}
        found = fit_in_frame(name, needed, pair, anchor)
        np.testing.assert_allclose(*aligned(found, spaces, pair), atol=1e-5)
        assert found.residual < 1e-5
        assert found.fit_words == WORDS


@pytest.mark.parametrize("name", MOVING)
def test_maps_of_a_chain_are_those_of_neighbours_one_after_the_other(name):
    spaces = spaces_of([np.eye(DIM)] * 3, noise=0.5)
    first, last = aligned(fit_in_frame(name, spaces, (0, 2), None), spaces, (0, 2))

    def step(moving, fixed):
        """The map of a slice onto another one, and what is done before it."""
        if ALIGNMENTS[name].moves == "later":
            found = fit_alignment(name, spaces[fixed], spaces[moving])
            return found.target, found.source
        found = fit_alignment(name, spaces[moving], spaces[fixed])
        return found.source, found.target

    onto_first, stays = step(1, 0)
    onto_second, _ = step(2, 1)
    np.testing.assert_allclose(first, apply(stays, spaces[0].vectors))
    np.testing.assert_allclose(last, apply(onto_second, spaces[2].vectors) @ onto_first.matrix)


def test_a_chain_maps_each_slice_onto_the_one_before_as_that_was_mapped():
    """Procrustes of a slice and the one before it, which has been turned already."""
    spaces = spaces_of([np.eye(DIM)] * 3, noise=0.5)
    second = fit_alignment("op-", spaces[0], spaces[1]).target
    turned = spaces[1]._replace(vectors=apply(second, spaces[1].vectors).astype(np.float32))
    third = fit_alignment("op-", turned, spaces[2]).target
    found = fit_in_frame("op-", spaces, (1, 2), None)
    np.testing.assert_allclose(found.source.matrix, second.matrix)
    np.testing.assert_allclose(found.target.matrix, third.matrix, atol=1e-6)


@pytest.mark.parametrize("name", MOVING)
def test_with_an_anchor_each_slice_is_mapped_onto_it_alone(name):
    spaces = spaces_of([np.eye(DIM)] * 3, noise=0.5)
    found = fit_in_frame(name, spaces, (0, 2), 1)
    for place, side in ((0, found.source), (2, found.target)):
        if ALIGNMENTS[name].moves == "later":
            by_itself = fit_alignment(name, spaces[1], spaces[place]).target
        else:
            by_itself = fit_alignment(name, spaces[place], spaces[1]).source
        np.testing.assert_array_equal(side.matrix, by_itself.matrix)


def test_a_step_that_cannot_be_fitted_leaves_no_map():
    spaces = spaces_of([np.eye(DIM)] * 3)
    others = spaces[1]._replace(words=[f"v{n:03}" for n in range(WORDS)])
    found = fit_in_frame("op", {**spaces, 1: others}, (0, 2), None)
    assert (found.reason, found.residual, found.fit_words) == ("too_few_shared", None, 0)
    assert fit_in_frame("op", {**spaces, 1: others}, (0, 2), 0).reason is None
