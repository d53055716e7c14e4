"""Files of rows, tables and JSON lines: read by a function of the task's own.

What stands around the rows is the same for every task: archives are opened, compression undone,
files that hold no text are rejects, and so is whatever a broken file raises. `entries_of` reads
labelled files: with quotes settled, and with notes of what was changed. `rows_of_table` reads tables with a
header: rows as mappings from the names of columns, whatever their order and capitals.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO, NamedTuple, TypeVar

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.readers.delimited import Row, quotes_settled, rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source
from lexbeam.transforms.formats.sources.archives import open_sources
from lexbeam.transforms.formats.sources.content import content_of
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.formats.sources.streams import peek, reject_of

_HEAD = 1 << 13

T = TypeVar("T")


def entries_of(
    file: InputFile,
    reading: FileReading,
    options: ReaderOptions,
    read: Callable[[Iterator[Row], str, Counter[str]], Iterator[T | Reject]],
    notes: Counter[str],
) -> Iterator[tuple[str, T | Reject]]:
    """Yield what `read` makes of the rows of a file, or of an archive's files, with the name of their file.

    Args:
        options: how rows are cut into cells.
        read: makes records and rejects from the rows of a table, with line numbers, its name, and its own notes.
        notes: counts what readers changed or guessed.

    Raises:
        LexbeamError: `read` says so.
    """

    def opened(source: Source) -> Iterator[T | Reject]:
        try:
            with quotes_settled(source, options) as reader:
                yield from read(rows(source, reader), source.name, source.notes)
        finally:
            notes.update(source.notes)

    return read_rows_of(file.path, file.name, reading.open, options, opened)


def read_rows_of(
    path: str,
    name: str,
    open: Callable[[], BinaryIO],
    options: ReaderOptions,
    read: Callable[[Source], Iterator[T | Reject]],
    what: str = "a table",
) -> Iterator[tuple[str, T | Reject]]:
    """Yield what `read` yields of a file, or of the files of an archive, and their names.

    Args:
        path: where the file really lies.
        name: its published name.
        options: limits of archives and compressed files.
        read: yields what the rows of a source are, and rejects.
        what: what a source should be, for the detail of a reject.

    Raises:
        LexbeamError: `read` raises it: the whole file is not what the user says.
    """
    try:
        for source_name, source in open_sources(path, name, open, options):
            if isinstance(source, Reject):
                yield source_name, source
                continue
            try:
                head, stream = peek(source.open(), _HEAD)
                if (content := content_of(head)) is not None:
                    raise BadRecord(content.reason, f"{content.what}, not {what}")
                source.open = _Opened(stream)
                for entry in read(source):
                    yield source_name, entry
            except LexbeamError:
                raise
            except Exception as error:  # whatever a broken file or archive raises
                yield source_name, reject_of(error)
    except LexbeamError:
        raise
    except Exception as error:
        yield name, reject_of(error)


class _Opened:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __call__(self) -> BinaryIO:
        return self._stream


FileRows = Iterable[Row]


class About(NamedTuple):
    """What is known of a file besides its rows.

    Attributes:
        name: its published name.
        genre: the user's, for rows that state none.
        language: the same.
        notes: counts what is guessed; None: nobody asks.
    """

    name: str
    genre: str | None = None
    language: str | None = None
    notes: Counter[str] | None = None

    def note(self, note: str) -> None:
        """Count what is guessed."""
        if self.notes is not None:
            self.notes[note] += 1

    def words(self) -> list[str]:
        """Return the words of the file's own name, in lower case."""
        return [word for word in re.split(r"[\W_]+", self.name.rpartition("/")[2].lower()) if word]


def rows_of_table(
    rows: FileRows, about: About, needed: tuple[str, ...], remedy: Callable[[list[str]], str]
) -> Iterator[tuple[int, Mapping[str, str] | BadRecord]]:
    """Yield the rows of a table whose first row is its header, see `rows_below`.

    Raises:
        LexbeamError: the header cannot be read, lacks a column, or has one twice.
    """
    remaining = iter(rows)
    line, header = next(remaining, (0, []))
    if isinstance(header, BadRecord):
        raise LexbeamError(f"{about.name}, line {line}: no header can be read: {header.detail}")
    yield from rows_below(header, remaining, about, needed, remedy)


def rows_below(
    header: list[str], rows: FileRows, about: About, needed: tuple[str, ...], remedy: Callable[[list[str]], str]
) -> Iterator[tuple[int, Mapping[str, str] | BadRecord]]:
    """Yield rows with their line numbers, as mappings from the names of the header, or errors.

    Args:
        header: its cells.
        rows: what stands below it.
        about: the file.
        needed: columns that must be there, in every row.
        remedy: from the header, what to do if one is missing.

    Raises:
        LexbeamError: the header lacks a column, or has one twice.
    """
    names = [header_name(cell) for cell in header]
    for name in needed:
        if name not in names:
            columns = ", ".join(repr(cell.strip()[:40]) for cell in header[:12])
            raise LexbeamError(f"{about.name}: no column {name!r} in the header; there are {columns}: {remedy(header)}")
    doubled = sorted({name for name in names if name and names.count(name) > 1})
    if doubled:
        raise LexbeamError(f"{about.name}: several columns {doubled[0]!r}: rename all but one")
    for line, cells in rows:
        if isinstance(cells, BadRecord):
            yield line, cells
            continue
        while len(cells) > len(names) and not cells[-1].strip():
            cells.pop()
        missing = len(names) - len(cells)
        # Empty cells at the end of a row are often left out: the label of an unlabelled row.
        if missing < 0 or (missing > 0 and set(names[len(cells) :]) & set(needed)):
            yield line, BadRecord("malformed", f"{len(cells)} cells, but {len(names)} columns")
            continue
        yield line, dict(zip(names, [*cells, *[""] * missing], strict=True))


def header_name(cell: str) -> str:
    """Return the name in a cell of a header, whatever its case."""
    return cell.strip().casefold()


def whole_number(cell: str, name: str) -> int:
    """Return the whole number of a cell.

    Raises:
        BadRecord: it is not one; `name` says what it should be.
    """
    text = cell.strip()
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise BadRecord("malformed", f"{name} is {text[:40]!r}, not a whole number")
    return int(text)


def in_order(flags: Iterable[str], order: Iterable[str]) -> list[str]:
    """Return flags once each, in the order of a schema's."""
    raised = set(flags)
    return [flag for flag in order if flag in raised]
