"""docs/reference/python.md is a notebook too, and runs in a kernel, whatever pandas is there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import nbclient
import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from python_runs import CORPUS, SLICES, SMALL

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "python.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")

RUN = f"""\
import lexbeam
corpus = lexbeam.corpus("texts", out="out", **{CORPUS!r})
results = lexbeam.change(corpus, slices={SLICES!r}, **{SMALL!r})
"""


class Kernel(AsyncKernelManager):
    """A kernel of this Python, which sees the packages of one folder alone."""

    packages = ""

    def format_kernel_cmd(self, extra_arguments=None):
        options = ["-S"] if self.packages else []
        return [sys.executable, *options, "-m", "ipykernel_launcher", "-f", self.connection_file]


def run_cells(cells, folder, packages=None):
    """Run cells in a kernel whose working directory is a folder; return what each one printed."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    environment = dict(os.environ)
    if packages is not None:
        environment["PYTHONPATH"] = f"{packages}{os.pathsep}{ROOT}"
    manager = Kernel(packages=str(packages or ""), transport="ipc")
    client = nbclient.NotebookClient(notebook, km=manager, timeout=600, resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment)
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in notebook.cells]


@pytest.fixture
def packages(tmp_path):
    """A folder with links to all installed packages but pandas."""
    folder = tmp_path / "packages"
    folder.mkdir()
    for package in Path(pytest.__file__).parents[1].iterdir():
        if not package.name.startswith(("pandas", "__")) and package.suffix != ".pth":
            (folder / package.name).symlink_to(package)
    return folder


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
def test_commands_run_in_a_notebook_without_pandas(texts, packages):
    look = "try:\n    import pandas\nexcept ModuleNotFoundError:\n    print(results.top(3).num_rows)"
    assert run_cells([RUN, look], texts.parent, packages)[1] == "6\n"


@pytest.mark.slow
def test_commands_run_in_a_notebook_with_pandas_2(texts, packages):
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or pytest.skip("uv is not beside this Python")
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", str(packages)]
    done = subprocess.run([*install, "pandas<3"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pandas 2 cannot be had here: {done.stderr.strip()}")
    look = "import pandas\nprint(pandas.__version__[0], len(results.top(3).to_pandas()))"
    assert run_cells([RUN, look], texts.parent, packages)[1] == "2 6\n"
