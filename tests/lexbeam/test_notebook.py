"""docs/reference/python.md is a notebook too, and runs in a kernel, whatever pandas is there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from notebooks import ROOT, execute
from python_runs import CORPUS, SLICES, SMALL

import lexbeam

PAGE = ROOT / "docs" / "reference" / "python.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")

RUN = f"""\
import lexbeam
corpus = lexbeam.corpus("texts", out="out", **{CORPUS!r})
results = lexbeam.change(corpus, slices={SLICES!r}, **{SMALL!r})
"""
TARGETS = f"""\
with open("words.txt", "w") as stream:
    print("sea", "nowhere", sep="\\n", file=stream)
lexbeam.change(corpus, out="other", slices={SLICES!r}, targets="words.txt", **{SMALL!r})
"""
# What a person types wrongly, and what the last line says then.
WRONG = {
    "lexbeam.corpus('no-such-folder', out='x')": "NoFilesError: no input files",
    "lexbeam.change(corpus, slices='a=1800-', out='x')": "UsageError: ",
    "lexbeam.change(corpus,\n    slcies='a=1800-1830')": "ArgumentError: change() got an unexpected keyword argument",
    "lexbeam.show": "UnknownNameError: module 'lexbeam' has no attribute 'show'; results answer",
    "results.top(alignment='opp')": "UsageError: ",
    "lexbeam.open('no-such-folder')": "LexbeamError: ",
    "results.top().to_pandas()": "MissingPandasError: No module named 'pandas', which `.to_pandas()` needs: ",
}
WITHOUT_PANDAS = """\
import importlib.machinery
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(
    lambda cls, name, path=None, target=None: None if name == "pandas" else find(name, path, target)
)
"""


def run_cells(cells, folder, *, allow_errors=False):
    """Run cells in a kernel whose working directory is a folder; return the outputs of each."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    execute(notebook, folder, allow_errors=allow_errors)
    return [cell.outputs for cell in notebook.cells]


def printed(outputs):
    """Return what a cell printed."""
    return "".join(output.get("text", "") for output in outputs)


def shown(outputs, kind):
    """Return the text and the HTML of the one output of a kind."""
    (output,) = (output for output in outputs if output.output_type == kind)
    return output.data["text/plain"], output.data["text/html"]


def test_the_notebook_is_the_page():
    page, notebook = jupytext.read(PAGE), nbformat.read(NOTEBOOK, as_version=4)
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.cell_type, cell.source) for cell in page.cells
    ], "`make notebook` writes it anew"
    assert not any(cell.get("outputs") for cell in notebook.cells)


@pytest.mark.slow
def test_every_cell_of_the_notebook_runs(tmp_path):
    cells = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]
    assert len(cells) == PAGE.read_text("utf-8").count("```python") > 4
    run_cells(cells, tmp_path)
    assert (tmp_path / "change.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.slow
def test_a_notebook_shows_progress_tables_and_what_is_wrong_even_without_pandas(texts):
    look = "try:\n    import pandas\nexcept ModuleNotFoundError:\n    print(results.top(3).num_rows)"
    lines = "print(*results.tell_top(3), sep='\\n')"
    asked = ["corpus", TARGETS, "results.summary()", "results.top(3)", "results.table('scores')"]
    cells = [WITHOUT_PANDAS + RUN, look, lines, *asked, "lexbeam.status(corpus)", *WRONG]
    first, rows, told, *more = run_cells(cells, texts.parent, allow_errors=True)
    progress = [output.data["text/html"] for output in first]
    assert ["corpus/annotate" in html for html in progress] == [True, False]
    assert ["change/train" in html and "of 6 embeddings" in html for html in progress] == [False, True]
    assert printed(rows) == "6\n"
    assert printed(told).splitlines() == lexbeam.open(texts.parent / "out").tell_top(3)

    wrong = [more.pop() for _ in WRONG][::-1]
    corpus, targets, summary, top, scores, status = (shown(outputs, "execute_result") for outputs in more)
    assert "4 input records: 4 documents, 0 rejects" in corpus[1]
    assert "<summary>documents: 4 rows; a row is a document taken in:</summary>\n<table>" in corpus[1]
    assert "warning: slice a: one document has" in targets[1]
    assert "target &#x27;nowhere&#x27; was not found in any slice" in targets[1]
    assert "warning: slice a: one document has" in summary[0]
    assert "\na to b (" in summary[0]
    assert '<th style="text-align: left">word</th>' in top[1]
    assert top[0].startswith("a to b (")
    assert re.search(r"\nthe first 20 of \d+ rows, \d+ columns$", scores[0])
    assert status[0].splitlines()[1].startswith("published: change")
    assert not any("pyarrow" in text for text, _ in (corpus, targets, summary, top, scores, status))

    for (cell, message), outputs in zip(WRONG.items(), wrong, strict=True):
        (error,) = (output for output in outputs if output.output_type == "error")
        place, last = "\n".join(error.traceback).splitlines()
        assert place == f"line 1: {cell.splitlines()[0]}"
        assert last.startswith(message)


@pytest.mark.soak
def test_commands_run_in_a_notebook_with_pandas_2(texts, tmp_path):
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or pytest.skip("uv is not beside this Python")
    packages = tmp_path / "packages"
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", str(packages)]
    done = subprocess.run([*install, "pandas<3"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pandas 2 cannot be had here: {done.stderr.strip()}")
    first = f"import sys; sys.path.insert(0, {str(packages)!r})"
    look = "import pandas\nprint(pandas.__version__[0], len(results.top(3).to_pandas()))"
    assert printed(run_cells([first, RUN, look], texts.parent)[2]) == "2 6\n"
