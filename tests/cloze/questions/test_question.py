"""Questions: the text with a gap, options in their order, reasons, the best of several."""

import hypothesis.strategies as st
import pytest
from hypothesis import given
from questions_anew import drawn, hashed, words_of

from lexbeam.transforms.cloze.pairs.pair import PLACEHOLDER
from lexbeam.transforms.cloze.questions.question import (
    gapped,
    merit,
    normalised,
    reason_of_options,
    reason_of_text,
    shown_options,
)

TEXT = st.text(max_size=20)
WORDS = st.lists(st.text("abc", min_size=1, max_size=3), min_size=5, max_size=5, unique=True)


@given(TEXT, st.text(min_size=1, max_size=8), TEXT)
def test_the_answer_put_back_gives_the_summary(before, word, after):
    summary = before + word + after
    question = gapped(summary, len(before), len(before) + len(word), word)
    assert question == before + PLACEHOLDER + after
    start = len(before)
    assert question[:start] + word + question[start + len(PLACEHOLDER) :] == summary
    with pytest.raises(ValueError, match="stands there"):
        gapped(summary, start, start + len(word), word + "x")


@pytest.mark.parametrize(
    ("summary", "word", "reason"),
    [
        ("They lost their hope.", "hope", None),
        ("The council's plan", "council", None),
        ("A re-election is near", "election", None),
        ("“Hope” is lost", "Hope", None),
        ("They won't go", "wo", "part_of_word"),
        ("They are gonna go", "na", "part_of_word"),
        ("他们失去了希望", "希望", None),  # no spaces are written
        ("The @Placeholder has hope", "hope", "placeholder"),
    ],
)
def test_why_a_text_gives_no_question(summary, word, reason):
    start = summary.index(word)
    assert reason_of_text(summary, "A passage.", start, start + len(word), word) == reason
    # Where the text is not the token, as of words that are written together, there is no gap.
    assert reason_of_text(summary, "A passage.", start, start + len(word), word + "x") in (
        "part_of_word",
        "placeholder",
    )


def test_a_placeholder_in_the_passage_is_a_reason():
    assert reason_of_text("hope", "No @PLACEHOLDER here", 0, 4, "hope") == "placeholder"


def test_five_that_differ_are_needed():
    assert reason_of_options(["a", "b", "c", "d", "e"]) is None
    assert reason_of_options(["a", "b", "c", "d"]) == "too_few_options"
    assert reason_of_options(["May", "may", "c", "d", "e"]) == "doubled_options"
    assert reason_of_options(["a", "Straße", "STRASSE", "d", "e"]) == "doubled_options"


@given(WORDS, st.integers(0, 3))
def test_options_stand_in_the_order_of_their_hashes(words, seed):
    options, label = shown_options("q1", "intersection", words, seed)
    assert options[label] == words[0]
    assert sorted(options) == sorted(words)
    values = [drawn(hashed("q1", "intersection", words.index(word)), seed, "cloze/option order") for word in options]
    assert values == sorted(values)


def row(kind="nonspecificity", *, concreteness=None, depth=None, agreed=0.0, token=0):
    return {"kind": kind, "concreteness": concreteness, "depth": depth, "agreed": agreed, "token": token}


def test_the_best_is_the_most_abstract():
    best = [
        row(depth=2.0, token=9),
        row(depth=3.0, agreed=2.0, token=7),
        row(depth=3.0, agreed=1.0, token=1),
        row(depth=3.0, agreed=1.0, token=2),
        row(depth=None, agreed=9.0),
    ]
    turned = best[::-1]
    assert sorted(turned, key=merit) == best
    both = [
        row("intersection", concreteness=0.1, depth=5.0),
        row("intersection", concreteness=0.1, depth=6.0),
        row("intersection", concreteness=0.2, depth=0.0),
    ]
    turned = both[::-1]
    assert sorted(turned, key=merit) == both
    # Of a kind that does not ask for depth, it does not count.
    assert merit(row("imperceptibility", concreteness=0.1, depth=9.0)) < merit(
        row("imperceptibility", concreteness=0.2, depth=0.0)
    )


@given(TEXT)
def test_words_count_and_nothing_between_them(text):
    assert normalised(text) == words_of(text)
    assert normalised(f" {text.upper().casefold()}… ") == words_of(text.upper())
