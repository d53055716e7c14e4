"""Quotes in tables separated by tabs: whether they have a meaning is decided for a whole file.

A program that puts cells in quotes closes each of them. So if a row of a table separated by tabs has
a quote that opens a cell and does not close it, all quotes of that file are plain characters, as in
the files of CompLex. With other delimiters only quotes can say where a cell ends: there a stray quote
makes its row a reject (`transforms/formats/readers/delimited.py`).
"""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import BinaryIO, cast

from lexbeam.transforms.formats.readers.delimited import StrayQuote, rows
from lexbeam.transforms.formats.records.base import ReaderOptions, Source

_IN_MEMORY = 8 << 20
_PIECE = 1 << 20
_BUFFER = 1 << 16


@contextmanager
def quotes_settled(source: Source, options: ReaderOptions) -> Iterator[ReaderOptions]:
    """Yield the options for reading a table: `quoting` is off if a quote is stray.

    The stream is copied, to disk if it is over 8 MiB, so that it can be read twice; where it breaks
    off, the copy does, too. The source gets the copy, and a note if quoting is off.
    """
    if not options.quoting or options.separator not in ("", "\t"):
        yield options
        return
    with source.open() as stream, tempfile.SpooledTemporaryFile(_IN_MEMORY) as held:
        copy = cast(BinaryIO, held)
        quoted, error = _copied(stream, copy)
        source.open = _Replay(copy, error)
        line = _stray(source, options) if quoted else None
        if line is not None:
            source.notes[f"quotes are plain characters, since one in line {line} is stray"] += 1
            options = replace(options, quoting=False)
        yield options


def _copied(stream: BinaryIO, copy: BinaryIO) -> tuple[bool, Exception | None]:
    """Copy a stream; return whether it has a quote, and what it broke off with."""
    quoted = False
    # What comes before a break is good: `read` would lose it.
    read = getattr(stream, "read1", stream.read)
    try:
        while data := read(_PIECE):
            quoted = quoted or b'"' in data
            copy.write(data)
    except Exception as error:  # whatever a broken file or archive raises
        return quoted, error
    return quoted, None


def _stray(source: Source, options: ReaderOptions) -> int | None:
    """Return the line of the first stray quote of a table separated by tabs."""
    trial = Source(source.name, source.open, source.path)
    try:
        for number, cells in rows(trial, options):
            if isinstance(cells, StrayQuote):
                return number if cells.delimiter == "\t" else None
    except Exception:  # is told when the table is read
        return None
    return None


class _Replay:
    """Opens a copy from its start."""

    def __init__(self, copy: BinaryIO, error: Exception | None) -> None:
        self._copy = copy
        self._error = error

    def __call__(self) -> BinaryIO:
        self._copy.seek(0)
        return io.BufferedReader(_Copied(self._copy, self._error), _BUFFER)


class _Copied(io.RawIOBase):
    """The bytes of a copy, which stays open, then the error that the first reading ended with."""

    def __init__(self, copy: BinaryIO, error: Exception | None) -> None:
        self._copy = copy
        self._error = error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._copy.read(len(buffer))
        if not data and self._error is not None:
            raise self._error
        buffer[: len(data)] = data
        return len(data)
