"""Beam glue of cutting large files.

CutLarge   PCollection[(name, Unit)] -> PCollection[(name, Unit)], pieces in the place of large files
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import apache_beam as beam

from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import MakeArtefact, SpreadOverLanes
from lexbeam.transforms.formats.ingest import cut
from lexbeam.transforms.formats.ingest.cut import CUT, Cut, LargeFile, looked_at, units_of
from lexbeam.transforms.formats.ingest.known import KnownDigests
from lexbeam.transforms.formats.ingest.stage import IngestOptions, Unit, readers_chosen

log = logging.getLogger("lexbeam")

_WHY = "why"
_LARGE = "large"


def _look(element: tuple[str, Unit], options: IngestOptions) -> Iterator[Any]:
    name, unit = element
    if len(unit.files) > 1 or unit.size < cut.CUT_BYTES:
        yield element
        return
    way = looked_at(unit.files[0], options)
    if isinstance(way, LargeFile):
        yield beam.pvalue.TaggedOutput(_LARGE, (name, way))
    else:
        yield element
        yield beam.pvalue.TaggedOutput(_WHY, (way, (1, unit.size)))


def _pieces(element: tuple[str, tuple[LargeFile, Cut]]) -> Iterator[Any]:
    name, (task, receipt) = element
    for unit in units_of(task, receipt):
        yield name, unit
    if receipt.why:
        yield beam.pvalue.TaggedOutput(_WHY, (receipt.why, (1, task.file.size)))


def _tell(element: tuple[str, tuple[int, int]]) -> None:
    why, (number, size) = element
    log.info(
        "%s of %.1f GB in all cannot be cut (%s): one worker reads each from start to end",
        amount(number, "files"),
        size / 1e9,
        why,
    )


class _Cut(MakeArtefact):
    """Cut a file, whose digest is looked up in those that are known."""

    def __init__(self, workspace: Workspace, options: IngestOptions, check_content: bool) -> None:
        super().__init__(workspace, CUT, None, readers_chosen(options.format, options.reader), with_task=True)
        self._check_content = check_content

    def process(self, element: tuple[str, LargeFile]) -> Iterator[tuple[Any, Any]]:
        """Yield the key, and the task with its receipt."""
        name, task = element
        unit = Unit((task.file,), task.file.size)
        digests = KnownDigests(self._workspace, unit)
        if not self._check_content:
            task = replace(task, file=digests.fill(unit).files[0])
        yield from super().process((name, task))
        if not (task.file.known or self._workspace.looked):
            digests.keep([task.file], [task.read[0]])


def _bytes(task: tuple[str, LargeFile]) -> float:
    return task[1].file.size


@dataclass
class CutLarge(beam.PTransform):
    """Put pieces in the place of large files; the log has how many there are that cannot be cut, and why."""

    workspace: Workspace
    options: IngestOptions
    lanes: int
    check_content: bool = False

    def expand(self, units: beam.PCollection[tuple[str, Unit]]) -> beam.PCollection[tuple[str, Unit]]:
        """Apply the transform."""
        looked = units | "LookAtLarge" >> beam.FlatMap(_look, self.options).with_outputs(_LARGE, _WHY, main="units")
        cut = (
            looked[_LARGE]
            | "SpreadLarge"
            >> SpreadOverLanes(weight=_bytes, lanes=self.lanes, workspace=self.workspace, stage=CUT.name)
            | "CutFile" >> beam.ParDo(_Cut(self.workspace, self.options, self.check_content))
            | "ListPieces" >> beam.FlatMap(_pieces).with_outputs(_WHY, main="units")
        )
        (
            (looked[_WHY], cut[_WHY])
            | "AllWhole" >> beam.Flatten()
            | "SumWhole" >> beam.CombinePerKey(beam.combiners.TupleCombineFn(sum, sum))
            | "TellWhole" >> beam.Map(_tell)
        )
        return (looked["units"], cut["units"]) | "AllUnits" >> beam.Flatten()
