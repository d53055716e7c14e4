"""A stream that gives few bytes at a time, as pipes and far stores do."""

import io
from typing import Any


class Trickle(io.RawIOBase):
    """A stream that gives at most some bytes at a time."""

    def __init__(self, data: bytes, most: int, seekable: bool) -> None:
        self._data = data
        self._most = most
        self._seekable = seekable
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seekable

    def seek(self, offset: int, whence: int = 0) -> int:
        if not self._seekable:
            raise io.UnsupportedOperation("seek")
        base = (0, self._place, len(self._data))[whence]
        if base + offset < 0:
            raise OSError(22, "Invalid argument")
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        data = self._data[self._place : self._place + min(len(buffer), self._most)]
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)
