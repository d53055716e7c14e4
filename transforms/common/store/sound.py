"""Whether files are what they were when they were written: sizes and digests, checked on reading.

A file that this process has written or checked is not hashed again as long as its size, its time
and its inode stay as they are.
"""

import hashlib
import mmap
import os
import shutil
import stat
import tempfile
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

from lexbeam.transforms.common.code.fingerprints import stream_digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import FREED, ArtefactPath, stem_of
from lexbeam.transforms.common.store.remote import ROWLESS, remote

if TYPE_CHECKING:
    from typing_extensions import Buffer

_FREED = " was freed, and is needed"
REMEDY = ": run the same command again to make it anew"  # at the end of what `Damaged` says


class Damaged(LexbeamError):
    """A file on disk is not what was written; an artefact's has been discarded."""


class Needed(Damaged):
    """A file of an artefact was freed, and something is to be made of it; nothing has been discarded.

    Attributes:
        path: of the file; empty: it is not known which one. The message tells it, which alone leaves a process.
    """

    def __init__(self, message: object) -> None:
        super().__init__(message)
        path, freed, _ = str(self).partition(_FREED)
        self.path = ArtefactPath(path if freed else "")

    @classmethod
    def of(cls, path: str) -> "Needed":
        """Return the error that a file is needed."""
        return cls(f"{path}{_FREED}{REMEDY}")


class DigestedFile(Protocol):
    """A file with what it must be: `File`, or a published part."""

    @property
    def path(self) -> str:
        """Where it lies."""

    @property
    def bytes(self) -> int:
        """Its size."""

    @property
    def sha256(self) -> str:
        """Its SHA-256, in hexadecimal digits."""


class HashedStream:
    """A binary sink that hashes and counts what goes through it, for what writes to it and then lets go of it.

    Arrow writes what it still holds when it is thrown away, as after an error, and prints what fails then. So once a
    write has failed, the next ones are dropped; the file does not get its name.
    """

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._failed: OSError | ValueError | None = None
        self.sha256 = hashlib.sha256()
        self.bytes = 0

    def write(self, data: "Buffer") -> int:
        """Write bytes."""
        view = memoryview(data)
        if self._failed is None:
            try:
                self._stream.write(view)
            except (OSError, ValueError) as error:  # the disk is full; the file was closed
                self._failed = error
                raise
            self.sha256.update(view)
            self.bytes += view.nbytes
        return view.nbytes

    def flush(self) -> None:
        """Nothing is held back here."""

    def close(self) -> None:
        """Whoever gave the stream closes it."""

    def check(self) -> None:
        """Raise the error of a write that has failed, whoever took no notice of it."""
        if self._failed is not None:
            raise self._failed


class FileState(NamedTuple):
    """What shows that a file is unchanged; objects have no inode, and some stores know no time."""

    bytes: int
    changed: int
    inode: int


_LIMIT = 1 << 17
_SOUND: dict[str, tuple[FileState, str]] = {}


def state_of(path: str) -> FileState | None:
    """Return the state of a file; None where there is no regular file (a link is none)."""
    if not files.is_local(path):
        state = remote(path).state(path)
        return None if state is None else FileState(state.bytes, state.changed, 0)
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return FileState(status.st_size, status.st_mtime_ns, status.st_ino)


def is_sound_size(file: DigestedFile) -> bool | None:
    """Return whether a file has its size; None where there is none."""
    if file.path.startswith(ROWLESS):
        return _is_told(file)
    state = state_of(file.path)
    return None if state is None else state.bytes == file.bytes


def is_sound(file: DigestedFile) -> bool | None:
    """Return whether a file has its size and digest; None where there is none."""
    if file.path.startswith(ROWLESS):
        return _is_told(file)
    state = state_of(file.path)
    if state is None:
        return None
    if _SOUND.get(file.path) == (state, file.sha256):
        return True
    if state.bytes != file.bytes:
        return False
    with files.open_read(file.path) as stream:
        if stream_digest(stream) != file.sha256:
            return False
    _note(file, state)
    return True


def _is_told(file: DigestedFile) -> bool | None:
    """Return whether the file is there that has the columns of a part without one; else None."""
    return state_of(file.path.removeprefix(ROWLESS)) is not None or None


def note_sound(file: DigestedFile) -> None:
    """Note that this process has just written a file."""
    state = state_of(file.path)
    if state is not None and state.bytes == file.bytes:
        _note(file, state)


def _note(file: DigestedFile, state: FileState) -> None:
    if len(_SOUND) >= _LIMIT:
        _SOUND.clear()
    _SOUND[file.path] = (state, file.sha256)


def mapped(file: DigestedFile) -> "mmap.mmap | bytes":
    """Return the bytes of a sound file, mapped into memory; of an object, a copy here that goes with the mapping.

    Raises:
        Damaged: as `checked`.
    """
    path = checked(file)
    if not file.bytes:
        return b""  # nothing cannot be mapped
    with files.open_read(path) if files.is_local(path) else tempfile.TemporaryFile() as stream:
        if not files.is_local(path):
            with files.open_read(path) as source:
                shutil.copyfileobj(source, stream, 1 << 20)
            stream.flush()
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


def is_freed(path: str) -> bool:
    """Return whether a path is of an artefact's file that has been freed."""
    return isinstance(path, ArtefactPath) and state_of(path) is None and files.exists(stem_of(path) + FREED)


def checked(file: DigestedFile) -> str:
    """Return the path of a file that is sound.

    Raises:
        Needed: it is an artefact's that has been freed.
        Damaged: the file is not sound. An artefact's file is discarded, so that it is made anew.
    """
    sound = is_sound(file)
    if sound:
        return file.path
    if sound is None and is_freed(file.path):
        raise Needed.of(file.path)
    what = "is not there" if sound is None else "was damaged on disk"
    if isinstance(file.path, ArtefactPath):
        files.remove(file.path)
        raise Damaged(f"{file.path} {what}{'' if sound is None else '; it has been discarded'}{REMEDY}")
    raise LexbeamError(
        f"the published part {file.path} {what}: `lexbeam status` with `verify` lists what else "
        "is, and the command that made it repairs it with `overwrite`"
    )
