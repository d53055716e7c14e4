from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.formats.records.hyphens import CUT_WORDS, mended

TEXTS = st.lists(
    st.sampled_from(["a", "bc", "-", "\u00ac", "=", "\u2e17", "\n", " ", "und", "1", "\n\n", "."]), max_size=20
)


def joined(text):
    notes = Counter()
    return mended(text, "join", notes), dict(notes)


@pytest.mark.parametrize(
    ("text", "expected", "cut"),
    [
        ("govern-\nment, government", "government, government", 1),
        ("govern- \n  ment, Government", "government, Government", 1),
        ("govern-\nment", "govern-ment", 1),
        ("well-\nknown wellknown well-known well-known", "well-known wellknown well-known well-known", 1),
        ("pro=\nvince province", "province province", 1),
        ("pro=\nvince", "pro=\nvince", 1),
        ("go\u00ac\nvern", "govern", 1),
        ("Krönungs-\nund Feste", "Krönungs-\nund Feste", 0),
        ("1914-\n18 a -\nb c--\nd e-\n\nf -\ng", "1914-\n18 a -\nb c--\nd e-\n\nf -\ng", 0),
    ],
)
def test_words_cut_at_line_ends(text, expected, cut):
    found, notes = joined(text)
    assert (found, notes.get(CUT_WORDS, 0)) == (expected, cut)


@given(TEXTS)
def test_nothing_but_hyphens_and_line_ends_goes_and_both_ways_count_alike(pieces):
    text, notes = "".join(pieces), Counter()
    assert mended(text, "keep", notes) == text
    found, told = joined(text)
    assert told.get(CUT_WORDS, 0) == notes[CUT_WORDS]
    strip = str.maketrans("", "", "-\u00ac=\u2e17\n ")
    assert found.translate(strip) == text.translate(strip)
    assert found == text or notes[CUT_WORDS]
