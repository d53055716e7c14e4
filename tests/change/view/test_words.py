import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.view.words import ViewOptions, case_of, case_text, is_word, normalise_word
from lexbeam.transforms.common.errors import UsageError


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Liber#4", "liber"),
        ("liber#", "liber#"),
        ("#4", "#4"),
        ("a#b", "a#b"),
        ("look  up", "look_up"),
        ("E\u0301te\u0301", "\u00e9t\u00e9"),
        ("STRAẞE", "straße"),
        ("O’Clock", "o'clock"),
        ("Oʻzbek", "o'zbek"),
        ("5′", "5′"),
        (" ", ""),
    ],
)
def test_normalises(text, word):
    assert normalise_word(text, ViewOptions()) == word


def test_case_and_marks_can_be_kept():
    options = ViewOptions(case="keep", homonym_marks="keep")
    assert normalise_word("Liber#4", options) == "Liber#4"


@pytest.mark.parametrize(
    ("languages", "case"),
    [
        ((), "lower"),
        (("en", "fr"), "lower"),
        (("de",), "keep"),
        (("de", "de-AT", "deu"), "keep"),
        (("GER",), "keep"),
        (("den",), "lower"),
    ],
)
def test_case_depends_on_the_language(languages, case):
    assert case_of(languages) == case


def test_languages_that_disagree_on_case_are_a_usage_error():
    with pytest.raises(UsageError, match=r"words of de keep their case, those of en, la do not: .*`case`"):
        case_of(["en", "de", "la"])


def test_a_run_says_what_became_of_case():
    assert case_text(ViewOptions(case="lower"), "auto") == "words in lower case"
    assert case_text(ViewOptions(case="keep"), "auto") == "words keep their case (German)"
    assert case_text(ViewOptions(case="keep"), "keep") == "words keep their case"


@given(st.text(max_size=8))
def test_words_are_nfc_without_white_space(text):
    word = normalise_word(text, ViewOptions())
    assert word == unicodedata.normalize("NFC", word)
    assert len(word.split()) <= 1


@given(st.text(max_size=4))
def test_a_word_has_a_letter_digit_or_mark(text):
    assert is_word(text) == any(unicodedata.category(c)[0] in ("L", "N", "M") for c in text)


def test_unknown_choices_are_usage_errors():
    with pytest.raises(UsageError, match="`unit` 'lema'; did you mean 'lemma'"):
        ViewOptions(unit="lema")
    with pytest.raises(UsageError, match="`min_sentence`"):
        ViewOptions(min_sentence=-1)
