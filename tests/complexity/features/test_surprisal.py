"""Surprisal of targets against a model that is trained anew without the sentence."""

import numpy as np
import pytest
from featured import ZIPF, columns, computed, instance, instances, setting_with
from retrained import Retrained, words_of

from transforms.complexity.features.ngram_stages import NgramCounts, sequences_of_instances
from transforms.complexity.features.ngrams import added, keys_of, sentence_keys

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
