"""Rows that `lexbeam show` prints, on a terminal and through a pipe.

The command `lexicon look`: what every resource says of a word.
"""

import json
import os
import pty
import subprocess
import sys
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.pipelines.cli import main

WORD = "a\x1b]0;owned\x07\x1b[31m\x9b2Jred\u202e\u200f\U000e0041\ufffe"
SEEN = "a\\x1b]0;owned\\x07\\x1b[31m\\x9b2Jred\\u202e\\u200f\\U000e0041\\ufffe"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "words.parquet"
    pq.write_table(pa.table({"word": [WORD], "n": [1]}), path)
    return path


def on_a_terminal(path, flag):
    """Return what the command writes to a terminal."""
    ours, theirs = pty.openpty()
    # As the program itself ends: at once, since native threads of Arrow may abort an interpreter that is torn down.
    command = [sys.executable, "-m", "lexbeam.pipelines.cli", "show", str(path), flag]
    try:
        process = subprocess.Popen(command, stdout=theirs, stdin=subprocess.DEVNULL)
        os.close(theirs)
        written = b""
        while block := _read(ours):
            written += block
        assert process.wait() == 0
    finally:
        os.close(ours)
    return written.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that nobody holds the other end any more
        return b""


def piped(path, flag, capfdbinary):
    assert main(["show", str(path), flag]) == 0
    return capfdbinary.readouterr().out.decode()


def test_tab_separated_values_are_escaped_in_a_pipe_and_on_a_terminal(table, capfdbinary):
    assert piped(table, "--tsv", capfdbinary) == f"word\tn\n{SEEN}\t1\n"
    assert on_a_terminal(table, "--tsv") == f"word\tn\n{SEEN}\t1\n"


def test_json_means_the_same_in_both_and_a_terminal_obeys_nothing_of_it(table, capfdbinary):
    for printed in (piped(table, "--json", capfdbinary), on_a_terminal(table, "--json")):
        assert json.loads(printed) == [{"word": WORD, "n": 1}]
        assert printed.replace("\n", "").isprintable()


LIST = "word,pos,value\ncafé,Noun,1.5\nsea,Verb,2\n"


@pytest.fixture
def look(tmp_path, monkeypatch, capsys):
    (tmp_path / "list.csv").write_text(LIST, "utf-8")
    (tmp_path / "vec").write_text("sea 1 0\nship 1 1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    given = ["list=list.csv:word=word,value=value,pos=pos,language=fr", "near=vectors:vec"]

    def run(*words):
        code = main(["lexicon", "look", *words, *(f"--resources={one}" for one in given)])
        return code, capsys.readouterr().out.splitlines()

    return run


def test_each_resource_says_what_it_has(look):
    assert look("sea") == (
        0,
        [
            "list (words, fr)",
            "  value  2 (value, from 1.5 to 2)",
            "near (vectors)",
            "  vector   2 numbers, length 1",
            "  nearest  ship 0.71",
        ],
    )
    assert look("boat", "--pos", "v")[1] == [
        "list (words, fr)",
        "  'boat' is not there as v",
        "near (vectors)",
        "  'boat' is not there as v",
    ]


@pytest.mark.parametrize("pos", ["n", "Noun", "NOUN"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_is_written_as_a_person_does(look, pos, form):
    _, told = look(unicodedata.normalize(form, " Café "), "--pos", pos)
    assert told[1] == "  value  1.5 (value, from 1.5 to 2)"


def test_without_resources_it_says_how_they_are_named(tmp_path, capsys):
    assert main(["lexicon", "look", "sea"]) == 2
    assert "`resources`" not in (said := capsys.readouterr().err)
    assert "--resources must be given: NAME=FILE:word=COLUMN,value=COLUMN" in said
