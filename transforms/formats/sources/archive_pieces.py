"""Large archives that are cut between members: zip, and tar that is not compressed.

A piece of a tar archive is read as an archive without an end. Of a zip archive, a piece has the members that neighbours
in its directory list; behind the archive it is given that much of the directory once more, and an end that says so.
"""

import io
import struct
import tarfile
import zipfile
from array import array
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

import numpy as np

from lexbeam.transforms.formats.records.base import ReaderOptions, Reject, Source
from lexbeam.transforms.formats.records.pieces import CutPiece, Uncuttable
from lexbeam.transforms.formats.sources.archives import (
    ARCHIVE,
    Forward,
    is_hidden,
    is_tar,
    is_zip,
    mimetype,
    tar_members,
    zip_members,
)
from lexbeam.transforms.formats.sources.content import package_of
from lexbeam.transforms.formats.sources.streams import ByteStream, opened, peek

ZIP, TAR = "zip", "tar"
_DAMAGED = "an archive that is damaged, or has what is rare"
_TWICE = "an archive with several members of one name"
_HEAD = 512
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
    head, stream = peek(source.open(), _HEAD)
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


class _Joined(ByteStream):
    """The bytes of a stream, which end at a place, and others behind them; the stream stays open."""

    def __init__(self, stream: BinaryIO, place: int, behind: bytes) -> None:
        super().__init__(stream)
        self._place = place
        self._behind = behind
        self._at = 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        size = self._place + len(self._behind)
        self._at = max(0, {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: size}[whence] + offset)
        return self._at

    def close(self) -> None:
        io.RawIOBase.close(self)

    def produce(self, buffer: memoryview) -> int:
        if self._at < self._place:
            if self._stream.tell() != self._at:
                self._stream.seek(self._at)
            data = self._stream.read(min(len(buffer), self._place - self._at))
        else:
            data = self._behind[self._at - self._place :][: len(buffer)]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
