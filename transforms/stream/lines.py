"""Lines that come: from a socket or a named pipe, by one reader in a process, into files of a folder.

    taking = LineTaking.of(feed)     # the same object for the same feed, until each that asked has let go
    taking.take(0.5)                 # what has come is in the spool, and in a file once its window has ended
    taking.let_go()

    spool = LineSpool(folder, rule)
    spool.add([b'{"text": "The cats sat."}'], now)
    spool.land(now)                  # the path of a new file, once the window has ended

Files are whole and named by their content; no line lies in two of them. The folder is an input of the corpus, so that
the next run reads what has landed as it reads any file. What is not in a file yet lies in a hidden one, from the moment
in which it came: a reader that is killed loses nothing that it had.
"""

import fcntl
import functools
import hashlib
import json
import logging
import os
import re
import select
import socket
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import ClassVar, NamedTuple

from lexbeam.transforms.annotation.landed_texts import SortedKeys
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.line_ends import with_line_feeds
from lexbeam.transforms.stream.landing_windows import WindowRule

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


SPOOL = ".lexbeam-lines"
_LANDED = re.compile(r"([0-9a-f]{32})\.jsonl")


def one_line(message: bytes) -> bytes:
    """Return a message as a line, without its end: JSON of several lines in one; in other text ends become spaces."""
    lines = with_line_feeds(message.strip(b"\r\n")).split(b"\n")
    if len(lines) == 1:
        return lines[0]
    try:
        return json.dumps(json.loads(message), ensure_ascii=False).encode()
    except (ValueError, RecursionError):  # a reject, once it is read
        return b" ".join(lines)


@functools.lru_cache(8)
def landed_lines(folder: str) -> "LandedLines":
    """Return the lines of a folder, one object in a process."""
    return LandedLines(folder)


class LandedLines:
    """The lines that have landed in a folder, 16 bytes for each."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._seen: set[str] = set()
        self._keys = SortedKeys()

    def new(self, lines: Iterable[bytes]) -> list[bytes]:
        """Return those of some lines that have not landed, each once, without empty ones."""
        self._look()
        asked = [line for line in dict.fromkeys(lines) if line]
        found = self._keys.find([_key(line) for line in asked])
        return [line for line, number in zip(asked, found, strict=True) if number is None]

    def _look(self) -> None:
        keys: list[bytes] = []
        for name in files.list_folder(self._folder).files:
            if _LANDED.fullmatch(name) and name not in self._seen:
                self._seen.add(name)
                with files.open_read(files.join(self._folder, name)) as stream:
                    keys += [_key(line.rstrip(b"\n")) for line in stream]
        if keys:
            self._keys.add(keys)


def _key(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()[:16]


def land_lines(folder: str, lines: Iterable[bytes]) -> str | None:
    """Write those of some lines that have not landed to a file of their own; return its path, or None without any."""
    new = landed_lines(folder).new(lines)
    if not new:
        return None
    content = b"".join(line + b"\n" for line in new)
    path = files.join(folder, f"{hashlib.sha256(content).hexdigest()[:32]}.jsonl")
    files.make_folder(folder, private=True)
    files.write_bytes(path, content, durable=True)
    files.sync_folder(folder)
    return path


class FolderTakenError(LexbeamError):
    """Raised when another reader has a folder."""


class LineSpool:
    """The window of lines that is being filled.

    Args:
        folder: where lines land; local, and one reader's alone.
        rule: when the window ends.

    Raises:
        FolderTakenError: another reader has the folder.
    """

    def __init__(self, folder: str, rule: WindowRule) -> None:
        self._folder = folder
        self._rule = rule
        files.make_folder(folder, private=True)
        self._stream = open(os.path.join(folder, SPOOL), "a+b", buffering=0)  # noqa: SIM115 - held while it reads
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._stream.close()
            raise FolderTakenError(f"`landing` {files.shown(folder)!r}: another stream reads lines into it") from None
        # What a reader that was killed had taken: its window has ended.
        self._since = float("-inf")
        self._lines = list(self._left())
        self._size = sum(map(len, self._lines))

    def _left(self) -> Iterator[bytes]:
        self._stream.seek(0)
        content = self._stream.read()
        if content and not content.endswith(b"\n"):  # killed while it wrote: what comes next is another line
            self._stream.write(b"\n")
        yield from filter(None, content.split(b"\n"))

    def add(self, lines: Sequence[bytes], at: float) -> None:
        """Add lines, without their ends, that came at a time in seconds."""
        some = [line for line in lines if line]
        if not some:
            return
        content = b"".join(line + b"\n" for line in some)
        while content:  # of a disk that is nearly full a part is written, before there is an error
            content = content[self._stream.write(content) :]
        if not self._lines:
            self._since = at
        self._lines += some
        self._size += sum(map(len, some))

    def land(self, at: float) -> str | None:
        """Land the window if it has ended; return the path of its file, or None."""
        if not self._rule.ends(len(self._lines), self._size, at - self._since):
            return None
        path = land_lines(self._folder, self._lines)
        self._stream.truncate(0)
        self._lines, self._size = [], 0
        return path

    def __enter__(self) -> "LineSpool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


_PATIENCE = 10.0  # seconds until it is told that another process has the folder
_BORNE = 120.0  # and until it is an error: a worker that is being replaced lets go before


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
        if waited > _BORNE:
            self._refused_since = None
            raise error
        if waited > _PATIENCE and not self._told:
            self._told = True
            log.warning("%s: no line is read until it lets go, or this stream is given up", error)
