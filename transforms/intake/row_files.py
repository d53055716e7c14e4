"""Files of rows, tables and JSON lines: read by a function of the task's own.

What stands around the rows is the same for every task: archives are opened, compression undone,
files that hold no text are rejects, and so is whatever a broken file raises. `entries_of` reads
labelled files: with quotes settled, and with notes of what was changed.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.ingest.stage import InputFile
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
        file: the file.
        reading: opens it.
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
        open: opens the stream of its bytes.
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
    """Gives a stream that is open already."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __call__(self) -> BinaryIO:
        return self._stream
