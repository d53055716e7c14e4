"""Rows as grids, tab-separated values and JSON.

Blocks as HTML.
"""

import datetime
import json

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from lexbeam.pipelines.shown.rows import (
    as_html,
    as_json,
    cell,
    first_rows,
    folded,
    rows_as_grid,
    rows_as_json,
    rows_as_tsv,
)
from lexbeam.transforms.common.shown import Grid, Kwic, Use

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@given(st.lists(st.dictionaries(st.text(), PLAIN | st.lists(PLAIN, max_size=3), max_size=3)))
def test_rows_are_one_json_document(rows):
    finite = json.loads(json.dumps(rows), parse_constant=lambda _: None)
    assert json.loads("\n".join(rows_as_json(rows))) == finite


def test_values_that_json_lacks():
    actual = json.loads(as_json({"a": float("nan"), "b": b"\xff", "c": datetime.date(1801, 2, 3)}))
    assert actual == {"a": None, "b": "ff", "c": "1801-02-03"}


def test_a_grid_has_no_columns_of_nulls_and_numbers_to_the_right():
    rows = pa.table({"word": ["a", "b"], "none": pa.nulls(2, pa.string()), "n": [1, 20]})
    grid = rows_as_grid(rows)
    assert grid.heads == ("word", "n")
    assert grid.rows == (("a", "1"), ("b", "20"))
    assert grid.right == {1}
    assert rows_as_grid(rows[:0]).heads == ("word", "none", "n")


def test_first_rows_are_in_words_and_without_what_is_empty():
    rows = [
        {"word": "a" * 50, "none": None, "flag": False, "list": [1.5, None, 3, 4], "no": []},
        {"word": "b", "none": None, "flag": True, "list": ["x"], "no": []},
    ]
    grid = first_rows(rows, 2)
    assert grid.heads == ("word", "flag", "list")
    assert first_rows(rows, 2, empty=True).heads == ("word", "none", "flag", "list", "no")
    assert grid.rows == (("a" * 39 + "…", "no", "1.5 _ 3 … (4)"), ("b", "yes", "x"))
    assert grid.fits
    assert cell({"text": "ship", "kind": "noun"}, 60) == "text: ship, kind: noun"


def test_tab_separated_values_are_whole_and_cells_for_a_person_say_what_they_lack():
    values = list(range(30))
    assert list(rows_as_tsv(["a"], [{"a": values}]))[1] == " ".join(map(str, values))
    assert cell(values, 60).endswith(" 11 and 18 more")
    assert cell("x" * 80, 60) == "x" * 59 + "…"
    assert cell(0.1 + 0.2, None) == "0.30000000000000004"
    assert cell("a\tb\nc", None) == "a b c"


def test_no_tab_separated_cell_is_run_by_a_spreadsheet_or_obeyed_by_a_terminal():
    texts = ["=1+1", "+1", "-x", "@a", "＝1", '"a', "'s", "a=1", "\t=1", "\r=1", "\x1b[2Ja\x9b\u202e", "می‌رود"]
    shown = [
        "'=1+1",
        "'+1",
        "'-x",
        "'@a",
        "'＝1",
        "'\"a",
        "''s",
        "a=1",
        " =1",
        "\\x0d=1",
        "\\x1b[2Ja\\x9b\\u202e",
        texts[-1],
    ]
    (_, *rows) = rows_as_tsv(["a"], [{"a": text} for text in texts])
    assert rows == shown
    assert list(rows_as_tsv(["=a", "b"], [{"=a": ["=1", "b"], "b": -0.5}, {"=a": -3, "b": None}])) == [
        "'=a\tb",
        "'=1 b\t-0.5",
        "-3\t",
    ]


def test_json_holds_nothing_that_a_terminal_obeys():
    text = as_json({"a": "\x1b[31m\x7f\x9b2J\u202e b"})
    assert text.replace("\n", " ").isprintable()
    assert json.loads(text) == {"a": "\x1b[31m\x7f\x9b2J\u202e b"}


BLOCKS = [
    "",
    "two lines",
    "  of <one> text",
    Grid(("word", "score"), (("R & D", "0.5"), ("x\x1b[2J", "1.0")), frozenset({1})),
    Grid(("", ""), (("made from", "documents"),)),
    Kwic((Use("by the", "sea", "of", "1810.txt"),)),
]


def test_lines_are_one_text_and_grids_and_uses_are_tables():
    pre, grid, facts, uses = html.fragments_fromstring(as_html(BLOCKS))
    assert pre.text == "two lines\n  of <one> text"
    assert [cell.text for cell in grid.iter("th", "td")] == ["word", "score", "R & D", "0.5", "x\\x1b[2J", "1.0"]
    assert [cell.get("style") for cell in grid.iter("td")] == ["text-align: left", "text-align: right"] * 2
    assert [cell.text for cell in facts.iter("th", "td")] == ["made from", "documents"]
    assert [cell.text_content() for cell in uses.iter("td")] == ["by the", "sea", "of", "1810.txt"]


def test_nothing_is_empty():
    assert as_html(()) == as_html(["", ""]) == ""


def test_what_is_folded_has_its_title():
    (details,) = html.fragments_fromstring(folded("a <table>", ["text"]))
    assert details.tag == "details"
    assert [each.text for each in details] == ["a <table>", "text"]
