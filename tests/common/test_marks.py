"""Runs of marks, against the Stream-Safe Text Process as UAX #15 words it, step by step."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import ends

from lexbeam.transforms.common.texts.characters import LIMIT, broken, is_nfc, nfc, too_many

# Letters that end in up to three marks, marks alone and two in one, some beyond the first plane.
PIECES = "a é ǖ ᾂ \u0301 \u0316 \u0344 \u0f73 \U0001d165 \U0001e944 \U0001f389 \u034f \u0bbe \ufc5e"
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES.split()), st.integers(1, 35)).map(lambda of: of[0] * of[1]), max_size=8
).map("".join)


def starters(text):
    """Whether each character of the compatibility decomposition is a starter."""
    return [not unicodedata.combining(c) for c in unicodedata.normalize("NFKD", text)]


def process(text):
    """The Stream-Safe Text Process; and where it inserts."""
    out, places, count = [], [], 0
    for place, character in enumerate(text):
        found = starters(character)
        initial = found.index(True) if True in found else len(found)
        if count + initial > LIMIT:
            out.append("\u034f")
            places.append(place)
            count = 0
        out.append(character)
        count = found[::-1].index(True) if True in found else count + len(found)
    return "".join(out), places


@given(TEXTS)
def test_breaking_is_the_stream_safe_text_process(text):
    expected, places = process(text)
    assert broken(text) == (expected, len(places))
    assert too_many(text) == (places[0] if places else None)
    assert nfc(text) == unicodedata.normalize("NFC", expected)
    assert is_nfc(text) == (not places and unicodedata.is_normalized("NFC", text))
    assert broken(nfc(text)) == (nfc(text), 0)


def test_every_mark_of_unicode_counts():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.combining(character) or unicodedata.decomposition(character):
            found = starters(character)
            assert (too_many("a" + character * 31) is not None) == (not any(found)), hex(code)
            assert any(found) == found[0], hex(code)  # none begins with a mark and has a starter


@pytest.mark.parametrize("run", ["\u0301\u0316", "\u0316\u0344", "\U0001d165\U0001e8d0", "á\u0316"])
def test_megabytes_of_marks_take_seconds(run):
    text = run * 1_000_000
    with ends():  # 400 kB took a minute
        assert too_many(text) is None if run[0] == "á" else too_many(text) < 40
        made = nfc(text)
    assert len(made) >= len(text) // 2
