"""Inherited rows: an artefact is made of its predecessor's rows where what they are made from is the same.

    def made(wanted):                                   # rows for the keys that are wanted, in the order of keys
        for rows in read_rows([checked(task.part)], COLUMNS):
            yield computed(rows.filter(wanted(rows)))

    read = [Read((task.part,), COLUMNS)]
    inherited = write_inheriting(artefact, TABLE.schema(), "instance_id", TABLE.key, read, made)

What is made for a key must be decided by the rows that are read of it, by the options and by what else of the task
counts, beside the part that is `INHERITED`. A digest of these rows for each key, 16 bytes, is kept beside the rows that
were made. The bytes are those of an artefact that has no predecessor: row groups end by what rows hold, and not by how
these were come by.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter
from lexbeam.transforms.common.store.receipts import Damaged, File, checked
from lexbeam.transforms.common.store.tables import (
    Part,
    PartFile,
    StagedRows,
    contents_of,
    read_rows,
    sort_rows,
    table_of,
    write_part,
)

_SIZE = 16  # bytes of a digest
_KEYS = pa.schema([("digest", pa.binary(_SIZE))])
_AT_ONCE = 512  # keys whose rows are put together at a time: each may have hundreds

Mask = Callable[[pa.Table], pa.Array | pa.ChunkedArray]


class Read(NamedTuple):
    """What is read of a table: parts, and columns, the key among them."""

    parts: Sequence[Part]
    columns: Sequence[str]


class Inherited(NamedTuple):
    """What was written: the part, and the digests of what it was made from."""

    part: PartFile
    keys: File


class _Receipt(Protocol):
    """The receipt of an artefact that was made so."""

    @property
    def part(self) -> PartFile: ...

    @property
    def keys(self) -> File: ...


def write_inheriting(
    artefact: Artefact,
    schema: pa.Schema,
    key: str,
    sort_keys: Sequence[str],
    read: Sequence[Read],
    made: Callable[[Mask], Iterable[pa.Table]],
    seen: Callable[[pa.Table], object] = lambda _: None,
) -> Inherited:
    """Write the rows of all keys as a part of the artefact: its predecessor's where these are known, else made ones.

    Args:
        artefact: the artefact; `before` is the receipt of its predecessor, if it has any.
        schema: of the rows.
        key: the column, of text, by which rows belong together.
        sort_keys: what rows are sorted by; `key` is the first.
        read: what decides the rows of a key. The first table has one row for each key, in their order.
        made: from a mask of rows by their keys, the rows of these keys alone, in the order of `sort_keys`.
        seen: takes all rows in their order, all of a key at once.

    Raises:
        ValueError: a null in a column that takes none, or keys that are in no order.
    """
    ids, digests = _digests(read, key)
    if pc.any(pc.greater_equal(ids[:-1], ids[1:])).as_py():
        raise ValueError(f"{read[0].parts[0].path} is not sorted by {key!r}, or has one twice")
    before: _Receipt | None = artefact.before
    old: Iterable[pa.Table] = ()
    known = pa.nulls(0, pa.binary(_SIZE))
    if before is not None:
        with suppress(Damaged, FileNotFoundError), BatchReader() as reader:
            old = read_rows([checked(before.part.file)])
            known = reader.read(before.keys, 0)["digest"]
    same = pc.is_in(digests, value_set=known)
    new = ids.filter(pc.invert(same))

    def wanted(rows: pa.Table) -> pa.Array | pa.ChunkedArray:
        return pc.is_in(rows[key], value_set=new)

    def rows() -> Iterator[StagedRows]:
        inherited, others = (_Ahead(tables, schema, key) for tables in (old if len(known) else (), made(wanted)))
        for start in range(0, len(ids), _AT_ONCE):
            some = ids.slice(start, _AT_ONCE)
            last = some[-1].as_py()
            kept = inherited.until(last)
            kept = kept.filter(pc.is_in(kept[key], value_set=some.filter(same.slice(start, _AT_ONCE))))
            both = pa.concat_tables([kept, others.until(last)])
            both = (
                sort_rows(both, [key]) if len(kept) else both
            ).combine_chunks()  # which leaves rows of a key in order
            seen(both)
            for batch in both.to_batches():
                yield StagedRows.together(batch, key)

    part = write_part(artefact, schema, rows(), sort_keys=sort_keys)
    with artefact.writing("-keys.arrow") as stream, BatchWriter(stream, _KEYS) as writer:
        writer.write(pa.RecordBatch.from_arrays([digests], schema=_KEYS))
    return Inherited(part, artefact.file("-keys.arrow"))


def _digests(read: Sequence[Read], key: str) -> tuple[pa.StringArray, pa.FixedSizeBinaryArray]:
    """Return the keys, in order, and of each the sum of the digests of its rows in all tables."""
    keys: list[pa.Array] = []
    sums: list[np.ndarray] = []
    for found, digests in _entries(read[0], key, b"0"):
        keys.append(found)
        sums.append(digests)
    ids = pa.concat_arrays([pa.array([], pa.string()), *keys])
    whole = np.concatenate([np.zeros((0, 2), "<u8"), *sums])
    for number, other in enumerate(read[1:], 1):
        for found, digests in _entries(other, key, b"%d" % number):
            places = pc.index_in(found, value_set=ids)
            there = places.is_valid().to_numpy(zero_copy_only=False)
            np.add.at(whole, places.drop_null().to_numpy(), digests[there])
    buffers = [None, pa.py_buffer(whole.tobytes())]
    return ids, pa.FixedSizeBinaryArray.from_buffers(pa.binary(_SIZE), len(ids), buffers)


def _entries(read: Read, key: str, of: bytes) -> Iterator[tuple[pa.StringArray, np.ndarray]]:
    """Yield keys, those of neighbouring rows once, with the digests of these rows, uint64, shape (n, 2)."""
    for rows in read_rows([checked(part) for part in read.parts], read.columns):
        for batch in rows.combine_chunks().to_batches():
            schema = batch.schema.to_string(show_field_metadata=False, show_schema_metadata=False).encode()
            start = hashlib.blake2b(of + b" " + schema, digest_size=_SIZE)
            runs = pc.run_end_encode(batch[key])
            found = []
            for content in contents_of(batch, np.diff(runs.run_ends.to_numpy(), prepend=0)):
                whole = start.copy()
                whole.update(content)
                found.append(whole.digest())
            yield runs.values, np.frombuffer(b"".join(found), "<u8").reshape(-1, 2)


class _Ahead:
    """Tables in the order of keys, of which rows are taken up to a key."""

    def __init__(self, tables: Iterable[pa.Table], schema: pa.Schema, key: str) -> None:
        self._tables = iter(tables)
        self._schema = schema
        self._key = key
        self._held = schema.empty_table()

    def until(self, last: str) -> pa.Table:
        """Return the rows up to a key that have not been taken yet."""
        while not len(self._held) or self._held[self._key][-1].as_py() <= last:
            more = next(self._tables, None)
            if more is None:
                break
            self._held = pa.concat_tables([self._held, table_of(more, self._schema)])
        count = pc.sum(pc.less_equal(self._held[self._key], last)).as_py() or 0
        found, self._held = self._held.slice(0, count), self._held.slice(count)
        return found
