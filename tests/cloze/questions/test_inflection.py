"""Inflection from forms that were seen."""

import pytest

from lexbeam.transforms.cloze.questions.choice import cased_as, ending, inflected

RISE = [("rise", 5), ("rises", 3), ("rising", 2), ("rose", 4), ("risen", 1)]


@pytest.mark.parametrize(
    ("answer", "lemma", "wanted"),
    [
        ("hope", "hope", "rise"),
        ("hopes", "hope", "rises"),
        ("cities", "city", "rises"),
        ("hoping", "hope", "rising"),
        ("planning", "plan", "rising"),
        ("hoped", "hope", None),  # nothing ends so
        ("fell", "fall", None),
    ],
)
def test_ending_decides(answer, lemma, wanted):
    assert inflected("rise", "rise", RISE, answer, lemma) == wanted


def test_longest_end_then_count_then_form():
    forms = [("b-ing", 1), ("b-ng", 9), ("c-ng", 9)]
    assert inflected("x", "", forms, "abcing", "abc") == "b-ing"
    assert inflected("x", "", forms[1:], "abng", "ab") == "b-ng"


def test_its_own_form_stays_if_it_matches_as_well():
    assert inflected("Rises", "rise", [*RISE, ("risess", 99)], "hopes", "hope") == "Rises"


def test_a_word_that_the_corpus_has_as_another_part_of_speech_has_no_form():
    assert inflected("law", "law", [], "hopes", "hope") is None


def test_case_and_ending():
    assert cased_as("law", "Hope") == "Law"
    assert cased_as("NATO", "Hope") == "NATO"
    assert cased_as("Law", "hope") == "Law"
    assert ending("hope", "hope") == ""
