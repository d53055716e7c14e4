"""docs/reference/python.md is a notebook too, and runs in a kernel, whatever pandas is there."""

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
WITHOUT_PANDAS = """\
import sys
class Hidden:
    @staticmethod
    def find_spec(name, path, target=None):
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)
sys.meta_path.insert(0, Hidden)
"""


def run_cells(cells, folder):
    """Run cells in a kernel whose working directory is a folder; return what each one printed."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    execute(notebook, folder)
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert [output for output in outputs if output.output_type != "stream"] == []  # nothing is displayed unasked
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]


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
def test_commands_run_in_a_notebook_without_pandas(texts):
    look = "try:\n    import pandas\nexcept ModuleNotFoundError:\n    print(results.top(3).num_rows)"
    lines = "print(*results.tell_top(3), sep='\\n')"
    *_, rows, told = run_cells([WITHOUT_PANDAS, RUN, look, lines], texts.parent)
    assert rows == "6\n"
    assert told.splitlines() == lexbeam.open(texts.parent / "out").tell_top(3)


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
    assert run_cells([first, RUN, look], texts.parent)[2] == "2 6\n"
