"""Files whose bytes stay what they were: read once for their digest, and checked when read again.

    reading = first_reading(path)
    reading.sha256, reading.bytes          # of what was read
    stream = reading.open()                # the same bytes, or an OSError
    reading.broken                         # why it was one, else None

    reading, found = read_through(path, look)       # what `look` finds in the bytes, in the same pass
    blocks = [reading.blocks(0, 1000)]              # digests of the blocks that hold these bytes
    reading_of(path, sha256, size, blocks)          # the same reading in another process

A small file is kept in memory. Of a large one the SHA-256 of each block is kept, and a block that is
read again is compared before any of it is passed on. So readers get the bytes of the digest, whether
they read a file once or twice, stop early or go back and forth. Bytes appended in the meantime are
not seen.
"""

import errno
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO, TypeVar

from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.sources.streams import SeekableStream

T = TypeVar("T")
# Runs of blocks: the number of the first, and the digests of all.
Blocks = tuple[tuple[int, bytes], ...]

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

    def __init__(
        self,
        sha256: str,
        bytes: int,
        open: Callable[["FileReading"], BinaryIO],
        blocks: Mapping[int, bytes] | None = None,
    ) -> None:
        self.sha256 = sha256
        self.bytes = bytes
        self.broken: str | None = None
        self._open = open
        self._blocks = blocks or {}

    def blocks(self, start: int, end: int) -> tuple[int, bytes]:
        """Return the number of the block with byte `start`, and the digests of that and all up to byte `end`.

        Of a file that is kept in memory there are none.
        """
        first = start // _BLOCK
        return first, b"".join(self._blocks[number] for number in range(first, -(-end // _BLOCK)))

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
    with files.open_read(path) as stream:
        start = _read(stream, IN_MEMORY + 1)
        if len(start) <= IN_MEMORY:
            digest = hashlib.sha256(start).hexdigest()
            return FileReading(digest, len(start), lambda _: io.BytesIO(start))
        digests = _Digests()
        for block in _blocks(start, stream):
            digests.add(block)
    return digests.reading(path)


def read_through(path: str, look: Callable[[BinaryIO], T]) -> tuple[FileReading, T]:
    """Read a large file for its digest, and let `look` see the bytes as they pass.

    `look` gets a stream. Where it goes back or forth, the pass is finished first, and all that it reads from then
    on is compared with the digest.

    Raises:
        OSError: the file cannot be read, or changed in between.
    """
    passing = _Passing(files.open_read(path), path)
    with io.BufferedReader(passing, _BLOCK) as stream:
        found = look(stream)
        return passing.finished(), found


def reading_of(path: str, sha256: str, bytes: int, blocks: Blocks) -> FileReading:
    """Return the reading of a large file, of which only the bytes of some `blocks` will be read again."""
    kept = {
        first + place: joined[place * _DIGEST : (place + 1) * _DIGEST]
        for first, joined in blocks
        for place in range(len(joined) // _DIGEST)
    }
    return _reading(path, sha256, bytes, kept)


def _reading(path: str, sha256: str, bytes: int, blocks: Mapping[int, bytes]) -> FileReading:
    return FileReading(sha256, bytes, lambda reading: _checked(path, blocks, reading), blocks)


class _Digests:
    """The digests of a file and of its blocks, which are added in their order.

    That of the file is taken by a thread of its own, one block at most behind the others: a pass over a large file is
    the one thing that several processes cannot share.
    """

    def __init__(self) -> None:
        self._whole = hashlib.sha256()
        self._thread = ThreadPoolExecutor(1)
        self._behind: Future[None] | None = None
        self._size = 0
        self._blocks: dict[int, bytes] = {}

    def add(self, block: bytes) -> None:
        self._catch_up()
        self._behind = self._thread.submit(self._whole.update, block)
        self._size += len(block)
        self._blocks[len(self._blocks)] = _short(block)

    def _catch_up(self) -> None:
        if self._behind is not None:
            self._behind.result()

    def reading(self, path: str) -> FileReading:
        self._catch_up()
        self._thread.shutdown()
        return _reading(path, self._whole.hexdigest(), self._size, self._blocks)


def known_reading(path: str, sha256: str, bytes: int) -> FileReading:
    """Return the reading of a file whose digest is known: it is read when it is opened, and compared then."""
    read: FileReading | None = None

    def open(reading: FileReading) -> BinaryIO:
        nonlocal read
        try:
            read = read or first_reading(path)
        except Exception as error:  # what stores raise is no OSError
            raise _broken(reading, _cause(error)) from error
        if read.sha256 != sha256:
            raise _broken(reading, CHANGED)
        return read._open(reading)

    return FileReading(sha256, bytes, open)


def unchecked_reading(path: str, size: int, count: Callable[[int], object] = int) -> FileReading:
    """Return the reading of a file as it is whenever it is opened: for a look, of which nothing is kept.

    `count` takes how many bytes were read, again and again.
    """
    return FileReading("", size, lambda _: io.BufferedReader(_Counted(files.open_read(path), count), _PIECE))


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


def _checked(path: str, blocks: Mapping[int, bytes], reading: FileReading) -> BinaryIO:
    try:
        stream = files.open_read(path)
    except Exception as error:  # what stores raise is no OSError
        raise _broken(reading, _cause(error)) from error
    return io.BufferedReader(_Checked(stream, blocks, reading), _BLOCK)


def _broken(reading: FileReading, why: str) -> OSError:
    reading.broken = why
    return OSError(why)


def _cause(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return CHANGED
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


class _Passing(SeekableStream):
    """The bytes of a file as they are read for its digest; out of their order, once they have been read."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        super().__init__(stream)
        self._path = path
        self._digests = _Digests()
        self._rest = _blocks(b"", stream)
        self._block = memoryview(b"")
        self._position = 0
        self._read: FileReading | None = None
        self._again: BinaryIO | None = None

    def finished(self) -> FileReading:
        """Read the rest of the file; return the reading.

        Raises:
            OSError: what was read again is no longer the same.
        """
        if self._read is None:
            for block in self._rest:
                self._digests.add(block)
            self._read = self._digests.reading(self._path)
        if self._read.broken is not None:
            raise OSError(self._read.broken)
        return self._read

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if self._again is None:
            reading = self.finished()
            self._again = reading.open()
            self._again.seek(self._position)
        self._position = self._again.seek(offset, whence)
        return self._position

    def take(self, size: int) -> memoryview:
        if self._again is not None:
            data = memoryview(self._again.read(size))
        else:
            if not self._block and (block := next(self._rest, b"")):
                self._digests.add(block)
                self._block = memoryview(block)
            data, self._block = self._block[:size], self._block[size:]
        self._position += len(data)
        return data

    def close(self) -> None:
        if self._again is not None:
            self._again.close()
        super().close()


class _Counted(SeekableStream):
    def __init__(self, stream: BinaryIO, count: Callable[[int], object]) -> None:
        super().__init__(stream)
        self._count = count

    def take(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._count(len(data))
        return data


class _Checked(SeekableStream):
    """Passes bytes on, block by block, each compared with what was read first."""

    def __init__(self, stream: BinaryIO, blocks: Mapping[int, bytes], reading: FileReading) -> None:
        super().__init__(stream)
        self._blocks = blocks
        self._reading = reading
        self._position = 0
        self._below = 0  # where the stream stands
        self._held = b""
        self._number = -1  # of the block that is held

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

    def take(self, size: int) -> bytes | memoryview:
        number, place = divmod(self._position, _BLOCK)
        if self._position >= self._reading.bytes:
            return b""
        if number != self._number:
            self._held, self._number = self._block(number), number
        data = memoryview(self._held)[place : place + size]
        self._position += len(data)
        return data

    def _block(self, number: int) -> bytes:
        start = number * _BLOCK
        try:
            if self._below != start:
                self._stream.seek(start)
            block = _read(self._stream, min(_BLOCK, self._reading.bytes - start))
            self._below = start + len(block)
        except Exception as error:  # as above
            raise _broken(self._reading, _cause(error)) from error
        if _short(block) != self._blocks[number]:
            raise _broken(self._reading, CHANGED)
        return block
