"""Baselines: hand-worked chances, brute force over ties, another way to look for words."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.cloze.answers.five_way import absent, alike, chance, most_frequent, rarest, stand_in_passage


def test_chance_is_even():
    assert chance(2).tolist() == [[0.2] * 5] * 2
    assert chance(1, 4).tolist() == [[0.25] * 4]


def test_the_most_or_least_frequent_option_is_chosen_and_ties_are_shared():
    nan = np.nan
    given_ = np.array(
        [[1.0, 5.0, 2.0, 3.0, 4.0], [5.0, 5.0, 2.0, 5.0, 4.0], [nan, 0.0, nan, nan, nan], [nan, nan, nan, nan, nan]]
    )
    third = 1 / 3
    assert most_frequent(given_).tolist() == [[0, 1, 0, 0, 0], [third, third, 0, third, 0], [0, 1, 0, 0, 0], [0.2] * 5]
    # A word that is not listed is rarer than all that are.
    few = [0.25, 0, 0.25, 0.25, 0.25]
    assert rarest(given_).tolist() == [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], few, [0.2] * 5]


def test_options_that_stand_in_the_passage_are_not_chosen():
    standing = np.array([[True, False, True, False, True], [True] * 5, [False] * 5])
    assert absent(standing).tolist() == [[0, 0.5, 0, 0.5, 0], [0.2] * 5, [0.2] * 5]


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=8))
def test_chances_are_those_of_a_draw(rows):
    expected = [
        [float(Fraction(int(chosen_option or not any(row)), sum(row) or 5)) for chosen_option in row] for row in rows
    ]
    assert alike(np.array(rows)).tolist() == expected


@pytest.mark.parametrize(
    ("passage", "word", "there"),
    [
        ("The dog barks.", "dog", True),
        ("The dog barks.", "THE", True),
        ("The dogs bark.", "dog", False),
        ("The dog's bone.", "dog", True),
        ("The dog’s bone.", "dog", True),
        ("A well-kept house", "kept", True),
        ("A well-kept house", "well-kept", True),
        ("A well kept house", "well-kept", True),
        ("kept well", "well-kept", False),
        ("Straße", "STRASSE", True),
        ("in the 1950s, say", "1950s", True),
        ("It cost 100.", "100", True),
        ("It cost 1000.", "100", False),
        ("one. Two", "one two", False),
        ("", "dog", False),
        ("The dog", "", False),
        ("The dog - a", "-", False),
    ],
)
def test_forms_are_found_as_whole_words(passage, word, there):
    assert stand_in_passage(passage, [word]).tolist() == [there]


WORDS = st.text("abAB'- .", max_size=12)


@given(WORDS, st.sampled_from(["a", "ab", "B", "a-b"]))
def test_forms_are_found_as_a_regular_expression_finds_them(passage, word):
    parts = [re.findall(r"\w+|[^\w\s'-]", one.casefold()) for one in (passage, word)]
    text, asked = parts
    there = any(text[at : at + len(asked)] == asked for at in range(len(text)))
    assert stand_in_passage(passage, [word]).tolist() == [there]
