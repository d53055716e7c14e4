"""Pieces of a large file, cut at borders of records, which several workers read."""

from typing import NamedTuple


class CutPiece(NamedTuple):
    """What lies between two borders of a file's records.

    Read one after another, the pieces of a file give what the file gives.

    Attributes:
        number: among the pieces of the file, from 0.
        start: its first byte.
        end: the byte behind its last.
        before: lines of the file that stand before it; of Parquet, rows; of an archive, members.
        head: bytes of the file's beginning that say how to read it, such as the header of a table.
        groups: of Parquet, its first row group and the one behind its last; of a zip archive, where its part of the
            directory begins and ends.
        tail: byte from which on the end of the file says how to read it; -1: it does not.
        archive: `zip` or `tar` if it has members of an archive, which are read as files are; else empty.
    """

    number: int
    start: int
    end: int
    before: int
    head: int = 0
    groups: tuple[int, int] = (0, 0)
    tail: int = -1
    archive: str = ""


class Uncuttable(Exception):
    """Raised by what cuts a file: it is read as a whole, for the reason that the exception states."""
