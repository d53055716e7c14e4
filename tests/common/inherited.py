"""Artefacts that are made of their predecessors' rows, beside the same ones made in an empty folder."""

from pathlib import Path

from making import files_below

from lexbeam.transforms.common.store.artefacts import LAST, Step, Workspace, make


def check_inherited(step: Step, tasks, folder: Path):
    """Make tasks one after the other, and check that each artefact has the bytes of one without predecessor.

    Return the receipts.
    """
    receipts = []
    for number, task in enumerate(tasks):
        receipts.append(make(Workspace(str(folder / "after")), step, task))
        make(Workspace(str(folder / f"alone{number}")), step, task)
        after, alone = (files_below(folder / name) for name in ("after", f"alone{number}"))
        own = {name for name in alone if not name.endswith(LAST)}
        assert {name.rpartition(".")[2] for name in own} >= {"json", "parquet", "arrow"}
        assert {name: after[name] for name in own} == {name: alone[name] for name in own}
    return receipts
