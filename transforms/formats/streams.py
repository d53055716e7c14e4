"""Streams of bytes: decompressed on the fly, never without limit; whole or line by line."""

import bz2
import codecs
import gzip
import io
import lzma
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from transforms.formats.base import BadRecord, ReaderOptions, Source

__all__ = [
    "MARKED",
    "SUFFIXES",
    "Guard",
    "Guarded",
    "decompress",
    "encodings_of",
    "iter_lines",
    "marked_encoding",
    "opened",
    "peek",
    "read_all",
]

_FREE = 16 << 20
_CHUNK = 1 << 18
_PIECE = 1 << 24
_BOM = b"\xef\xbb\xbf"
_UTF8 = ("utf-8", "utf-8-sig")
# Byte order marks of encodings whose line feed is more than a byte.
MARKED = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip

# Suffix and first bytes of each compression.
SUFFIXES = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"(\xb5/\xfd"}
_MAGIC = tuple(SUFFIXES.values())


class Guard:
    """Counts what goes into and comes out of compression, and stops what grows without bound."""

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
            raise BadRecord(
                "unsafe", f"expands to more than {self._limit} bytes; see --max-expanded-bytes"
            )
        if self._produced > _FREE and self._produced > self._ratio * max(1, self._consumed()):
            raise BadRecord(
                "unsafe", f"expands more than {self._ratio} times; see --max-expansion-ratio"
            )


class _Counted(io.RawIOBase):
    """Passes bytes on and counts them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


class Guarded(io.RawIOBase):
    """Passes decompressed bytes on under a guard."""

    def __init__(self, stream: Any, guard: Guard, below: Any = None) -> None:
        self._stream = stream
        # What is there already, if the rest turns out to be broken.
        self._read = getattr(stream, "read1", stream.read)
        self._guard = guard
        self._below = below
        self._error: Exception | None = None

    def readable(self) -> bool:
        """Return that bytes can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer and return how many bytes there were."""
        count = 0
        while count < len(buffer) and self._error is None:
            try:
                data = self._read(min(len(buffer) - count, _CHUNK))
                self._guard.add(len(data))
            except Exception as error:  # what came before it is good, and goes out first
                self._error = error
                break
            if not data:
                break
            buffer[count : count + len(data)] = data
            count += len(data)
        if not count and self._error is not None:
            raise self._error
        return count

    def close(self) -> None:
        """Close this stream and those below."""
        self._stream.close()
        if self._below is not None:
            self._below.close()
        super().close()


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


class _Filled(io.RawIOBase):
    """Passes on bytes of a stream that may give fewer than it is asked for, as pipes do.

    Else as many as it likes to give first would decide what a file is taken for.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._error: Exception | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(getattr(self._stream, "seekable", bool)())

    def seek(self, offset: int, whence: int = 0) -> int:
        self._error = None
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        count = 0
        while count < len(buffer) and self._error is None:
            try:
                data = self._stream.read(len(buffer) - count)
            except Exception as error:  # what came before it is good, and goes out first
                self._error = error
                break
            if not data:
                break
            buffer[count : count + len(data)] = data
            count += len(data)
        if not count and self._error is not None:
            raise self._error
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def decompress(stream: BinaryIO, name: str, options: ReaderOptions) -> tuple[BinaryIO, str]:
    """Return a stream of decompressed bytes, and the name without the compression's suffix.

    What decides is the first bytes, not the name.

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
    kind = ""
    if head.startswith(_MAGIC):
        kind = next(s for s, magic in SUFFIXES.items() if head.startswith(magic))
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


def _gunzip(stream: Any) -> Any:
    return gzip.GzipFile(fileobj=stream, mode="rb")


def _bunzip(stream: Any) -> Any:
    return _Streams(stream, bz2.BZ2Decompressor, b"")


def _unxz(stream: Any) -> Any:
    return _Streams(stream, lzma.LZMADecompressor, b"\0")


class _Streams:
    """Decompresses streams of bz2 or xz that follow each other.

    The standard library takes what cannot be read behind the first stream for nothing at all.
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


def _unzstd(stream: Any) -> Any:
    # Arrow's, since that of the zstandard package takes a cut file for a complete one.
    return pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd")


_DECOMPRESSORS: dict[str, Callable[[Any], Any]] = {
    ".gz": _gunzip,
    ".bz2": _bunzip,
    ".xz": _unxz,
    ".zst": _unzstd,
}


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

    Where UTF-8 is among those of the options, a byte order mark of UTF-16 or UTF-32, which no UTF-8
    begins with, goes before them, and is noted in the source.
    """
    found = marked_encoding(head)
    if found and any(codecs.lookup(name).name in _UTF8 for name in options.encoding):
        source.notes[f"encoding {found} by its byte order mark"] += 1
        return (found,)
    return options.encoding


def marked_encoding(head: bytes) -> str:
    """Return the encoding that a byte order mark of UTF-16 or UTF-32 tells of; else nothing."""
    if head[:1] not in (b"\xff", b"\xfe", b"\x00"):
        return ""
    # The mark of UTF-32 with the low byte first begins like that of UTF-16, and a NUL.
    return next((name for mark, name in MARKED.items() if head.startswith(mark)), "")


def opened(source: Source, options: ReaderOptions) -> tuple[BinaryIO, tuple[str, ...]]:
    """Return a source's stream for reading by line, and the encodings that its lines may be in.

    Their line feed is one byte: other encodings are turned into UTF-8.
    """
    stream = source.open()
    head, stream = peek(stream, 4)
    encodings = encodings_of(head, source, options)
    if len(encodings) > 1 or "\n".encode(encodings[0]) == b"\n":
        return stream, encodings
    return io.BufferedReader(_Recoded(stream, encodings[0]), _CHUNK), ("utf-8",)


class _Recoded(io.RawIOBase):
    """Turns bytes of UTF-16 and the like into UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._encoding = encoding
        self._left = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
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

    def close(self) -> None:
        self._stream.close()
        super().close()


def iter_lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | bytearray | None]]:
    """Yield the number, from 1, and the bytes of each line without its end.

    A line of more than `limit` bytes is passed over and yields None. Nothing is kept of a line that
    was yielded: it is in memory only as long as the caller keeps it.
    """
    size = min(limit + 2, _CHUNK)
    for number, line in enumerate(iter(lambda: stream.readline(size), b""), 1):
        if line == b"\n":  # of which there may be millions
            yield number, b""
            continue
        if number == 1 and line.startswith(_BOM):
            line = line[3:]
        if line.endswith(b"\n") or len(line) < size - 3:
            yield number, line.rstrip(b"\r\n")
            continue
        held = [_long(stream, line, limit)]
        del line
        yield number, held.pop()


def _long(stream: BinaryIO, start: bytes, limit: int) -> bytearray | None:
    """Return a long line without its end, which is never in memory twice; None over the limit."""
    line = bytearray(start)
    while len(line) < limit + 2 and (piece := stream.readline(min(limit + 2 - len(line), _CHUNK))):
        line += piece
        if piece.endswith(b"\n"):
            break
    if not line.endswith(b"\n") and len(line) > limit:
        while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
            pass
        return None
    while line.endswith((b"\r", b"\n")):
        del line[-1:]
    return line
