"""Files as sources: decompressed on the fly, archives opened in place, member by member.

A zip archive needs a stream that can seek; a tar archive, compressed or not, is read once from
start to end. Folders and hidden members (a name that begins with a dot, `__MACOSX`) are not input
records, as in a folder. An archive that its users see as one document (docx, odt, epub) is one source, or
one reject if there is no reader for it (xlsx, jar). Names that lead out of the archive and archives within
archives are rejects; so are links and devices. A tar archive that breaks off, or whose end mark is missing,
is one more reject. `transforms/common/names.py` says how members are named.
"""

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from lexbeam.transforms.common.names import Names, member_of
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source
from lexbeam.transforms.formats.sources.compression import SUFFIXES, Guard, Guarded, decompress
from lexbeam.transforms.formats.sources.content import HEAD, Content, package_of, packaged_head
from lexbeam.transforms.formats.sources.streams import peek, reject_of

ARCHIVE = "an archive"

_BLOCK = 512
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OTHER = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar"}
_CHUNK = 1 << 20
_BUFFER = 1 << 17
_LONGEST_HEADER = 1 << 24
_LINK = "a link or device, not a file"
# The kind of a zip archive's member, in the bits of Unix, whatever system the archive claims to come from:
# programs that leave the mark of DOS write them, too, and those that have none write zeros.
_NO_FILES = (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK)


def open_sources(
    path: str, name: str, open: Callable[[], BinaryIO], options: ReaderOptions
) -> Iterator[tuple[str, Source | Reject]]:
    """Yield the sources that a file holds, or rejects, each with its published name.

    A plain file, compressed or not, is one source; an archive has one for each member, which must
    be read before the next is asked for.

    Args:
        path: where the file really lies.
        name: its published name.
        open: opens the stream of its bytes.
        options: limits.

    Raises:
        BadRecord, OSError and what archives raise: the file cannot be read.
    """
    stream, inner = decompress(open(), name, options)
    head, stream = peek(stream, _BLOCK)
    for magic, kind in _OTHER.items():
        if head.startswith(magic):
            raise BadRecord("unreadable", f"{kind} archives are not read; zip and tar are")
    if inner.lower().endswith(".zip") and head and not head.startswith(_ZIP):
        raise BadRecord("malformed", "named .zip, but is not a zip archive")
    if head.startswith(_ZIP):
        with stream:
            yield from _zip_members(path, name, stream, _Reopen(open, name, options), options)
    elif is_tar(head, inner):
        with stream:
            yield from tar_members(path, name, stream, options)
    else:
        yield name, Source(name, _Once(stream, _Reopen(open, name, options)), path)


def wrapping(name: str, head: bytes) -> str | None:
    """Return what a file's content is wrapped in, by its name and first bytes; None if it lies open."""
    lower = name.lower()
    if (kind := next((suffix for suffix in (*SUFFIXES, ".tgz") if lower.endswith(suffix)), None)) is not None:
        return f"compressed ({kind})"
    if kind := next((suffix for suffix, magic in SUFFIXES.items() if head.startswith(magic)), None):
        return f"compressed ({kind})"
    if lower.endswith(".zip") or head.startswith((*_ZIP, *_OTHER)) or is_tar(head, lower):
        return ARCHIVE
    return None


def is_hidden(name: str) -> bool:
    """Return whether the listing of a folder would skip a member, too."""
    parts = name.split("/")
    return "__MACOSX" in parts or any(p.startswith(".") and p != "." for p in parts)


class _Reopen:
    def __init__(self, open: Callable[[], BinaryIO], name: str, options: ReaderOptions) -> None:
        self._open = open
        self._name = name
        self._options = options

    def __call__(self) -> BinaryIO:
        return decompress(self._open(), self._name, self._options)[0]


class _Once:
    """Gives a stream that is open already; called again, opens it anew."""

    def __init__(self, stream: BinaryIO, again: Callable[[], BinaryIO] | None) -> None:
        self._stream: BinaryIO | None = stream
        self._again = again

    def __call__(self) -> BinaryIO:
        stream, self._stream = self._stream, None
        if stream is not None:
            return stream
        if self._again is None:
            raise BadRecord("unreadable", "a member of a tar archive can be opened only once")
        return self._again()


def is_zip(head: bytes) -> bool:
    """Return whether a file that begins so is a zip archive."""
    return head.startswith(_ZIP)


def is_tar(head: bytes, name: str) -> bool:
    """Return whether a file that begins so, and has this name, is a tar archive."""
    if head[257:262] == b"ustar":
        return True
    return name.lower().endswith(".tar") and len(head) > 0


def _refusal(member: str) -> Reject | None:
    clean = member.replace("\\", "/")
    if clean.startswith("/") or clean[1:2] == ":" or ".." in clean.split("/"):
        return Reject("", "unsafe", f"the name {member!r} leads out of the archive")
    return None


def _member(
    path: str, published: str, name: str, open: Callable[[], BinaryIO], options: ReaderOptions, *, once: bool
) -> tuple[str, Source | Reject]:
    """Return a member as a source, decompressed if it is compressed itself."""
    try:
        stream, inner = decompress(open(), name, options)
        head, stream = peek(stream, HEAD)
        if (package := packaged_head(head)) is not None:
            again = None if once else _Reopen(open, name, options)
            return published, Source(name, _Once(stream, again), path, package=_reader_of(package))
        if head.startswith((*_ZIP, *_OTHER)) or is_tar(head, inner):
            raise BadRecord("unreadable", "an archive within an archive is not opened")
    except Exception as error:  # whatever is wrong with a member is about this member
        return published, reject_of(error)
    again = None if once else _Reopen(open, name, options)
    return published, Source(name, _Once(stream, again), path)


def _zip_members(
    path: str, name: str, stream: BinaryIO, again: Callable[[], BinaryIO], options: ReaderOptions
) -> Iterator[tuple[str, Source | Reject]]:
    head, stream = peek(stream, HEAD)
    package, archive = packaged_head(head), None
    if getattr(stream, "seekable", bool)():
        try:
            archive = zipfile.ZipFile(stream)
            package = package_of(archive.namelist(), mimetype(archive))
        except zipfile.BadZipFile:
            if package is None:
                raise
    if package is not None:
        yield name, Source(name, again, path, package=_reader_of(package))
        return
    if archive is None:
        raise BadRecord("unreadable", "a zip archive must lie where its end can be read first")
    with archive:
        yield from zip_members(path, name, archive, stream.seek(0, 2), options)


def zip_members(
    path: str, name: str, archive: zipfile.ZipFile, size: int, options: ReaderOptions, *, piece: int | None = None
) -> Iterator[tuple[str, Source | Reject]]:
    """Yield the members that a zip archive of `size` bytes lists, or the first `piece` of them, see `open_sources`.

    A piece may have none.
    """
    guard = Guard(options, lambda: size)
    names = Names()
    members = 0
    for info in archive.infolist()[:piece]:
        refusal = _refusal(info.filename)
        if info.is_dir() or (refusal is None and is_hidden(info.filename)):
            continue
        members += 1
        member = names(member_of(name, info.filename))
        if info.flag_bits & 1:
            refusal = Reject("", "unreadable", "the member is encrypted")
        if refusal is None and stat.S_IFMT(info.external_attr >> 16) in _NO_FILES:
            refusal = Reject("", "unsafe", _LINK)
        if refusal is not None:
            yield member, refusal
            continue
        opener = _ZipOpener(archive, info, guard)
        yield _member(path, member, info.filename, opener, options, once=False)
    if not members and piece is None:
        raise BadRecord("empty", "the archive has no members")


def _reader_of(package: Content) -> str:
    """Return the reader of a document that is an archive.

    Raises:
        BadRecord: there is none.
    """
    if not package.format:
        raise BadRecord(package.reason, f"{package.what}, not an archive of texts")
    return package.format


def mimetype(archive: zipfile.ZipFile) -> bytes:
    """Return the beginning of the member `mimetype`; empty if it cannot be read."""
    try:
        with archive.open("mimetype") as stream:
            return stream.read(100)
    except Exception:  # there is none, or reading it as a member will tell what is wrong with it
        return b""


class _ZipOpener:
    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, guard: Guard) -> None:
        self._archive = archive
        self._info = info
        self._guard = guard

    def __call__(self) -> BinaryIO:
        if self._info.header_offset < 0:  # a file would call it an argument that is not valid
            raise BadRecord("malformed", "damaged: the member lies before the archive")
        return io.BufferedReader(Guarded(self._archive.open(self._info), self._guard), _BUFFER)


class Forward:
    """The methods of a forward-only stream that `tarfile` needs; remembers the last header block."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._position = 0
        self.block = b""

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._position

    def read(self, size: int) -> bytes:
        """Read so many bytes; none at the end."""
        if size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes")
        data = self._stream.read(size)
        self._position += len(data)
        if size == _BLOCK:
            self.block = data
        if 0 < len(data) < size:  # tarfile would take the rest for read
            raise tarfile.ReadError("unexpected end of data")
        return data

    def seek(self, position: int, whence: int = 0) -> int:
        """Read on to a place."""
        while self._position < position:
            if not self.read(min(_CHUNK, position - self._position)):
                break
        if self._position > position:
            raise tarfile.StreamError("the archive cannot be read backwards")
        return self._position

    def end(self) -> None:
        """Read what stands behind the last member: an end mark, and padding.

        Raises:
            BadRecord: `malformed`, if it is anything else.
        """
        if any(self.block) or len(self.block) < _BLOCK:
            raise BadRecord("malformed", "the archive breaks off or is damaged: no end mark")
        while data := self._stream.read(_CHUNK):
            if data.count(0) < len(data):
                raise BadRecord("malformed", "there is more after the archive's end mark")


class _TarMember:
    """The bytes of a member; notes if the archive broke within it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.broken = False

    def read(self, size: int = -1) -> bytes:
        try:
            return bytes(self._stream.read(size))
        except Exception:
            self.broken = True
            raise

    def close(self) -> None:
        self._stream.close()


def tar_members(
    path: str, name: str, stream: BinaryIO, options: ReaderOptions, *, is_piece: bool = False
) -> Iterator[tuple[str, Source | Reject]]:
    """Yield the members of a tar archive, see `open_sources`; a piece of one may have none, and no end mark."""
    forward = Forward(stream)
    archive = tarfile.TarFile(fileobj=cast(Any, forward), mode="r")
    names = Names()
    members = 0
    inner: _TarMember | None = None
    try:
        while (info := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # or it would keep them all
            refusal = _refusal(info.name)
            if info.isdir() or (refusal is None and is_hidden(info.name)):
                continue
            members += 1
            member = names(member_of(name, info.name.removeprefix("./")))
            if refusal is None and not info.isfile():
                refusal = Reject("", "unsafe", _LINK)
            if refusal is not None:
                yield member, refusal
                continue
            inner = _TarMember(archive.extractfile(info))
            raw = Guarded(inner, Guard(options, forward.tell))
            opener = _Once(io.BufferedReader(raw, _BUFFER), None)
            yield _member(path, member, info.name, opener, options, once=True)
        if is_piece:
            return
        forward.end()
    except Exception:
        # Where a member broke, its reader has said so, and that stands for all that is missing.
        if inner is None or not inner.broken:
            raise
    if not members:
        raise BadRecord("empty", "the archive has no members")
