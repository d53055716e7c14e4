"""Parquet parts with the same bytes wherever and however often they are written.

What decides the bytes is fixed here: the schema, the order of rows, where row groups end, the
compression. A row group ends between two batches, by rows and bytes counted in order; so a batch
must be something that depends on the data alone (a document, a word's rows), never on a bundle.

A published table has no file for a part without rows, unless no part has any (`written`). Such a part is read by the
path of another one with `rowless://` before it: a table with the same columns, and no rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.contents import sizes_of
from lexbeam.transforms.common.store.identity import Place, Position, Size
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import HashedStream

Row = dict[str, Any]  # a row as values of Python, by column


class StagedRows(NamedTuple):
    """Staged rows of a table's columns.

    Attributes:
        rows: all.
        counts: how many of them stay together, shape (n,).
        bytes: of each of these, as they count for row groups, shape (n,).
    """

    rows: pa.RecordBatch
    counts: np.ndarray
    bytes: np.ndarray

    @classmethod
    def together(cls, rows: pa.RecordBatch, key: str) -> "StagedRows":
        """Return rows of which neighbours with the same value in a column stay together."""
        counts = np.diff(pc.run_end_encode(rows[key]).run_ends.to_numpy(), prepend=0)
        return cls(rows, counts, np.array(sizes_of(rows, counts), np.int64))


GROUP_ROWS = 16_384
GROUP_BYTES = 16 << 20
_LOOSE = 256  # tables of a row take kilobytes each, whatever they hold: more are put together


@dataclass(frozen=True)
class PartFile:
    """A part as an artefact: its file, and its number of rows, whatever its place in a table."""

    file: File
    rows: Size


class Part(NamedTuple):
    """A written part of a table: the `number`-th of the table, in the order of publication.

    The path of one that is not published is an `ArtefactPath`: damaged, it is made anew.
    """

    table: str
    number: Position
    path: Place
    rows: Size
    bytes: Size
    sha256: str

    @classmethod
    def of(cls, table: str, number: int, written: PartFile) -> "Part":
        """Return the part that an artefact is."""
        return cls(table, number, written.file.path, written.rows, written.file.bytes, written.file.sha256)


def written(parts: Sequence[Part]) -> list[Part]:
    """Return those parts of a table that have a file where it is published: those with rows, else the first."""
    return [part for part in parts if part.rows] or [*parts[:1]]


_DIGITS = 8


def part_name(index: int, parts: int, sha256: str) -> str:
    """Return the file name of a part, `part-KKKKK-of-NNNNN-XXXXXXXX.parquet`.

    The last group is the beginning of the digest of its bytes: another content has another name.
    """
    return f"part-{index:05d}-of-{parts:05d}-{sha256[:_DIGITS]}.parquet"


def write_part(
    artefact: Artefact,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch | pa.Table | StagedRows],
    *,
    sort_keys: Sequence[str] = (),
    suffix: str = "",
) -> PartFile:
    """Write rows, in the order given, as a Parquet file of the artefact, its one of this suffix; see `write_rows`."""
    with artefact.writing(f"{suffix}.parquet") as stream:
        rows = write_rows(stream, schema, batches, sort_keys=sort_keys)
    return PartFile(artefact.file(f"{suffix}.parquet"), rows)


def write_rows(
    stream: BinaryIO | HashedStream,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch | pa.Table | StagedRows],
    *,
    sort_keys: Sequence[str] = (),
) -> int:
    """Write rows, in the order given, as Parquet and return their number.

    Args:
        stream: what takes the bytes.
        schema: the table's schema; batches are cast to it, so nullability is checked.
        batches: rows in their final order; row groups end between batches, and within one that
            has more than `GROUP_ROWS` rows.
        sort_keys: columns that the rows are sorted by, noted in the file.

    Raises:
        ValueError: a null in a column that takes none.
    """
    sorting = [pq.SortingColumn(schema.get_field_index(name)) for name in sort_keys]
    rows = 0
    with pq.ParquetWriter(
        pa.PythonFile(stream, "w"), schema, compression="zstd", sorting_columns=sorting or None, store_schema=True
    ) as writer:
        for group in _groups(schema, batches):
            writer.write_table(group, row_group_size=max(group.num_rows, 1))
            rows += group.num_rows
            del group  # before the next one is put together
    return rows


def _groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch | pa.Table | StagedRows]) -> Iterator[pa.Table]:
    held: list[pa.RecordBatch | pa.Table] = []
    rows = size = packed = 0
    for piece, counts, sizes in _pieces(schema, batches):
        ends, until = np.cumsum(counts, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)
        start = first = before = 0  # of what is not in a group yet: its place, its first row, the bytes before it
        while start < len(ends):
            stop = min(
                int(np.searchsorted(ends, GROUP_ROWS - rows + first, "right")),
                int(np.searchsorted(until, GROUP_BYTES - size + before, "right")),
            )
            stop = stop if held else max(stop, start + 1)
            if stop > start:
                end, now = int(ends[stop - 1]), int(until[stop - 1])
                held.append(piece.slice(first, end - first))
                rows, size = rows + end - first, size + now - before
                start, first, before = stop, end, now
            if start < len(ends):
                yield _packed(schema, held)
                rows = size = packed = 0
            elif len(held) - packed == _LOOSE:
                held[packed:] = [_packed(schema, held[packed:])]
                packed += 1
    if held:
        yield _packed(schema, held)


def _packed(schema: pa.Schema, pieces: list[pa.RecordBatch | pa.Table]) -> pa.Table:
    """Return pieces as one table, and empty the list; batches, which staged rows are, have not been checked yet."""
    tables: list[pa.Table] = []
    for loose, some in groupby(pieces, lambda piece: isinstance(piece, pa.RecordBatch)):
        alike = list(some)
        # Many small ones, all at once.
        tables += [pa.Table.from_batches(alike).combine_chunks()] if loose else alike
        del alike
    pieces.clear()
    return pa.concat_tables([table_of(table, schema) for table in tables]).combine_chunks()


def _pieces(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch | pa.Table | StagedRows]
) -> Iterator[tuple[pa.RecordBatch | pa.Table, Sequence[int] | np.ndarray, Sequence[int] | np.ndarray]]:
    """Yield rows with how many stay together, at most `GROUP_ROWS`, and their bytes."""
    for batch in batches:
        if isinstance(batch, StagedRows):
            yield batch.rows, *_cut(batch)
            continue
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        table = table_of(table, schema)
        for start in range(0, table.num_rows, GROUP_ROWS):
            piece = table.slice(start, GROUP_ROWS)
            yield piece, [piece.num_rows], [piece.nbytes]


def _cut(staged: StagedRows) -> tuple[Sequence[int] | np.ndarray, Sequence[int] | np.ndarray]:
    """Return how many rows stay together, and their bytes, where too many should."""
    if not (staged.counts > GROUP_ROWS).any():
        return staged.counts, staged.bytes
    counts: list[int] = []
    sizes: list[int] = []
    start = 0
    for count, size in zip(staged.counts.tolist(), staged.bytes.tolist(), strict=True):
        pieces = [min(GROUP_ROWS, count - first) for first in range(0, count, GROUP_ROWS)]
        counts += pieces
        sizes += [size] if len(pieces) == 1 else sizes_of(staged.rows.slice(start, count), pieces)
        start += count
    return counts, sizes


def table_of(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return `table` with the columns, types and metadata of `schema`.

    Raises:
        ValueError: a null in a column that takes none.
    """
    same = table.schema.equals(schema, check_metadata=True)
    if not same:
        table = table.select(schema.names)
    for place, field in enumerate(schema):
        if not field.nullable and table.column(place).null_count:
            raise ValueError(f"column {field.name!r} cannot be null")
    # Staged batches are of the schema already, and many: a cast takes longer than to write them.
    return table if same else table.cast(schema)


def sort_rows(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return the rows sorted by columns, nulls last; the order is total if the keys are."""
    if table.num_rows < 2:
        return table
    return table.sort_by([(key, "ascending") for key in keys])


def read_rows(paths: Sequence[str], columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Yield the row groups of Parquet files, in order, each as a table."""
    for path in paths:
        with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
            for group in range(reader.num_row_groups):
                yield reader.read_row_group(group, columns=columns)


def read_table(paths: Sequence[str], columns: Sequence[str] | None = None) -> pa.Table:
    """Return Parquet files of one schema as one table, also where they have no rows."""
    tables = list(read_rows(paths, columns))
    for path in paths[:1]:
        with files.open_read(path) as stream:
            empty = pq.read_schema(stream).empty_table()
        tables.append(empty.select(columns) if columns is not None else empty)
    return pa.concat_tables(tables)
