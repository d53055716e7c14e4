"""Sentences of several slices as those of one."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_making import cosines, every_trainer, joint_of, options_of, sentences, slice_of

from lexbeam.transforms.embeddings.joint_trainings import (
    by_compass,
    initialised,
    initialised_at_unit_length,
    injected,
    joint_counts,
    referenced,
    train_as_one,
    train_slice,
)
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.starts import Weights
from lexbeam.transforms.embeddings.trainers import TRAINERS, Trainer

TEXTS = st.lists(st.lists(st.sampled_from("abcdx"), min_size=1, max_size=5), min_size=1, max_size=12)


def read_by(slices, names):
    """What a trainer is given: sentences of two epochs, and counts."""
    found = {}

    def note(feed, counts, options, **rest):
        found["epochs"] = [[text for lists in feed() for text in lists.to_pylist()] for _ in range(2)]
        found.update(rest, counts=dict(counts), min_count=options.min_count)
        return Weights(sorted(counts), np.zeros((len(counts), 1), np.float32), None)

    TRAINERS["noting"] = Trainer(note, doc="notes")
    try:
        train_as_one(joint_of(*slices), SgnsOptions(trainer="noting"), names, {})
    finally:
        del TRAINERS["noting"]
    return found


@given(st.lists(TEXTS, min_size=1, max_size=3), st.integers(1, 4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_sentence_is_read_once_by_turns_with_the_names_of_its_slice(texts, cut, marked):
    slices = [slice_of(f"s{n}", some, cut) for n, some in enumerate(texts)]
    if not all(any(uses >= cut for uses in slice.counts.values()) for slice in slices):
        return
    names = [{"x": f"x{n}"} if marked else {} for n in range(len(slices))]
    found = read_by(slices, names)
    renamed = [[[of.get(w, w) for w in text] for text in some] for of, some in zip(names, texts, strict=True)]
    uses = Counter(word for some in renamed for text in some for word in text)
    frequent = {
        of.get(word, word)
        for of, slice in zip(names, slices, strict=True)
        for word, count in slice.counts.items()
        if count >= cut
    }
    assert found["counts"] == {word: uses[word] for word in frequent} == joint_counts(slices, names)
    assert found["min_count"] == 1
    assert found["sentences"] == sum(map(len, texts))
    assert found["tokens"] == sum(uses.values())
    first, second = found["epochs"]
    assert first == second
    known = [[[w if w in frequent else "\x00" for w in text] for text in some] for some in renamed]
    assert Counter(map(tuple, first)) == Counter(tuple(text) for some in known for text in some)


def test_slices_take_turns_by_the_share_that_has_been_read():
    short, long = slice_of("short", [["a", "s"]] * 20), slice_of("long", [["a", "l"]] * 60)
    (read, _) = read_by([short, long], [{}, {}])["epochs"]
    done = np.cumsum([text == ["a", "s"] for text in read]) / 20
    assert np.abs(done - np.arange(1, 81) / 80).max() <= 1 / 20


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
