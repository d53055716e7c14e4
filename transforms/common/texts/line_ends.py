r"""Where lines end: one rule for every reader of lines.

A line ends in CR LF, LF or CR, mixed at will, in every format. In plain text and in lists of words it also ends in
U+0085, U+2028 and U+2029. In formats with a syntax of their own (tables, JSON lines, CoNLL-U, vectors) these are
characters of cells, as JSON has them in strings; where such a line is wrong, `no_line_end` says so.

    >>> lines_of("one\r\n\rthree\u2028four")
    ['one', '', 'three', 'four']
    >>> line_feeds(io.BytesIO(b"one\r\n\rthree")).readlines()
    [b'one\n', b'\n', b'three']
    >>> no_line_end("one\u2028two")
    '; U+2028 ends no line here, LF, CR LF and CR do'
"""

import io
import re
from typing import Any, BinaryIO

_CHUNK = 1 << 16
_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_OF_BYTES = re.compile(rb"\r\n|[\n\r]")
_LONE = re.compile(rb"\r(?!\n)")
_OF_TEXT = re.compile("[\x85\u2028\u2029]")


def lines_of(text: str) -> list[str]:
    """Return the lines of plain text without their ends; behind the last end stands one more, perhaps empty."""
    return _END.split(text)


def with_line_feeds(data: bytes) -> bytes:
    """Return bytes, of an encoding that has ASCII's bytes for line ends alone, with LF for CR LF and CR."""
    if b"\r" not in data:
        return data
    if _LONE.search(data) is None:  # three times as fast
        return data.replace(b"\r", b"")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def count_line_ends(data: bytes, before: bytes = b"") -> int:
    """Return the number of line ends in bytes; one that CR, the last byte `before`, has ended counts there."""
    feeds = data.count(b"\n")
    if b"\r" in data:
        feeds += data.count(b"\r") - data.count(b"\r\n")
    return feeds - (before[-1:] == b"\r" and data[:1] == b"\n")


def end_of_line(data: bytes, start: int) -> int:
    """Return the place behind the first line end in bytes from a place on; behind all of them without one."""
    found = _OF_BYTES.search(data, start)
    return found.end() if found else len(data)


def line_feeds(stream: BinaryIO) -> BinaryIO:
    """Return a stream with LF for CR LF and CR; it reads ahead, and leaves closing to whoever has the other one."""
    return io.BufferedReader(_LineFeeds(stream), _CHUNK)


def no_line_end(text: str) -> str:
    """Return for a message about a line which character of it may be meant for a line end; empty for none."""
    found = _OF_TEXT.search(text)
    return f"; U+{ord(found[0]):04X} ends no line here, LF, CR LF and CR do" if found else ""


class _LineFeeds(io.RawIOBase):
    """The bytes of a stream with LF for CR LF and CR."""

    def __init__(self, stream: BinaryIO) -> None:
        # What comes before a break is good: `read` would lose it.
        self._read = getattr(stream, "read1", stream.read)
        self._returned = False  # whether CR was the last byte: an LF behind it is no other end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while data := self._read(len(buffer)):
            begins = self._returned and data.startswith(b"\n")
            self._returned = data.endswith(b"\r")
            data = with_line_feeds(data[1:] if begins else data)
            if data:
                buffer[: len(data)] = data
                return len(data)
        return 0
