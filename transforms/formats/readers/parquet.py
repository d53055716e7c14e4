"""Parquet files: a record a row, read by batches of some megabytes.

A few bytes may declare gigabytes: a page that expands, or one value of a dictionary that millions of rows repeat. So
a file's pages are asked what they expand to before any is read (`sizes`), under the limits of archives. Where
dictionaries leave open whether a column is over them, it is decoded once to count its bytes, then read.

Pages are asked without Arrow: it would expand a page to say how large it is. The footer of a file and the header of
each page are structs of Thrift's compact protocol. A struct is read as a dict from the numbers of fields to values,
in which lists are lists and texts bytes:

    >>> from io import BytesIO
    >>> sizes(BytesIO(bytes.fromhex("15041590bf0a1566")), ColumnChunk(0, 8, 1, True))
    ColumnSizes(expanded=0, longest=0)
"""

import io
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.transforms.common.errors import failure_of
from lexbeam.transforms.formats.records.base import (
    ARRAY,
    BadRecord,
    CutPiece,
    ReaderOptions,
    Record,
    Reject,
    Source,
    Uncuttable,
)
from lexbeam.transforms.formats.records.fields import entries_of, listed_names
from lexbeam.transforms.formats.records.text_cleaning import cleaning
from lexbeam.transforms.formats.sources.streams import Guard, read_all

_WINDOW, _MOST_WINDOW = 1 << 13, 1 << 24
_BEHIND = 100  # bytes that old writers left out of a column's size
_DELTA_TEXTS = 7  # an encoding in which a value repeats the beginning of the one before it
_VARYING = (6, 7)  # kinds of values: bytes, and as many bytes as the schema says
_DEEPEST = 16
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3


class ColumnChunk(NamedTuple):
    """A column of a row group: its first byte, its bytes in the file, its values, and whether these vary in length."""

    start: int
    size: int
    values: int
    varies: bool


class ColumnSizes(NamedTuple):
    """What a column of a row group may become.

    Attributes:
        expanded: bytes of its pages, decompressed.
        longest: bytes that none of its values exceeds; 0 if each has bytes of its own in a page.
    """

    expanded: int
    longest: int


def column_chunks(stream: BinaryIO) -> list[list[ColumnChunk]]:
    """Return the columns of each row group by the footer of a file.

    Raises:
        ValueError: it is no footer.
    """
    end = stream.seek(0, 2)
    stream.seek(max(0, end - 8))
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(max(0, end - 8 - length))
    try:
        footer = _Compact(stream.read(length)).struct()
        return [[_chunk(column[3]) for column in group[1]] for group in footer.get(4, [])]
    except (IndexError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ValueError(f"no footer of Parquet: {error}") from None


def _chunk(column: dict[int, Any]) -> ColumnChunk:
    places = [column[9], *([column[11]] if column.get(11, 0) > 0 else [])]
    return ColumnChunk(min(places), column[7], column[5], column[1] in _VARYING)


def sizes(stream: BinaryIO, chunk: ColumnChunk) -> ColumnSizes:
    """Return what the headers of a column's pages say, up to the first that is none."""
    expanded = longest = values = 0
    for header in _headers(stream, chunk):
        size = max(0, header[2])
        expanded += size
        data = header.get(5) or header.get(8) or {}
        encoding = data.get(4 if header.get(1) == _DATA_V2 else 2)
        if chunk.varies and (header.get(1) == _DICTIONARY or encoding == _DELTA_TEXTS):
            longest = max(longest, size)
        if header.get(1) in (_DATA, _DATA_V2):
            values += max(0, data.get(1, 0))
            if values >= chunk.values:
                break
    return ColumnSizes(expanded, longest)


def _headers(stream: BinaryIO, chunk: ColumnChunk) -> Iterator[dict[int, Any]]:
    place, end = chunk.start, chunk.start + chunk.size + _BEHIND
    while 0 <= place < end:
        window = _WINDOW
        while True:
            stream.seek(place)
            compact = _Compact(stream.read(window))
            try:
                header = compact.struct()
                break
            except IndexError:  # it goes on behind the window
                window *= 16
                if window > _MOST_WINDOW:
                    return
            except (ValueError, struct.error):
                return
        if not all(isinstance(header.get(number), int) for number in (1, 2, 3)) or header[3] < 0:
            return
        if not all(isinstance(header.get(number, {}), dict) for number in (5, 8)):
            return
        yield header
        place += compact.place + header[3]


class _Compact:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return a struct; IndexError if the bytes end before it."""
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            found[number] = self._value(head & 15, depth)
        return found

    def _byte(self) -> int:
        self.place += 1
        return self._data[self.place - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number too long")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _bytes(self, length: int) -> bytes:
        if self.place + length > len(self._data):
            raise IndexError("bytes behind the end")
        self.place += length
        return self._data[self.place - length : self.place]

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("structs and lists too deep")
        if kind in (1, 2):  # true, false
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return struct.unpack("<d", self._bytes(8))[0]
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind in (9, 10):
            head = self._byte()
            length = head >> 4 if head >> 4 < 15 else self._unsigned()
            of = head & 15
            return [self._byte() == 1 if of in (1, 2) else self._value(of, depth + 1) for _ in range(length)]
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError(f"no kind of value: {kind}")


_END = 1 << 16  # bytes of a file's end that Arrow reads at once, for the footer
_BATCH_ROWS = 1000
_BATCH_BYTES = 8 << 20
# What a batch may hold if each cell were the longest value that its column's dictionary has room
# for: a dictionary has a value once, however many rows have it.
_MOST_BYTES = 256 << 20
_ROW_BYTES = 64  # that a row, or a value of a list, counts without any text: else as many as one likes cost a few bytes


def read_parquet(source: Source, options: ReaderOptions) -> Iterator[Record | Reject]:
    """Yield a record or reject for each row; its position is its number, from 1.

    With `options.records` each row is read as `lexbeam.transforms.formats.records.fields` says.
    A file within an archive, which cannot be read from its end, is held in memory.

    Raises:
        BadRecord: `malformed`, `missing_field`, `empty`, `too_large`, `unsafe`.
    """
    stream = source.open()
    how = cleaning(source, options)
    if not _seekable(stream):
        stream = io.BytesIO(read_all(replace(source, open=lambda: stream), options))
    with stream:
        try:
            file = pq.ParquetFile(stream, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise BadRecord("malformed", f"not Parquet: {error}") from None
        if not file.metadata.num_rows:
            raise BadRecord("empty", "the table has no rows")
        columns = _columns(file, options)
        number = source.before
        groups = source.piece.groups if source.piece is not None else (0, file.metadata.num_row_groups)
        pages = _Pages(file, stream, columns)
        size = stream.seek(0, io.SEEK_END) if source.piece is None else source.piece.end - source.piece.start
        pages.check(groups, lambda: Guard(options, lambda: size))
        for group in range(*groups):
            batches = file.iter_batches(pages.rows(group), [group], columns=columns)
            for batch in _undamaged(batches):
                for row in _dictionaries(batch):
                    number += 1
                    if isinstance(row, BadRecord):
                        yield Reject(str(number), row.reason, row.detail)
                    else:
                        yield from entries_of(str(number), row, options, how)
        due = file.metadata.num_rows if source.piece is None else source.before + _rows_of(file, groups)
        if number != due:
            raise BadRecord("malformed", f"damaged Parquet: it is to have {due} rows, not {number}")


def cut_parquet(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of whole row groups, each but the last of at least `size` bytes.

    Raises:
        Uncuttable: it cannot be read from its end, or is damaged.
    """
    stream = source.open()
    if not _seekable(stream):
        raise Uncuttable("Parquet where its end cannot be read first")
    try:
        file = pq.ParquetFile(stream, pre_buffer=False)
        columns = _columns(file, options)
        size_of_file, tail = _tail(stream)
        number = file.metadata.num_row_groups
        if _rows_of(file, (0, number)) != file.metadata.num_rows:
            raise BadRecord("malformed", "damaged Parquet")
        pages = _Pages(file, stream, columns)
        pages.check((0, number), lambda: Guard(options, lambda: size_of_file))
        pieces: list[CutPiece] = []
        first, before, start, end = 0, 0, size_of_file, 0
        for group in range(number):
            next(_undamaged(file.iter_batches(1, [group], columns=columns)), None)
            lowest, highest = pages.range(group)
            start, end = min(start, lowest), max(end, highest)
            if end - start >= size or group == number - 1:
                groups = (first, group + 1)
                end = min(end + _BEHIND, size_of_file)
                pieces.append(CutPiece(len(pieces), start, end, before, groups=groups, tail=tail))
                first, before, start, end = group + 1, before + _rows_of(file, groups), size_of_file, 0
    except (pa.ArrowException, OSError, BadRecord):
        raise Uncuttable("Parquet that is damaged, or lacks the column of the text") from None
    return pieces


def _tail(stream: BinaryIO) -> tuple[int, int]:
    """Return the bytes of a file, and the byte from which on a reader looks at its end."""
    size = stream.seek(-8, io.SEEK_END) + 8
    footer = int.from_bytes(stream.read(4), "little") + 8
    return size, max(0, size - max(footer, _END))


def _rows_of(file: pq.ParquetFile, groups: tuple[int, int]) -> int:
    return sum(file.metadata.row_group(group).num_rows for group in range(*groups))


def _undamaged(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the file, not what is in it
        raise BadRecord("malformed", f"damaged Parquet: {error}") from None


def _seekable(stream: BinaryIO) -> bool:
    return bool(getattr(stream, "seekable", bool)())


def _columns(file: pq.ParquetFile, options: ReaderOptions) -> list[str]:
    """Return the columns that can be read as fields, and those that options name."""
    schema = file.schema_arrow
    main = options.records or options.text_field
    wanted = {options.text_field, *(pair.partition("=")[2] for pair in options.fields)}
    wanted |= {path.lstrip(".") for path in wanted} | {main}
    wanted |= set(map(_column, wanted))
    if not {main, _column(main)} & set(schema.names):
        raise BadRecord("missing_field", f"no column {main!r}{listed_names(schema.names)}")
    return [f.name for f in schema if f.name in wanted or pa.types.is_struct(f.type) or not pa.types.is_nested(f.type)]


def _column(path: str) -> str:
    return path.partition(".")[0].removesuffix(ARRAY)


class _Pages:
    """The columns that are read of a file, by what the headers of their pages say."""

    def __init__(self, file: pq.ParquetFile, stream: BinaryIO, columns: list[str]) -> None:
        """Read the footer.

        Raises:
            BadRecord: `malformed`.
        """
        self._file = file
        self._stream = stream
        self._columns = columns
        # Arrow finds a column by its place, whatever name the footer has for it there.
        self._fields = [_field(file.schema.column(number)) for number in range(len(file.schema))]
        try:
            self._groups = column_chunks(stream)
        except ValueError as error:
            raise BadRecord("malformed", f"damaged Parquet: {error}") from None
        if {len(group) for group in self._groups} - {len(self._fields)} or len(self._groups) != file.num_row_groups:
            raise BadRecord("malformed", "damaged Parquet: a column of a row group is missing")
        self._sizes: dict[int, list[tuple[str | None, ColumnChunk, ColumnSizes]]] = {}

    def _of(self, group: int) -> list[tuple[str | None, ColumnChunk, ColumnSizes]]:
        if group not in self._sizes:
            self._sizes[group] = [
                (field, chunk, sizes(self._stream, chunk))
                for field, chunk in zip(self._fields, self._groups[group], strict=True)
                if field in (None, *self._columns)
            ]
        return self._sizes[group]

    def range(self, group: int) -> tuple[int, int]:
        """Return the first byte of a row group, and the one behind its last."""
        chunks = self._groups[group]
        return min(chunk.start for chunk in chunks), max(chunk.start + chunk.size for chunk in chunks)

    def check(self, groups: tuple[int, int], guard: Callable[[], Guard]) -> None:
        """Check that row groups do not expand too much.

        Raises:
            BadRecord: `unsafe`; `malformed`.
        """
        pages, values = guard(), guard()
        doubtful: set[str | None] = set()
        for group in range(*groups):
            columns = self._of(group)
            rows = self._file.metadata.row_group(group).num_rows
            pages.add(_ROW_BYTES * max([rows, *(chunk.values for _, chunk, _ in columns)]))
            for field, chunk, found in columns:
                pages.add(found.expanded)
                try:
                    values.add(found.longest * chunk.values)
                except BadRecord:
                    doubtful.add(field)
        counted = guard()
        names = [column for column in self._columns if column in doubtful or None in doubtful]
        for group in range(*groups) if names else ():
            for batch in _undamaged(self._file.iter_batches(self.rows(group), [group], columns=names)):
                counted.add(sum(map(_bytes, batch.columns)))

    def rows(self, group: int) -> int:
        """Return how many rows of a group are read at once."""
        metadata = self._file.metadata.row_group(group)
        fitting = _BATCH_BYTES * metadata.num_rows // max(1, metadata.total_byte_size)
        repeated = 0
        for _, chunk, found in self._of(group):
            cells = -(-chunk.values // max(1, metadata.num_rows))  # of a row, more in lists
            repeated += cells * found.longest
        return int(max(1, min(_BATCH_ROWS, fitting, _MOST_BYTES // max(1, repeated))))


def _field(column: pq.ColumnSchema) -> str | None:
    """Return the field that a column is of, or belongs to; None if its name is no UTF-8."""
    try:
        return str(column.path).partition(".")[0]
    except UnicodeDecodeError:
        return None


def _bytes(array: pa.Array) -> int:
    """Return the bytes of an array whose dictionaries are written out."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return int(array.cast(kind.value_type).nbytes)
    if pa.types.is_struct(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = array.flatten()
        return sum(map(_bytes, inner if isinstance(inner, list) else [inner]))
    return int(array.nbytes)


def _dictionaries(batch: pa.RecordBatch) -> Iterator[dict[str, object] | BadRecord]:
    """Yield rows as dictionaries; dates and decimals as strings, bad UTF-8 as bytes."""
    for index, field in enumerate(batch.schema):
        kind = field.type
        if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
            with suppress(pa.ArrowInvalid):  # a time zone that there is not: for each row to say
                text = batch.column(index).cast(pa.string())
                batch = batch.set_column(index, field.name, text)
    try:
        yield from batch.to_pylist()
        return
    except Exception:  # Python has no value for one of them
        pass
    for index, field in enumerate(batch.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            data = batch.column(index).cast(pa.large_binary())
            batch = batch.set_column(index, field.name, data)
    for place in range(batch.num_rows):
        try:
            (row,) = batch.slice(place, 1).to_pylist()
        except UnicodeDecodeError as error:
            yield BadRecord("undecodable", f"in a nested column: {error}")
        except Exception as error:
            yield BadRecord("malformed", failure_of(error))
        else:
            yield row
