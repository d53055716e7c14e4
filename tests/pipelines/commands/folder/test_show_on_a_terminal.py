"""Rows that `lexbeam show` prints, on a terminal and through a pipe."""

import json
import os
import pty
import subprocess
import sys

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
