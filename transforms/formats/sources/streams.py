"""Streams of bytes: their beginning, whole or line by line, their encodings, and the reject of a broken one."""

import codecs
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO

from lexbeam.transforms.common.errors import failure_of
from lexbeam.transforms.common.texts.encodings import line_feeds
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source

_CHUNK = 1 << 18
_PIECE = 1 << 24
BOM = b"\xef\xbb\xbf"
_UTF8 = ("utf-8", "utf-8-sig")
# What damaged archives and compressed files raise.
BROKEN = (EOFError, gzip.BadGzipFile, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error)
# Byte order marks of encodings whose line feed is more than a byte.
MARKED = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def fill(buffer: memoryview, read: Callable[[int], bytes]) -> tuple[int, Exception | None]:
    """Fill a buffer as far as a stream goes; return the number of bytes, and the error that ended it.

    The bytes before the error are good, and are passed on first.
    """
    count = 0
    while count < len(buffer):
        try:
            data = read(len(buffer) - count)
        except Exception as error:
            return count, error
        if not data:
            break
        buffer[count : count + len(data)] = data
        count += len(data)
    return count, None


def peek(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """Return the first bytes of a stream, and a stream that still has them."""
    if hasattr(stream, "getbuffer"):  # BytesIO has no peek, and needs none
        head = stream.read(size)
        stream.seek(0)
        return head, stream
    buffered: Any = stream
    if not hasattr(stream, "peek"):
        buffered = io.BufferedReader(_Filled(stream), _CHUNK)
    return buffered.peek(size)[:size], buffered


class ByteStream(io.RawIOBase):
    """A stream over another one, which it closes; `produce` says which bytes it gives."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Return that bytes can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer and return how many bytes there were."""
        return self.produce(buffer)

    def produce(self, buffer: memoryview) -> int:
        """Put bytes at a buffer's start and return how many; 0 at the end of the stream."""
        raise NotImplementedError

    def close(self) -> None:
        """Close this stream and the one below."""
        self._stream.close()
        super().close()


class _Filled(ByteStream):
    """Passes on bytes of a stream that may give fewer than requested, as pipes do.

    Else the number that happens to come first would decide which format is detected.
    """

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._error: Exception | None = None

    def seekable(self) -> bool:
        return bool(getattr(self._stream, "seekable", bool)())

    def seek(self, offset: int, whence: int = 0) -> int:
        self._error = None
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def produce(self, buffer: memoryview) -> int:
        count = 0
        if self._error is None:
            count, self._error = fill(buffer, self._stream.read)
        if not count and self._error is not None:
            raise self._error
        return count


def read_all(source: Source, options: ReaderOptions) -> bytes:
    """Return all bytes of a source.

    Raises:
        BadRecord: `too_large`, if there are more than `max_record_bytes`; `empty`.
    """
    limit = options.max_record_bytes
    with source.open() as stream:
        data = stream.read(min(limit + 1, _CHUNK))
        if len(data) == _CHUNK:
            pieces, size = [data], len(data)
            # Asked for the limit at once, some streams would make room for it.
            while size <= limit and (data := stream.read(min(limit + 1 - size, _PIECE))):
                pieces.append(data)
                size += len(data)
            data = b"".join(pieces)
    if len(data) > limit:
        raise BadRecord("too_large", f"over {limit} bytes in one piece; see --max-record-bytes")
    if not data:
        raise BadRecord("empty", "the file has no bytes")
    return data


def encodings_of(head: bytes, source: Source, options: ReaderOptions) -> tuple[str, ...]:
    """Return the encodings that a source may be in, by its first bytes and options.

    If UTF-8 is among those of the options, a byte order mark of UTF-16 or UTF-32, with which no UTF-8
    begins, takes precedence and is noted in the source.
    """
    marked = marked_encoding(head)
    if marked and any(codecs.lookup(name).name in _UTF8 for name in options.encoding):
        source.notes[f"encoding {marked} by its byte order mark"] += 1
        return (marked,)
    return options.encoding


def marked_encoding(head: bytes) -> str:
    """Return the encoding of a byte order mark of UTF-16 or UTF-32; empty without one."""
    if head[:1] not in (b"\xff", b"\xfe", b"\x00"):
        return ""
    # The mark of UTF-32 with the low byte first begins like that of UTF-16, and a NUL.
    return next((name for mark, name in MARKED.items() if head.startswith(mark)), "")


def opened(source: Source, options: ReaderOptions) -> tuple[BinaryIO, tuple[str, ...]]:
    """Return a source's stream for reading by line, and the encodings that its lines may be in.

    Their line feed is one byte: other encodings are turned into UTF-8. Of a piece the stream has its bytes alone.
    """
    stream = source.open()
    if source.piece is not None:
        stream.seek(source.piece.start)
        return io.BufferedReader(_Section(stream, source.piece.end), _CHUNK), options.encoding
    head, stream = peek(stream, 4)
    encodings = encodings_of(head, source, options)
    if len(encodings) > 1 or "\n".encode(encodings[0]) == b"\n":
        return stream, encodings
    return io.BufferedReader(_Recoded(stream, encodings[0]), _CHUNK), ("utf-8",)


class _Section(ByteStream):
    """The bytes of a stream from where it stands to a border."""

    def __init__(self, stream: BinaryIO, end: int) -> None:
        super().__init__(stream)
        self._left = end - stream.tell()

    def produce(self, buffer: memoryview) -> int:
        data = self._stream.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


class _Recoded(ByteStream):
    """Turns bytes of UTF-16 and the like into UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        super().__init__(stream)
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._encoding = encoding
        self._left = b""
        self._ended = False

    def produce(self, buffer: memoryview) -> int:
        while not self._left and not self._ended:
            data = self._stream.read(_CHUNK)
            self._ended = not data
            try:
                text = self._decoder.decode(data, self._ended)
                self._left = text.encode("utf-8")
            except UnicodeError as error:
                raise BadRecord("undecodable", f"not {self._encoding}: {error}") from None
        piece = self._left[: len(buffer)]
        self._left = self._left[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


def iter_lines(stream: BinaryIO, limit: int, before: int = 0) -> Iterator[tuple[int, bytes | bytearray | None]]:
    """Yield the number, from 1, and the bytes of each line without its end (CR LF, LF or CR).

    The number counts the lines `before` the stream, too. A line of more than `limit` bytes is skipped and
    yields None. A line that was yielded is in memory only as long as the caller keeps it.
    """
    size = min(limit + 1, _CHUNK)
    stream = line_feeds(stream)
    for number, line in enumerate(iter(partial(stream.readline, size), b""), before + 1):
        if line == b"\n":  # of which there may be millions
            yield number, b""
            continue
        if number == 1 and line.startswith(BOM):
            line = line[3:]
        if line.endswith(b"\n") or len(line) < size - 3:
            yield number, line.removesuffix(b"\n")
            continue
        held = [_long(stream, line, limit)]
        del line
        yield number, held.pop()


def _long(stream: BinaryIO, start: bytes, limit: int) -> bytearray | None:
    """Return a long line without its end, holding it in memory once; None if it is over the limit."""
    line = bytearray(start)
    while len(line) <= limit and (piece := stream.readline(min(limit + 1 - len(line), _CHUNK))):
        line += piece
        if piece.endswith(b"\n"):
            break
    if not line.endswith(b"\n") and len(line) > limit:
        while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
            pass
        return None
    if line.endswith(b"\n"):
        del line[-1:]
    return line


def too_long(options: ReaderOptions) -> BadRecord:
    """Return the error of a line that `iter_lines` has skipped."""
    return BadRecord("too_large", f"over {options.max_line_bytes} bytes in a line; see --max-line-bytes")


def reject_of(error: Exception) -> Reject:
    """Return the reject, at position "", that stands for a source that raised `error`."""
    kind = type(error).__name__
    if isinstance(error, BadRecord):
        return Reject("", error.reason, error.detail)
    if isinstance(error, MemoryError):
        return Reject("", "too_large", "not enough memory to read it")
    if isinstance(error, BROKEN):
        return Reject("", "malformed", f"breaks off or is damaged: {kind}: {error}")
    if isinstance(error, OSError) and error.errno is not None:
        return Reject("", "unreadable", error.strerror or kind)
    if isinstance(error, OSError) and "ompress" not in str(error) and "stream" not in str(error):
        return Reject("", "unreadable", str(error) or kind)
    # What decompression raises is an OSError, too, but one without a number. Others may quote what is read.
    return Reject("", "malformed", f"{kind}: {error}" if isinstance(error, OSError) else failure_of(error))
