"""What Parquet says of its pages, asked without Arrow: it would expand a page to say how large it is.

The footer of a file and the header of each page are structs of Thrift's compact protocol. A struct is read as a dict
from the numbers of fields to values, in which lists are lists and texts bytes:

    >>> from io import BytesIO
    >>> sizes(BytesIO(bytes.fromhex("15041590bf0a1566")), ColumnChunk(0, 8, 1, True))
    ColumnSizes(expanded=0, longest=0)
"""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

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
    """Reads values of Thrift's compact protocol from bytes."""

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
