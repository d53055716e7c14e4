"""Units of files staged: whatever is read of their documents or rows, and what became of each file."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from lexbeam.transforms.common.store.artefacts import Superseded
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.ingest.intake_tables import InputCount
from lexbeam.transforms.formats.readers.delimited import Row
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.intake.row_files import entries_of
from lexbeam.transforms.intake.staging import Loaded, Staging

T = TypeVar("T")


def stage_unit(
    staging: Staging,
    unit: Unit,
    read: Callable[[InputFile, FileReading, Counter[str]], Iterator[T]],
    add: Callable[[T], None],
) -> list[InputCount]:
    """Stage the files of a unit, but those that are forgotten; return what became of each.

    Args:
        staging: takes rows and rejects; open.
        unit: the files.
        read: yields what a file holds, and counts what its readers changed or guessed.
        add: stages it.

    Raises:
        Superseded: a file is no longer what the artefact is named by.
    """
    inputs = []
    for file, reading in zip(unit.files, unit.readings, strict=True):
        before = staging.records, staging.rejected
        notes: Counter[str] = Counter()
        for entry in () if staging.leaves_out(file.name) else read(file, reading, notes):
            if reading.broken is not None:
                break
            add(entry)
        if reading.broken is not None:
            raise Superseded(unit, replace(unit, broken=(*unit.broken, (file.name, reading.broken))))
        taken, rejected = staging.records - before[0], staging.rejected - before[1]
        noted = dict(sorted((+notes).items())) or None
        inputs.append(InputCount(file.name, reading.bytes, reading.sha256, taken + rejected, taken, rejected, noted))
    return inputs


def stage_row_files(
    staging: Staging,
    unit: Unit,
    options: ReaderOptions,
    read: Callable[[Iterator[Row], str, Counter[str]], Iterator[T | Reject]],
    add: Callable[[str, T], None],
    line: Callable[[T], int],
) -> Loaded:
    """Stage the rows of files, or of the files of archives, and return the receipt.

    Args:
        staging: takes rows and rejects.
        unit: the files.
        options: how rows are cut into cells.
        read: from the rows of a table, with line numbers, its name, and notes of what is guessed, its records.
        add: stages a record, named with its file; a `BadRecord` that it raises is a reject.
        line: where a record stands.

    Raises:
        LexbeamError: `read` says so: a file is not what the user says.
        Superseded: a file is no longer what the artefact is named by.
    """

    def entries(file: InputFile, reading: FileReading, notes: Counter[str]) -> Iterator[tuple[str, T | Reject]]:
        return staging.remembered(entries_of(file, reading, options, read, notes))

    def stage(entry: tuple[str, T | Reject]) -> None:
        source, record = entry
        if isinstance(record, Reject):
            staging.reject(source, record.position, record)
            return
        try:
            add(source, record)
        except BadRecord as error:
            staging.reject(source, str(line(record)), error)

    with staging:
        inputs = stage_unit(staging, unit, entries, stage)
    return staging.loaded(inputs)
