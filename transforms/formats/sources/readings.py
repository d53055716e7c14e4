"""Files whose bytes stay what they were: read once for their digest, and checked when read again.

    reading = first_reading(path)
    reading.sha256, reading.bytes          # of what was read
    stream = reading.open()                # the same bytes, or an OSError
    reading.broken                         # why it was one, else None

A small file is kept in memory. Of a large one the SHA-256 of each block is kept, and a block that is
read again is compared before any of it is passed on. So readers get the bytes of the digest, whether
they read a file once or twice, stop early or go back and forth. Bytes appended in the meantime are
not seen.
"""

import errno
import hashlib
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from transforms.common.store import files
from transforms.formats.sources.streams import ByteStream

__all__ = ["CHANGED", "IN_MEMORY", "FileReading", "first_reading"]

IN_MEMORY = 8 << 20
CHANGED = "changed while it was read"
_BLOCK = 1 << 20
_PIECE = 1 << 17
_DIGEST = 16  # bytes of a block's digest that are kept


class FileReading:
    """What was read of a file.

    Attributes:
        sha256: of its bytes, 64 hexadecimal digits.
        bytes: how many there were.
        broken: what went wrong when it was read again: `CHANGED`, or why it could not be read; None
            if nothing did. What was read since then must not be used.
    """

    def __init__(self, sha256: str, bytes: int, open: Callable[["FileReading"], BinaryIO]) -> None:
        self.sha256 = sha256
        self.bytes = bytes
        self.broken: str | None = None
        self._open = open

    def open(self) -> BinaryIO:
        """Open a stream of the bytes that were read.

        Raises:
            OSError: the file cannot be opened; reading from the stream raises it, too, where the
                bytes are no longer those of the digest.
        """
        return self._open(self)


def first_reading(path: str) -> FileReading:
    """Read a file for its digest.

    Raises:
        OSError: it cannot be read.
    """
    with files.open_there(path) as stream:
        start = _read(stream, IN_MEMORY + 1)
        if len(start) <= IN_MEMORY:
            digest = hashlib.sha256(start).hexdigest()
            return FileReading(digest, len(start), lambda _: io.BytesIO(start))
        whole, size, blocks = hashlib.sha256(), 0, []
        for block in _blocks(start, stream):
            whole.update(block)
            size += len(block)
            blocks.append(_short(block))
    return FileReading(whole.hexdigest(), size, lambda reading: _checked(path, blocks, reading))


def _blocks(start: bytes, stream: BinaryIO) -> Iterator[bytes]:
    """Yield blocks of a stream of which the start was read already; all but the last are full."""
    whole = len(start) - len(start) % _BLOCK
    for place in range(0, whole, _BLOCK):
        yield start[place : place + _BLOCK]
    left = start[whole:]
    del start
    while block := left + _read(stream, _BLOCK - len(left)):
        yield block
        left = b""


def _read(stream: BinaryIO, size: int) -> bytes:
    """Return `size` bytes, fewer only where the stream ends."""
    pieces = []
    # Asked for all at once, streams make room for all of it, and most files are small.
    while size and (data := stream.read(min(size, _PIECE))):
        pieces.append(data)
        size -= len(data)
    return b"".join(pieces)


def _short(block: bytes) -> bytes:
    return hashlib.sha256(block).digest()[:_DIGEST]


def _checked(path: str, blocks: list[bytes], reading: FileReading) -> BinaryIO:
    try:
        stream = files.open_there(path)
    except Exception as error:  # what stores raise is no OSError
        reading.broken = _cause(error)
        raise OSError(reading.broken) from error
    return io.BufferedReader(_Checked(stream, blocks, reading), _BLOCK)


def _cause(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return CHANGED
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


class _Checked(ByteStream):
    """Passes bytes on, block by block, each compared with what was read first."""

    def __init__(self, stream: BinaryIO, blocks: list[bytes], reading: FileReading) -> None:
        super().__init__(stream)
        self._blocks = blocks
        self._reading = reading
        self._position = 0
        self._below = 0  # where the stream stands
        self._held = b""
        self._number = -1  # of the block that is held

    def seekable(self) -> bool:
        return bool(getattr(self._stream, "seekable", bool)())

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if not self.seekable():
            raise io.UnsupportedOperation("seek")
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._reading.bytes}
        if base[whence] + offset < 0:
            raise OSError(errno.EINVAL, "a place before the file's start")
        self._position = base[whence] + offset
        return self._position

    def produce(self, buffer: memoryview) -> int:
        number, place = divmod(self._position, _BLOCK)
        if number >= len(self._blocks):
            return 0
        if number != self._number:
            self._held, self._number = self._block(number), number
        data = memoryview(self._held)[place : place + len(buffer)]
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _block(self, number: int) -> bytes:
        start = number * _BLOCK
        try:
            if self._below != start:
                self._stream.seek(start)
            block = _read(self._stream, min(_BLOCK, self._reading.bytes - start))
            self._below = start + len(block)
        except Exception as error:  # as above
            self._reading.broken = _cause(error)
            raise OSError(self._reading.broken) from error
        if _short(block) != self._blocks[number]:
            self._reading.broken = CHANGED
            raise OSError(CHANGED)
        return block
