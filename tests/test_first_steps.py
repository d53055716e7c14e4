"""The walks of docs/first-steps: notebooks that run from an empty folder, and show what they are kept with.

What a cell shows is compared as text. Decimal fractions may differ by one in their last place, for other kinds of
CPU compute other vectors. The commands at the end of a walk are run in the folder that its cells have made, with
`--resume`: with other options than those of the cells they fail.
"""

import contextlib
import io
import logging
import re
import shlex
from pathlib import Path

import nbformat
import pytest
from notebooks import ROOT, WALKS, run_walk

from lexbeam.pipelines.cli import main
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

NAMES = sorted(page.stem for page in WALKS.glob("*.ipynb"))
COMMAND = re.compile(r"^ {4}(lexbeam (?:.*\\\n)*.*)$", re.MULTILINE)
FRACTION = re.compile(r"\d*\.\d+")
NEEDS_WORDNET = {"cloze"}
MOST_BYTES = 100_000
MOST_LINES = 60  # of what a cell shows


def kept(name):
    return nbformat.read(WALKS / f"{name}.ipynb", as_version=4)


def texts_of(notebook):
    """Return what each cell of code shows, as text."""
    return [
        "".join(output.get("text") or output.data["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def commands_of(name):
    """Return the commands under the last heading but one of a walk."""
    told = "\n".join(cell.source for cell in kept(name).cells if cell.cell_type == "markdown")
    return COMMAND.findall(told.split("## The same by commands\n")[1].split("\n## ")[0])


def is_as_shown(text, shown):
    """Whether a text is another one, but for one in the last place of fractions, and spaces that these take."""
    fractions = zip(FRACTION.findall(text), FRACTION.findall(shown), strict=False)
    bare = [re.sub(r"[ -]+", " ", FRACTION.sub("#", one)) for one in (text, shown)]
    return bare[0] == bare[1] and all(_is_close(*pair) for pair in fractions)


def _is_close(one, other):
    places = max(len(number.partition(".")[2]) for number in (one, other))
    return abs(round((float(one) - float(other)) * 10**places)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_walk_runs_from_an_empty_folder_and_shows_what_it_is_kept_with(name, tmp_path, monkeypatch, wordfreq_cache):
    if name in NEEDS_WORDNET and not Path(DEBIAN, "index.sense").exists():
        pytest.skip("needs Debian's packages wordnet-base and wordnet-sense-index")
    run, progress = run_walk(name, tmp_path, LEXBEAM_CACHE=wordfreq_cache)  # an error in a cell is one here
    assert any("━" in drawn for drawn in progress)
    pairs = zip(texts_of(run), texts_of(kept(name)), strict=True)
    wrong = [f"{number}:\n{text}" for number, (text, shown) in enumerate(pairs, 1) if not is_as_shown(text, shown)]
    assert not wrong, "\n".join(["cells that show something else (`make notebook` writes it):", *wrong])
    monkeypatch.chdir(tmp_path.joinpath(*WALKS.relative_to(ROOT).parts))
    monkeypatch.setenv("LEXBEAM_CACHE", wordfreq_cache)
    before = published(Path("out"))
    for command in commands_of(name):
        run_command(command, monkeypatch)
    assert published(Path("out")) == before


def published(folder):
    """Return what is published below a folder: the snapshot of each place."""
    return {str(path): path.resolve().name for path in sorted(folder.glob("*/current"))}


def run_command(command, monkeypatch):
    words = shlex.split(command.replace("\\\n", " "))[1:]
    words += [] if words[0] in ("report", "show") else ["--resume"]
    root, stream = logging.getLogger(), io.StringIO()
    with monkeypatch.context() as alone:  # the command sets up logging as if it had the process to itself
        alone.setattr(root, "handlers", [])
        alone.setattr(root, "level", root.level)
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            code = main(words)
    assert code == 0, f"{command}\n{stream.getvalue()}"


@pytest.mark.parametrize("name", NAMES)
def test_a_walk_is_kept_small_with_tables_and_neither_errors_nor_schemas(name):
    assert (WALKS / f"{name}.ipynb").stat().st_size < MOST_BYTES
    outputs = [output for cell in kept(name).cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("<table" in output.get("data", {}).get("text/html", "") for output in outputs)
    for text in texts_of(kept(name)):
        assert text.count("\n") <= MOST_LINES
        assert "pyarrow." not in text
        assert "Traceback" not in text


def test_one_walk_is_in_another_language():
    calls = " ".join(cell.source for name in NAMES for cell in kept(name).cells if cell.cell_type == "code")
    assert len(set(re.findall(r'"builtin:(\w+)"', calls))) > 1


def test_every_walk_is_in_the_table_of_first_steps():
    rows = re.findall(r"^\| \[[\w ]+\]\((\w+)\.ipynb\) \|", (WALKS / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == NAMES


def test_a_fraction_may_differ_by_one_in_its_last_place():
    assert is_as_shown("a  0.805\n b 1.51", "a 0.806\n b 1.50")
    assert is_as_shown("a 0.1\n", "a 0.10\n")
    assert not is_as_shown("a 0.804", "a 0.806")
    assert not is_as_shown("a 0.806\nb", "a 0.806\nc")
    assert not is_as_shown("5 words", "6 words")


@pytest.mark.parametrize("name", NAMES)
def test_the_overview_of_a_task_begins_with_the_commands_of_its_walk(name):
    top = (ROOT / "docs" / "tasks" / name / "README.md").read_text("utf-8").split("\n## ")[0]
    assert COMMAND.findall(top) == commands_of(name)
