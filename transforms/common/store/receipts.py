"""Receipts on disk, typed records with a digest of their own, and checks of the files that they stand for.

    {"check": SHA-256 of the rest, "files": [[name, bytes, SHA-256], ...], "receipt": {...}, "made_of": [...],
     "lexbeam": "0.2.0 (670c6261a63d)"}

So damage is never read. Names of files are relative to the folder of artefacts, which may be moved; `files` are those
that the receipt holds, so that they are known without knowing its type. `made_of` says which files the task named, by
`source_of`; it counts for nothing but plans. `lexbeam` is the version that made it, for people: nothing hangs on it.
Receipts of 0.1.0 have neither.

Sizes and digests of files are checked on reading. A file that this process has written or checked is not hashed again
as long as its size, its time and its inode stay as they are.
"""

import hashlib
import logging
import mmap
import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple, Protocol, TypeVar

import msgspec

from lexbeam.transforms.common.code.fingerprints import stream_digest
from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import WHERE, Size
from lexbeam.transforms.common.store.remote import ROWLESS, remote

if TYPE_CHECKING:
    from typing_extensions import Buffer


log = logging.getLogger("lexbeam")

K = TypeVar("K")
R = TypeVar("R")

NAME_DIGITS = 32
_SOURCE = 16  # hexadecimal digits
FREED = ".freed"  # beside a receipt: its files were removed on purpose, see `removing.free`


class ArtefactPath(str):
    """The path of a file in the folder of artefacts; only such files are ever discarded."""

    __slots__ = ()


def stem_of(path: str) -> str:
    """Return the path that the names of all of an artefact's files begin with, its receipt's among them."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name[:NAME_DIGITS]}"


@dataclass(frozen=True)
class File:
    """A file that a receipt stands for: its path, its size, the SHA-256 of its bytes."""

    path: Annotated[ArtefactPath, WHERE]
    bytes: Size
    sha256: str


class FileName(NamedTuple):
    """A file as an envelope has it: its name in the folder of artefacts, size and SHA-256."""

    name: str
    bytes: int
    sha256: str


class Envelope(NamedTuple):
    """A sound receipt, its type unknown: its files, its bytes, what it was made of (`source_of`), by which version."""

    files: tuple[FileName, ...]
    receipt: bytes
    made_of: frozenset[str] = frozenset()
    lexbeam: str = ""


class _Envelope(msgspec.Struct, omit_defaults=True):
    check: str
    files: msgspec.Raw
    receipt: msgspec.Raw
    made_of: tuple[str, ...] = ()
    lexbeam: str = ""


def encode(value: object, root: str = "") -> bytes:
    """Return a value of dataclasses, named tuples and plain values as JSON.

    Paths of artefacts are relative to `root`, where one is given.
    """
    prefix = root.rstrip("/") + "/"

    def plain(value: object) -> str:
        if not isinstance(value, ArtefactPath):
            raise TypeError(f"{type(value).__name__} in a receipt")
        if root and not value.startswith(prefix):
            raise ValueError(f"{value} does not lie in {root}")
        return str(value)[len(prefix) :] if root else str(value)

    return msgspec.json.encode(value, enc_hook=plain)


def decode(content: bytes, type: type[R], root: str = "") -> R:
    """Return what `encode` wrote, checked against its type.

    Raises:
        ValueError: the content is not of this type (msgspec's errors are of this kind).
    """

    def typed(wanted: object, value: object) -> ArtefactPath:
        if wanted is ArtefactPath and isinstance(value, str):
            return ArtefactPath(files.join(root, value) if root else value)
        raise TypeError(f"{wanted} in a receipt")

    return msgspec.json.decode(content, type=type, dec_hook=typed)


def source_of(sha256: str, *, entries: bool = False) -> str:
    """Return how `made_of` names a file by its SHA-256; `entries`: some of its entries were taken, by their keys."""
    return f"{'~' * entries}{sha256[:_SOURCE]}"


def write_receipt(path: str, root: str, receipt: object, held: Iterable[File], made_of: Iterable[str] = ()) -> None:
    """Write a receipt whose files are on the disk."""
    listed = encode([[file.path, file.bytes, file.sha256] for file in held], root)
    content = encode(receipt, root)
    sources = tuple(sorted({*made_of}))
    envelope = _Envelope(
        _check(listed, content, sources), msgspec.Raw(listed), msgspec.Raw(content), sources, str(own_build())
    )
    files.write_bytes(path, msgspec.json.encode(envelope))


def _check(listed: bytes | msgspec.Raw, content: bytes | msgspec.Raw, sources: Sequence[str]) -> str:
    whole = hashlib.sha256(bytes(listed))
    whole.update(b"\n" + bytes(content))
    if sources:
        whole.update(b"\n" + " ".join(sources).encode())
    return whole.hexdigest()


def read_envelope(path: str) -> Envelope | None:
    """Return the envelope of a receipt; None, with a warning, if it is damaged, or not there."""
    content = _read(path)
    if content is None:
        return None
    try:
        envelope = msgspec.json.decode(content, type=_Envelope)
        if _check(envelope.files, envelope.receipt, envelope.made_of) != envelope.check:
            raise ValueError("its digest does not match")
        held = msgspec.json.decode(envelope.files, type=tuple[FileName, ...])
        return Envelope(held, bytes(envelope.receipt), frozenset(envelope.made_of), envelope.lexbeam)
    except (ValueError, RecursionError) as error:
        log.warning("the receipt %s is damaged (%s): what it stands for is made anew", path, error)
        return None


def read_receipt(path: str, root: str, type: type[R]) -> R | None:
    """Return a receipt; None, with a warning, if it is damaged, or if there is none."""
    envelope = read_envelope(path)
    if envelope is None:
        return None
    try:
        return decode(envelope.receipt, type, root)
    except (ValueError, RecursionError) as error:
        log.warning("the receipt %s is of another kind (%s): it is made anew", path, error)
        return None


def _read(path: str) -> bytes | None:
    try:
        return files.read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError:
        if files.exists(path):
            raise
        return None


class HasCounts(Protocol):
    """A receipt with counts, records whose fields say what is counted, and how many."""

    @property
    def counts(self) -> Sequence[object]:
        """Its counts."""


def summed(receipts: Iterable[HasCounts], by: Sequence[str], numbers: Sequence[str]) -> list[dict[str, Any]]:
    """Sum the `counts` of receipts by what they count.

    Args:
        receipts: each has `counts`, records.
        by: fields that say what is counted.
        numbers: fields that are summed.

    Returns:
        A row for each combination of values of `by`, in their order: the values and the sums.
    """
    sums: dict[tuple[Any, ...], Counter[str]] = {}
    for receipt in receipts:
        for count in receipt.counts:
            group = sums.setdefault(tuple(getattr(count, name) for name in by), Counter())
            group.update({name: getattr(count, name) for name in numbers})
    return [{**dict(zip(by, key, strict=True)), **{name: sums[key][name] for name in numbers}} for key in sorted(sums)]


def totals(counts: Iterable[Mapping[K, int]]) -> Counter[K]:
    """Sum counts key by key.

    >>> totals([{"a": 1, "b": 2}, {"a": 3}])
    Counter({'a': 4, 'b': 2})
    """
    total: Counter[K] = Counter()
    for each in counts:
        total.update(each)
    return total


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
