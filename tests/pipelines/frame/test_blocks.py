"""Grids and words in context as lines."""

import re
import sys

import pytest
from rich.cells import cell_len

from lexbeam.pipelines.frame import blocks as tables_shown
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.transforms.common.shown import Grid, Kwic, Use, columns_with, listed

GRID = Grid(("word", "score"), (("ship", "0.5"), ("Übersee 東京", "10.25")), frozenset({1}), 2)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def plain(*blocks):
    return list(shown_lines(blocks, width=0))


def test_plain_grids_have_no_frames_and_no_colours():
    assert plain(GRID) == ["  word          score", "  ship            0.5", "  Übersee 東京  10.25"]


def test_plain_lines_are_not_cut_however_long_a_cell_is():
    long = "x " * 500 + "end"
    (_, line) = plain(Grid(("a", "b"), ((long, "last"),)))
    assert line == f"{long}  last"


@pytest.mark.parametrize("width", [40, 60, 100])
def test_on_a_terminal_nothing_is_wider_and_nothing_is_lost(width):
    rows = tuple((f"w{n}", " ".join(f"neighbour{m}" for m in range(20))) for n in range(3))
    lines = list(shown_lines([Grid(("word", "near"), rows, indent=2)], width=width))
    shown = [ESCAPE.sub("", line) for line in lines]
    assert max(map(cell_len, shown)) <= width
    assert any("\x1b[1m" in line for line in lines)
    actual = re.findall(r"neighbour\d+", "\n".join(shown))
    assert actual == [f"neighbour{m}" for m in range(20)] * 3


def test_markup_and_what_a_terminal_obeys_are_text():
    (_, line) = plain(Grid(("a",), (("[bold]x[/bold] \x1b[2J\n:smile:",),)))
    assert line == "[bold]x[/bold] \\x1b[2J :smile:"


def test_a_grid_without_heads_is_its_rows():
    assert plain(Grid(("", ""), (("a", "b"),))) == ["a  b"]


@pytest.mark.parametrize(("width", "fit"), [(60, 5), (100, 9), (0, 10)])
def test_of_a_wide_table_the_first_columns_that_fit_are_shown_and_the_others_named(width, fit):
    heads = tuple(f"column{n:02}" for n in range(12))
    grid = Grid(heads, tuple((str(row),) * 12 for row in range(3)), indent=2, fits=True)
    lines = [ESCAPE.sub("", line) for line in shown_lines([grid], width=width)]
    assert lines[0].split() == list(heads[:fit])
    assert max(map(len, lines)) <= (width or 100)
    named = " ".join("\n".join(lines).partition("and ")[2].split())
    assert named == f"{12 - fit} more columns: {', '.join(heads[fit:])}"


@pytest.mark.parametrize("width", range(40, 130, 3))
def test_no_cell_of_the_first_columns_is_broken(width):
    heads = ("word", "slice_from", "target", "null_mean_cca", "upos_share", "documents", "score")
    rows = (("acorn", "early", "no", "0.0123456", "0.866667", "8", "0.5"),) * 2
    grid = Grid(heads, rows, frozenset({3, 4, 5, 6}), indent=2, fits=True)
    lines = [ESCAPE.sub("", line) for line in shown_lines([grid], width=width)]
    assert lines[0].split() == list(heads[: len(lines[0].split())])
    assert lines[2].split() == list(rows[0][: len(lines[0].split())])
    assert max(map(len, lines)) <= width


def test_a_column_that_is_too_wide_by_itself_is_shown():
    (head, *rows) = plain(Grid(("text", "more"), (("x" * 300, "y"),), fits=True))
    assert head == "text"
    assert rows == ["x" * 300, "and 1 more column: more"]


def test_words_in_context_stand_in_one_column():
    kwic = Kwic((Use("the ", "ship", " sails", "Ann, 1801"), Use("an old (", "Ship", ")", "B")))
    assert plain(kwic) == ["      the [ship] sails  Ann, 1801", "  an old ([Ship])       B"]
    assert plain(Kwic(())) == []


@pytest.mark.parametrize("width", [40, 80, 120])
def test_words_in_context_fill_a_terminal_and_no_more(width):
    long = "word " * 60
    uses = tuple(Use(long, "ship", f" {long}", "Author, " * n + "1801") for n in range(1, 9))
    lines = [ESCAPE.sub("", line) for line in shown_lines([Kwic(uses)], width=width)]
    assert len(lines) == len(uses)
    assert max(map(cell_len, lines)) <= width
    assert len({line.index("[ship]") for line in lines}) == 1


def test_contexts_of_wide_letters_are_aligned_by_what_they_take():
    kwic = Kwic((Use("東京の", "船", "は", "x"), Use("ab", "船", "c", "x")))
    first, second = plain(kwic)
    assert cell_len(first[: first.index("[")]) == cell_len(second[: second.index("[")])
    assert cell_len(first) == cell_len(second)


def test_the_width_is_that_of_the_terminal_where_one_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert tables_shown.is_terminal()
    wide = Grid(("a",), (("word " * 40,),))
    assert len(list(shown_lines([wide]))) > 4
    monkeypatch.setattr(sys, "stdout", None)  # as it is where the caller has closed it
    assert not tables_shown.is_terminal()
    assert len(list(shown_lines([wide]))) == 2


def test_lists_say_how_many_are_left_out():
    assert listed(range(12)) == ", ".join(map(str, range(12)))
    assert listed(range(13)).endswith("10, 11 and 1 more")


def test_empty_columns_are_left_out():
    grid = columns_with((("a", "<"), ("b", ">"), ("c", ">")), [["x", "", "1"], ["", "", ""]])
    assert grid == Grid(("a", "c"), (("x", "1"), ("", "")), frozenset({1}))


def test_lines_are_data_when_piped_and_their_escapes_are_seen_on_a_terminal():
    line = "a\t\x1b[31mred\x9b2J " + "x" * 5000
    assert plain(line) == [line]
    assert list(shown_lines([line], width=80)) == ["a\t\\x1b[31mred\\x9b2J " + "x" * 5000]
