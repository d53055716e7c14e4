"""Lines as they come from a socket or a named pipe, for which nobody waits long."""

import logging
import os
import re
import select
import socket
import stat
import time
from contextlib import suppress
from typing import NamedTuple

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.line_ends import with_line_feeds
from lexbeam.transforms.stream.windows import WindowRule

log = logging.getLogger("lexbeam")

_READ = 1 << 16
_PAUSE = 0.1  # seconds; of a pipe whose writers have gone reading says at once that it has ended
_MOST = 1 << 20  # bytes that are taken at a time
_OVER = 16  # bytes of a line that are kept beyond its limit: more than any reader of lines forgives
_HOST = re.compile(r"(?:tcp://)?(\[[^\]]+\]|[^/:]+):(\d{1,5})")


class Feed(NamedTuple):
    """What a source feeds.

    Attributes:
        address: where lines or messages come from.
        folder: where they land.
        rule: when a file of them ends.
        max_line_bytes: of a line, with which the corpus is read; a longer one need not land whole, but must be longer
            there, too.
    """

    address: str
    folder: str
    rule: WindowRule
    max_line_bytes: int


def check_address(address: str) -> None:
    """Check an address: HOST:PORT, or the path of a named pipe.

    Raises:
        UsageError: it is neither.
    """
    if (match := _HOST.fullmatch(address)) and int(match[2]) < 1 << 16:
        return
    if not files.is_local(address) or not os.path.exists(address) or not stat.S_ISFIFO(os.stat(address).st_mode):
        raise UsageError(
            f"`source` lines:{address}: give HOST:PORT of a socket that sends lines, or the path of a named pipe "
            "(mkfifo PATH); files are read from the inputs"
        )


class LineConnection:
    """A connection that is made when lines are asked for, and again when it has ended.

    Args:
        address: HOST:PORT, or the path of a named pipe.
        longest: the most bytes of a line. Of a longer one its beginning is returned, a few bytes more than this, by
            which whoever reads it with the same limit finds that it was longer; the rest is passed over.
    """

    def __init__(self, address: str, longest: int) -> None:
        self._address = address
        self._longest = longest
        self._socket: socket.socket | None = None
        self._pipe: int | None = None
        self._begun = bytearray()  # of a line of which the end has not come

    def lines(self, seconds: float) -> list[bytes]:
        """Return the lines that have come, without their ends, waiting at most so long for the first.

        A last line that lacks its end counts once the sender has closed the connection.
        """
        if not self._connected(seconds):
            return []
        handle = self._pipe if self._socket is None else self._socket.fileno()
        assert handle is not None
        found, taken, wait = list[bytes](), 0, seconds
        ended = False
        while taken < _MOST and select.select([handle], [], [], wait)[0]:
            try:
                data = os.read(handle, _READ)
            except BlockingIOError:
                break
            except OSError:  # the sender has gone
                data = b""
            if not data:
                ended = True
                break
            *ends, begun = with_line_feeds(data).split(b"\n")  # of CR LF that came in two, an empty line more
            if ends:
                self._go_on(ends[0])
                found += [self._ended(), *ends[1:]]
            self._go_on(begun)
            taken += len(data)
            wait = 0
        if ended:
            found.append(self._ended())
        if ended and self._socket is not None:
            self.close()
        elif ended:  # kept open: whoever opens a pipe to write must not find that its reader is about to go
            time.sleep(min(seconds, _PAUSE))
        return [line for line in found if line]

    def _go_on(self, piece: bytes) -> None:
        """Add to the line that has begun what there is room for; what a line costs so grows as its bytes do."""
        before, most = len(self._begun), self._longest + _OVER
        self._begun += piece[: most - before]
        if before < most <= before + len(piece):
            log.warning(
                "`source` lines:%s: a line of over %d bytes: its beginning lands, and is a reject (too_large); raise "
                "`max_line_bytes` of section corpus if such lines are records",
                self._address,
                self._longest,
            )

    def _ended(self) -> bytes:
        line = bytes(self._begun)
        self._begun.clear()
        return line

    def _connected(self, seconds: float) -> bool:
        if self._socket is not None or self._pipe is not None:
            return True
        match = _HOST.fullmatch(self._address)
        with suppress(OSError):
            if match:
                self._socket = socket.create_connection((match[1].strip("[]"), int(match[2])), timeout=seconds)
                self._socket.setblocking(False)
            else:
                self._pipe = os.open(self._address, os.O_RDONLY | os.O_NONBLOCK)
        return self._socket is not None or self._pipe is not None

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
        if self._pipe is not None:
            with suppress(OSError):
                os.close(self._pipe)
        self._socket = self._pipe = None
