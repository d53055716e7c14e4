"""Files as sources: decompressed on the fly, archives opened in place, member by member.

A zip archive needs a stream that can seek; a tar archive, compressed or not, is read once from
start to end. Folders and hidden members (a name that begins with a dot, `__MACOSX`) are not input
records, as in a folder. An archive that its users see as one document (docx, odt, epub) is one source, or
one reject if there is no reader for it (xlsx, jar). Names that lead out of the archive and archives within
archives are rejects; so are links and devices. A tar archive that breaks off, or whose end mark is missing,
is one more reject. `transforms/common/names.py` says how members are named.

Large archives are cut between members, zip, and tar that is not compressed. A piece of a tar archive is read as an
archive without an end. Of a zip archive, a piece has the members that neighbours in its directory list; behind the
archive it is given that much of the directory once more, and an end that says so.
"""

import io
import stat
import struct
import tarfile
import zipfile
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO, cast

import numpy as np

from lexbeam.transforms.common.names import Names, member_of
from lexbeam.transforms.formats.records.base import BadRecord, CutPiece, ReaderOptions, Reject, Source, Uncuttable
from lexbeam.transforms.formats.sources.content import HEAD, Content, package_of, packaged_head
from lexbeam.transforms.formats.sources.streams import (
    SUFFIXES,
    Guard,
    Guarded,
    SeekableStream,
    compression_of,
    decompress,
    open_already,
    opened,
    peek,
    reject_of,
)

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
            yield from _zip_members(path, name, stream, partial(_reopened, open, name, options), options)
    elif is_tar(head, inner):
        with stream:
            yield from tar_members(path, name, stream, options)
    else:
        yield name, Source(name, open_already(stream, partial(_reopened, open, name, options)), path)


def wrapping(name: str, head: bytes) -> str | None:
    """Return what a file's content is wrapped in, by its name and first bytes; None if it lies open."""
    lower = name.lower()
    if (kind := next((suffix for suffix in (*SUFFIXES, ".tgz") if lower.endswith(suffix)), None)) is not None:
        return f"compressed ({kind})"
    if kind := compression_of(head):
        return f"compressed ({kind})"
    if lower.endswith(".zip") or head.startswith((*_ZIP, *_OTHER)) or is_tar(head, lower):
        return ARCHIVE
    return None


def is_hidden(name: str) -> bool:
    """Return whether the listing of a folder would skip a member, too."""
    parts = name.split("/")
    return "__MACOSX" in parts or any(p.startswith(".") and p != "." for p in parts)


def _reopened(open: Callable[[], BinaryIO], name: str, options: ReaderOptions) -> BinaryIO:
    return decompress(open(), name, options)[0]


def _never_again() -> BinaryIO:
    raise BadRecord("unreadable", "a member of a tar archive can be opened only once")


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
    try:
        stream, inner = decompress(open(), name, options)
        head, stream = peek(stream, HEAD)
        package = packaged_head(head)
        reader = _reader_of(package) if package is not None else ""
        if package is None and (head.startswith((*_ZIP, *_OTHER)) or is_tar(head, inner)):
            raise BadRecord("unreadable", "an archive within an archive is not opened")
    except Exception as error:  # whatever is wrong with a member is about this member
        return published, reject_of(error)
    again = _never_again if once else partial(_reopened, open, name, options)
    return published, Source(name, open_already(stream, again), path, package=reader)


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
        yield _member(path, member, info.filename, partial(_opened, archive, info, guard), options, once=False)
    if not members and piece is None:
        raise BadRecord("empty", "the archive has no members")


def _reader_of(package: Content) -> str:
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


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo, guard: Guard) -> BinaryIO:
    if info.header_offset < 0:  # a file would call it an argument that is not valid
        raise BadRecord("malformed", "damaged: the member lies before the archive")
    return io.BufferedReader(Guarded(archive.open(info), guard), _BUFFER)


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
            raw = io.BufferedReader(Guarded(inner, Guard(options, forward.tell)), _BUFFER)
            yield _member(path, member, info.name, open_already(raw, _never_again), options, once=True)
        if is_piece:
            return
        forward.end()
    except Exception:
        # Where a member broke, its reader has said so, and that stands for all that is missing.
        if inner is None or not inner.broken:
            raise
    if not members:
        raise BadRecord("empty", "the archive has no members")


ZIP, TAR = "zip", "tar"
_DAMAGED = "an archive that is damaged, or has what is rare"
_TWICE = "an archive with several members of one name"
_ENTRY, _ENTRY_BYTES = b"PK\x01\x02", 46
_HEADER_BYTES = 30  # of a member, besides its name and further fields,
_BEHIND = 2 * 0xFFFF  # which may be so long where the header is damaged
_SAFE = 4  # times that all members fit into what an archive may expand to: so what a piece may does not count
_FREE = 16 << 20


def cut_archive(source: Source, options: ReaderOptions, size: int) -> list[CutPiece]:
    """Return pieces of whole members, each but the last of at least `size` bytes.

    Raises:
        Uncuttable: it is no zip or tar archive, is damaged, or has members of one name.
    """
    head, stream = peek(source.open(), _BLOCK)
    try:
        if is_zip(head):
            return _cut_zip(stream, options, size)
        if is_tar(head, source.name):
            return _cut_tar(stream, size)
    except (OSError, Uncuttable):
        raise
    except Exception:  # is told when the archive is read
        raise Uncuttable(_DAMAGED) from None
    raise Uncuttable(ARCHIVE)


def open_piece(
    path: str, name: str, piece: CutPiece, open: Callable[[], BinaryIO], options: ReaderOptions
) -> Iterator[tuple[str, Source | Reject]]:
    """Yield the sources that a piece holds, as `open_sources` does for all of an archive."""
    if piece.archive == TAR:
        section, _ = opened(Source(name, open, path, piece=piece), options)
        with section:
            yield from tar_members(path, name, section, options, is_piece=True)
        return
    with open() as stream:
        archive, members = _zip_of(stream, piece)
        with archive:
            yield from zip_members(path, name, archive, stream.seek(0, io.SEEK_END), options, piece=members)


def _cut_tar(stream: BinaryIO, size: int) -> list[CutPiece]:
    forward = Forward(stream)
    archive = tarfile.TarFile(fileobj=cast(Any, forward), mode="r")
    pieces: list[CutPiece] = []
    names = array("q")
    start = before = number = end = 0
    while (info := archive.next()) is not None:
        archive.members = []  # type: ignore[attr-defined]  # or it would keep them all
        if end and info.offset != end:  # a header between that is no member's
            raise Uncuttable(_DAMAGED)
        if end and info.offset - start >= size:
            pieces.append(CutPiece(len(pieces), start, info.offset, before, archive=TAR))
            start, before = info.offset, number
        end = archive.offset
        if not (info.isdir() or is_hidden(info.name)):
            number += 1
            names.append(hash(info.name.removeprefix("./")))
    if archive.pax_headers.keys() - {"comment"}:  # which count for all members behind them
        raise Uncuttable(_DAMAGED)
    forward.end()
    if len(np.unique(np.frombuffer(names, np.int64))) < number:
        raise Uncuttable(_TWICE)
    return [*pieces, CutPiece(len(pieces), start, forward.tell(), before, archive=TAR)] if number else []


def _cut_zip(stream: BinaryIO, options: ReaderOptions, size: int) -> list[CutPiece]:
    bytes_there = stream.seek(0, io.SEEK_END)
    archive = zipfile.ZipFile(stream)
    if package_of(archive.namelist(), mimetype(archive)) is not None:
        raise Uncuttable("a document that is an archive")
    infos = archive.infolist()
    starts = [info.header_offset for info in infos]
    stream.seek(archive.start_dir)
    listed = _entries(stream.read(), len(infos))
    ends = [*starts[1:], archive.start_dir]
    if listed is None or any(
        info.header_offset + _HEADER_BYTES + info.compress_size > end for info, end in zip(infos, ends, strict=True)
    ):
        raise Uncuttable(_DAMAGED)
    if len(archive.NameToInfo) < len(infos):
        raise Uncuttable(_TWICE)
    expanded = _SAFE * sum(info.file_size for info in infos)
    if expanded > options.max_expanded_bytes or expanded > max(_FREE, options.max_expansion_ratio * bytes_there):
        raise Uncuttable("an archive that expands too much")
    pieces: list[CutPiece] = []
    first = 0
    for number in range(1, len(infos) + 1):
        if ends[number - 1] - starts[first] >= size or number == len(infos):
            end = min(ends[number - 1] + _BEHIND, archive.start_dir)
            groups = (archive.start_dir + listed[first], archive.start_dir + listed[number])
            tail = groups[0] if end < archive.start_dir else archive.start_dir
            pieces.append(CutPiece(len(pieces), starts[first], end, first, groups=groups, tail=tail, archive=ZIP))
            first = number
    if pieces and _zip_of(stream, pieces[0])[0].infolist()[0].header_offset != starts[0]:
        raise Uncuttable("an archive behind something else")
    return pieces


def _entries(directory: bytes, number: int) -> list[int] | None:
    """Return where the entries of a directory begin (APPNOTE 4.3.12), and where the last ends; None if not so many."""
    places = [0]
    for _ in range(number):
        start = places[-1]
        if not directory.startswith(_ENTRY, start) or len(directory) < start + _ENTRY_BYTES:
            return None
        places.append(start + _ENTRY_BYTES + _more(directory, start))
    return places


def _more(directory: bytes, start: int = 0) -> int:
    """Return the bytes of an entry behind those that all have: of its name, further fields and comment."""
    return sum(struct.unpack_from("<3H", directory, start + 28))


def _zip_of(stream: BinaryIO, piece: CutPiece) -> tuple[zipfile.ZipFile, int]:
    """Return an archive with the members of a piece, and how many these are; one more says where the last ends."""
    stream.seek(piece.groups[0])
    directory = stream.read(piece.groups[1] - piece.groups[0])
    following = stream.read(_ENTRY_BYTES)
    is_last = not following.startswith(_ENTRY)
    if not is_last:
        directory += following + stream.read(_more(following))
    place, size = stream.seek(0, io.SEEK_END), len(directory)
    # Two ends (APPNOTE 4.3.14 to 4.3.16), for places in large archives do not fit into the older one; numbers of
    # entries are not read.
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 0, 0, size, place)
    end += struct.pack("<4sLQL", b"PK\x06\x07", 0, place + size, 1)
    end += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    archive = zipfile.ZipFile(io.BufferedReader(_Joined(stream, place, directory + end)))
    return archive, len(archive.infolist()) - (not is_last)


class _Joined(SeekableStream):
    """The bytes of a stream, which end at a place, and others behind them; the stream stays open."""

    def __init__(self, stream: BinaryIO, place: int, behind: bytes) -> None:
        super().__init__(stream)
        self._place = place
        self._behind = behind
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        size = self._place + len(self._behind)
        self._at = max(0, {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: size}[whence] + offset)
        return self._at

    def close(self) -> None:
        io.RawIOBase.close(self)

    def take(self, size: int) -> bytes:
        if self._at < self._place:
            if self._stream.tell() != self._at:
                self._stream.seek(self._at)
            data = self._stream.read(min(size, self._place - self._at))
        else:
            data = self._behind[self._at - self._place :][:size]
        self._at += len(data)
        return data
