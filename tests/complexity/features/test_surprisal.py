"""Surprisal of targets against a model that is trained anew without the sentence."""

import numpy as np
import pyarrow as pa
import pytest
from featured import ZIPF, columns, computed, instance, instances, setting_with
from hypothesis import given, settings
from hypothesis import strategies as st
from retrained import Retrained, words_of

from lexbeam.transforms.complexity.features.base import NgramCounts
from lexbeam.transforms.complexity.features.surprisal import (
    added,
    keys_of,
    sentence_keys,
    sequences_of,
    sequences_of_instances,
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


def bits_of(sentences, corpus):
    """Return the bits of each word of sentences, and of each word alone, by counts of a corpus."""
    own, other = sequences_of(lists(sentences)), sequences_of(lists(corpus))
    keys = keys_of(own)
    wanted = np.unique(np.concatenate([keys.ravel(), sentence_keys(own)]))
    uses = added(keys_of(other).ravel(), wanted) + added(sentence_keys(other), wanted)
    base = np.array([base_of(own.words[code].as_py()) for code in own.codes.tolist()], float)
    copies = uses[np.searchsorted(wanted, sentence_keys(own))][own.owners]
    return surprisal(uses[np.searchsorted(wanted, keys)], uses_in_sentence(keys, own.owners), copies, base, MASS)


@settings(max_examples=60)
@given(SENTENCES, SENTENCES)
def test_as_if_trained_without_the_sentence(sentences, corpus):
    corpus = [*corpus, *sentences[:2], *sentences[:1]]  # one stands in it twice
    found = bits_of(sentences, corpus)
    expected, alone = [], []
    for sentence in sentences:
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
    sentences = [[*before, word] for word in ("sea", "the", "a", "ship", "3")]
    corpus = [one for one in corpus if words_of(one) not in [words_of(own) for own in sentences]]
    bits = bits_of(sentences, corpus).after
    last = np.cumsum([len(one) for one in sentences]) - 1
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
    found = bits_of(sentences, sentences)
    assert found.after.tolist() == found.alone.tolist() == []


TEXTS = [
    "The ship sails over the sea.",
    "The sea, the ship: gene expression of the sea",
    "Over the sea sails the ship",
    "the gene",
]
ROWS = [
    instance("sea", TEXTS[0]),
    instance("ship", TEXTS[0]),
    instance("gene expression", TEXTS[1]),
    instance("sails", TEXTS[2]),
    instance("gene", TEXTS[3]),
    instance("gene"),
    instance("ship", TEXTS[0], language="xx"),
    instance("ship", TEXTS[0], language=None),
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), use=("surprisal",))


def counts_of(rows, corpus, own):
    """Return the counts of a corpus, or of distinct sentences, for instances."""
    asked = sequences_of_instances(instances(*rows), own)
    other = sequences_of_instances(instances(*corpus), own)
    wanted = np.unique(np.append(keys_of(asked).ravel(), sentence_keys(asked)))
    uses = added(keys_of(other).ravel(), wanted) + added(sentence_keys(other), wanted)
    return NgramCounts(wanted, uses, own)


def expected(row, sentences, at, size=2):
    words = words_of(row["forms"])
    model = Retrained([other for other in map(words_of, sentences) if other != words])
    return model.bits(words, at, 10 ** (ZIPF["en"].get(words[at], 0) - 9), size)


@pytest.mark.parametrize("own", [False, True])
def test_as_trained_without_the_sentence(plain, own):
    corpus = [ROWS[0], ROWS[2], ROWS[3], ROWS[4]] + ([] if own else [ROWS[0], ROWS[3]])
    setting = plain._replace(ngrams=counts_of(ROWS, corpus, own))
    sentences = [row["forms"] for row in corpus]
    sea, ship, pair, sails, gene, *unknown = computed(setting, *ROWS)

    def of(row, places):
        return np.mean([expected(row, sentences, at) for at in places])

    assert sea["surprisal"] == pytest.approx(of(ROWS[0], [5]))
    assert sea["surprisal_next"] is None
    assert sea["surprisal_sentence"] == pytest.approx(of(ROWS[0], range(5)))
    assert sea["surprisal_context"] == pytest.approx(expected(ROWS[0], sentences, 5, 0) - sea["surprisal"])
    assert ship["surprisal"] == pytest.approx(of(ROWS[0], [1]))
    assert ship["surprisal_next"] == pytest.approx(of(ROWS[0], [2]))
    # Marks are no words, so that `ship` and `gene` stand together.
    assert pair["surprisal"] == pytest.approx(of(ROWS[2], [4, 5]))
    assert sails["surprisal"] == pytest.approx(of(ROWS[3], [3]))
    assert gene["surprisal_sentence"] == pytest.approx(of(ROWS[4], [0]))
    names = ("surprisal", "surprisal_context", "surprisal_next", "surprisal_sentence")
    assert {value for row in unknown for value in columns(row, *names)} == {None}


def test_a_sentence_is_no_evidence_for_itself(plain):
    once = plain._replace(ngrams=counts_of(ROWS, ROWS[:1], False))
    often = plain._replace(ngrams=counts_of(ROWS, ROWS[:1] * 5, False))
    never = plain._replace(ngrams=counts_of(ROWS, [], False))
    found = [computed(setting, ROWS[0])[0] for setting in (once, often, never)]
    assert found[0] == found[1] == found[2]


def test_what_stands_together_elsewhere_is_expected(plain):
    rows = [instance("expression", "gene expression"), instance("expression", "sea expression")]
    corpus = [instance("gene", "of the gene expression")] * 3
    setting = plain._replace(ngrams=counts_of(rows, corpus, False))
    first, second = computed(setting, *rows)
    assert first["surprisal"] < second["surprisal"]
    assert first["surprisal_context"] > second["surprisal_context"]
