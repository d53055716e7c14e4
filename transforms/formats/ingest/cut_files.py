"""Cutting large files: one pass over a file gives its digest and pieces that workers take in by themselves.

    way = looked_at(file, options)                     # by the file's first bytes: a task, or why it is read whole
    receipt = make(workspace, CutFile(), way)
    units_of(way, receipt)                             # a unit for each piece

What is published does not depend on pieces: positions, ids and rejects are those of the uncut file.
"""

import functools
from dataclasses import dataclass, replace
from typing import BinaryIO

from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Step, Superseded
from lexbeam.transforms.common.store.identity import Size
from lexbeam.transforms.formats.ingest.ingestion import (
    FilePiece,
    IngestOptions,
    InputFile,
    Unit,
    failed_reading,
    readers_chosen,
)
from lexbeam.transforms.formats.readers.registry import cutter_of
from lexbeam.transforms.formats.records.base import CutPiece, ReaderOptions, Source, Uncuttable
from lexbeam.transforms.formats.sources.content import HEAD
from lexbeam.transforms.formats.sources.readings import Blocks, FileReading, read_through
from lexbeam.transforms.formats.sources.streams import peek

PIECE_BYTES = 32 << 20
CUT_BYTES = 2 * PIECE_BYTES  # of a file that is worth a pass of its own

_Pieces = tuple[str, list[CutPiece]]


@dataclass(frozen=True)
class LargeFile:
    """A file to cut, and how its pieces will be read."""

    file: InputFile
    format: str
    reader: ReaderOptions

    def content_digests(self) -> list[str]:
        """Return the SHA-256 of the file; it is read for that if it is not known."""
        return [self.file.known or self.read[0].sha256]

    @functools.cached_property
    def read(self) -> tuple[FileReading, _Pieces | str]:
        """What was read of the file, and its format with its pieces, or why it cannot be cut."""
        try:
            return read_through(self.file.path, self._look)
        except OSError as error:
            cause = str(error.strerror or error)
            return failed_reading(self.file, cause), cause

    def __reduce__(self) -> tuple[object, ...]:
        return LargeFile, (self.file, self.format, self.reader)  # without what was read

    def _look(self, stream: BinaryIO) -> _Pieces | str:
        source = Source(self.file.name, lambda: stream, self.file.path)
        try:
            name, cut = cutter_of(source, peek(stream, HEAD)[0], self.format, self.reader)
            pieces = cut(source, self.reader, PIECE_BYTES)
        except Uncuttable as why:
            return str(why)
        return (name, pieces) if len(pieces) > 1 else "nothing in it can be read by itself"


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Receipt of a large file.

    Attributes:
        sha256: of its bytes.
        bytes: how many there were.
        format: in which its pieces are read.
        pieces: its pieces, each with the digests of the blocks in which it lies.
        why: why there are no pieces; empty if there are some.
    """

    sha256: str
    bytes: Size
    format: str
    pieces: tuple[tuple[CutPiece, Blocks], ...]
    why: str


def looked_at(file: InputFile, options: IngestOptions) -> LargeFile | str:
    """Return a file as one to cut, or, where its first bytes tell, why it cannot be cut."""
    source = Source(file.name, lambda: files.open_read(file.path), file.path)
    try:
        with source.open() as stream:
            cutter_of(source, peek(stream, HEAD)[0], options.format, options.reader)
    except Uncuttable as why:
        return str(why)
    except OSError as error:
        return str(error.strerror or error)
    return LargeFile(file, options.format, options.reader)


def units_of(task: LargeFile, receipt: Cut) -> list[Unit]:
    """Return a unit for each piece of a file; if it has none, one for the file."""
    if not receipt.pieces:
        return [Unit((task.file,), task.file.size)]
    return [
        Unit(
            (task.file,),
            piece.end - piece.start,
            piece=FilePiece(piece, receipt.format, receipt.sha256, receipt.bytes, blocks),
        )
        for piece, blocks in receipt.pieces
    ]


@dataclass(frozen=True)
class CutFile(Step[LargeFile, Cut]):
    """Cut large files."""

    name = "corpus/cut"
    noun = "intake"
    unit = "files"

    def make(self, _: Artefact, task: LargeFile) -> Cut:
        """Return digest and pieces of a file; nothing is written.

        Raises:
            Superseded: the file is no longer what the artefact is named by.
        """
        reading, found = task.read
        if task.file.known not in ("", reading.sha256):
            raise Superseded(task, replace(task, file=task.file._replace(known="")))
        name, pieces = ("", []) if isinstance(found, str) else found
        return Cut(
            sha256=reading.sha256,
            bytes=reading.bytes,
            format=name,
            pieces=tuple((piece, _blocks(reading, piece)) for piece in pieces),
            why=found if isinstance(found, str) else "",
        )

    def chosen(self, task: LargeFile) -> dict[str, tuple[str, ...]]:
        """Return the readers that may cut it."""
        return readers_chosen(task.format, task.reader)


def _blocks(reading: FileReading, piece: CutPiece) -> Blocks:
    ranges = [(piece.start, piece.end)]
    if piece.number and piece.head:
        ranges.append((0, piece.head))
    if piece.tail >= 0:
        ranges.append((piece.tail, reading.bytes))
    return tuple(reading.blocks(*each) for each in ranges)
