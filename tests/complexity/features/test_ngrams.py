"""The model that leaves a sentence out, against one that is trained anew without it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrained import Retrained, words_of

from transforms.complexity.features.ngrams import (
    added,
    keys_of,
    sentence_keys,
    sequences_of,
    surprisal,
    uses_in_sentence,
)

WORDS = ["sea", "Sea", "the", "a", "ship", ",", "3", "…"]
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=5)
MASS = (5.0, 2.0, 0.5)


def lists(sentences):
    return pa.array(sentences, pa.list_(pa.string()))


def base_of(word):
    return {"sea": 0.2, "the": 0.3, "a": 0.25, "ship": 0.15, "3": 0.1}[word]


def computed(asked, corpus):
    """Return the bits of each word of sentences, and of each word alone, by counts of a corpus."""
    own, other = sequences_of(lists(asked)), sequences_of(lists(corpus))
    keys = keys_of(own)
    wanted = np.unique(np.concatenate([keys.ravel(), sentence_keys(own)]))
    uses = added(keys_of(other).ravel(), wanted) + added(sentence_keys(other), wanted)
    base = np.array([base_of(own.words[code].as_py()) for code in own.codes.tolist()], float)
    copies = uses[np.searchsorted(wanted, sentence_keys(own))][own.owners]
    return surprisal(uses[np.searchsorted(wanted, keys)], uses_in_sentence(keys, own.owners), copies, base, MASS)


@settings(max_examples=60)
@given(SENTENCES, SENTENCES)
def test_as_if_trained_without_the_sentence(asked, corpus):
    corpus = [*corpus, *asked[:2], *asked[:1]]  # one stands in it twice
    found = computed(asked, corpus)
    expected, alone = [], []
    for sentence in asked:
        words = words_of(sentence)
        left = [words_of(other) for other in corpus]
        model = Retrained([other for other in left if other != words], MASS)
        for at, word in enumerate(words):
            expected.append(model.bits(words, at, base_of(word)))
            alone.append(model.bits(words, at, base_of(word), size=0))
    assert found.after.tolist() == pytest.approx(expected, rel=1e-12)
    assert found.alone.tolist() == pytest.approx(alone, rel=1e-12)


@given(SENTENCES, st.lists(st.sampled_from(["sea", "the", "a"]), max_size=2))
def test_probabilities_of_all_words_add_up_to_one(corpus, before):
    # One word more, each in its turn; the corpus has not one of these sentences.
    asked = [[*before, word] for word in ("sea", "the", "a", "ship", "3")]
    corpus = [one for one in corpus if words_of(one) not in [words_of(own) for own in asked]]
    bits = computed(asked, corpus).after
    last = np.cumsum([len(one) for one in asked]) - 1
    assert (2 ** -bits[last]).sum() == pytest.approx(1)


def test_languages_are_counted_apart():
    both = sequences_of(lists([["sea"], ["sea"], None]), ["en", "de", "en"])
    assert len(np.unique(keys_of(both))) == 12
    first, second, none = sentence_keys(both).tolist()
    assert first != second
    assert none == 0


def test_order_makes_a_sentence():
    found = sentence_keys(sequences_of(lists([["a", "b"], ["b", "a"], ["A", ",", "b"], [","]])))
    assert found[0] == found[2]
    assert found[0] != found[1]
    assert found[3] == 0


@pytest.mark.parametrize("sentences", [[], [None], [[]], [[","], None]])
def test_nothing_to_count(sentences):
    found = computed(sentences, sentences)
    assert found.after.tolist() == found.alone.tolist() == []
