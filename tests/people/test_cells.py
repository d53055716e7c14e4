import csv
import io
import unicodedata

import pytest
from dateutil import parser as dates
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.people.cells import cell_of, folded, text_of

# All that can be encoded, and often what means something.
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \t\n\\[]'\"=-¶#s"))
NUMBERS = st.text("0123456789eE+-=@.,:/% aAprMyPmW$'", max_size=12)


@st.composite
def marked(draw):
    text = draw(TEXT.filter(bool))
    start = draw(st.integers(0, len(text) - 1))
    return text, (start, draw(st.integers(start + 1, len(text))))


@given(TEXT)
def test_a_cell_gives_its_text_back(text):
    assert text_of(cell_of(text)) == (text, None)


@given(marked())
def test_a_mark_is_taken_off_without_loss(case):
    text, mark = case
    assert text_of(cell_of(text, mark)) == (text, mark)


@pytest.mark.parametrize("text", ["[[a]]", "[a]", "a]]b[[", "[", "\\[[a]]", "[[[a]]]"])
def test_texts_that_hold_marks_themselves(text):
    assert text_of(cell_of(text)) == (text, None)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert text_of(cell_of(text, (start, end))) == (text, (start, end))


def test_plain_text_is_shown_as_it_is():
    for text in ('He said "yes" [sic].', "It's 5 o'clock, and all is well: 3 of 4.", "bad", ""):
        assert cell_of(text) == text
    assert cell_of("a [sic] day", (8, 11)) == "a [sic] [[day]]"
    assert cell_of("a\\b\tc\nd¶\x07") == "a\\\\b\\tc¶d\\¶\\u0007"
    assert cell_of("\ufeffa\u2028b") == "\\ufeffa\\u2028b"
    assert cell_of(" a b ") == "\\sa b\\s"


@given(TEXT)
def test_a_cell_is_the_same_with_quoting_and_without(text):
    cell = cell_of(text)
    assert not {"\t", "\n", "\r"} & set(cell)
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        lines = io.StringIO(f"{cell}\tx\n", newline="")
        assert list(csv.reader(lines, delimiter="\t", quoting=quoting)) == [[cell, "x"]]


@given(TEXT, st.sampled_from(["", " ", "\u00a0", "  ", "\ufeff"]), st.booleans())
def test_what_people_add_at_the_edges_does_not_count(text, edge, composed):
    cell = unicodedata.normalize("NFC" if composed else "NFD", cell_of(text))
    assert folded(text_of(edge + cell + edge)[0]) == folded(text)


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-x", "@a", "＝1", '"', "#a", "'tis", "TRUE"])
def test_what_could_be_a_formula_is_guarded(text):
    assert cell_of(text) == "'" + text


@given(NUMBERS)
def test_nothing_is_taken_for_a_number_or_a_date(text):
    cell = cell_of(text)
    if cell.startswith("'"):
        return
    assert not cell.startswith(("=", "+", "-", "@"))
    if any(map(str.isdigit, cell)):
        with pytest.raises(ValueError, match=r"."):
            float(cell.strip("$% ").replace(",", "."))
        with pytest.raises((ValueError, OverflowError), match=r"."):
            dates.parse(cell)


def test_a_guard_that_a_spreadsheet_drops_changes_no_text():
    for text in ("=1+1", "'tis", "1950", "''"):
        assert folded(text_of(cell_of(text)[1:])[0]) == folded(text)


@pytest.mark.parametrize("mark", [(0, 0), (2, 1), (-1, 1), (0, 4)])
def test_a_target_outside_of_its_text_is_an_error(mark):
    with pytest.raises(ValueError, match="not within 3 characters"):
        cell_of("abc", mark)
