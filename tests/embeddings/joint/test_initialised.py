"""Vector initialisation: a slice goes on from what another has learnt."""

import numpy as np
import pytest
from joint_making import cosines, every_trainer, joint_of, options_of, sentences, slice_of

from lexbeam.transforms.embeddings.joint_trainings import initialised, initialised_at_unit_length, train_slice

FIRST, SECOND, THIRD = (slice_of(f"s{n}", sentences(n, group)) for n, group in enumerate("aab"))
SLOW = {"alpha": 1e-5, "min_alpha": 1e-6}  # vectors hardly move


def same(one, other):
    return one.words == other.words and np.array_equal(one.vectors, other.vectors)


@pytest.mark.parametrize("trainer", every_trainer())
def test_the_first_slice_is_trained_as_apart_and_the_next_shares_its_axes(trainer):
    joint, options = joint_of(FIRST, SECOND, THIRD), options_of(trainer)
    first, second, third = initialised(joint, options)
    apart = [train_slice(joint, place, options) for place in (0, 1)]
    assert same(first, apart[0])
    assert not same(second, apart[1])
    stable = [word for word in first.words if word != "x"]
    assert np.mean([cosines(first, second, word) for word in stable]) > 0.8
    assert cosines(second, third, "x") < min(cosines(second, third, word) for word in stable)


@pytest.mark.parametrize("trainer", every_trainer())
@pytest.mark.parametrize("way", [initialised, initialised_at_unit_length])
def test_a_slice_goes_on_from_the_vectors_before_it_or_these_at_length_one(trainer, way):
    first, second = way(joint_of(FIRST, SECOND), options_of(trainer, **SLOW))
    wanted = first.vectors
    if way is initialised_at_unit_length:
        wanted = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
        assert np.linalg.norm(first.vectors, axis=1).max() < 0.5
    np.testing.assert_allclose(second.vectors, wanted, atol=0.02)


@pytest.mark.parametrize("trainer", every_trainer())
@pytest.mark.parametrize("way", [initialised, initialised_at_unit_length])
def test_a_slice_that_teaches_nothing_has_zeros_and_is_passed_over(trainer, way):
    idle = slice_of("idle", [[word] for word in FIRST.counts for _ in range(2)])  # no word has company
    options = options_of(trainer)
    first, second, third = way(joint_of(FIRST, idle, SECOND), options)
    assert not second.vectors.any()
    assert np.array_equal(second.contexts, first.contexts)
    assert same(third, way(joint_of(FIRST, SECOND), options)[1])


def test_a_word_that_a_slice_lacks_keeps_what_it_has_learnt_and_a_new_one_starts_by_chance():
    lone = slice_of("lone", [["x"], ["x"]])
    new = slice_of("new", [[*text, "new"] for text in sentences(1, "a")])
    for options in (options_of(), options_of(**SLOW)):
        first, _, last = initialised(joint_of(FIRST, lone, new), options)
        assert same(last, initialised(joint_of(FIRST, new), options)[1])
    places = [last.words.index(word) for word in first.words]
    np.testing.assert_allclose(last.vectors[places], first.vectors, atol=0.02)
    assert 0 < np.abs(last.vectors[last.words.index("new")]).max() <= 1 / options.dim + 0.02


def test_all_slices_go_on_from_an_anchor():
    options = options_of()
    chained = initialised(joint_of(FIRST, SECOND, THIRD), options)
    from_first = initialised(joint_of(FIRST, SECOND, THIRD, anchor=0), options)
    assert [same(*pair) for pair in zip(chained, from_first, strict=True)] == [True, True, False]
    made = initialised(joint_of(FIRST, SECOND, THIRD, anchor=1), options)
    assert same(made[1], train_slice(joint_of(FIRST, SECOND), 1, options))
    assert same(made[0], initialised(joint_of(SECOND, FIRST), options)[1])
    assert same(made[2], initialised(joint_of(SECOND, THIRD), options)[1])
