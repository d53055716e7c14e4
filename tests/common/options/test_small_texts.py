"""Files of lines that people write, with every kind of damage: read in seconds, or told by line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_making import locked
from nets import ends

from lexbeam.transforms.annotation.engines.normalise import read_rules
from lexbeam.transforms.change.scores.gold import GoldOptions, read_gold
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.small_texts import cells_of, delimiter_of, read_lines, word_lines

ROOT = Path(__file__).parents[3]
MARKS = "a" + "\u0301\u0327" * 100_000
READERS = {
    "lines": lambda path: list(read_lines(path, "targets")),
    "rules": read_rules,
    "pairs": lambda path: read_gold(GoldOptions(binary=path), ViewOptions()),
    "table": lambda path: read_gold(GoldOptions(gold=path), ViewOptions()),
}
GOOD = {"lines": "a\n", "rules": "form\ta\tb\n", "pairs": "a\t1\n", "table": "word\tbinary\na\t1\n"}
ADDED = {
    "NUL": ("a\0\t1", "the control character .*x00"),
    "escape": ("a\x1b[2J\t1", "the control character .*x1b"),
    "marks": (MARKS + "\t1", "more than 30 combining marks in a row"),
    "half a pair": (b"\xed\xa0\x80\t1", "is not UTF-8 text"),
    "Latin-1": ("é\t1".encode("latin-1"), "is not UTF-8 text"),
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("damage", ADDED)
def test_a_line_that_no_word_stands_in(kind, damage, tmp_path):
    line, message = ADDED[damage]
    data = line if isinstance(line, bytes) else line.encode()
    path = tmp_path / "x.txt"
    path.write_bytes(GOOD[kind].encode() + b"\n" + data + b"\n")
    number = GOOD[kind].count("\n") + 2
    with ends(), pytest.raises(UsageError, match=f"x.txt.*{message}") as caught:
        READERS[kind](str(path))
    assert isinstance(line, bytes) or f"line {number}:" in str(caught.value)


@pytest.mark.parametrize("kind", READERS)
def test_what_is_no_file(kind, tmp_path):
    path = tmp_path / "x.txt"
    for make in (
        path.mkdir,
        lambda: os.mkfifo(path),
        lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to("nowhere"),
        lambda: path.symlink_to("x.txt"),
    ):
        make()
        with pytest.raises((LexbeamError, OSError)) as caught:
            READERS[kind](str(path))
        assert "x.txt" in str(caught.value)
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def test_a_file_without_permission(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("a\n")
    with locked(path), pytest.raises(UsageError, match=r"`targets` .*no permission"):
        list(read_lines(str(path), "targets"))


def test_each_line_end_of_plain_text_ends_a_line(tmp_path):
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffa\r\n\n \nb\u2028c\n\u0e01\u0e38".encode())
    assert list(read_lines(str(path), "x")) == ["a", "", "", "b", "c", "\u0e01\u0e38"]
    path.write_bytes(("\u0915\u093e" * 100 + "ἄ" * 100 + "漢" * 1000).encode())
    assert len(list(read_lines(str(path), "x"))) == 1


def test_a_file_far_too_large_is_not_read(tmp_path):
    path = tmp_path / "x.txt"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(UsageError, match="is larger than 64 MiB"):
        list(read_lines(str(path), "targets"))


def test_a_long_cell_is_a_cell_whoever_else_reads_tables():
    code = (
        "from lexbeam.transforms.common.options import small_texts as s\n"
        "print(len(s.cells_of('x' * 200_000 + ',', ',')[0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("200000\n", "")


@pytest.mark.parametrize(
    ("line", "delimiter", "cells"),
    [
        ("a, b\tc;d", "\t", ["a, b", "c;d"]),
        ('a,"b, c;d"', ",", ["a", "b, c;d"]),
        ('a;"b;c";d, e', ";", ["a", "b;c", "d, e"]),
        ("a", ",", ["a"]),
    ],
)
def test_cells_stand_between_tabs_or_the_commoner_of_comma_and_semicolon(line, delimiter, cells):
    assert delimiter_of(line) == delimiter
    assert cells_of(line, delimiter) == cells


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ship\nsea\n", ["ship", "sea"]),
        ("# of the sea\n\nship\n", ["ship"]),
        ("Words\nship\nsea\n", ["ship", "sea"]),
        ("word\n", ["word"]),
        ('"Lemma"\n"ship"\n"sea"\n', ["ship", "sea"]),
        ("gloss;Lemma\na vessel;ship\nwater;sea\n", ["ship", "sea"]),
        ('no,word\n1,"ship"\n2,"sea"\n', ["ship", "sea"]),
        ("target\tgloss\nship\ta vessel, large\n", ["ship"]),
        ("ship\t0.5\nsea\t1\n", ["ship", "sea"]),
        ("ship;0,5\nsea;1\n", ["ship", "sea"]),
        ("ship\nsea\t0.5\n", ["ship", "sea"]),
    ],
)
def test_words_are_one_a_line_or_the_column_of_a_table(tmp_path, text, words):
    (tmp_path / "words").write_text(text)
    assert [word for word in word_lines(str(tmp_path / "words"), "targets") if word] == words


@pytest.mark.parametrize(
    "text", ["mare;sea\nnave;ship\n", "mare,sea\n", "mare\tsea\nnave\tship\n", "nave\nmare, sea\n"]
)
def test_a_table_of_which_nothing_says_where_the_words_are_is_refused(tmp_path, text):
    (tmp_path / "words").write_text(text)
    with pytest.raises(UsageError, match=r"`targets` .*columns.*call it word in the first line"):
        word_lines(str(tmp_path / "words"), "targets")


def test_phrases_hold_commas_unless_a_header_says_that_they_are_cells(tmp_path):
    path = tmp_path / "words"
    path.write_text("ladies, gentlemen\n#sea\n")
    assert word_lines(str(path), "protect", phrases=True) == ["ladies, gentlemen", "#sea", ""]
    path.write_text("term,gloss\nship,a vessel\n")
    assert word_lines(str(path), "protect", phrases=True) == ["", "ship", ""]
