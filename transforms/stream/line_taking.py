"""One reader of lines in a process, whoever asks: a runner may have several objects of a step there.

taking = LineTaking.of(feed)     # the same object for the same feed, until each that asked has let go
taking.take(0.5)                 # what has come is in the spool, and in a file once its window has ended
taking.let_go()
"""

import logging
import threading
import time
from typing import ClassVar

from lexbeam.transforms.stream.connections import Feed, LineConnection
from lexbeam.transforms.stream.landing_folder import FolderTakenError, LineSpool

log = logging.getLogger("lexbeam")

_PATIENCE = 10.0  # seconds until it is told that another process has the folder
_MOST = 120.0  # and until it is an error: a worker that is being replaced lets go before


class LineTaking:
    """Takes lines of one feed.

    Args:
        feed: from where to where.
    """

    _all: ClassVar[dict[Feed, "LineTaking"]] = {}
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._holders = 0
        self._taking = threading.Lock()
        self._connection = LineConnection(feed.address, feed.max_line_bytes)
        self._spool: LineSpool | None = None
        self._refused_since: float | None = None
        self._told = False

    @classmethod
    def of(cls, feed: Feed) -> "LineTaking":
        """Return the one of a feed in this process."""
        with cls._lock:
            taking = cls._all.setdefault(feed, cls(feed))
            taking._holders += 1
            return taking

    def let_go(self) -> None:
        """Let go; the last that does so ends the connection, and another process may have the folder."""
        with self._lock:
            self._holders -= 1
            if self._holders:
                return
            del self._all[self._feed]
        with self._taking:
            self._connection.close()
            if self._spool is not None:
                self._spool.__exit__(None, None, None)
                self._spool = None

    def take(self, seconds: float) -> bool:
        """Take what has come, waiting at most so long for it; return False while another process has the folder.

        Raises:
            FolderTakenError: another has had it for two minutes.
        """
        with self._taking:
            # By any clock that goes forward: a window begins and ends in one process.
            if self._spool is None:
                try:
                    self._spool = LineSpool(self._feed.folder, self._feed.rule)
                except FolderTakenError as error:
                    self._bear(error, time.monotonic())
                    return False
                self._refused_since = None
            self._spool.add(self._connection.lines(seconds), time.monotonic())
            self._spool.land(time.monotonic())
            return True

    def _bear(self, error: FolderTakenError, now: float) -> None:
        if self._refused_since is None:
            self._refused_since, self._told = now, False
        waited = now - self._refused_since
        if waited > _MOST:
            self._refused_since = None
            raise error
        if waited > _PATIENCE and not self._told:
            self._told = True
            log.warning("%s: no line is read until it lets go, or this stream is given up", error)
