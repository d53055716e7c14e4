"""Lines as they come from a socket or a named pipe, for which nobody waits long."""

import os
import re
import select
import socket
import stat
import time
from contextlib import suppress

from transforms.common.errors import UsageError
from transforms.common.store import files
from transforms.common.texts.line_ends import with_line_feeds

__all__ = ["LineConnection", "check_address"]

_READ = 1 << 16
_PAUSE = 0.1  # seconds; of a pipe whose writers have gone reading says at once that it has ended
_MOST = 1 << 20  # bytes that are taken at a time
LONGEST = 1 << 26  # a line without an end is cut there: what it becomes are rejects
_HOST = re.compile(r"(?:tcp://)?(\[[^\]]+\]|[^/:]+):(\d{1,5})")


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
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket: socket.socket | None = None
        self._pipe: int | None = None
        self._rest = b""

    def lines(self, seconds: float) -> list[bytes]:
        """Return the lines that have come, without their ends, waiting at most so long for the first.

        A last line that lacks its end counts once the sender has closed the connection.
        """
        if not self._connected(seconds):
            return []
        handle = self._pipe if self._socket is None else self._socket.fileno()
        assert handle is not None
        content, wait = bytearray(self._rest), seconds
        most = len(content) + _MOST
        ended = False
        while len(content) < most and select.select([handle], [], [], wait)[0]:
            try:
                data = os.read(handle, _READ)
            except BlockingIOError:
                break
            except OSError:  # the sender has gone
                data = b""
            if not data:
                ended = True
                break
            content += data
            wait = 0
        found = with_line_feeds(bytes(content)).split(b"\n")  # of CR LF that came in two, an empty line more
        self._rest = found.pop()
        if ended or len(self._rest) > LONGEST:
            found.append(self._rest)
            self._rest = b""
        if ended and self._socket is not None:
            self.close()
        elif ended:  # kept open: whoever opens a pipe to write must not find that its reader is about to go
            time.sleep(min(seconds, _PAUSE))
        return [line for line in found if line]

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
