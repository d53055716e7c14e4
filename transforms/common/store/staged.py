"""Staged tables: files of rows that lie together by part, whatever the number of parts will be.

    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA) as staged:
        staged.add(bucket_hash, document_id, block, batch)     # in any order
    file = staged.file(artefact.file(".arrow"))
    with StagedFile(file) as staged:
        for entry in staged.entries(parts, bucket): entry.batch()

An entry is what merges put in order: a document, a block of a long one, or a row. Part `bucket` of `parts` has
the entries whose hash leaves `bucket` when divided by `parts`. Entries lie in the order of their hashes' reversed
bits, so that for each power of two those of a part are neighbours; what was gathered for a number of parts lies
in their order, and within a part in that of its keys. With `ranges`, parts have ranges of hashes instead: entries
lie in the order of hashes, which must be that of keys, so that a part is read run by run for whatever number of parts.

    record batches, an Arrow file | entries of each batch | directory of batches | four numbers of 8 bytes
"""

import functools
import heapq
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from types import TracebackType
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa

from transforms.common.store import files
from transforms.common.store.batches import BatchWriter
from transforms.common.store.classes import Classes, Staged
from transforms.common.store.contents import contents_of, sizes_of
from transforms.common.store.receipts import File
from transforms.common.store.sound import HashedStream, checked
from transforms.common.store.tables import Row

__all__ = ["BEFORE", "RANGES", "StagedEntry", "StagedFile", "StagedWriter", "first_bits", "places"]

RUN_BYTES = 8 << 20  # sorted at a time
BATCH_BYTES = 1 << 17
_BITS = 32
_TOGETHER = 3  # first bits of a place that entries of a batch have in common: batches of 8 parts are theirs alone
_SPOOLED = 1 << 20
_NUMBERS = 4
RANGES = 1 << _BITS  # in place of a number of parts: they have ranges of hashes

_ENTRIES = pa.schema(
    [("hash", pa.uint32()), ("key", pa.string()), ("number", pa.int32()), ("rows", pa.int32()), ("bytes", pa.int64())]
)
# Of each batch: the least and the greatest place of its entries, where these lie, and its sorted run.
_DIRECTORY = pa.schema(
    [("low", pa.uint32()), ("high", pa.uint32()), ("offset", pa.int64()), ("size", pa.int64()), ("run", pa.int32())]
)


def places(hashes: np.ndarray, parts: int) -> np.ndarray:
    """Return where the parts of hashes stand among `parts`; with 0, where they stand for any number of parts.

    Args:
        hashes: uint32, shape (n,).
        parts: number of parts, or `RANGES`.

    Returns:
        uint32, shape (n,): the hash with its bits in reverse order; with `parts`, the rank of the part among
        them in that order.
    """
    if parts == RANGES:
        return hashes.astype(np.uint32)
    if parts:
        return _ranks(parts)[hashes % np.uint32(parts)]
    turned = hashes.astype(np.uint32)
    for width, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        turned = ((turned >> np.uint32(width)) & np.uint32(mask)) | ((turned & np.uint32(mask)) << np.uint32(width))
    return (turned >> np.uint32(16)) | (turned << np.uint32(16))


def first_bits(key: str) -> int:
    """Return the first 32 bits of a key in UTF-8, a hash in the order of keys."""
    return int.from_bytes(key[:4].encode()[:4].ljust(4, b"\0"), "big")


@functools.cache
def _ranks(parts: int) -> np.ndarray:
    """Return the rank of each part where hashes are in the order of their reversed bits."""
    numbers = np.arange(parts, dtype=np.uint32)
    ranks = np.empty(parts, np.uint32)
    ranks[np.lexsort((numbers, places(numbers % np.uint32(parts & -parts), 0)))] = numbers
    return ranks


class _Held(NamedTuple):
    hash: int
    key: str
    number: int
    rows: int
    bytes: int


class StagedWriter:
    """Writes entries to a stream, sorted in runs of some megabytes.

    Args:
        stream: takes the bytes of the file.
        schema: of the rows.
        parts: the number of parts that the entries are added in the order of; 0: they come in any order.
        ranges: whether parts have ranges of hashes.
    """

    def __init__(self, stream: HashedStream, schema: pa.Schema, parts: int = 0, *, ranges: bool = False) -> None:
        self._stream = stream
        self._schema = schema
        self._is_gathered = parts > 0
        self._parts = RANGES if ranges else parts
        self._batches = BatchWriter(stream, schema)
        self._classes = None if parts else Classes(schema, ranges)  # those of what is gathered are known
        self._entries: IO[bytes] = tempfile.SpooledTemporaryFile(_SPOOLED)  # noqa: SIM115 - `__exit__` closes it
        self._directory: list[tuple[int, int, int, int, int]] = []
        self._run = 0
        self._held: list[_Held] = []
        self._rows: list[pa.RecordBatch] = []
        self._size = 0

    def add(self, hash: int, key: str, number: int, batch: pa.RecordBatch, size: int | None = None) -> None:
        """Add an entry of all rows of a batch; `size` is its bytes, where they are known."""
        self.add_entries([hash], [key], [number], [batch.num_rows], batch, None if size is None else [size])

    def add_rows(
        self, hashes: Sequence[int], keys: Sequence[str], batch: pa.RecordBatch, sizes: Sequence[int] | None = None
    ) -> None:
        """Add an entry for each row of a batch, of about so many bytes; rows of one key and hash keep their order."""
        ones, zeros = [1] * len(keys), [0] * len(keys)
        self.add_entries(hashes, keys, zeros, ones, batch, zeros if sizes is None else sizes)

    def add_entries(
        self,
        hashes: Sequence[int],
        keys: Sequence[str],
        numbers: Sequence[int],
        counts: Sequence[int],
        batch: pa.RecordBatch,
        sizes: Sequence[int] | None = None,
    ) -> None:
        """Add entries that follow each other in a batch.

        Args:
            hashes: what decides their parts.
            keys: what they are sorted by within a part.
            numbers: of the blocks of one key.
            counts: how many rows each has.
            batch: all these rows.
            sizes: their bytes, where they are known.
        """
        sizes = sizes_of(batch, counts) if sizes is None else sizes
        entries = [_Held(*entry) for entry in zip(hashes, keys, numbers, counts, sizes, strict=True)]
        if self._classes:
            for entry, content in zip(entries, contents_of(batch, counts), strict=True):
                self._classes.add(entry.hash, entry.key, entry.number, entry.bytes, content)
        self._held += entries
        self._take(batch, batch.nbytes)

    def _take(self, batch: pa.RecordBatch, size: int) -> None:
        self._rows.append(batch)
        self._size += size
        if self._size >= RUN_BYTES:
            self._flush()

    def _flush(self) -> None:
        held, self._held = self._held, []
        rows, self._rows, self._size = self._rows, [], 0
        if not held:
            return
        where = places(np.array([entry.hash for entry in held], np.uint32), self._parts).tolist()
        order = sorted(range(len(held)), key=lambda index: (where[index], held[index].key, held[index].number))
        batch = _in_order(rows, self._schema, np.array([entry.rows for entry in held], np.int64), order)
        start = 0
        for indices in _batched(held, where, order, self._together()):
            entries = [held[index] for index in indices]
            count = sum(entry.rows for entry in entries)
            self._batches.write(batch.slice(start, count))
            start += count
            columns = zip(*entries, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, _ENTRIES, strict=True)]
            message = pa.RecordBatch.from_arrays(arrays, schema=_ENTRIES).serialize()
            here = self._entries.tell(), message.size
            self._directory.append((where[indices[0]], where[indices[-1]], *here, self._run))
            self._entries.write(message)
        self._run += not self._is_gathered  # which is all one run

    def _together(self) -> int:
        """Return in how many of the last bits the places of a batch's entries may differ."""
        return _BITS - _TOGETHER if self._parts in (0, RANGES) else 0

    def file(self, file: File) -> Staged:
        """Return what was written to `file`, with the digests of its entries; not of what was gathered."""
        assert self._classes
        return Staged(file.path, file.bytes, file.sha256, self._classes.digests(), self._parts == RANGES)

    def __enter__(self) -> "StagedWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._entries:
            if kind is None:
                self._flush()
            self._batches.__exit__(kind, error, trace)
            if kind is None:
                self._close()

    def _close(self) -> None:
        end = self._stream.bytes
        self._entries.seek(0)
        while chunk := self._entries.read(_SPOOLED):
            self._stream.write(chunk)
        there = self._stream.bytes
        columns = zip(*self._directory, strict=True) if self._directory else [()] * len(_DIRECTORY)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _DIRECTORY, strict=True)]
        message = pa.RecordBatch.from_arrays(arrays, schema=_DIRECTORY).serialize()
        self._stream.write(message)
        self._stream.write(np.array([end, there, message.size, self._parts], "<u8").tobytes())


def _in_order(
    rows: Sequence[pa.RecordBatch], schema: pa.Schema, counts: np.ndarray, order: Sequence[int]
) -> pa.RecordBatch:
    """Return the rows of entries, `counts` of each, in the order given."""
    whole = rows[0] if len(rows) == 1 else pa.Table.from_batches(rows, schema).combine_chunks().to_batches()[0]
    if all(index == place for place, index in enumerate(order)):
        return whole
    starts = np.cumsum(counts) - counts
    sorted_counts = counts[order]
    ends = np.cumsum(sorted_counts)
    shift = np.repeat(starts[order] - (ends - sorted_counts), sorted_counts)
    return whole.take(pa.array(shift + np.arange(len(shift))))


def _batched(held: Sequence[_Held], where: Sequence[int], order: Sequence[int], bits: int) -> Iterator[Sequence[int]]:
    """Cut entries into batches, of places that agree but for their last `bits`."""
    indices: list[int] = []
    total = 0
    for index in order:
        size = held[index].bytes
        apart = indices and where[index] >> bits != where[indices[0]] >> bits
        if indices and (apart or total + size > BATCH_BYTES or len(indices) >= _MOST):
            yield indices
            indices, total = [], 0
        indices.append(index)
        total += size
    if indices:
        yield indices


_MOST = 4096  # entries of a batch


class StagedEntry(NamedTuple):
    """Rows that stay together, in the order of merging.

    Attributes:
        place: of its part among all.
        key: what it is sorted by within its part.
        number: of the blocks of one key.
        sha256: of its file; it decides between equal entries, as do batch and start.
        number_of_batch: its batch.
        start: its first row there.
        rows: how many rows it has.
        bytes: about how many bytes these have.
        hash: what decides its part.
        file: that has its rows.
    """

    place: int
    key: str
    number: int
    sha256: str
    number_of_batch: int
    start: int
    rows: int
    bytes: int
    hash: int
    file: "StagedFile"

    def batch(self) -> pa.RecordBatch:
        """Return the rows; once only, for the file then lets go of them."""
        return self.file.take(self)

    def row(self) -> Row:
        """Return the only row as a mapping; once only."""
        return self.file.take_row(self)


BEFORE = itemgetter(slice(0, StagedEntry._fields.index("start") + 1))  # what puts entries in order


class StagedFile:
    """Reads a staged file, which it holds open.

    Raises:
        Damaged: the file is not sound.
    """

    def __init__(self, file: File) -> None:
        checked(file)
        self._sha256 = file.sha256
        path = file.path
        self._stream = pa.OSFile(path) if files.is_local(path) else files.open_read(path)
        self._stream.seek(file.bytes - 8 * _NUMBERS)
        end, there, size, parts = np.frombuffer(self._stream.read(8 * _NUMBERS), "<u8").tolist()
        self.parts: int = parts
        self._stream.seek(there)
        directory = pa.ipc.read_record_batch(pa.py_buffer(self._stream.read(size)), _DIRECTORY)
        self._low, self._high, offsets, sizes, self._run = (column.to_numpy() for column in directory.columns)
        self._where = [(end + offset, size) for offset, size in zip(offsets.tolist(), sizes.tolist(), strict=True)]
        options = pa.ipc.IpcReadOptions(use_threads=False)
        self._reader = pa.ipc.open_file(self._stream, footer_offset=end, options=options)
        self.schema: pa.Schema = self._reader.schema
        self.held: dict[int, pa.RecordBatch | list[Row]] = {}  # batches that have begun and not ended
        self._wanted: Counter[int] = Counter()

    def entries(self, parts: int, bucket: int | None = None) -> Iterator[StagedEntry]:
        """Yield the entries of a part of `parts`, or of all parts, in order.

        Of a file that was gathered for this number of parts, a batch is held at a time, of one with ranges a batch
        of each run; of another, those batches of the part that have begun and not ended.
        """
        batches = self._batches(parts, bucket)
        if self.parts in (parts, RANGES):
            runs = [list(run) for _, run in groupby(batches, key=self._run.__getitem__)]
            yield from heapq.merge(*(self._of_run(run, parts, bucket) for run in runs), key=BEFORE)
        else:
            yield from sorted(entry for batch in batches for entry in self._of_batch(batch, parts, bucket))

    def _of_run(self, batches: Iterable[int], parts: int, bucket: int | None) -> Iterator[StagedEntry]:
        for batch in batches:
            yield from self._of_batch(batch, parts, bucket)

    def _batches(self, parts: int, bucket: int | None) -> list[int]:
        if bucket is None:
            return list(range(len(self._where)))
        if self.parts == RANGES:
            low, high = (-(-(number << _BITS) // parts) for number in (bucket, bucket + 1))
            high -= 1
        elif self.parts == parts:
            low = high = int(_ranks(parts)[bucket])
        elif self.parts:
            raise ValueError(f"staged for {self.parts} parts, not for {parts}")
        else:
            power = parts & -parts
            low = int(places(np.array([bucket % power], np.uint32), 0)[0])
            high = low + (1 << _BITS) // power - 1
        found: list[int] = np.flatnonzero((self._low <= high) & (self._high >= low)).tolist()
        return found

    def _of_batch(self, batch: int, parts: int, bucket: int | None) -> list[StagedEntry]:
        offset, size = self._where[batch]
        self._stream.seek(offset)
        entries = pa.ipc.read_record_batch(pa.py_buffer(self._stream.read(size)), _ENTRIES)
        hashes, keys, numbers, rows, sizes = entries.columns
        found = places(hashes.to_numpy(), RANGES if self.parts == RANGES else parts)
        starts = np.cumsum(rows.to_numpy()) - rows.to_numpy()
        columns = (found, keys, numbers, starts, rows, sizes, hashes)
        listed = (column.tolist() if isinstance(column, np.ndarray) else column.to_pylist() for column in columns)
        taken = [
            StagedEntry(place, key, number, self._sha256, batch, start, count, size, hash, self)
            for place, key, number, start, count, size, hash in zip(*listed, strict=True)
            if bucket is None or self._part_of(hash, parts) == bucket
        ]
        self._wanted[batch] += len(taken)
        return taken

    def _part_of(self, hash: int, parts: int) -> int:
        return hash * parts >> _BITS if self.parts == RANGES else hash % parts

    def take(self, entry: StagedEntry) -> pa.RecordBatch:
        """Return the rows of an entry; a batch is held until all its entries that were asked for are taken."""
        batch = self._taken(entry.number_of_batch, pa.RecordBatch.slice)
        return batch if entry.rows == batch.num_rows else batch.slice(entry.start, entry.rows)

    def take_row(self, entry: StagedEntry) -> Row:
        """Return the row of an entry of one; entries of a batch are all taken in this way, or none."""
        row: Row = self._taken(entry.number_of_batch, pa.RecordBatch.to_pylist)[entry.start]
        return row

    def _taken(self, number: int, form: Callable[[pa.RecordBatch], Any]) -> Any:
        batch = self.held.get(number)
        if batch is None:
            batch = self.held[number] = form(self._reader.get_batch(number))
        self._wanted[number] -= 1
        if not self._wanted[number]:
            del self.held[number], self._wanted[number]
        return batch

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows, as they lie."""
        for number in range(self._reader.num_record_batches):
            yield pa.Table.from_batches([self._reader.get_batch(number)])

    def __enter__(self) -> "StagedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
