"""Records of ingestion in staging files, their keys, and rejects.

A staging file has records in the order in which they were read. Memory does not grow with the number of records or
rejects. By their keys `duplicates` finds records that are equal.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TypedDict

import pyarrow as pa

from lexbeam.schemas.common_tables import REJECTS, RejectRow
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.batches import BatchWriter, Sentence, annotation_batch
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.staged import StagedWriter, first_bits
from lexbeam.transforms.formats.records.base import Record

STAGE_CHARACTERS = 1 << 18  # of a staging file, in the mean
STAGE_MOST = 2 * STAGE_CHARACTERS
STAGE_REJECTS = 10_000
_OVERHEAD = 100  # characters that a record costs besides its own
_TOKEN = 6  # characters of a token that comes annotated, about as many as in a text
EXAMPLES = 3  # rejects that a receipt quotes


class RecordRow(TypedDict):
    """A row of a staging file: a record before its document_id is settled; its columns are `RECORD`.

    `sentences` is how many came annotated with it; None: none did.
    """

    key: str
    source: str
    position: str
    block: int
    language: str | None
    year: int | None
    year_to: int | None
    date: str | None
    genre: str | None
    author: str | None
    title: str | None
    text: str | None
    sentences: int | None


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
        ("sentences", pa.int32()),
    ]
)

# A row for each record of a staging file that could have duplicates: the record's key, source,
# ordinal and position there, and its place in the staging file. A batch is a staging file.
KEYS = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("ordinal", pa.int64()),
        ("position", pa.string()),
        ("place", pa.int32()),
    ]
)


RecordKey = tuple[str, str, int, str]  # key (empty: never a duplicate), source, ordinal, position


@dataclass(frozen=True)
class StageFile:
    """A staging file of `RECORD`, and one of the annotation that came with its records, if any.

    Each is one batch: a call of Arrow for every record takes longer than to read a short one.
    """

    records: File
    ready: File | None
    characters: int


class RecordStage:
    """Writes records to staging files, opening a new one where a record's key says so, or when the last is full.

    Keys decide, not places: so a record that comes or goes is in one file, and those after it are what they were,
    with all that was made of them.

    Nothing is kept of a record once its file is written, so that memory does not grow with them.
    """

    def __init__(self, artefact: Artefact, keys: BatchWriter, layers: Sequence[pa.Field] = ()) -> None:
        self._artefact = artefact
        self._key_writer = keys
        self._layers = layers
        self.files: list[StageFile] = []
        self._rows: list[RecordRow] = []
        self._ready: list[Sentence] = []
        self._keys: list[RecordKey] = []
        self._characters = 0
        self.documents = 0
        self.years: Counter[int] = Counter()  # of documents, by year

    def add(self, row: RecordRow, record: Record, key: RecordKey) -> None:
        """Add a record: its row (see `RECORD`), what its reader yielded, its key."""
        size = _OVERHEAD + sum(len(value) for value in row.values() if isinstance(value, str))
        ready = record.sentences or ()
        size = max(size, _TOKEN * sum(len(sentence.forms or sentence.lemmas or ()) for sentence in ready))
        if self._rows and self._characters + size > STAGE_MOST:
            self.flush()
        self._rows.append(row)
        self._ready += ready
        self._keys.append(key)
        self._characters += size
        if row["block"] == 0:
            self.documents += 1
            if row["year"] is not None:
                self.years[row["year"]] += 1
        if _ends_file(row["key"], size):
            self.flush()

    def flush(self) -> None:
        """Write the records held in memory to a file of their own."""
        if not self._rows:
            return
        suffix = f"-{len(self.files):04d}.arrow"
        records = self._write(suffix, pa.RecordBatch.from_pylist(self._rows, schema=RECORD))
        ready = None
        if any(row["sentences"] is not None for row in self._rows):
            ready = self._write("-ready" + suffix, annotation_batch(self._ready, self._layers))
        rows = [(*key, place) for place, key in enumerate(self._keys) if key[0]]
        self._key_writer.write(_batch(rows, KEYS))
        self.files.append(StageFile(records, ready, self._characters))
        self._rows, self._ready, self._keys, self._characters = [], [], [], 0

    def _write(self, suffix: str, batch: pa.RecordBatch) -> File:
        with self._artefact.writing(suffix) as stream, BatchWriter(stream, batch.schema) as writer:
            writer.write(batch)
        return self._artefact.file(suffix)

    def remove(self) -> None:
        """Remove what was written: the artefact will not be made."""
        for stage in self.files:
            for file in filter(None, (stage.records, stage.ready)):
                files.remove(file.path)
        self.files, self._rows = [], []


def _ends_file(key: str, size: int) -> bool:
    """Return whether a record ends its file: one in `STAGE_CHARACTERS` of its characters does.

    The first digits of a key decide where its record goes, the last ones are free.
    """
    return int(key[-8:], 16) % STAGE_CHARACTERS < size


class RejectStage:
    """Stages rejects, each sorted by all its columns within its part; without rejects no file is made.

    Args:
        one_part: whether they are for a table of one part, for which they are staged in its order; else a hash of
            source and position decides the part.
    """

    def __init__(self, artefact: Artefact, *, one_part: bool = False) -> None:
        self._artefact = artefact
        self._one_part = one_part
        self._held: list[RejectRow] = []
        self._open = ExitStack()
        self._writer: StagedWriter | None = None
        self.reasons: Counter[str] = Counter()
        self.examples: list[RejectRow] = []

    @property
    def count(self) -> int:
        """Return how many rejects were added."""
        return self.reasons.total()

    def add(self, row: RejectRow) -> None:
        """Add a reject."""
        self._held.append(row)
        self.reasons[row.reason] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(row)
        if len(self._held) >= STAGE_REJECTS:
            self._flush()

    def _flush(self) -> None:
        if self._writer is None:
            stream = self._open.enter_context(self._artefact.writing(_REJECTS))
            self._writer = self._open.enter_context(StagedWriter(stream, REJECTS.schema(), ranges=self._one_part))
        hashes = [self._hash(row) for row in self._held]
        self._writer.add_rows(hashes, ["\0".join(row) for row in self._held], _batch(self._held, REJECTS.schema()))
        self._held = []

    def _hash(self, row: RejectRow) -> int:
        return first_bits(row.source) if self._one_part else hash_of(digest([row.source, row.position]))

    def staged(self) -> Staged | None:
        """Return the staged file of the rejects, once the stage is closed; None without rejects."""
        return self._writer.file(self._artefact.file(_REJECTS)) if self._writer else None

    def __enter__(self) -> "RejectStage":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._held:
            self._flush()
        self._open.__exit__(kind, error, trace)


_REJECTS = "-rejects.arrow"


def _batch(rows: Iterable[Sequence[object]], schema: pa.Schema) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(c, field.type) for c, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def stage_rejects(artefact: Artefact, rejects: Iterable[RejectRow], *, one_part: bool = False) -> Staged | None:
    """Write rejects to a staged file, see `RejectStage`; return it, or None without any."""
    with RejectStage(artefact, one_part=one_part) as stage:
        for row in rejects:
            stage.add(row)
    return stage.staged()
