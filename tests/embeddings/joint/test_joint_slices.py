"""Sentences of several slices as those of one."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_making import joint_of, slice_of

from lexbeam.transforms.embeddings.joint_trainings import joint_counts, train_as_one
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
