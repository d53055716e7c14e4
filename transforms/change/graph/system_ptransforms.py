"""Beam glue of systems by name.

JoinSystems     PCollection[(pair, Combined)] of several runs -> PCollection[(pair, JoinedSystems)]
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam

from transforms.change.scores.score_stages import Combined
from transforms.change.scores.system_ensembles import SYSTEMS_SIDE_BY_SIDE, JoinedSystems, SystemsTask
from transforms.common.store.artefacts import Workspace
from transforms.common.store.ptransforms import MakeArtefact
from transforms.common.store.receipts import File

__all__ = ["JoinSystems"]


def _file_of(element: tuple[int, Combined]) -> Iterator[tuple[int, File]]:
    pair, combined = element
    if combined.systems is not None:
        yield pair, combined.systems.file


def _task(element: tuple[int, Iterable[File]]) -> tuple[int, SystemsTask]:
    pair, found = element
    return pair, SystemsTask(tuple(sorted(found, key=_sha256)))


def _sha256(file: File) -> str:
    return file.sha256


@dataclass
class JoinSystems(beam.PTransform):
    """Bring the systems of all runs together, by pair, and add ensembles of them.

    Attributes:
        ensembles: keys of `system_ensembles.ENSEMBLES`.
    """

    workspace: Workspace
    ensembles: tuple[str, ...]

    def expand(self, runs: Any) -> beam.PCollection[tuple[int, JoinedSystems]]:
        """Apply the transform to what `CombineSeeds` yields, by the name of the run."""
        return (
            [runs[name] for name in sorted(runs)]
            | "AllRuns" >> beam.Flatten()
            | "SystemFiles" >> beam.FlatMap(_file_of)
            | "GroupByPair" >> beam.GroupByKey()
            | "MakeTasks" >> beam.Map(_task)
            | "JoinSystems" >> beam.ParDo(MakeArtefact(self.workspace, SYSTEMS_SIDE_BY_SIDE, self.ensembles))
        )
