"""Beam glue of files of rows.

LoadFiles    PCollection[(name, RowFile)] -> PCollection[receipt of the stage]
"""

from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.common.store.artefacts import Stage, Workspace
from transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from transforms.intake.row_files import RowFile

__all__ = ["LoadFiles"]


def _size(element: tuple[str, RowFile]) -> float:
    return element[1].size


def _receipt(element: tuple[str, Any]) -> Any:
    return element[1]


@dataclass
class LoadFiles(beam.PTransform):
    """Read files by a stage, each as one element, dealt out to workers by their bytes."""

    workspace: Workspace
    stage: Stage[RowFile, Any, Any]
    options: Any
    lanes: int

    def expand(self, files: beam.PCollection) -> beam.PCollection:
        """Apply the transform."""
        return (
            files
            | "SpreadFiles" >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage="")
            | "ReadFile" >> beam.ParDo(MakeArtefact(self.workspace, self.stage, self.options))
            | "Receipts" >> beam.Map(_receipt)
        )
