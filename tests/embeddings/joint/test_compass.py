"""A compass: contexts of all slices, frozen, against which each slice is trained."""

import numpy as np
import pytest
from joint_making import cosines, every_trainer, joint_of, options_of, sentences, slice_of

from lexbeam.transforms.embeddings.joint_trainings import by_compass, train_as_one

FIRST, SECOND, THIRD = (slice_of(f"s{n}", sentences(n, group)) for n, group in enumerate("aab"))


@pytest.mark.parametrize("trainer", every_trainer())
def test_the_compass_stays_bit_by_bit_and_slices_share_its_axes(trainer):
    joint, options = joint_of(FIRST, SECOND, THIRD), options_of(trainer)
    made = by_compass(joint, options)
    compass = train_as_one(joint, options, [{}, {}, {}], {})
    for weights in made:
        assert weights.words == compass.words
        assert np.array_equal(weights.contexts, compass.contexts)
    stable = [word for word in made[0].words if word != "x"]
    assert np.mean([cosines(made[0], made[1], word) for word in stable]) > 0.8
    assert cosines(made[1], made[2], "x") < min(cosines(made[1], made[2], word) for word in stable)


def test_a_word_of_one_slice_has_a_context_of_its_own():
    other = slice_of("other", [["new", *text] for text in sentences(7, "a")])
    made = by_compass(joint_of(FIRST, other), options_of())
    assert "new" not in made[0].words
    assert made[1].contexts[made[1].words.index("new")].any()
