"""Parquet parts with the same bytes wherever they are written, their entries, and tables joined by a key.

What decides the bytes is fixed here: the schema, the order of rows, where row groups end, the
compression. A row group ends between two batches, by rows and bytes counted in order; so a batch
must be something that depends on the data alone (a document, a word's rows), never on a bundle.

A published table has no file for a part without rows, unless no part has any (`written`). Such a part is read by the
path of another one with `rowless://` before it: a table with the same columns, and no rows.

An entry is some neighbouring rows of a batch. What it holds, as bytes, and how large it is by itself are those of the
entry alone, whatever lies beside it, and are found for all entries of a batch at once: a call of Arrow for each takes
longer than all else that is done with a short document.

Of tables that are joined by a key each is read once, in order, and the rows of one key are in memory at a time:

    pairs = RowsByKey(parts, ["pair_id", "passage"], "pair_id", digits=16)
    for article, questions in RowsByKey(others, ["question_id"], "question_id", digits=16):
        pairs.of(article)

The parts of a table are sorted by the key. Where one ends before another begins, as in published tables, they
are read one after the other; those whose keys overlap are merged.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.identity import Place, Position, Size
from lexbeam.transforms.common.store.receipts import File, HashedStream, checked

_NULL = -1  # in the place of a length


def contents_of(batch: pa.RecordBatch, counts: Sequence[int]) -> Iterator[bytes]:
    """Yield what each entry holds: bytes that two entries of one schema share only if they are equal.

    Args:
        batch: the rows of all entries.
        counts: how many rows each has, in their order.
    """
    bounds = _bounds(counts)
    levels: dict[int, tuple[np.ndarray, list[np.ndarray]]] = {}  # values that lie side by side have one array of bounds
    for column in batch.columns:
        for values, ends in _values(column, bounds):
            levels.setdefault(id(ends), (ends, []))[1].append(values)
    held = []
    for ends, arrays in levels.values():
        plain = [np.ascontiguousarray(values).view("u1").reshape(-1, values.itemsize) for values in arrays]
        rows = plain[0] if len(plain) == 1 else np.concatenate(plain, axis=1)
        held.append((rows.data.cast("B") if rows.size else memoryview(b""), (ends * rows.shape[1]).tolist()))
    for entry, count in enumerate(counts):
        yield b"%d " % count + b"".join([data[ends[entry] : ends[entry + 1]] for data, ends in held])


def sizes_of(batch: pa.RecordBatch, counts: Sequence[int]) -> list[int]:
    """Return the bytes of each entry, as Arrow counts those of a batch that has its rows alone."""
    bounds = _bounds(counts)
    sizes: list[int] = sum(
        (_sizes(column, bounds) for column in batch.columns), np.zeros(len(counts), np.int64)
    ).tolist()
    return sizes


def _bounds(counts: Sequence[int]) -> np.ndarray:
    """Return where entries begin, and the end of the last."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))])


def _values(array: pa.Array, bounds: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield arrays of plain values that say what `array` holds, each with the bounds of entries in it."""
    nulls = _nulls(array)
    if pa.types.is_struct(array.type):
        yield nulls, bounds
        for place in range(array.type.num_fields):
            yield from _values(array.field(place), bounds)
    elif pa.types.is_list(array.type) or pa.types.is_string(array.type):
        offsets = _offsets(array)
        lengths = np.diff(offsets)
        lengths[nulls] = _NULL
        yield lengths, bounds
        inner = offsets[bounds].astype(np.int64)
        if pa.types.is_string(array.type):
            yield _bytes(array.buffers()[2]), inner
        else:
            yield from _values(array.values, inner)
    elif _is_fixed(array.type):
        values = _fixed(array)
        values[nulls] = 0
        yield nulls, bounds
        yield values, bounds
    else:  # a type that no table of ours has
        yield from _values(pa.array(map(repr, array.to_pylist()), pa.string()), bounds)


def _sizes(array: pa.Array, bounds: np.ndarray) -> Any:
    rows = np.diff(bounds)
    bits = -(-rows // 8)
    sizes = np.zeros(len(rows), np.int64)
    if array.null_count:
        missing = np.concatenate([[0], np.cumsum(_nulls(array))])
        sizes = np.where(np.diff(missing[bounds]) > 0, bits, 0)
    if pa.types.is_boolean(array.type):
        return sizes + bits
    if _is_fixed(array.type):
        return sizes + array.type.bit_width // 8 * rows
    if pa.types.is_struct(array.type):
        return sum((_sizes(array.field(place), bounds) for place in range(array.type.num_fields)), sizes)
    if not (pa.types.is_list(array.type) or pa.types.is_string(array.type)):
        return np.array(
            [array.slice(start, count).nbytes for start, count in zip(bounds, rows, strict=False)], np.int64
        )
    offsets = _offsets(array)
    inner = offsets[bounds].astype(np.int64)
    within = np.diff(inner) if pa.types.is_string(array.type) else _sizes(array.values, inner)
    return sizes + offsets.itemsize * rows + within


def _nulls(array: pa.Array) -> Any:
    """Return which values are null; bool, shape (n,)."""
    if not array.null_count:
        return np.zeros(len(array), bool)
    return array.is_null().to_numpy(zero_copy_only=False)


def _offsets(array: pa.Array) -> Any:
    if not len(array):
        return np.zeros(1, np.int32)
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]


def _bytes(buffer: pa.Buffer | None) -> np.ndarray:
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _is_fixed(kind: pa.DataType) -> bool:
    return bool(pa.types.is_primitive(kind))  # numbers, bool, times


def _fixed(array: pa.Array) -> Any:
    """Return a copy of values of one width, as numbers of that width; those of nulls are anything."""
    if pa.types.is_boolean(array.type):
        return array.fill_null(False).to_numpy(zero_copy_only=False).copy()
    width = array.type.bit_width // 8
    values = _bytes(array.buffers()[1])[array.offset * width : (array.offset + len(array)) * width]
    return values.view(f"u{width}").copy()


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


Rows = list[Row]
_BATCH = 256  # rows that are values of Python at a time


class RowsByKey:
    """The rows of a table by key, in the order of keys: all of them, or those of requested keys.

    Args:
        parts: of the table, or their paths; a part is checked before it is read.
        columns: what is read; the key is among them.
        key: the column that the parts are sorted by.
        digits: how many first characters of it make a key; None: all.
        keep: maps rows to a mask of those that are read; None: all.
    """

    def __init__(
        self,
        parts: Sequence[Part | str],
        columns: Sequence[str],
        key: str,
        *,
        digits: int | None = None,
        keep: Callable[[pa.Table], pa.Array | pa.ChunkedArray] | None = None,
    ) -> None:
        paths = [part if isinstance(part, str) else checked(part) for part in parts]
        rows = _sorted(paths, list(columns), key, keep)
        self._groups = groupby(rows, key=lambda row: row[key][:digits])
        self._waiting: tuple[str, Rows] | None = None

    def __iter__(self) -> Iterator[tuple[str, Rows]]:
        """Yield keys with their rows."""
        return ((key, list(rows)) for key, rows in self._groups)

    def of(self, key: str) -> Rows:
        """Return the rows of a key, not before the keys requested so far; none if it does not occur."""
        while self._waiting is None or self._waiting[0] < key:
            group = next(self._groups, None)
            if group is None:
                return []
            self._waiting = group[0], list(group[1])
        return self._waiting[1] if self._waiting[0] == key else []


def _sorted(
    paths: Sequence[str], columns: list[str], key: str, keep: Callable[[pa.Table], pa.Array | pa.ChunkedArray] | None
) -> Iterator[Row]:
    def rows_of(path: str) -> Iterator[Row]:
        for rows in read_rows([path], columns):
            wanted = rows if keep is None else rows.filter(keep(rows))
            for start in range(0, wanted.num_rows, _BATCH):
                yield from wanted.slice(start, _BATCH).to_pylist()

    overlapping = _overlapping(paths, key) if len(paths) > 1 else [list(paths)]
    merged = (heapq.merge(*map(rows_of, group), key=itemgetter(key)) for group in overlapping)
    return chain.from_iterable(merged)


def _overlapping(paths: Sequence[str], key: str) -> list[list[str]]:
    """Return files in the order of their keys, those whose keys overlap together, in the order given."""
    ranges = []
    for place, path in enumerate(paths):
        with files.open_read(path) as stream, pq.ParquetFile(stream) as reader:
            groups = [reader.metadata.row_group(number) for number in range(reader.num_row_groups)]
        if not groups:
            continue
        leaf = [groups[0].column(number).path_in_schema for number in range(groups[0].num_columns)].index(key)
        first, last = (group.column(leaf).statistics for group in (groups[0], groups[-1]))
        if not (first and last and first.has_min_max and last.has_min_max):
            return [list(paths)]
        ranges.append((first.min, last.max, place))
    overlapping: list[list[int]] = []
    end = ""
    for first, last, place in sorted(ranges):
        if overlapping and first <= end:
            overlapping[-1].append(place)
        else:
            overlapping.append([place])
        end = max(end, last)
    return [[paths[place] for place in sorted(places)] for places in overlapping]


def joined(
    tables: Mapping[str, Sequence[Part | str]], columns: Mapping[str, Sequence[str]], key: str, wanted: Iterable[str]
) -> Iterator[tuple[str, dict[str, Rows]]]:
    """Yield keys, in order, with their rows by table.

    Args:
        tables: parts of each table, or their paths.
        columns: of each table, the columns that are read beside the key.
        key: the column that they are sorted by.
        wanted: the keys that are wanted.
    """
    keys = pa.array(sorted(wanted), pa.string())
    streams = {
        name: RowsByKey(parts, [key, *columns[name]], key, keep=lambda rows: pc.is_in(rows[key], value_set=keys))
        for name, parts in tables.items()
    }
    for value in keys.to_pylist():
        yield value, {name: stream.of(value) for name, stream in streams.items()}
