"""Taking in files: a unit of files becomes staging files of documents, and rejects.

A unit is some small files packed together, or one large file. Each input record ends either as a
row of a staging file or as a reject; the receipt counts both. How files are packed into units, and
where staging files are cut, has no effect on what is published.
"""

import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from schemas.rejects import REJECTS, RejectRow
from transforms.common import files
from transforms.common.artefacts import Artefact, Workspace, produce
from transforms.common.batches import BatchWriter
from transforms.common.fingerprints import bucket_of, digest, stream_digest
from transforms.common.records import ANNOTATION, annotation_batch
from transforms.formats.base import ReaderOptions, Record, Reject
from transforms.formats.dates import DateRule, date_of
from transforms.formats.fields import KNOWN
from transforms.formats.metadata import Metadata
from transforms.formats.registry import read_file

__all__ = [
    "RECORD",
    "IngestOptions",
    "InputFile",
    "StageFile",
    "Unit",
    "acceptable",
    "ingest_unit",
    "read_documents",
]

IN_MEMORY = 8 << 20
STAGE_CHARACTERS = 1 << 18
EXAMPLES = 3  # rejects that a receipt quotes

# A row of a staging file: a record before its document_id is settled.
RECORD = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("position", pa.string()),
        ("block", pa.int32()),
        ("language", pa.string()),
        ("year", pa.int32()),
        ("year_to", pa.int32()),
        ("date", pa.string()),
        ("genre", pa.string()),
        ("author", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("annotated", pa.bool_()),
    ]
)


class InputFile(NamedTuple):
    """A file to take in: its published name, its path, its bytes, the input it belongs to."""

    name: str
    path: str
    size: int
    collection: str


class Unit(NamedTuple):
    """Files that one worker takes in at a time; `size` is their bytes."""

    files: tuple[InputFile, ...]
    size: int


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
        parts: parts of the `rejects` table.
    """

    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    dates: DateRule | None = None
    date_range: str = "first"
    metadata: Metadata | None = None
    language: str | None = None
    genre: str | None = None
    parts: int = 8


_Key = tuple[str, str, int, str]


class StageFile(NamedTuple):
    """A staging file: where records lie, and annotation that came with them (or an empty path).

    `keys` has one entry per record: (key, source, ordinal, position) where the record could have
    duplicates, an empty key where it could not.
    """

    path: str
    ready: str
    characters: int
    keys: list[_Key]


class _Stage:
    """Writes records to staging files, opening a new one when the last is full."""

    def __init__(self, artefact: Artefact) -> None:
        self._artefact = artefact
        self.files: list[StageFile] = []
        self._rows: list[dict[str, Any]] = []
        self._ready: list[pa.RecordBatch | None] = []
        self._keys: list[_Key] = []
        self._characters = 0

    def add(self, row: dict[str, Any], record: Record, key: _Key) -> None:
        size = len(record.text or "")
        ready = None
        if record.sentences is not None:
            ready = annotation_batch(record.sentences)
            size = max(size, ready.nbytes)
        if self._rows and self._characters + size > STAGE_CHARACTERS:
            self.flush()
        self._rows.append(row)
        self._ready.append(ready)
        self._keys.append(key)
        self._characters += size

    def flush(self) -> None:
        if not self._rows:
            return
        suffix = f"-{len(self.files):04d}.arrow"
        with (
            self._artefact.writing(suffix) as stream,
            BatchWriter(stream, RECORD) as writer,
        ):
            for row in self._rows:
                writer.write(pa.RecordBatch.from_pylist([row], schema=RECORD))
        ready = ""
        if any(batch is not None for batch in self._ready):
            ready = self._artefact.path("-ready" + suffix)
            empty = annotation_batch([])
            with (
                self._artefact.writing("-ready" + suffix) as stream,
                BatchWriter(stream, ANNOTATION) as writer,
            ):
                for batch in self._ready:
                    writer.write(empty if batch is None else batch)
        self.files.append(
            StageFile(self._artefact.path(suffix), ready, self._characters, self._keys)
        )
        self._rows, self._ready, self._keys, self._characters = [], [], [], 0


def ingest_unit(workspace: Workspace, unit: Unit, options: IngestOptions) -> dict[str, Any]:
    """Take in a unit and return its receipt.

    The receipt holds `inputs` (name, bytes, SHA-256, records, documents and rejects of each file),
    `files` (of `StageFile`), `rejects` (where they are staged), `reasons` (rejects by reason) and
    `examples` (the first of them).
    """
    opened = [_open(file) for file in unit.files]
    identity = [
        [
            [file.name, file.collection, sha256]
            for file, (sha256, _) in zip(unit.files, opened, strict=True)
        ],
        _plain(options),
    ]

    def build(artefact: Artefact) -> dict[str, Any]:
        stage = _Stage(artefact)
        rejects: list[RejectRow] = []
        inputs = []
        for file, (sha256, opener) in zip(unit.files, opened, strict=True):
            before = len(rejects)
            documents = 0
            for row in _documents(file, sha256, opener, options):
                if isinstance(row, RejectRow):
                    rejects.append(row)
                else:
                    stage.add(*row)
                    documents += row[1].block == 0
            refused = len(rejects) - before
            inputs.append([file.name, file.size, sha256, documents + refused, documents, refused])
        stage.flush()
        return {
            "inputs": inputs,
            "files": stage.files,
            "rejects": stage_rejects(artefact, rejects, options.parts),
            "reasons": Counter(row.reason for row in rejects),
            "examples": rejects[:EXAMPLES],
        }

    return produce(workspace, "ingest", identity, build)


def acceptable(records: int, rejected: int, share: float) -> bool:
    """Return whether few enough of the input records were rejected; none at all is not enough."""
    return rejected <= share * records and records > 0


def _open(file: InputFile) -> tuple[str, Any]:
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
    values = asdict(replace(options, metadata=None))
    values["metadata"] = options.metadata.fingerprint if options.metadata else None
    return values


def read_documents(file: InputFile, options: IngestOptions) -> Iterator["_Row | RejectRow"]:
    """Yield a file's records, as rows of a staging file with record and key, and its rejects."""
    sha256, opener = _open(file)
    yield from _documents(file, sha256, opener, options)


_Row = tuple[dict[str, Any], Record, _Key]


def _documents(
    file: InputFile, sha256: str, opener: Any, options: IngestOptions
) -> Iterator[_Row | RejectRow]:
    ordinal = 0
    refused: set[tuple[str, str]] = set()
    entries = read_file(
        file.path, file.name, format=options.format, options=options.reader, open=opener
    )
    for source, entry in entries:
        if isinstance(entry, Reject):
            yield RejectRow(source, entry.position, "ingest", entry.reason, entry.detail)
            continue
        ordinal += 1
        if (source, entry.position) in refused:
            continue
        row = _row(source, entry, options)
        if isinstance(row, Reject):
            refused.add((source, entry.position))
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
    return digest([row["text"], row["year"], row["author"], row["title"], collection])


def stage_rejects(artefact: Artefact, rejects: list[RejectRow], parts: int) -> dict[str, Any]:
    """Write rejects as one batch per bucket; return the path and each bucket's ordinal."""
    buckets: dict[int, list[RejectRow]] = {}
    for row in rejects:
        buckets.setdefault(bucket_of(digest([row.source, row.position]), parts), []).append(row)
    if not buckets:
        return {"path": "", "ordinals": []}
    schema = REJECTS.schema()
    ordinals = []
    with artefact.writing("-rejects.arrow") as stream, BatchWriter(stream, schema) as writer:
        for bucket, rows in sorted(buckets.items()):
            batch = pa.RecordBatch.from_pylist([row._asdict() for row in rows], schema=schema)
            ordinals.append([bucket, writer.write(batch)])
    return {"path": artefact.path("-rejects.arrow"), "ordinals": ordinals}
