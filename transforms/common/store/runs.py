"""Sorted runs: any number of rows brought into one order, in bounded memory.

    with RunWriter(stream, SCHEMA, ("key", "source", "line")) as runs:
        runs.add(row, size)                # as many as fit are sorted and written as a run
    runs.runs                              # where they lie: a few words for each batch
    rows_of_part([(file, run), ...], reader, order, bucket, parts)

A run is a sequence of batches of a staging file. What parts are made of is merged from the runs of
all files. Part `bucket` of `parts` has the keys of its range, so that parts follow each other in
the order of keys, and only batches that may hold such keys are read.
"""

import heapq
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from types import TracebackType
from typing import Annotated, BinaryIO, NamedTuple

import pyarrow as pa

from transforms.common.store.batches import BatchReader, BatchWriter
from transforms.common.store.identity import Uncounted
from transforms.common.store.receipts import File
from transforms.common.store.sound import HashedStream
from transforms.common.store.tables import Row

__all__ = ["RunWriter", "SortedRun", "rows_of_part"]

RUN_ROWS = 8192
RUN_SIZE = 16 << 20
BATCH_ROWS = 256
BATCH_SIZE = 1 << 19
_DIGITS = 8  # of a key, that say its part


class SortedRun(NamedTuple):
    """Sorted batches of a staging file: the ordinal of the first, and the first key of each."""

    ordinal: int
    keys: tuple[str, ...]


class SortedRows(NamedTuple):
    """A staging file of rows, and its runs."""

    rows: File
    runs: Annotated[tuple[SortedRun, ...], Uncounted("they say where the file's batches begin")]


class RunWriter:
    """Sorts rows and writes them to a stream as runs.

    Args:
        stream: takes the bytes of the staging file.
        schema: of the rows.
        order: the columns that they are sorted by; the first is a key, hexadecimal digits.
    """

    def __init__(self, stream: BinaryIO | HashedStream, schema: pa.Schema, order: Sequence[str]) -> None:
        self._writer = BatchWriter(stream, schema)
        self._schema = schema
        self._order = itemgetter(*order)
        self._key = order[0]
        self._held: list[tuple[Row, int]] = []
        self._size = 0
        self.runs: list[SortedRun] = []

    def add(self, row: Row, size: int) -> None:
        """Add a row, of about this many bytes."""
        self._held.append((row, size))
        self._size += size
        if len(self._held) >= RUN_ROWS or self._size >= RUN_SIZE:
            self._flush()

    def _flush(self) -> None:
        held, self._held, self._size = self._held, [], 0
        held.sort(key=lambda entry: self._order(entry[0]))
        ordinals, keys = [], []
        for rows in _batches(held):
            batch = pa.RecordBatch.from_pylist(rows, schema=self._schema)
            ordinals.append(self._writer.write(batch))
            keys.append(rows[0][self._key])
        self.runs.append(SortedRun(ordinals[0], tuple(keys)))

    def __enter__(self) -> "RunWriter":
        self._writer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._held:
            self._flush()
        self._writer.__exit__(kind, error, trace)


def _batches(held: list[tuple[Row, int]]) -> Iterator[list[Row]]:
    rows: list[Row] = []
    total = 0
    for row, size in held:
        if rows and (len(rows) == BATCH_ROWS or total + size > BATCH_SIZE):
            yield rows
            rows, total = [], 0
        rows.append(row)
        total += size
    if rows:
        yield rows


def rows_of_part(
    runs: Iterable[tuple[File, SortedRun]], reader: BatchReader, order: Sequence[str], bucket: int, parts: int
) -> Iterator[Row]:
    """Yield the rows of a part, of all runs, in order; those equal in it in the order of runs.

    Args:
        runs: the runs, each with its staging file.
        reader: reads them.
        order: the columns that they are sorted by.
        bucket: which part, from 0.
        parts: how many there are.
    """
    low, high = (_border(number, parts) for number in (bucket, bucket + 1))
    sources = [_between(reader, file, run, order[0], low, high) for file, run in runs]
    return heapq.merge(*sources, key=itemgetter(*order))


def _between(reader: BatchReader, file: File, run: SortedRun, key: str, low: str, high: str) -> Iterator[Row]:
    start = max(bisect_right(run.keys, low) - 1, 0)
    for place in range(start, len(run.keys)):
        if run.keys[place] >= high:
            return
        for row in reader.read(file, run.ordinal + place).to_pylist():
            if low <= row[key] < high:
                yield row


def _border(bucket: int, parts: int) -> str:
    """Return the first digits that a key of a bucket may have; of the one after the last, `g`."""
    if bucket == parts:
        return "g"
    return f"{-(-(bucket << 4 * _DIGITS) // parts):0{_DIGITS}x}"
