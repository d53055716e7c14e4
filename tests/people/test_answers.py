import csv
import io
import unicodedata
from dataclasses import replace

import pyarrow as pa
import pytest
from dateutil import parser as dates
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.people.answers import KINDS, Answer, cell_of, folded, read_answer, text_of

SCALE = (("1", "unrelated"), ("2", "distant"), ("3", "close"), ("4", "identical"))
PAIR = Answer(name="pair", help="how near", kind="scale", values=SCALE, undecided="-")
CHOICE = Answer(name="level", help="how hard", values=(("easy", ""), ("not easy", ""), ("3/4", "")))
SHARE = Answer(name="share", help="how much", kind="number", least=0, most=2000)
NOTE = Answer(name="note", help="why", kind="text", most=12)
SPANS = Answer(name="evidence", help="where", kind="spans", of="passage")
PASSAGE = {"passage": "The party of\nthe first part, hereafter “the  party”, ar(t) ends."}


def reason(answer, cell, texts=PASSAGE):
    with pytest.raises(BadRecord) as caught:
        read_answer(answer, cell, texts)
    assert caught.value.detail.startswith(answer.name)
    return caught.value.reason


@pytest.mark.parametrize(
    "cell", ["3", " 3 ", "3.0", "3,0", "3,00", "\u00a03\u00a0", "'3", "3e0", "Close", "3 = close", "+3"]
)
def test_a_scale_takes_a_number_or_its_label(cell):
    assert read_answer(PAIR, cell, {}) == 3


@pytest.mark.parametrize("cell", ["-", "–", " — ", "−", "'-"])
def test_what_cannot_be_decided_is_null(cell):
    assert read_answer(PAIR, cell, {}) is None


@pytest.mark.parametrize("cell", ["0", "5", "3.5", "3 4", "close identical", "nan", "1e999", "--"])
def test_what_is_not_on_the_scale_is_wrong(cell):
    assert reason(PAIR, cell) == "wrong_answer"


def test_an_empty_cell_is_null_only_where_it_may_be():
    assert reason(PAIR, " \u00a0") == "empty"
    assert read_answer(Answer(name="c", help="", kind="text", optional=True), " ", {}) is None


@pytest.mark.parametrize("cell", ["#NAME?", "#REF!", "#N/A", "Err:509"])
def test_an_error_of_a_spreadsheet_is_no_answer(cell):
    assert reason(NOTE, cell) == "wrong_answer"


def test_choices():
    assert read_answer(CHOICE, " EASY", {}) == "easy"
    assert read_answer(CHOICE, "not  easy", {}) == "not easy"
    assert read_answer(CHOICE, "'3/4", {}) == "3/4"
    assert reason(CHOICE, "04. Mrz") == "wrong_answer"


@pytest.mark.parametrize(
    ("cell", "number"), [("3", 3), ("2,5", 2.5), ("2.5", 2.5), (".5", 0.5), ("1E+02", 100), ("0,125", 0.125)]
)
def test_numbers_with_points_and_commas(cell, number):
    assert read_answer(SHARE, cell, {}) == number


def test_a_number_that_could_be_two_is_wrong_unless_one_is_out_of_range():
    assert reason(SHARE, "1,250") == reason(SHARE, "1.250") == "wrong_answer"
    few = Answer(name="few", help="", kind="number", least=0, most=100)
    assert read_answer(few, "1,250", {}) == 1.25
    many = Answer(name="many", help="", kind="number", least=100, most=5000)
    assert read_answer(many, "1,250", {}) == 1250


@pytest.mark.parametrize("cell", ["-1", "2001", "1e999", "inf", "50%", "1,2,3", "three", "1_0"])
def test_what_is_no_number_in_the_range_is_wrong(cell):
    assert reason(SHARE, cell) == "wrong_answer"


def test_text_is_one_form_of_itself():
    assert read_answer(NOTE, " cafe\u0301\u00a0x \r\n y ", {}) == "café x\ny"
    assert read_answer(NOTE, "'=a", {}) == "=a"
    assert read_answer(NOTE, "'tis", {}) == "'tis"
    assert reason(NOTE, "x" * 13) == "wrong_answer"


def quoted(cell):
    found = read_answer(SPANS, cell, PASSAGE)
    return [PASSAGE["passage"][span["start"] : span["end"]] for span in found]


def test_spans_are_places_of_words():
    assert quoted("the first part") == ["the first part"]
    assert quoted("of¶the first") == quoted("of the\u00a0first") == ["of\nthe first"]
    assert quoted("ends. | party of") == ["party of", "ends."]
    assert quoted("“the party”") == ["“the  party”"]
    assert quoted('"first part"') == ["first part"]
    assert quoted("ar(t)") == ["ar(t)"]
    assert quoted("irst par") == ["irst par"]


def test_whole_words_come_before_parts_of_words():
    assert read_answer(SPANS, "part", PASSAGE) == [{"start": 23, "end": 27}]


@pytest.mark.parametrize("cell", ["party", "The Party", "second", "|", "first | second"])
def test_a_quote_that_has_not_one_place_is_wrong(cell):
    assert reason(SPANS, cell) == "wrong_answer"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "scal"},
        {"values": (("a", ""),)},
        {"values": (("a", ""), ("A ", ""))},
        {"values": (("a", "b"), ("b", "c"))},
        {"values": (("a", ""), ("-", "")), "undecided": "–"},
        {"values": (("a", ""), ("b", "")), "undecided": "-", "optional": True},
        {"kind": "scale", "values": (("1", ""), ("two", ""))},
        {"kind": "number"},
        {"kind": "number", "least": 2, "most": 2},
        {"kind": "text", "most": 0},
        {"kind": "spans"},
    ],
)
def test_an_answer_that_nobody_could_give_is_an_error(fields):
    with pytest.raises(UsageError, match="'q'"):
        Answer(name="q", help="?", **fields)


def test_a_kind_is_one_entry(monkeypatch):
    def read(answer, cell, texts):
        if cell not in ("ja", "nein"):
            raise ValueError("is not ja or nein")
        return cell == "ja"

    kind = replace(KINDS["text"], type=pa.bool_(), say=lambda _: "ja, nein", read=read)
    monkeypatch.setitem(KINDS, "yesno", kind)
    answer = Answer(name="q", help="?", kind="yesno")
    assert answer.allowed == "ja, nein"
    assert read_answer(answer, "ja", {}) is True
    assert reason(answer, "oui") == "wrong_answer"


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
