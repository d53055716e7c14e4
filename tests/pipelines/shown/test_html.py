"""Blocks as HTML."""

from lxml import html

from lexbeam.pipelines.shown.rows import as_html, folded
from lexbeam.transforms.common.shown import Grid, Kwic, Use

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
