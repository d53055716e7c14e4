"""Listings of input files: rows sorted by the keys of names, in a file of one run, from which workers read units.

Names never come to the driver and cross no shuffle: a unit that is dealt out says which keys it has and in which
batches of the listing they lie, and the worker that takes it in reads its rows.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.publish.removing import LISTING
from transforms.common.store import files
from transforms.common.store.artefacts import Workspace
from transforms.common.store.batches import BatchReader, BatchWriter
from transforms.common.store.receipts import File
from transforms.common.store.sound import HashedStream
from transforms.formats.ingest.stage import InputFile, Unit
from transforms.formats.ingest.units import KEY_BITS, bits_for, key_of, unit_of

__all__ = ["FileListing", "ListedUnit", "ListingWriter", "listed_units", "opened", "settle_bits"]

RUN_ROWS = 1 << 16
BATCH_ROWS = 1 << 10
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


class ListedRun(NamedTuple):
    """Sorted batches of a listing: the ordinal of the first, and the first key of each."""

    ordinal: int
    keys: tuple[int, ...]


@dataclass(frozen=True)
class FileListing:
    """A listing of files that are no units by themselves.

    Attributes:
        rows: the file of `LISTED`.
        runs: its sorted runs.
        files, bytes: by the first 10 bits of keys, how many files there are, and their bytes; int64.
    """

    rows: File
    runs: tuple[ListedRun, ...]
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
    spans: tuple[tuple[File, tuple[tuple[int, int], ...]], ...]


class ListingWriter:
    """Writes rows of a listing to a stream, in sorted runs; memory is that of a run."""

    def __init__(self, stream: BinaryIO | HashedStream) -> None:
        self._writer = BatchWriter(stream, LISTED)
        self._held: list[tuple[int, str, bytes, int, str, int]] = []
        self._runs: list[ListedRun] = []
        self._files = np.zeros(1 << _COUNTED_BITS, np.int64)
        self._bytes = np.zeros(1 << _COUNTED_BITS, np.int64)

    def add(self, file: InputFile) -> None:
        """Add a file."""
        path = file.path.encode("utf-8", "surrogateescape")
        self._held.append((key_of(file.name), file.name, path, file.size, file.collection, file.changed))
        if len(self._held) >= RUN_ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._held, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, LISTED, strict=True)]
        self._held = []
        rows = pa.Table.from_arrays(arrays, schema=LISTED).sort_by([("key", "ascending"), ("name", "ascending")])
        keys = rows["key"].to_numpy()
        buckets = keys >> KEY_BITS - _COUNTED_BITS
        np.add.at(self._files, buckets, 1)
        np.add.at(self._bytes, buckets, rows["size"].to_numpy())
        ordinals = [self._writer.write(batch) for batch in rows.combine_chunks().to_batches(max_chunksize=BATCH_ROWS)]
        self._runs.append(ListedRun(ordinals[0], tuple(keys[::BATCH_ROWS].tolist())))

    def listing(self, file: File) -> FileListing:
        """Return the listing, once the writer is closed; `file` is what was written to."""
        return FileListing(file, tuple(self._runs), self._files.tobytes(), self._bytes.tobytes())

    def __enter__(self) -> "ListingWriter":
        self._writer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._held:
            self._flush()
        self._writer.__exit__(kind, error, trace)


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
            spans = ((each.rows, tuple(_spans(each.runs, low, high))) for each in listings)
            yield ListedUnit(bits, bucket, share, tuple(span for span in spans if span[1]))


def _spans(runs: Sequence[ListedRun], low: int, high: int) -> Iterator[tuple[int, int]]:
    for run in runs:
        start, stop = max(bisect_left(run.keys, low) - 1, 0), bisect_left(run.keys, high)
        if start < stop:
            yield run.ordinal + start, run.ordinal + stop


def opened(listed: ListedUnit) -> Unit | None:
    """Return the files of a unit; None if there are none."""
    low = listed.bucket << KEY_BITS - listed.bits
    last = (listed.bucket + 1 << KEY_BITS - listed.bits) - 1
    found: list[InputFile] = []
    with BatchReader() as reader:
        for file, spans in listed.spans:
            for start, stop in spans:
                for ordinal in range(start, stop):
                    batch = reader.read(file, ordinal)
                    keys = batch.column("key")
                    here = batch.filter(pc.and_(pc.greater_equal(keys, low), pc.less_equal(keys, last)))
                    found += map(_file, zip(*(column.to_pylist() for column in here.columns[1:]), strict=True))
    return unit_of(found) if found else None


def _file(row: tuple[str, bytes, int, str, int]) -> InputFile:
    name, path, size, collection, changed = row
    return InputFile(name, path.decode("utf-8", "surrogateescape"), size, collection, changed)
