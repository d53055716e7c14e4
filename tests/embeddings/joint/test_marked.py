"""Temporal referencing and word injection: one model of all slices, in which targets have a vector in each."""

from itertools import pairwise

import numpy as np
import pytest
from joint_making import cosines, every_trainer, joint_of, options_of, sentences, slice_of

from lexbeam.transforms.embeddings.joint_trainings import injected, referenced, train_slice

FIRST, SECOND, THIRD = (slice_of(f"s{n}", sentences(n, group)) for n, group in enumerate("aab"))
WAYS = (referenced, injected)


@pytest.mark.parametrize("trainer", every_trainer())
@pytest.mark.parametrize("way", WAYS)
def test_of_one_slice_and_without_targets_it_is_sgns_bit_by_bit(way, trainer):
    options = options_of(trainer)
    (made,) = way(joint_of(FIRST, targets=["x", "a0"]), options)
    apart = train_slice(joint_of(FIRST), 0, options)
    assert made.words == apart.words
    assert np.array_equal(made.vectors, apart.vectors)
    one, other = way(joint_of(FIRST, THIRD, targets=["nowhere"]), options)
    assert one.words == other.words
    assert np.array_equal(one.vectors, other.vectors)


@pytest.mark.parametrize("trainer", every_trainer())
@pytest.mark.parametrize("way", WAYS)
def test_targets_have_a_vector_in_each_slice_and_other_words_one(way, trainer):
    made = way(joint_of(FIRST, SECOND, THIRD, targets=["x", "a0"]), options_of(trainer))
    for one, other in pairwise(made):
        shared = [word for word in one.words if np.array_equal(*(m.vectors[m.words.index(word)] for m in (one, other)))]
        assert shared == [word for word in one.words if word not in ("x", "a0")]
    assert cosines(made[0], made[1], "x") > cosines(made[1], made[2], "x")
    assert cosines(made[1], made[2], "a0") > cosines(made[1], made[2], "x")


def test_contexts_of_targets_are_shared_in_referencing_alone():
    def contexts(way):
        return [m.contexts[m.words.index("x")] for m in way(joint_of(FIRST, THIRD, targets=["x"]), options_of())]

    assert np.array_equal(*contexts(referenced))
    assert not np.array_equal(*contexts(injected))


@pytest.mark.parametrize("way", WAYS)
def test_a_target_that_a_slice_lacks_has_no_vector_there(way):
    without = [[word for word in text if word != "x"] for text in sentences(5, "a")]
    rare = [["x", *without[0]], *without[1:]]
    for texts in (without, rare):
        lacking = slice_of("lacking", texts)
        first, second, last = way(joint_of(FIRST, lacking, THIRD, targets=["x"]), options_of())
        assert "x" in first.words
        assert "x" not in second.words
        assert "x" in last.words
        assert second.words == sorted(lacking.vocabulary)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_slices_give_the_same_bytes(way):
    joint = joint_of(FIRST, THIRD, targets=["x"])
    one, other = (way(joint, options_of()) for _ in range(2))
    assert all(np.array_equal(a.vectors, b.vectors) for a, b in zip(one, other, strict=True))
