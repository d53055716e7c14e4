"""Compressed streams: decompressed on the fly, never without limit."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from typing import Any, BinaryIO

import pyarrow as pa

from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.formats.sources.streams import ByteStream, fill, peek

_FREE = 16 << 20
_CHUNK = 1 << 18

# Suffix and first bytes of each compression.
SUFFIXES = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"(\xb5/\xfd"}
_MAGIC = tuple(SUFFIXES.values())


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
    """Passes bytes on and counts them."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self.count = 0

    def produce(self, buffer: memoryview) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


class Guarded(ByteStream):
    """Passes decompressed bytes on under a guard."""

    def __init__(self, stream: Any, guard: Guard, below: io.RawIOBase | None = None) -> None:
        super().__init__(stream)
        # What is there already, if the rest turns out to be broken.
        self._read = getattr(stream, "read1", stream.read)
        self._guard = guard
        self._below = below
        self._error: Exception | None = None

    def produce(self, buffer: memoryview) -> int:
        """Put bytes at a buffer's start and return how many; 0 at the end of the stream."""
        count = 0
        if self._error is None:
            count, self._error = fill(buffer, self._next)
        if not count and self._error is not None:
            raise self._error
        return count

    def _next(self, size: int) -> bytes:
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


def _unzstd(stream: Any) -> Any:
    # Arrow's, since that of the zstandard package takes a cut file for a complete one.
    return pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd")


_DECOMPRESSORS: dict[str, Callable[[Any], Any]] = {".gz": _gunzip, ".bz2": _bunzip, ".xz": _unxz, ".zst": _unzstd}
