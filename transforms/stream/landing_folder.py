"""Lines that come become files of a folder, each whole and named by its content; no line lies in two of them.

    spool = LineSpool(folder, rule)
    spool.add([b'{"text": "The cats sat."}'], now)
    spool.land(now)                             # the path of a new file, once the window has ended

The folder is an input of the corpus, so that the next run reads what has landed as it reads any file. What is not in
a file yet lies in a hidden one, from the moment in which it came: a reader that is killed loses nothing that it had.
"""

import fcntl
import functools
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType

from lexbeam.transforms.annotation.landed import SortedKeys
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.encodings import with_line_feeds
from lexbeam.transforms.stream.windows import WindowRule

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
