"""Co-occurrence counts, against counting by hand."""

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.embeddings import counted_vectors
from lexbeam.transforms.embeddings.counted_vectors import STEPS, count_pairs, symmetric

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=12), max_size=12)


def by_hand(sentences, words, window, worth=lambda distance: 1):
    """How often each word has each in its window, place by place, in sentences without other words."""
    counts = np.zeros((len(words), len(words)), int)
    for sentence in sentences:
        known = [words.index(word) for word in sentence if word in words]
        for place, word in enumerate(known):
            for other in range(max(0, place - window), min(len(known), place + window + 1)):
                if other != place:
                    counts[word, known[other]] += worth(abs(other - place))
    return counts


@settings(max_examples=60, deadline=None)
@given(SENTENCES, st.sets(st.sampled_from("abcdefg")), st.integers(1, 15), st.integers(0, 12))
def test_counts_are_those_by_hand_however_sentences_are_cut(sentences, chosen, window, cut):
    words = sorted(chosen)
    whole = pa.array(sentences, pa.list_(pa.string()))
    coded = pa.ListArray.from_arrays(whole.offsets, whole.values.dictionary_encode())
    pieces = [[whole], [coded.slice(0, cut), coded.slice(cut)], [coded.slice(cut), whole.slice(0, cut)]]
    expected = by_hand(sentences, words, window)
    for batches in pieces:
        found = symmetric([count_pairs(batches, pa.array(words, pa.string()), window)])
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.toarray(), expected)
        assert (found.data > 0).all()
    near = symmetric([count_pairs([whole], pa.array(words, pa.string()), window, by_distance=True)])
    worth = by_hand(sentences, words, window, lambda distance: round(STEPS / distance))
    np.testing.assert_array_equal(near.toarray(), worth)


def test_parts_add_up_to_the_whole_in_any_order_to_the_bytes(monkeypatch):
    monkeypatch.setattr(counted_vectors, "HELD", 500)  # so that pairs are added up on the way
    draw = np.random.default_rng(1)
    sentences = [[f"w{n}" for n in draw.zipf(1.3, 20) % 40] for _ in range(300)]
    words = pa.array(sorted({word for sentence in sentences for word in sentence}))
    parts = [count_pairs([pa.array(sentences[start : start + 100])], words, 5) for start in (0, 100, 200)]
    whole = symmetric([count_pairs([pa.array(sentences)], words, 5)])
    np.testing.assert_array_equal(whole.toarray(), by_hand(sentences, words.to_pylist(), 5))
    near = symmetric([count_pairs([pa.array(sentences)], words, 5, by_distance=True)])
    worth = by_hand(sentences, words.to_pylist(), 5, lambda distance: round(STEPS / distance))
    np.testing.assert_array_equal(near.toarray(), worth)
    for order in (parts, parts[::-1]):
        added = symmetric(order)
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(added, name), getattr(whole, name))


def test_pairs_are_added_up_seldom_however_many_there_are(monkeypatch):
    monkeypatch.setattr(counted_vectors, "HELD", 10)
    real, times = np.unique, []
    monkeypatch.setattr(np, "unique", lambda *args, **options: times.append(1) or real(*args, **options))
    words = pa.array([f"w{number:03}" for number in range(200)])
    sentences = [pa.array([[words[n].as_py(), words[m].as_py()] for m in range(n)]) for n in range(1, 200)]
    assert count_pairs(sentences, words, 1).nnz == 199 * 200 // 2
    assert len(times) < 40  # of 199 arrays: each time there is half as much again
