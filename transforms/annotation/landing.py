"""Landing of a window: which files and texts it has, and where their annotation lies; see `landed`.

    receipt = make(workspace, LAND, LandTask(...), None)

A window has landed when this artefact is there: its documents and rejects are then artefacts of intake and annotation.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from lexbeam.transforms.annotation.annotate import Annotated
from lexbeam.transforms.annotation.landed import LAND_STAGE, TEXTS, Landed, LandedPlace, OtherFile, text_key
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.store.artefacts import Artefact, Stage, name_of
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.staged import StagedFile
from lexbeam.transforms.formats.ingest.stage import INGEST, Ingested, IngestOptions, InputFile, Unit

FILES = pa.schema([("file", pa.binary(16))])


class AnnotatedStage(NamedTuple):
    """A staging file and what annotation made of it."""

    records: File
    annotated: Annotated


class LandTask(NamedTuple):
    """A window whose documents are annotated.

    Attributes:
        scope, intake: see `Landed`.
        files: keys of its files, see `file_key`.
        ingested: what intake made of them.
        stages: the staging files.
        annotates: whether texts are annotated, or come so.
    """

    scope: str
    intake: str
    files: tuple[bytes, ...]
    ingested: Ingested
    stages: tuple[AnnotatedStage, ...]
    annotates: bool


def file_key(file: InputFile) -> bytes:
    """Return the 16 bytes by which it is known whether a file has landed as it is now listed."""
    return bytes.fromhex(digest([file.name, file.size, file.changed]))


def intake_of(place: LandedPlace, options: IngestOptions) -> str:
    """Return what decides, beside the files, what lands."""
    return digest([place.scope, name_of(INGEST, Unit((), 0), options)])


def _land(artefact: Artefact, task: LandTask, _: None) -> Landed:
    with artefact.writing("-files.arrow") as stream, BatchWriter(stream, FILES) as writer:
        writer.write(pa.RecordBatch.from_arrays([pa.array(sorted(task.files), pa.binary(16))], schema=FILES))
    rows = [row for number, stage in enumerate(task.stages if task.annotates else ()) for row in _texts(stage, number)]
    with artefact.writing("-texts.arrow") as stream, BatchWriter(stream, TEXTS) as writer:
        columns = list(zip(*rows, strict=True)) or [()] * len(TEXTS)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, TEXTS, strict=True)]
        writer.write(pa.RecordBatch.from_arrays(arrays, schema=TEXTS))
    counted = task.ingested.counts
    annotated = [stage.annotated for stage in task.stages]
    return Landed(
        scope=task.scope,
        intake=task.intake,
        files=artefact.file("-files.arrow"),
        texts=artefact.file("-texts.arrow"),
        sentences=tuple(_elsewhere(each.sentences) for each in annotated),
        counts={
            "files": len(task.files),
            "records": counted["records"],
            "documents": sum(each.counts.get("documents", 0) for each in annotated),
            "rejects": counted["rejects"] + sum(sum(each.reasons.values()) for each in annotated),
        },
    )


def _elsewhere(file: File) -> OtherFile:
    return OtherFile(file.path, file.bytes, file.sha256)


def _texts(stage: AnnotatedStage, number: int) -> Iterator[tuple[bytes, int, str, str | None]]:
    """Yield a row of `TEXTS` for each text of a staging file that was annotated, or on which the engine failed."""
    with StagedFile(stage.annotated.sentences) as staged:
        there = {key for entries in staged.entries(1) for key in entries.keys.to_pylist()}
    errors = {}
    if stage.annotated.rejects is not None:
        with StagedFile(stage.annotated.rejects) as staged:
            for table in staged.tables():
                for reject in table.to_pylist():
                    if reject["reason"] == "engine_error":
                        errors[reject["source"], reject["position"]] = reject["detail"]
    with BatchReader() as reader:
        batch = reader.read(stage.records, 0).select(["key", "source", "position", "text"])
    for row in batch.to_pylist():
        error = errors.get((row["source"], row["position"]))
        if row["text"] is not None and (error is not None or row["key"] in there):
            yield text_key(row["text"]), number, row["key"], error


LAND: Stage[LandTask, None, Landed] = Stage(name=LAND_STAGE, receipt=Landed, build=_land, unit="windows")
