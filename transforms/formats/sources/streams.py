"""Streams of bytes: decompressed, never without limit, whole or line by line; encodings; the reject of a broken one.

Borders of lines in a large file are found in one pass over its bytes. Away from borders only ends of lines are looked
for, and counted: a pass takes about as long as reading. Borders lie behind line feeds alone; a file whose lines end
in CR is read whole.
"""

import bz2
import codecs
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from lexbeam.transforms.common.errors import failure_of
from lexbeam.transforms.common.texts.encodings import count_line_ends, line_feeds
from lexbeam.transforms.formats.records.base import BadRecord, CutPiece, ReaderOptions, Reject, Source, Uncuttable

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
    """A stream over another one, which it closes; `take` says which bytes it gives."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Return that bytes can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer and return how many bytes there were."""
        data = self.take(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def take(self, size: int) -> bytes | memoryview:
        """Return up to so many bytes; none at the end of the stream."""
        return self._stream.read(size)

    def close(self) -> None:
        """Close this stream and the one below."""
        self._stream.close()
        super().close()


class SeekableStream(ByteStream):
    """A stream that can seek if the one below can."""

    def seekable(self) -> bool:
        """Return whether it can."""
        return bool(getattr(self._stream, "seekable", bool)())

    def tell(self) -> int:
        """Return where it stands."""
        return self._stream.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, and return it."""
        return self._stream.seek(offset, whence)


class _UpToError(ByteStream):
    """Passes on as many bytes as are asked for; those before an error are good, and come before it."""

    _error: Exception | None = None

    def readinto(self, buffer: Any) -> int:
        count = 0
        while self._error is None and count < len(buffer):
            try:
                data = self.take(len(buffer) - count)
            except Exception as error:
                self._error = error
                break
            if not data:
                break
            buffer[count : count + len(data)] = data
            count += len(data)
        if not count and self._error is not None:
            raise self._error
        return count


class _Filled(_UpToError, SeekableStream):
    """Passes on bytes of a stream that may give fewer than requested, as pipes do.

    Else the number that happens to come first would decide which format is detected.
    """

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._error = None
        return super().seek(offset, whence)


def open_already(stream: BinaryIO, again: Callable[[], BinaryIO]) -> Callable[[], BinaryIO]:
    """Return what gives a stream that is open; called again, it opens it anew."""
    held = [stream]
    return lambda: held.pop() if held else again()


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


def opened_head(source: Source, options: ReaderOptions) -> BinaryIO:
    """Return a stream of the bytes of a file's beginning that say how to read one of its pieces."""
    assert source.piece is not None
    return opened(replace(source, piece=CutPiece(0, 0, source.piece.head, 0)), options)[0]


class _Section(ByteStream):
    def __init__(self, stream: BinaryIO, end: int) -> None:
        super().__init__(stream)
        self._left = end - stream.tell()

    def take(self, size: int) -> bytes:
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


class _Recoded(ByteStream):
    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        super().__init__(stream)
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._encoding = encoding
        self._left = b""
        self._ended = False

    def take(self, size: int) -> bytes:
        while not self._left and not self._ended:
            data = self._stream.read(_CHUNK)
            self._ended = not data
            try:
                text = self._decoder.decode(data, self._ended)
                self._left = text.encode("utf-8")
            except UnicodeError as error:
                raise BadRecord("undecodable", f"not {self._encoding}: {error}") from None
        piece, self._left = self._left[:size], self._left[size:]
        return piece


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


_FREE = 16 << 20

# Suffix and first bytes of each compression.
SUFFIXES = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"(\xb5/\xfd"}


def without_compression(name: str) -> str:
    """Return a name without the suffixes of compression, which are in lower case."""
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def compression_of(head: bytes) -> str:
    """Return the suffix of the compression that the first bytes of a file show; empty: none."""
    return next((suffix for suffix, magic in SUFFIXES.items() if head.startswith(magic)), "")


class Guard:
    """Counts the bytes into and out of decompression, and stops it where a limit is passed."""

    def __init__(self, options: ReaderOptions, consumed: Callable[[], int]) -> None:
        self._ratio = options.max_expansion_ratio
        self._limit = options.max_expanded_bytes
        self._consumed = consumed
        self._produced = 0

    def add(self, count: int) -> None:
        """Count bytes that came out.

        Raises:
            BadRecord: `unsafe`, if a limit is passed.
        """
        self._produced += count
        if self._produced > self._limit:
            raise BadRecord("unsafe", f"expands to more than {self._limit} bytes; see --max-expanded-bytes")
        if self._produced > _FREE and self._produced > self._ratio * max(1, self._consumed()):
            raise BadRecord("unsafe", f"expands more than {self._ratio} times; see --max-expansion-ratio")


class _Counted(ByteStream):
    count = 0

    def take(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data


class Guarded(_UpToError):
    """Passes decompressed bytes on under a guard."""

    def __init__(self, stream: Any, guard: Guard, below: io.RawIOBase | None = None) -> None:
        super().__init__(stream)
        # What is there already, if the rest turns out to be broken.
        self._read = getattr(stream, "read1", stream.read)
        self._guard = guard
        self._below = below

    def take(self, size: int) -> bytes:
        """Return up to so many bytes; none at the end of the stream."""
        data: bytes = self._read(min(size, _CHUNK))
        self._guard.add(len(data))
        return data

    def close(self) -> None:
        """Close this stream and those below."""
        super().close()
        if self._below is not None:
            self._below.close()


def decompress(stream: BinaryIO, name: str, options: ReaderOptions) -> tuple[BinaryIO, str]:
    """Return a stream of decompressed bytes, and the name without the compression's suffix.

    The first bytes decide, not the name.

    Raises:
        BadRecord: `malformed`, if the name promises a compression that the bytes do not have.
    """
    head, stream = peek(stream, 8)
    stem, dot, last = name.rpartition(".")
    suffix = dot + last.lower()
    if suffix == ".tgz":
        suffix, stem = ".gz", stem + ".tar"
    if suffix not in SUFFIXES:
        suffix, stem = "", name
    kind = compression_of(head)
    if kind == ".bz2" and not head[3:4].isdigit():
        kind = ""  # a text that begins so
    if not kind:
        if suffix and head:
            raise BadRecord("malformed", f"named {suffix}, but is not compressed that way")
        return stream, stem
    counted = _Counted(stream)
    inner = _DECOMPRESSORS[kind](counted)
    guarded = Guarded(inner, Guard(options, lambda: counted.count), counted)
    return io.BufferedReader(guarded, _CHUNK), stem


class _Streams:
    """Decompresses streams of bz2 or xz that follow each other.

    The standard library ignores whatever it cannot read behind the first stream.
    """

    def __init__(self, stream: Any, make: Callable[[], Any], padding: bytes) -> None:
        self._stream = stream
        self._make = make
        self._padding = padding
        self._inner = make()

    def read(self, size: int) -> bytes:
        while True:
            data = b""
            if self._inner.eof:
                data = self._inner.unused_data
                while not data.lstrip(self._padding):
                    if not (data := self._stream.read(_CHUNK)):
                        return b""
                data = data.lstrip(self._padding)
                self._inner = self._make()
            elif self._inner.needs_input and not (data := self._stream.read(_CHUNK)):
                raise EOFError("the compressed file ends before its end mark")
            if data := self._inner.decompress(data, size):
                return bytes(data)

    def close(self) -> None:
        self._stream.close()


_DECOMPRESSORS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda stream: gzip.GzipFile(fileobj=stream, mode="rb"),
    ".bz2": lambda stream: _Streams(stream, bz2.BZ2Decompressor, b""),
    ".xz": lambda stream: _Streams(stream, lzma.LZMADecompressor, b"\0"),
    # Arrow's, since that of the zstandard package takes a cut file for a complete one.
    ".zst": lambda stream: pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd"),
}


_PASS = 1 << 20
_ASCII = bytes(range(128))


def _no_look(_: bytes) -> None:
    return None


class LinePass:
    """A pass over the lines of a source.

    Attributes:
        place: bytes that were read.
        lines: ends of lines among them.

    Args:
        source: what is read, once, from start to end.
        see: takes all that is read.

    Raises:
        Uncuttable: in the source's encoding, bytes of ASCII may be other characters, or parts of some.
    """

    def __init__(self, source: Source, options: ReaderOptions, see: Callable[[bytes], None] = _no_look) -> None:
        head, self._stream = peek(source.open(), 4)
        check_encodings(head, options.encoding)
        self._see = see
        self._last = b""
        self.place = self.lines = 0

    def line(self) -> bytes:
        """Return what stands before the next line feed, and that, or a part of it if it is long; empty at the end."""
        line = self._stream.readline(_PASS)
        self._count(line)
        return line

    def skip(self, size: int) -> bytes:
        """Read on for `size` bytes; return the last one, or what there is at the end: nothing."""
        last = b""
        while size > 0 and (data := self._stream.read(min(_PASS, size))):
            self._count(data)
            size -= len(data)
            last = data[-1:]
        return last

    def _count(self, data: bytes) -> None:
        self.place += len(data)
        self.lines += count_line_ends(data, self._last)
        self._last = data[-1:] or self._last
        self._see(data)


def cut_by_lines(
    source: Source,
    options: ReaderOptions,
    size: int,
    *,
    is_record: Callable[[bytes], bool] = lambda line: not line.isspace(),
    every: int = 1,
    see: Callable[[bytes], None] = _no_look,
    head: int = 0,
) -> list[CutPiece]:
    """Return pieces that end with lines, all but the last of at least `size` bytes.

    Args:
        source: what is cut; its stream is read once, from start to end.
        is_record: says of a line whether it is certainly a record. The first piece ends after one, so that no
            other one depends on what stands before it.
        every: number of lines of which each piece has a multiple.
        see: takes all bytes, in their order.
        head: of the pieces. The first one has more bytes.

    Raises:
        Uncuttable: in the source's encoding, bytes of ASCII may be other characters, or parts of some.
    """
    passed = LinePass(source, options, see)
    pieces: list[CutPiece] = []
    start = before = 0
    line, whole = passed.line(), True
    while line and not (whole and line.endswith(b"\n") and is_record(line.removeprefix(BOM))):
        whole = line.endswith(b"\n")
        line = passed.line()
    while line or start < passed.place:
        line = passed.skip(max(size, head) - (passed.place - start)) or line
        while line and not (line.endswith(b"\n") and passed.lines % every == 0):
            line = passed.line()
        pieces.append(CutPiece(len(pieces), start, passed.place, before, head))
        start, before = passed.place, passed.lines
        line = passed.line()
    return pieces


def check_encodings(head: bytes, encodings: tuple[str, ...]) -> None:
    """Check that lines of a source, by its first bytes and encodings, can be told by their bytes.

    Raises:
        Uncuttable: bytes of ASCII may be other characters, or parts of some.
    """
    names = [marked] if (marked := marked_encoding(head)) else encodings
    for name in names:
        try:
            if str(_ASCII, name).encode("ascii") == _ASCII:
                continue
        except UnicodeError:
            pass
        raise Uncuttable(f"its encoding is {name}")
