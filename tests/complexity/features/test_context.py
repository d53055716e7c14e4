"""Features of the sentence, counted by hand."""

import pytest
from featured import columns, computed, instance, setting_with


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), use=("context",))


def test_a_sentence_by_hand(setting):
    (row,) = computed(setting, instance("sea", "The ship, of 12 men; sails over the sea."))
    # The ship , of 12 men ; sails over the sea .   (12 tokens, 8 words)
    assert columns(row, "sentence_tokens", "sentence_words", "sentence_length") == [12, 8, 40]
    assert columns(row, "sentence_commas", "sentence_digits") == [2, 1]
    others = ["The", "ship", "of", "men", "sails", "over", "the"]
    assert row["sentence_word_length"] == pytest.approx(sum(map(len, others)) / 7)
    zipf = [4.9, 7.4, 3.9, 6.0, 7.7]  # The and men are not known as they stand
    assert row["sentence_zipf"] == pytest.approx(sum(zipf) / 5 + (7.7 - sum(zipf) / 5) / 6)
    assert row["sentence_zipf_min"] == 3.9
    assert row["sentence_rare"] == pytest.approx(1 / 7)
    assert row["near_zipf"] == pytest.approx((6.0 + 7.7) / 2)
    assert row["sentence_variety"] == pytest.approx(7 / 8)
    assert row["sentence_capitals"] == pytest.approx(1 / 7)
    assert row["sentence_syllables"] == 1
    assert row["sentence_ease"] == pytest.approx(206.835 - 1.015 * 8 - 84.6)
    assert columns(row, "target_place", "target_in_sentence", "target_repeated") == pytest.approx([10 / 12, True, 0])
    assert columns(row, "sentence_nouns", "target_proper") == [None, None]


def test_an_expression_and_its_repetition(setting):
    text = "gene expression of Expression"
    (row,) = computed(setting, instance("gene expression", text, tags="gene/NOUN e/NOUN of/ADP E/PROPN"))
    assert columns(row, "target_place", "target_repeated") == [0, 1]
    assert columns(row, "sentence_nouns", "sentence_verbs") == [0.5, 0]
    assert row["near_zipf"] == pytest.approx((7.4 + 4.5) / 2)
    assert row["target_proper"] is False


def test_targets_that_are_nowhere(setting):
    inside, none, empty = computed(setting, instance("expr", "over the sea"), instance("sea"), instance("sea", ""))
    assert columns(inside, "target_place", "target_in_sentence") == [None, False]
    assert inside["sentence_zipf"] == pytest.approx((6.0 + 7.7 + 5.1) / 3)
    assert {value for name, value in none.items() if name.startswith("sentence_")} == {None}
    assert columns(empty, "sentence_tokens", "sentence_length", "sentence_zipf") == [0, 0, None]


def test_languages_have_their_own_readability_and_frequencies(setting):
    spanish, swedish = computed(
        setting, instance("mar", "barco mar", language="es"), instance("mar", "mar", language="sv")
    )
    assert spanish["sentence_zipf"] == 4.4
    assert spanish["sentence_ease"] == pytest.approx(206.84 - 1.02 * 2 - 60 * 1.5)
    assert columns(swedish, "sentence_zipf", "sentence_ease") == [None, None]
