"""Units of files staged: whatever is read of their documents, and what became of each file."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from transforms.common.store.artefacts import Superseded
from transforms.formats.ingest.stage import InputFile, Unit
from transforms.formats.sources.readings import FileReading
from transforms.intake.staging import LoadedFile, Staging

__all__ = ["stage_unit"]

T = TypeVar("T")


def stage_unit(
    staging: Staging, unit: Unit, read: Callable[[InputFile, FileReading], Iterator[T]], add: Callable[[T], None]
) -> list[LoadedFile]:
    """Stage the files of a unit; return what became of each.

    Args:
        staging: takes rows and rejects; open.
        unit: the files.
        read: yields what a file holds.
        add: stages it.

    Raises:
        Superseded: a file is no longer what the artefact is named by.
    """
    inputs = []
    for file, reading in zip(unit.files, unit.readings, strict=True):
        before = staging.records, staging.rejected
        for entry in read(file, reading):
            if reading.broken is not None:
                break
            add(entry)
        if reading.broken is not None:
            raise Superseded(unit, replace(unit, broken=(*unit.broken, (file.name, reading.broken))))
        counts = staging.records - before[0], staging.rejected - before[1]
        inputs.append(LoadedFile(file.name, reading.bytes, reading.sha256, *counts))
    return inputs
