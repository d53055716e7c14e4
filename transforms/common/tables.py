"""Parquet parts with the same bytes wherever and however often they are written.

What decides the bytes is fixed here: the schema, the order of rows, where row groups end, the
compression. A row group ends between two batches, by rows and bytes counted in order; so a batch
must be something that depends on the data alone (a document, a word's rows), never on a bundle.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from transforms.common import files

__all__ = ["Part", "part_name", "read_rows", "sort_rows", "table_of", "write_part"]

GROUP_ROWS = 16_384
GROUP_BYTES = 16 << 20


class Part(NamedTuple):
    """A written part of a table: the `number`-th of the table, in the order of publication."""

    table: str
    number: int
    path: str
    rows: int
    bytes: int
    sha256: str


class _Hashed:
    """A binary sink that hashes and counts what goes through it."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.sha256 = hashlib.sha256()
        self.bytes = 0

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self.sha256.update(view)
        self.bytes += view.nbytes
        self._stream.write(view)
        return view.nbytes

    def flush(self) -> None:
        """Nothing is held back here."""


def part_name(index: int, parts: int) -> str:
    """Return the file name of a part, `part-KKKKK-of-NNNNN.parquet`."""
    return f"part-{index:05d}-of-{parts:05d}.parquet"


def write_part(
    path: str,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch | pa.Table],
    *,
    table: str,
    number: int,
    sort_keys: Sequence[str] = (),
) -> Part:
    """Write rows, in the order given, as one Parquet file and return what was written.

    Args:
        path: where to write; the file appears there when it is whole.
        schema: the table's schema; batches are cast to it, so nullability is checked.
        batches: rows in their final order; row groups end between batches, and within one that
            has more than `GROUP_ROWS` rows.
        table: name of the table.
        number: number of the part.
        sort_keys: columns that the rows are sorted by, noted in the file.

    Raises:
        ValueError: a null in a column that takes none.
    """
    sorting = [pq.SortingColumn(schema.get_field_index(name)) for name in sort_keys]
    rows = 0
    with files.writing(path) as stream:
        sink = _Hashed(stream)
        with pq.ParquetWriter(
            pa.PythonFile(sink, "w"),
            schema,
            compression="zstd",
            sorting_columns=sorting or None,
            store_schema=True,
        ) as writer:
            for group in _groups(schema, batches):
                writer.write_table(group, row_group_size=max(group.num_rows, 1))
                rows += group.num_rows
    return Part(table, number, path, rows, sink.bytes, sink.sha256.hexdigest())


def _groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch | pa.Table]) -> Iterator[pa.Table]:
    held: list[pa.Table] = []
    rows = size = 0
    for piece in _pieces(schema, batches):
        if held and (rows + piece.num_rows > GROUP_ROWS or size + piece.nbytes > GROUP_BYTES):
            yield pa.concat_tables(held).combine_chunks()
            held, rows, size = [], 0, 0
        held.append(piece)
        rows += piece.num_rows
        size += piece.nbytes
    if held:
        yield pa.concat_tables(held).combine_chunks()


def _pieces(schema: pa.Schema, batches: Iterable[pa.RecordBatch | pa.Table]) -> Iterator[pa.Table]:
    for batch in batches:
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        table = table_of(table, schema)
        for start in range(0, table.num_rows, GROUP_ROWS):
            yield table.slice(start, GROUP_ROWS)


def table_of(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return `table` with the columns, types and metadata of `schema`.

    Raises:
        ValueError: a null in a column that takes none.
    """
    table = table.select(schema.names)
    for field in schema:
        if not field.nullable and table.column(field.name).null_count:
            raise ValueError(f"column {field.name!r} takes no null")
    return table.cast(schema)


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
