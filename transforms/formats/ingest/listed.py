"""Listings of input files: rows sorted by the keys of names, in a file of one run, from which workers read units.

Names never come to the driver and cross no shuffle: a unit that is dealt out says which keys it has and in which
batches of the listing they lie, and the worker that takes it in reads its rows.
"""

import json
import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.publish.removing import LISTING
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File, HashedStream
from lexbeam.transforms.formats.ingest.stage import InputFile, Unit
from lexbeam.transforms.formats.ingest.units import KEY_BITS, bits_for, key_of, unit_of

RUN_ROWS = 1 << 16
BATCH_ROWS = 1 << 10
_ORDER = [("key", "ascending"), ("name", "ascending")]
_COUNTED_BITS = 10  # buckets of which a listing says how much lies in each

LISTED = pa.schema(
    [
        ("key", pa.int64()),
        ("name", pa.string()),
        ("path", pa.binary()),
        ("size", pa.int64()),
        ("collection", pa.string()),
        ("changed", pa.int64()),
    ]
)


@dataclass(frozen=True)
class FileListing:
    """A listing of files that are no units by themselves.

    Attributes:
        rows: the file of `LISTED`, sorted by key and name.
        keys: the first key of each of its batches.
        files, bytes: by the first 10 bits of keys, how many files there are, and their bytes; int64.
    """

    rows: File
    keys: tuple[int, ...]
    files: bytes
    bytes: bytes


class ListedUnit(NamedTuple):
    """A unit of files that stand in listings.

    Attributes:
        bits: how many bits of keys say the bucket.
        bucket: the value of these bits.
        size: about how many bytes the files have.
        spans: of each listing that may have some, its file, and the ordinals of batches, from and to.
    """

    bits: int
    bucket: int
    size: float
    spans: tuple[tuple[File, int, int], ...]


class ListingWriter:
    """Writes rows of a listing to a stream, sorted; memory is that of `RUN_ROWS` of them, however many there are."""

    def __init__(self, stream: BinaryIO | HashedStream) -> None:
        self._writer = BatchWriter(stream, LISTED)
        self._held: list[tuple[int, str, bytes, int, str, int]] = []
        self._runs: _Runs | None = None
        self._keys: list[int] = []
        self._files = np.zeros(1 << _COUNTED_BITS, np.int64)
        self._bytes = np.zeros(1 << _COUNTED_BITS, np.int64)

    def add(self, file: InputFile) -> None:
        """Add a file."""
        if len(self._held) == RUN_ROWS:
            self._runs = self._runs or _Runs()
            self._runs.add(self._sorted())
        path = file.path.encode("utf-8", "surrogateescape")
        self._held.append((key_of(file.name), file.name, path, file.size, file.collection, file.changed))

    def _sorted(self) -> pa.Table:
        columns = zip(*self._held, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, LISTED, strict=True)]
        self._held = []
        return pa.Table.from_arrays(arrays, schema=LISTED).sort_by(_ORDER)

    def _write(self, rows: pa.Table) -> None:
        keys = rows["key"].to_numpy()
        buckets = keys >> KEY_BITS - _COUNTED_BITS
        np.add.at(self._files, buckets, 1)
        np.add.at(self._bytes, buckets, rows["size"].to_numpy())
        for batch in _batches(rows):
            self._writer.write(batch)
        self._keys += keys[::BATCH_ROWS].tolist()

    def listing(self, file: File) -> FileListing:
        """Return the listing, once the writer is closed; `file` is what was written to."""
        return FileListing(file, tuple(self._keys), self._files.tobytes(), self._bytes.tobytes())

    def __enter__(self) -> "ListingWriter":
        self._writer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._held:
                rows = self._sorted()
                if self._runs is None:
                    self._write(rows)
                else:
                    self._runs.add(rows)
                    for some in self._runs.merged():
                        self._write(some)
        finally:
            if self._runs is not None:
                self._runs.close()
            self._writer.__exit__(kind, error, trace)


class _Runs:
    """Sorted rows that wait on disk until all are there."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` does
        self._writer = BatchWriter(self._file, LISTED)
        self._runs: list[tuple[int, list[int]]] = []  # of each its first batch, and the first keys of all

    def add(self, rows: pa.Table) -> None:
        first, *_ = [self._writer.write(batch) for batch in _batches(rows)]
        self._runs.append((first, rows["key"].to_numpy()[::BATCH_ROWS].tolist()))

    def merged(self) -> Iterator[pa.Table]:
        """Yield all rows in order, about as many at a time as a run has: keys lie evenly."""
        self._writer.__exit__(None, None, None)
        reader = pa.ipc.open_file(pa.PythonFile(self._file, "r"), options=pa.ipc.IpcReadOptions(use_threads=False))
        for number in range(len(self._runs)):
            low, high = ((place << KEY_BITS) // len(self._runs) for place in (number, number + 1))
            found = [
                _between(reader.get_batch(first + ordinal), low, high)
                for first, keys in self._runs
                for ordinal in range(*_span(keys, low, high))
            ]
            if found:
                yield pa.Table.from_batches(found).sort_by(_ORDER)

    def close(self) -> None:
        self._file.close()


def _batches(rows: pa.Table) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = rows.combine_chunks().to_batches(max_chunksize=BATCH_ROWS)
    return batches


def _between(batch: pa.RecordBatch, low: int, high: int) -> pa.RecordBatch:
    """Return the rows of a batch, which is sorted, with keys from `low` to below `high`."""
    keys = batch.column("key").to_numpy()
    start = int(np.searchsorted(keys, np.int64(low)))
    stop = int(np.searchsorted(keys, np.int64(high - 1), side="right"))
    return batch.slice(start, stop - start)


def _span(keys: Sequence[int], low: int, high: int) -> tuple[int, int]:
    """Return which batches, from and to, may have keys from `low` to below `high`, by the first key of each."""
    return max(bisect_left(keys, low) - 1, 0), bisect_left(keys, high)


def settle_bits(listings: Sequence[FileListing], workspace: Workspace | None) -> int:
    """Return how many bits of keys say the bucket of these files, and keep the number for later runs, if somewhere."""
    files_listed, size = _sums(listings)
    if workspace is None:
        return bits_for(int(files_listed.sum()), int(size.sum()))
    path = files.join(workspace.root, LISTING, "buckets.json")
    try:
        kept = json.loads(files.read_bytes(path))["bits"] if files.exists(path) else None
    except (ValueError, KeyError, TypeError):  # damaged
        kept = None
    bits = bits_for(int(files_listed.sum()), int(size.sum()), kept if isinstance(kept, int) else None)
    if bits != kept and not workspace.looked:
        files.make_folder(files.join(workspace.root, LISTING))
        files.write_bytes(path, json.dumps({"bits": bits}).encode())
    return bits


def _sums(listings: Sequence[FileListing]) -> tuple[np.ndarray, np.ndarray]:
    zeros = np.zeros(1 << _COUNTED_BITS, np.int64)
    number = sum((np.frombuffer(each.files, np.int64) for each in listings), zeros)
    return number, sum((np.frombuffer(each.bytes, np.int64) for each in listings), zeros)


def listed_units(listings: Sequence[FileListing], bits: int) -> Iterator[ListedUnit]:
    """Yield the units of listed files, those left out that are known to be empty."""
    number, size = _sums(listings)
    for bucket in range(1 << bits):
        if bits <= _COUNTED_BITS:
            inner = slice(bucket << _COUNTED_BITS - bits, bucket + 1 << _COUNTED_BITS - bits)
            files_here, share = number[inner].sum(), float(size[inner].sum())
        else:
            files_here = number[bucket >> bits - _COUNTED_BITS]
            share = float(size[bucket >> bits - _COUNTED_BITS]) / (1 << bits - _COUNTED_BITS)
        if files_here:
            low, high = bucket << KEY_BITS - bits, bucket + 1 << KEY_BITS - bits
            spans = ((each.rows, *_span(each.keys, low, high)) for each in listings)
            yield ListedUnit(bits, bucket, share, tuple(span for span in spans if span[1] < span[2]))


def opened(listed: ListedUnit) -> Unit | None:
    """Return the files of a unit; None if there are none."""
    low, high = (bucket << KEY_BITS - listed.bits for bucket in (listed.bucket, listed.bucket + 1))
    found: list[InputFile] = []
    with BatchReader() as reader:
        for file, start, stop in listed.spans:
            for ordinal in range(start, stop):
                here = _between(reader.read(file, ordinal), low, high)
                found += map(_file, zip(*(column.to_pylist() for column in here.columns[1:]), strict=True))
    return unit_of(found) if found else None


def _file(row: tuple[str, bytes, int, str, int]) -> InputFile:
    name, path, size, collection, changed = row
    return InputFile(name, path.decode("utf-8", "surrogateescape"), size, collection, changed)
