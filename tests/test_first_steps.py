"""The walks of docs/first-steps: their texts, commands and outputs, word for word.

A block of a page that follows a line with a name in backquotes and a colon is a file. In a block `console` a
line that begins with `$` is a command; the lines below it, up to the next one, are all that it prints, on
standard output and standard error, in the order of printing. A line `...` stands for any number of lines.
Progress is not shown: lines of level INFO, and `looking into`. Decimal fractions may differ by one in their last
place, for other kinds of CPU train other vectors.
"""

import contextlib
import io
import itertools
import logging
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.cli import main
from transforms.lexicon.wordnet.kind import DEBIAN

PAGES = Path(__file__).resolve().parents[1] / "docs" / "first-steps"
WALKS = sorted(page.stem for page in PAGES.glob("*.md") if page.name != "README.md")
FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRACTION = re.compile(r"\d+\.\d+")
NEEDS_WORDNET = {"cloze"}
LONG = {"change": "lexbeam run mine/config.yaml"}


def commands_of(page):
    """Return the commands of a page, each with the lines below it."""
    found = []
    for block in CONSOLE.findall(page):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line.rstrip())
    return found


def is_as_shown(lines, shown):
    """Whether lines are those that a page shows, in which `...` stands for any number of lines."""
    texts = [text for line in shown if line != "..." for text in FRACTION.findall(line)]
    pattern = "".join(r"(?:.*\n)*" if line == "..." else _with_any_fractions(line) + "\n" for line in shown)
    found = re.fullmatch(pattern, "".join(f"{line}\n" for line in lines))
    return found is not None and all(map(_is_close, found.groups(), texts))


def _with_any_fractions(line):
    return r"(\d+\.\d+)".join(map(re.escape, FRACTION.split(line)))


def _is_close(one, other):
    places = len(other.partition(".")[2])
    return len(one) == len(other) and abs(round((float(one) - float(other)) * 10**places)) <= 1


def printed(command, monkeypatch):
    """Return the lines that a command prints."""
    program, *words = shlex.split(command)
    if program == "python":
        run = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
        return (run.stdout + run.stderr).splitlines()
    assert program == "lexbeam"
    stream, root = io.StringIO(), logging.getLogger()
    with monkeypatch.context() as alone:  # the command sets up logging as if it had the process to itself
        alone.setattr(root, "handlers", [])
        alone.setattr(root, "level", root.level)
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            code = main(words)
    assert code == 0, stream.getvalue()
    progress = ("INFO ", "progress: ", "looking into ")
    return [line.rstrip() for line in stream.getvalue().splitlines() if not line.startswith(progress)]


def walks():
    """Return each walk with the command before which the suite stops; what trains for half a minute is in a soak."""
    for walk in WALKS:
        yield pytest.param(walk, LONG.get(walk), id=walk)
        if walk in LONG:
            yield pytest.param(walk, None, id=f"all of {walk}", marks=pytest.mark.soak)


@pytest.mark.slow
@pytest.mark.parametrize(("walk", "end"), walks())
def test_a_walk_prints_what_its_page_shows(walk, end, tmp_path, monkeypatch, wordfreq_cache):
    if walk in NEEDS_WORDNET and not Path(DEBIAN, "index.sense").exists():
        pytest.skip("needs Debian's packages wordnet-base and wordnet-sense-index")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", wordfreq_cache)
    page = (PAGES / f"{walk}.md").read_text("utf-8")
    for name, text in FILE.findall(page):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, "utf-8")
    commands = commands_of(page)
    assert len(commands) > 2
    wrong = []
    for command, shown in itertools.takewhile(lambda one: one[0] != end, commands):
        lines = printed(command, monkeypatch)
        if not is_as_shown(lines, shown):
            wrong.append("\n".join([f"$ {command}", *lines]))
    assert not wrong, "\n".join(["these print something else:", *wrong])


def test_walks_that_are_long_have_the_command_before_which_the_suite_stops():
    for walk, end in LONG.items():
        commands = [command for command, _ in commands_of((PAGES / f"{walk}.md").read_text("utf-8"))]
        assert commands.index(end) > 1, walk


def test_every_walk_is_in_the_table_of_first_steps():
    rows = re.findall(r"^\| \[[\w ]+\]\((\w+)\.md\) \|", (PAGES / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == WALKS


def test_left_out_lines_match_and_others_do_not():
    assert is_as_shown(["a", "b", "c"], ["a", "...", "c"])
    assert is_as_shown(["a", "c"], ["a", "...", "c"])
    assert not is_as_shown(["a", "b", "d"], ["a", "...", "c"])
    assert not is_as_shown(["a", "b"], ["a"])


def test_a_fraction_may_differ_by_one_in_its_last_place():
    shown = ["a 0.806 b", "...", "c 1.50"]
    assert is_as_shown(["a 0.805 b", "9.9", "c 1.51"], shown)
    assert not is_as_shown(["a 0.804 b", "9.9", "c 1.50"], shown)
    assert not is_as_shown(["a 0.806 b", "9.9", "c 1.5"], shown)


@pytest.mark.parametrize("walk", WALKS)
def test_the_overview_of_a_task_begins_with_commands_of_its_walk(walk):
    top = (PAGES.parent / "tasks" / walk / "README.md").read_text("utf-8").split("\n## ")[0]
    commands = re.findall(r"^ {4}(lexbeam .*)$", top, re.MULTILINE)
    run = [command for command, _ in commands_of((PAGES / f"{walk}.md").read_text("utf-8"))]
    assert commands
    assert commands == [command for command in run if command in commands]
