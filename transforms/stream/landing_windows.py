"""A window of files: when it ends, how it is taken in, cleared of duplicates, annotated and landed.

    landed = land_window(workspace, files, steps)

It goes through the stages of a corpus run. Once its documents are annotated, an artefact of `Land` says which files and
texts it has, and where their annotation lies, see `landed_texts`. A window has landed when this artefact is there.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.annotation.annotate import Annotated, AnnotateOptions, AnnotateRecords
from lexbeam.transforms.annotation.landed_texts import LAND_STAGE, TEXTS, Landed, LandedPlace, OtherFile, text_key
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.artefacts import Artefact, Step, Workspace, name_of
from lexbeam.transforms.common.store.artefacts import make as make_artefact
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.staged import StagedFile
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask, Decision, RecordOccurrence, decide
from lexbeam.transforms.formats.ingest.ingestion import Ingest, Ingested, IngestOptions, InputFile, Unit
from lexbeam.transforms.formats.ingest.input_listing import unit_of

WINDOW_BYTES = 4 << 20  # of lines, which are held in memory until their window ends
_DURATION = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(text: str) -> float:
    """Return the seconds of a duration: a number and one of ms, s, m, h, d.

    Raises:
        UsageError: it is none, or none above zero.

    >>> seconds_of("5m")
    300.0
    """
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not 0 < seconds < 1e9:
        raise UsageError(f"{text!r} is no duration: give a number above zero and one of ms, s, m, h, d, such as 5m")
    return seconds


class WindowRule(NamedTuple):
    """When a window ends, whichever comes first.

    Attributes:
        seconds: since its first element came.
        most: elements: files, or lines.
    """

    seconds: float
    most: int

    def ends(self, elements: int, size: int, age: float) -> bool:
        """Return whether a window of so many elements and bytes, begun so many seconds ago, ends."""
        return elements > 0 and (elements >= self.most or size >= WINDOW_BYTES or age >= self.seconds)


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
    return digest([place.scope, name_of(Ingest(options), Unit((), 0))])


@dataclass(frozen=True)
class Land(Step[LandTask, Landed]):
    """Land windows."""

    name = LAND_STAGE
    unit = "windows"

    def make(self, artefact: Artefact, task: LandTask) -> Landed:
        """Write which files and texts a window has."""
        with artefact.writing("-files.arrow") as stream, BatchWriter(stream, FILES) as writer:
            writer.write(pa.RecordBatch.from_arrays([pa.array(sorted(task.files), pa.binary(16))], schema=FILES))
        rows = [
            row for number, stage in enumerate(task.stages if task.annotates else ()) for row in _texts(stage, number)
        ]
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


Make = Callable[[Workspace, Step[Any, Any], Any], Any]


@dataclass(frozen=True)
class WindowSteps:
    """What is done with a window.

    Attributes:
        ingest: how files become documents.
        annotate: how documents are annotated.
        duplicates: what becomes of equal documents of a window.
    """

    ingest: IngestOptions
    annotate: AnnotateOptions
    duplicates: str


def land_window(
    workspace: Workspace, files: Collection[InputFile], steps: WindowSteps, make: Make = make_artefact
) -> Landed:
    """Land some files, the least number of whose texts is annotated: none that has landed before.

    Args:
        workspace: where artefacts lie.
        files: the files, at least one.
        steps: what is done with them.
        make: makes an artefact, or takes it up.
    """
    annotate = AnnotateRecords(steps.annotate).asking(workspace)
    unit = unit_of(files)
    ingested: Ingested = make(workspace, Ingest(steps.ingest), unit)
    decisions = _decisions(ingested, steps.duplicates)
    stages = tuple(
        AnnotatedStage(stage.records, make(workspace, annotate, AnnotateTask(stage, tuple(sorted(decisions[number])))))
        for number, stage in enumerate(ingested.stages)
    )
    keys = tuple(sorted(map(file_key, files)))
    place = annotate.place(workspace)
    task = LandTask(
        place.scope, intake_of(place, steps.ingest), keys, ingested, stages, annotates=steps.annotate.engine != "none"
    )
    landed: Landed = make(workspace, Land(), task)
    return landed


def _decisions(ingested: Ingested, mode: str) -> list[list[Decision]]:
    """Return the decisions on the records of each staging file that are not the first of their key in the window."""
    occurrences: dict[str, list[RecordOccurrence]] = {}
    with BatchReader() as reader:
        batches = [reader.read(ingested.keys, number) for number in range(len(ingested.stages))]
    keys = pa.chunked_array([batch["key"] for batch in batches], pa.string())
    counted = pa.Table.from_struct_array(keys.value_counts())
    repeated = counted.filter(pc.field("counts") > 1)["values"]
    for number, batch in enumerate(batches if len(repeated) else ()):
        columns = batch.filter(pc.is_in(batch["key"], repeated)).to_pydict().values()
        for key, source, ordinal, position, place in zip(*columns, strict=True):
            occurrences.setdefault(key, []).append(RecordOccurrence(source, ordinal, position, str(number), place))
    decisions: list[list[Decision]] = [[] for _ in ingested.stages]
    for some in occurrences.values():
        for decision in decide(some, mode):
            decisions[int(decision.file)].append(decision)
    return decisions
