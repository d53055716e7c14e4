"""Taking in files: a unit of files becomes staging files of documents, and rejects.

    receipt = make(workspace, INGEST, unit, options)

A unit is some small files packed together, or one large file. Each input record ends either as a
row of a staging file or as a reject; the receipt counts both. How files are packed into units, and
where staging files are cut, has no effect on what is published.
"""

import functools
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, BinaryIO, NamedTuple

from schemas.rejects import RejectRow
from transforms.annotation.layers import columns_of, told
from transforms.common import files
from transforms.common.artefacts import Artefact, Stage
from transforms.common.batches import BatchWriter
from transforms.common.fingerprints import digest, stream_digest, text_digest
from transforms.common.receipts import File
from transforms.formats.base import ReaderOptions, Record, Reject
from transforms.formats.dates import DateRule, date_of
from transforms.formats.fields import KNOWN
from transforms.formats.metadata import Metadata
from transforms.formats.registry import READERS, read_file
from transforms.formats.staging import (
    KEYS,
    RECORD,
    RecordKey,
    RecordStage,
    RejectStage,
    StagedRejects,
    StageFile,
)

__all__ = [
    "INGEST",
    "IngestOptions",
    "Ingested",
    "InputCount",
    "InputFile",
    "Unit",
    "acceptable",
    "read_documents",
]

IN_MEMORY = 8 << 20


class InputFile(NamedTuple):
    """A file to take in: its published name, its path, its bytes, the input it belongs to."""

    name: str
    path: str
    size: int
    collection: str


@dataclass(frozen=True, order=True)
class Unit:
    """Files that one worker takes in at a time; `size` is their bytes."""

    files: tuple[InputFile, ...]
    size: int

    @functools.cached_property
    def opened(self) -> list[tuple[str, Callable[[], BinaryIO]]]:
        """The files' SHA-256, each with what opens the file: from memory where it is small."""
        return [_open(file) for file in self.files]


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """What decides how files become documents.

    Attributes:
        format: a reader's name, or `auto`.
        reader: the readers' own options.
        dates: rule that finds a document's date; None leaves documents undated.
        date_range: which year of a range counts: `first`, `middle`, `last`, or `reject`.
        metadata: rows by file name that fill in fields; None where there are none.
        language: language of documents whose source does not say.
        genre: genre of documents whose source does not say.
    """

    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    dates: DateRule | None = None
    date_range: str = "first"
    metadata: Metadata | None = None
    language: str | None = None
    genre: str | None = None


class InputCount(NamedTuple):
    """What became of an input file: its name, bytes and SHA-256, and numbers of records.

    `notes` is what readers did to what they read, and how often; None where there is nothing.
    """

    name: str
    bytes: int
    sha256: str
    records: int
    documents: int
    rejects: int
    notes: dict[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Ingested:
    """Receipt of a unit; it does not grow with the records.

    Attributes:
        inputs: a count for each file.
        stages: the staging files.
        keys: the keys of their records: a batch of `KEYS` for each staging file.
        rejects: where the rejects are staged.
        reasons: rejects by reason.
        examples: the first rejects.
    """

    inputs: tuple[InputCount, ...]
    stages: tuple[StageFile, ...]
    keys: File
    rejects: StagedRejects
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]


def _identity(unit: Unit, options: IngestOptions) -> Any:
    named = [
        [file.name, file.collection, sha256]
        for file, (sha256, _) in zip(unit.files, unit.opened, strict=True)
    ]
    return [named, _plain(options)]


def _ingest(artefact: Artefact, unit: Unit, options: IngestOptions) -> Ingested:
    """Take in a unit: stage its records, their keys and the rejects."""
    inputs = []
    with (
        artefact.writing("-keys.arrow") as stream,
        BatchWriter(stream, KEYS) as keys,
        RejectStage(artefact) as rejects,
    ):
        stage = RecordStage(artefact, keys, columns_of(options.reader.layers))
        for file, (sha256, opener) in zip(unit.files, unit.opened, strict=True):
            before = rejects.count
            documents = 0
            notes: Counter[str] = Counter()
            for row in _documents(file, sha256, opener, options, notes=notes):
                if isinstance(row, RejectRow):
                    rejects.add(row)
                else:
                    stage.add(*row)
                    documents += row[1].block == 0
            refused = rejects.count - before
            counts = (documents + refused, documents, refused)
            noted = dict(sorted((+notes).items())) or None  # without zeros
            inputs.append(InputCount(file.name, file.size, sha256, *counts, noted))
        stage.flush()
    return Ingested(
        inputs=tuple(inputs),
        stages=tuple(stage.files),
        keys=artefact.file("-keys.arrow"),
        rejects=rejects.staged(),
        reasons=dict(rejects.reasons),
        examples=tuple(rejects.examples),
    )


def acceptable(records: int, rejected: int, share: float) -> bool:
    """Return whether few enough of the input records were rejected; none at all is not enough."""
    return rejected <= share * records and records > 0


def _open(file: InputFile) -> tuple[str, Callable[[], BinaryIO]]:
    """Return a file's SHA-256 and what opens it: from memory where it is small."""
    try:
        if file.size <= IN_MEMORY:
            content = files.read_bytes(file.path)
            return hashlib.sha256(content).hexdigest(), lambda: io.BytesIO(content)
        with files.open_read(file.path) as stream:
            return stream_digest(stream), lambda: files.open_read(file.path)
    except OSError as error:
        message = str(error.strerror or error)

        def fail() -> BinaryIO:
            raise OSError(message)

        return f"unreadable: {message}", fail


def _plain(options: IngestOptions) -> Any:
    # What counts of a table is its content, not where it lies.
    rule = replace(options.dates, path="") if options.dates else None
    values = asdict(replace(options, metadata=None, dates=rule))
    del values["reader"]["layers"]
    if options.reader.layers:  # what nobody asks for names no artefact
        values["layers"] = told(columns_of(options.reader.layers))
    values["metadata"] = options.metadata.fingerprint if options.metadata else None
    return values


def read_documents(
    file: InputFile,
    options: IngestOptions,
    told: Callable[[str, str], None] = lambda name, format: None,
    notes: Counter[str] | None = None,
) -> Iterator["_Row | RejectRow"]:
    """Yield a file's records, as rows of a staging file with record and key, and its rejects.

    `told` is called with the name and the format of each source; `notes` counts what readers did
    to what they read.
    """
    sha256, opener = _open(file)
    yield from _documents(file, sha256, opener, options, told, notes)


_Row = tuple[dict[str, Any], Record, RecordKey]


def _documents(
    file: InputFile,
    sha256: str,
    opener: Any,
    options: IngestOptions,
    told: Callable[[str, str], None] = lambda name, format: None,
    notes: Counter[str] | None = None,
) -> Iterator[_Row | RejectRow]:
    ordinal = 0
    refused = False
    entries = read_file(
        file.path, file.name, format=options.format, options=options.reader, open=opener,
        told=told, notes=notes,
    )  # fmt: skip
    for source, entry in entries:
        if isinstance(entry, Reject):
            yield RejectRow(source, entry.position, "ingest", entry.reason, entry.detail)
            continue
        ordinal += 1
        if not entry.block:
            refused = False
        elif refused:
            continue
        row = _row(source, entry, options)
        if isinstance(row, Reject):
            refused = True
            yield RejectRow(source, entry.position, "ingest", row.reason, row.detail)
            continue
        if entry.text is not None:
            row["key"] = _content_key(row, file.collection)
            yield row, entry, (row["key"], source, ordinal, entry.position)
        else:
            row["key"] = digest(["ready", source, entry.position, sha256])
            yield row, entry, ("", source, ordinal, entry.position)


def _row(source: str, record: Record, options: IngestOptions) -> dict[str, Any] | Reject:
    row: dict[str, Any] = dict.fromkeys(RECORD.names)
    row.update(source=source, position=record.position, block=record.block, text=record.text)
    row["annotated"] = record.sentences is not None
    table = options.metadata.fields(source) if options.metadata is not None else {}
    for name in KNOWN:
        row[name] = record.fields.get(name) or table.get(name)
    row["language"] = row["language"] or options.language
    row["genre"] = row["genre"] or options.genre
    if options.dates is None:
        return row
    date = date_of(options.dates, record, source, options.date_range, options.metadata)
    if isinstance(date, Reject):
        return date
    row.update(year=date.year, year_to=date.year_to, date=date.text)
    return row


def _content_key(row: dict[str, Any], collection: str) -> str:
    return text_digest(row["text"], [row["year"], row["author"], row["title"], collection])


def _chosen(_: Unit, options: IngestOptions) -> dict[str, tuple[str, ...]]:
    """Return the layers that count, and the readers: all where the format is found out by file."""
    named = READERS if options.format == "auto" else (options.format,)
    return {
        "transforms.formats.registry:READERS": tuple(named),
        "transforms.annotation.layers:LAYERS": options.reader.layers,
    }


INGEST: Stage[Unit, IngestOptions, Ingested] = Stage(
    name="corpus/ingest", receipt=Ingested, identity=_identity, build=_ingest, chosen=_chosen
)
