"""Staged tables: files of rows that lie together by part, whatever the number of parts will be, and their merges.

    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA) as staged:
        staged.add(bucket_hash, document_id, block, batch)     # in any order
    file = staged.file(artefact.file(".arrow"))
    with StagedFile(file) as staged:
        for found in staged.entries(parts, bucket): found.keys, found.rows

An entry is what merges put in order, see `entries`. Part `bucket` of `parts` has
the entries whose hash leaves `bucket` when divided by `parts`. Entries lie in the order of their hashes' reversed
bits, so that for each power of two those of a part are neighbours; what was gathered for a number of parts lies
in their order, and within a part in that of its keys. With `ranges`, parts have ranges of hashes instead: entries
lie in the order of hashes, which must be that of keys, so that a part is read run by run for whatever number of parts.

    record batches, an Arrow file | entries of each batch | directory of batches | four numbers of 8 bytes

Staged files are merged into one part of a published table, or, many files, into fewer. A merge opens each staged file
once and reads in each the batches of its part, in their order; so its memory is that of a row group and a batch of each
file or two, whatever the corpus. Of files beyond `MOST_OPEN`, some are gathered into one first. The merge of a table is
defined beside the table: a `Step` whose `make` calls `merge` with the entries in their order.
"""

import functools
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from types import TracebackType
from typing import IO, Annotated, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.common.store.classes import Classes, Staged, summed
from lexbeam.transforms.common.store.entries import Entries, in_order
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.common.store.receipts import File, HashedStream, checked
from lexbeam.transforms.common.store.tables import PartFile, StagedRows, contents_of, sizes_of, write_part

RUN_BYTES = 8 << 20  # sorted at a time
BATCH_BYTES = 1 << 17
_GATHERED = 8  # batches of what is gathered, and need not be sorted, that are put together before they are written
_LOOSE = 256  # pieces of a row take kilobytes each, whatever they hold: more are put together
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
        self._held: list[Entries] = []
        self._packed = 0  # of these have been put together
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
        if self._classes:
            self._classes.add(hashes, keys, numbers, sizes, contents_of(batch, counts))
        found = np.array(hashes, np.uint32)
        self.take(Entries.of(found, keys, numbers, counts, sizes, places(found, self._parts), batch))

    def take(self, entries: Entries) -> None:
        """Add entries that were read; their digests are not taken."""
        self._held.append(entries)
        self._size += entries.rows.nbytes
        if self._size >= (BATCH_BYTES * _GATHERED if self._is_gathered else RUN_BYTES):
            self._flush()
        elif len(self._held) - self._packed == _LOOSE:
            self._held[self._packed :] = [Entries.joined(self._held[self._packed :])]
            self._packed += 1

    def _flush(self) -> None:
        if not self._held:
            return
        whole = Entries.joined(self._held)
        self._held, self._packed, self._size = [], 0, 0
        whole = whole if self._is_gathered else whole.sorted()
        where = whole.column("place").tolist()
        for start, stop in _batches(where, whole.sizes.tolist(), self._together()):
            batch = whole.slice(start, stop)
            self._batches.write(batch.rows)
            message = batch.listed.select(_ENTRIES.names).serialize()
            self._directory.append((where[start], where[stop - 1], self._entries.tell(), message.size, self._run))
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


def _batches(where: Sequence[int], sizes: Sequence[int], bits: int) -> Iterator[tuple[int, int]]:
    """Cut entries into batches, from and to, of places that agree but for their last `bits`."""
    start = total = 0
    for index, size in enumerate(sizes):
        apart = where[index] >> bits != where[start] >> bits
        if index > start and (apart or total + size > BATCH_BYTES or index - start >= _MOST):
            yield start, index
            start, total = index, 0
        total += size
    if sizes:
        yield start, len(sizes)


_MOST = 4096  # entries of a batch


class StagedFile:
    """Reads a staged file, which it holds open.

    Raises:
        Damaged: the file is not sound.
    """

    def __init__(self, file: File) -> None:
        checked(file)
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

    def entries(self, parts: int, bucket: int | None = None) -> Iterator[Entries]:
        """Yield the entries of a part of `parts`, or of all parts, in order."""
        return in_order(self.runs(parts, bucket))

    def runs(self, parts: int, bucket: int | None = None) -> list[Iterator[Entries]]:
        """Return the runs of the entries of a part of `parts`, or of all parts; equal entries are in the runs' order.

        Of a file that was gathered for this number of parts, a piece is a batch, and so of each run of one with ranges;
        of another it is all of a part, or, where all parts are asked for, of neighbouring parts.
        """
        batches = self._batches(parts, bucket)
        if self.parts in (parts, RANGES):
            runs = (list(run) for _, run in groupby(batches, key=self._run.__getitem__))
            return [self._pieces([[batch] for batch in run], parts, bucket) for run in runs]
        # As far as the parts lie in the order of places, what comes first need not wait for what comes later.
        bits = _BITS - min((parts & -parts).bit_length() - 1, _TOGETHER)
        first = [int(self._low[batch]) >> bits for batch in batches]
        order = sorted(range(len(batches)), key=first.__getitem__)
        return [
            self._pieces(
                [[batches[index] for index in some] for _, some in groupby(order, key=first.__getitem__)], parts, bucket
            )
        ]

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

    def _pieces(self, pieces: Sequence[Sequence[int]], parts: int, bucket: int | None) -> Iterator[Entries]:
        """Yield the entries of a part in some batches at a time, in order."""
        for batches in pieces:
            found = Entries.joined([self._read(batch, parts) for batch in batches])
            kept = None if bucket is None else self._parts_of(found.column("hash"), parts) == bucket
            yield found.sorted(kept)

    def _read(self, batch: int, parts: int) -> Entries:
        offset, size = self._where[batch]
        self._stream.seek(offset)
        listed = pa.ipc.read_record_batch(pa.py_buffer(self._stream.read(size)), _ENTRIES)
        hashes, keys, numbers, counts, sizes = listed.columns
        where = places(hashes.to_numpy(), RANGES if self.parts == RANGES else parts)
        return Entries.of(hashes, keys, numbers, counts, sizes, where, self._reader.get_batch(batch))

    def _parts_of(self, hashes: np.ndarray, parts: int) -> np.ndarray:
        if self.parts == RANGES:
            return (hashes.astype(np.uint64) * np.uint64(parts) >> np.uint64(_BITS)).astype(np.int64)
        return (hashes % np.uint32(parts)).astype(np.int64)

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows, as they lie."""
        for number in range(self._reader.num_record_batches):
            yield pa.Table.from_batches([self._reader.get_batch(number)])

    def __enter__(self) -> "StagedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()


def footer_of(stream: IO[bytes], size: int) -> int | None:
    """Return where the footer of an Arrow file of so many bytes ends; None: at its end, since it is no staged file."""
    stream.seek(max(size - 8 * _NUMBERS, 0))
    numbers = stream.read(8 * _NUMBERS)
    return None if numbers.endswith(b"ARROW1") else int.from_bytes(numbers[:8], "little")


MOST_OPEN = 128  # files that a merge opens


class MergeTask(NamedTuple):
    """What becomes part `bucket` of `parts`.

    It is named by what the part has, however that lies in files; entries of one key and number are all alike, or
    their order decides nothing.
    """

    bucket: int
    parts: int
    staged: Annotated[tuple[Staged, ...], Uncounted("what the files have for the part counts by its digests")]

    @classmethod
    def of(cls, bucket: int, parts: int, staged: Iterable[Staged]) -> "MergeTask":
        """Return the task of a part, without files that have nothing for it."""
        files = (file.of_part(parts, bucket) for file in staged)
        return cls(bucket, parts, tuple(file for file in files if any(file.classes)))

    def content_digests(self) -> list[str]:
        """Return the digest of the entries of all classes that the part may have entries of."""
        return [summed(self.staged).hex()]


class GatherTask(NamedTuple):
    """Staged files that become one, in the order of `parts`; their own order decides nothing."""

    parts: int
    staged: Annotated[tuple[Staged, ...], Uncounted("what the files have counts by their digests")]

    def content_digests(self) -> list[str]:
        """Return the digests of the files, in one order."""
        return sorted(file.sha256 for file in self.staged)


@dataclass(frozen=True)
class Gathered:
    """Receipt: a staged file that has the entries of several."""

    file: Staged


def groups(files: int, parts: int, last: bool = False, *, ranges: bool = False) -> int:
    """Return into how many files that many are to be gathered: 0 if they can be merged as they are.

    A file's group hangs on its content and this number, so that a further file changes one group. It is a power of
    two that leaves at most half of `MOST_OPEN` to a group on average. For a number of parts that is no power of
    two, files are always gathered, but for those with ranges: in others each part would read batches of its neighbours.
    """
    if files <= (MOST_OPEN if ranges or parts & (parts - 1) == 0 else 0):
        return 0
    number = 1 << (-(-2 * files // MOST_OPEN) - 1).bit_length()
    return min(number, MOST_OPEN) if last else number


@contextmanager
def entries(staged: Iterable[File], parts: int, bucket: int | None = None) -> Iterator[Iterator[Entries]]:
    """Open staged files; give their entries of a part, or of all parts, in order, equal ones by the files' digests."""
    with ExitStack() as stack:
        opened = [stack.enter_context(StagedFile(file)) for file in sorted(staged, key=attrgetter("sha256"))]
        yield in_order([run for file in opened for run in file.runs(parts, bucket)])


def whole(found: Iterable[Entries]) -> Iterator[StagedRows]:
    """Yield entries as they are."""
    for some in found:
        yield StagedRows(some.rows, some.counts, some.sizes)


def merge(artefact: Artefact, table: Table, rows: Iterable[StagedRows], schema: pa.Schema | None = None) -> PartFile:
    """Write rows in their final order as a part of `table`; `schema` where it is another's."""
    return write_part(artefact, schema or table.schema(), rows, sort_keys=table.key)


@dataclass(frozen=True)
class Gather(Step[GatherTask, Gathered]):
    """Gather the staged files of a section."""

    section: str

    noun = "tables"
    unit = "staged files"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The step's name: of its section."""
        return f"{self.section}/gather"

    def make(self, artefact: Artefact, task: GatherTask) -> Gathered:
        """Write one file of the entries of all."""
        with StagedFile(task.staged[0]) as first:
            schema = first.schema
        with (
            entries(task.staged, task.parts) as found,
            artefact.writing(".arrow") as stream,
            StagedWriter(stream, schema, task.parts, ranges=task.staged[0].ranges) as writer,
        ):
            for some in found:
                writer.take(some)
        file = artefact.file(".arrow")
        return Gathered(replace(task.staged[0], **vars(file), classes=summed(task.staged)))
