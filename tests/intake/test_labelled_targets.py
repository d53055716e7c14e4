"""Words marked as complex: whether they are one word or several."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.intake.labelled_targets import Located, kind_of, locate


def test_kinds():
    assert [kind_of(token) for token in ("a", " a ", "a b", "a-b", "a\u00a0b")] == [
        "single",
        "single",
        "mwe",
        "single",
        "mwe",
    ]


@pytest.mark.parametrize(
    ("sentence", "token", "found"),
    [
        ("A cat sat.", "cat", (2, 5, ())),
        ("The catalogue, a cat.", "cat", (17, 20, ())),  # a whole word, though a longer one is first
        ("The catalogue.", "cat", (4, 7, ("within_word",))),
        ("A cat, a cat.", "cat", (2, 5, ("several",))),
        ("catalogues of catfish", "cat", (0, 3, ("within_word", "several"))),
        ("A dog.", "cat", (None, None, ("not_in_sentence",))),
        ("A Cat.", "cat", (None, None, ("not_in_sentence",))),
        ("self-esteem", "self", (0, 4, ())),
        ("a “null” None", "null", (3, 7, ())),
        ("x_y", "x", (0, 1, ("within_word",))),
        ("U.S. law", "U.S.", (0, 4, ())),
        ("It was o’clock.", "o'clock", (7, 14, ())),
        ("A cat’s, a cat's.", "cat's", (11, 16, ())),  # the same sign, though another is first
        ("A cat’s, a cat’s.", "cat's", (2, 7, ("several",))),
        ("die Größe", "Größ", (4, 8, ("within_word",))),
        ("an old sea, old sea.", "old sea", (3, 10, ("several",))),
    ],
)
def test_where_a_target_stands(sentence, token, found):
    assert locate(sentence, token) == Located(*found)


def test_of_several_places_the_one_nearest_to_wrong_offsets_counts():
    sentence = "cat, cat, cat and catalogue"
    assert locate(sentence, "cat", 6) == Located(5, 8, ("wrong_offsets",))
    assert locate(sentence, "cat", 90) == Located(10, 13, ("wrong_offsets",))
    assert locate(sentence, "dog", 3).flags == ("not_in_sentence", "wrong_offsets")
    assert locate("catalogue", "cat", 3).flags == ("within_word", "wrong_offsets")


def test_right_offsets_are_not_doubted():
    assert locate("cat, catalogue", "cat", 5, sure=True) == Located(5, 8, ())


WORDS = st.text(alphabet="ab- ", min_size=1, max_size=12)


@given(WORDS, st.text(alphabet="ab", min_size=1, max_size=3))
def test_whole_words_are_those_of_a_regular_expression(sentence, token):
    whole = [m.start() for m in re.finditer(rf"(?<!\w){token}(?!\w)", sentence)]
    anywhere = [m.start() for m in re.finditer(rf"(?={token})", sentence)]
    found = locate(sentence, token)
    places = whole or anywhere
    assert found.start == (places[0] if places else None)
    assert ("several" in found.flags) == (len(places) > 1)
    assert ("within_word" in found.flags) == (not whole and bool(anywhere))


@given(WORDS, st.text(alphabet="ab", min_size=1, max_size=2), st.integers(0, 12), st.booleans())
def test_the_nearest_place_is_found(sentence, token, near, sure):
    whole = [m.start() for m in re.finditer(rf"(?<!\w){token}(?!\w)", sentence)]
    anywhere = [m.start() for m in re.finditer(rf"(?={token})", sentence)]
    places = anywhere if sure else whole or anywhere
    found = locate(sentence, token, near, sure=sure)
    if places:
        assert abs(found.start - near) == min(abs(place - near) for place in places)
        assert sentence[found.start : found.end] == token
    else:
        assert found.start is None
