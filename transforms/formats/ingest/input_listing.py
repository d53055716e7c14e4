"""Which files are taken in: those that inputs name, each once, under its published name, in listings and units.

Files are found one by one, in no order that counts. Nothing is kept of them but, where several inputs or a glob may
reach a file twice, a digest of its place.

Which files are taken in together follows from each file's name, and from how many there are. A file of `UNIT_BYTES` or
more is a unit by itself. The others are dealt out to 2 ** bits buckets by the digest of their names, so that a file
that comes, changes or goes touches its own unit. How many bits there are follows from the files' number and bytes; a
number that was used before stays as long as it is at most one off.

A listing has rows sorted by the keys of names, in a file of one run, from which workers read units. Names never come to
the driver and cross no shuffle: a unit that is dealt out says which keys it has and in which batches of the listing
they lie, and the worker that takes it in reads its rows.
"""

import fnmatch
import functools
import hashlib
import json
import os
import posixpath
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from types import TracebackType
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.names import Names, escape
from lexbeam.transforms.common.publish.layout import ARTEFACTS, FAILED, SNAPSHOTS, is_marked_folder
from lexbeam.transforms.common.publish.removing import LISTING
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import File, HashedStream
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit

# Of the time of a change, as file systems note it: what changed later than this before it was listed may change
# again without another time.
GRANULARITY = 2_000_000_000
SHARES = 16  # each is read for every unit


class InputPatterns(NamedTuple):
    """What names input files.

    Attributes:
        inputs: files, folders, globs.
        exclude: patterns of the name below the input, or of its last parts, as it is or as it is published; they
            leave out files, never members of archives.
        out: the folder to publish to; what lies in it is no input.
        tables_by: by what the command reads tables instead of files, if it does.
        share: which of the inputs are meant: from a number on, those that are so many apart.
        drained: whether there may be no file in a folder that is there, since what was made of those that have gone is
            kept.
    """

    inputs: tuple[str, ...]
    exclude: tuple[str, ...]
    out: str
    tables_by: str | None = None
    share: tuple[int, int] = (0, 1)
    drained: bool = False


def shares_of(patterns: InputPatterns) -> list[InputPatterns]:
    """Return patterns that name the same files together, to be listed side by side.

    There are several for several inputs on object stores, which have no links, if none lies in another.
    """
    if any(map(files.is_local, patterns.inputs)):
        return [patterns]
    roots = sorted(files.root_of(path).rstrip("/") + "/" for path in patterns.inputs)
    if any(after.startswith(before) for before, after in pairwise(roots)):
        return [patterns]
    number = min(len(roots), SHARES)
    return [patterns._replace(share=(place, number)) for place in range(number)]


def find_files(patterns: InputPatterns, *, perhaps: bool = False) -> Iterator[InputFile]:
    """Yield the input files once each.

    Names are relative to the input folder (for a file: the folder it is in); with several folders the folder's
    own name comes first. They are published names, no two alike. A file that several inputs hold, or that links
    to folders reach twice, has the name under which it is found first.

    Args:
        perhaps: whether there need not be any yet.

    Raises:
        UsageError: `out` is an input, or an input is or holds a folder that Lexbeam published to.
        LexbeamError: there are no files, or none are left of all inputs, and there must be.
    """
    refuse_output_as_input(patterns.inputs, patterns.out)
    roots = sorted({files.root_of(path) for path in patterns.inputs})
    label = Names()
    labels = {root: label(escape(os.path.basename(root.rstrip("/")) or "input")) for root in roots}
    place, apart = patterns.share
    inputs = patterns.inputs[place::apart]
    is_first = _Places() if apart == 1 and (len(inputs) > 1 or files.may_repeat(inputs[0])) else None
    is_ours = functools.cache(is_marked_folder)
    number = 0
    for path in inputs:
        root = files.root_of(path)
        holds_out = _lies_in(patterns.out, root)
        inside = files.real(patterns.out).rstrip("/") + "/"
        named, own = Names(), None if files.is_local(path) else posixpath.basename(path)
        may_be_none = perhaps or (patterns.drained and (not files.is_local(root) or os.path.isdir(root)))
        for entry in _perhaps(files.find_files(path)) if may_be_none else files.find_files(path):
            if any(matches(entry.name, pattern) for pattern in patterns.exclude):
                continue
            if holds_out and files.real(entry.path).startswith(inside):
                continue  # what an earlier run published below the input
            holder, inner = _inner_folder(entry)
            if inner and is_ours(holder, inner):
                raise _tables_as_input(path, root, holder, patterns.tables_by)
            if is_first is not None and not is_first(entry.path):
                continue
            name = escape(entry.name)
            name = f"{labels[root]}/{name}" if len(roots) > 1 else name
            if entry.name == own:  # a store may have an object `a`, and one `a/a`
                name = named(name)
            changed = entry.changed if entry.changed <= time.time_ns() - GRANULARITY else 0
            number += 1
            yield InputFile(name, entry.path, entry.size, labels[root], changed)
    if not (number or perhaps or patterns.drained) and apart == 1:
        raise LexbeamError("no input files are left after `exclude`: give narrower patterns")


def _perhaps(found: Iterator[files.ListedFile]) -> Iterator[files.ListedFile]:
    with suppress(files.NoFilesError):
        yield from found


class _Places:
    """Says of each file whether it is met for the first time, whatever path leads there."""

    def __init__(self) -> None:
        self._real = functools.lru_cache(1 << 16)(files.real)
        self._seen: set[bytes] = set()

    def __call__(self, path: str) -> bool:
        place = hashlib.sha256(_place(path, self._real).encode("utf-8", "surrogateescape")).digest()[:16]
        known = len(self._seen)
        self._seen.add(place)
        return len(self._seen) > known


def _inner_folder(entry: files.ListedFile) -> tuple[str, str]:
    """Return the folder that would be Lexbeam's, and which of its inner folders a file lies in; empty: in none."""
    folders = entry.name.split("/")[:-1]
    place = next((i for i, name in enumerate(folders) if name in (ARTEFACTS, SNAPSHOTS, FAILED)), None)
    if place is None:
        return "", ""
    holder = entry.path.removesuffix("/".join(["", *entry.name.split("/")[place:]]))
    return holder, folders[place]


def _tables_as_input(path: str, root: str, holder: str, tables_by: str | None) -> UsageError:
    if holder.rstrip("/") != root.rstrip("/"):
        return UsageError(
            f"`inputs` {files.shown(path)!r} holds {files.shown(holder)!r}, a folder of Lexbeam's tables: "
            "name what lies beside it, or move it"
        )
    otherwise = f", or give {tables_by} to read its tables" if tables_by else ""
    return UsageError(
        f"`inputs` {files.shown(path)!r} is a folder of Lexbeam's tables, not of files to read: "
        f"name the files that they were made from{otherwise}"
    )


def refuse_output_as_input(inputs: Iterable[str], out: str) -> None:
    """Check that the folder to publish to is not an input folder, before anything is written there.

    Raises:
        UsageError: it is an input folder.
    """
    for path in inputs:
        if files.real(files.root_of(path)) == files.real(out):
            raise UsageError(f"`out` is the input folder {path!r}: give another `out`")


def _lies_in(path: str, folder: str) -> bool:
    return files.real(path).startswith(files.real(folder).rstrip("/") + "/")


def _place(path: str, real: Callable[[str], str]) -> str:
    """Return what two paths have in common if they are the same entry of the same folder, whatever leads there."""
    if not files.is_local(path):
        return path
    folder, name = os.path.split(path)
    return files.join(real(folder), name)


def matches(name: str, pattern: str) -> bool:
    """Return whether a pattern of `exclude` matches a name below the input, or its last parts."""
    return any(
        fnmatch.fnmatch(way, pattern) or PurePosixPath(way).match(pattern)
        for way in dict.fromkeys((name, escape(name)))
    )


UNIT_BYTES = 4 << 20
UNIT_FILES = 1000  # however small they are: units are what is dealt out, resumed and kept in memory
KEY_BITS = 63  # of a key, which a signed integer of 64 bits holds


def key_of(name: str) -> int:
    """Return the number, 0 to 2 ** 63 - 1, whose first bits say the bucket of a file with this published name."""
    return int(digest(name)[:16], 16) >> 64 - KEY_BITS


def bits_for(files: int, size: int, kept: int | None = None) -> int:
    """Return how many bits of keys say the bucket of files that are no units by themselves.

    There are the fewest buckets with which one has at most `UNIT_BYTES` and `UNIT_FILES` on average.

    Args:
        files: how many there are.
        size: their bytes.
        kept: how many bits an earlier run took.
    """
    least = max(-(-files // UNIT_FILES), -(-size // UNIT_BYTES), 1)
    bits = (least - 1).bit_length()
    return kept if kept is not None and abs(kept - bits) <= 1 else bits


def units_of(files: Iterable[InputFile], bits: int | None = None) -> list[Unit]:
    """Return files in units that are taken in together, in the order of their first names.

    Args:
        bits: how many bits of keys say the bucket; None: as many as `bits_for` says.
    """
    small: list[InputFile] = []
    units = []
    for file in files:
        if file.size >= UNIT_BYTES:
            units.append(unit_of([file]))
        else:
            small.append(file)
    if bits is None:
        bits = bits_for(len(small), sum(file.size for file in small))
    buckets: dict[int, list[InputFile]] = {}
    for file in small:
        buckets.setdefault(key_of(file.name) >> KEY_BITS - bits, []).append(file)
    units += map(unit_of, buckets.values())
    return sorted(units, key=lambda unit: unit.files[0].name)


def unit_of(files: Iterable[InputFile]) -> Unit:
    """Return the unit of some files, whatever their order."""
    held = sorted(files, key=lambda file: file.name)
    return Unit(tuple(held), sum(file.size for file in held))


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
