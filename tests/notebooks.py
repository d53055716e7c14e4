"""Run notebooks in a kernel of this Python. As a program: run the walks anew, and write their outputs into them."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat
from jupyter_client.manager import AsyncKernelManager

ROOT = Path(__file__).resolve().parents[1]
WALKS = ROOT / "docs" / "first-steps"
SHOWN = ("text/plain", "text/html")
SECONDS = 600  # of a cell, however busy the machine is


class Kernel(AsyncKernelManager):
    """A kernel of this Python, whatever kernels are installed."""

    def format_kernel_cmd(self, extra_arguments=None):
        return [sys.executable, "-m", "ipykernel_launcher", "-f", self.connection_file]


def execute(notebook, folder, *, allow_errors=False, **environment):
    """Run the cells of a notebook in a kernel whose working directory is a folder; outputs are put into it."""
    options = {"timeout": SECONDS, "startup_timeout": SECONDS, "record_timing": False, "allow_errors": allow_errors}
    client = nbclient.NotebookClient(notebook, km=Kernel(), resources={"metadata": {"path": str(folder)}}, **options)
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT), **environment})


def run_walk(name, folder, **environment):
    """Return a walk, run below an empty folder that has the texts of this repository, and its progress.

    Progress is what its cells display; it is not kept in the walk.
    """
    notebook = nbformat.read(WALKS / f"{name}.ipynb", as_version=4)
    here = Path(folder, *WALKS.relative_to(ROOT).parts)
    here.mkdir(parents=True)
    shutil.copytree(ROOT / "examples" / "sotu", Path(folder, "examples", "sotu"))
    execute(notebook, here, **environment)
    progress = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            progress += [output.data["text/plain"] for output in cell.outputs if output.output_type == "display_data"]
            cell.outputs = shown(cell.outputs)
    return notebook, progress


def shown(outputs):
    """Return what a cell shows for good: no progress, no warnings."""
    kept = []
    for output in outputs:
        if output.output_type == "stream":
            kept += [output] if output.name == "stdout" else []
        elif output.output_type == "error":
            kept.append(output)
        elif output.output_type == "display_data":
            continue
        elif data := {kind: output.data[kind] for kind in SHOWN if kind in output.data}:
            kept.append(nbformat.from_dict({**output, "data": data}))
    return kept


def main():
    """Run each walk in a folder of its own, and write it with what its cells show."""
    for page in sorted(WALKS.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            notebook, _ = run_walk(page.stem, folder)
        for number, cell in enumerate(notebook.cells):
            cell.id = f"cell-{number}"
        notebook.metadata = {"kernelspec": {"display_name": "lexbeam", "language": "python", "name": "lexbeam"}}
        nbformat.write(notebook, page)


if __name__ == "__main__":
    main()
