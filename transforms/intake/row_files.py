"""Files of rows as artefacts read them: what is read is what their digest says.

Labelled files of every task come this way: a file, or the files of an archive, as rows of cells,
quotes settled, and notes of what was done to read them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from transforms.common.errors import LexbeamError
from transforms.common.store.identity import Place, Size
from transforms.formats.readers.delimited import Row, rows
from transforms.formats.readers.quotes import quotes_settled
from transforms.formats.records.base import ReaderOptions, Reject, Source
from transforms.formats.sources.failures import reject_of
from transforms.formats.sources.readings import first_reading
from transforms.intake.rows import read_rows_of

__all__ = ["RowFile", "entries_of"]

T = TypeVar("T")


class RowFile(NamedTuple):
    """A file to read: its published name, its path, its bytes and their SHA-256."""

    name: str
    path: Place
    size: Size
    sha256: str


def entries_of(
    task: RowFile,
    options: ReaderOptions,
    read: Callable[[Iterator[Row], str], Iterator[T | Reject]],
    notes: Counter[str],
) -> Iterator[tuple[str, T | Reject]]:
    """Yield what the rows of a file, or of the files of an archive, are; and their file's name.

    Args:
        task: the file.
        options: how rows are cut into cells.
        read: from the rows of a table, with line numbers, and its name, what they are.
        notes: counts what was done to read them.

    Raises:
        LexbeamError: the file has changed since its digest was taken, or `read` says so.
    """

    def opened(source: Source) -> Iterator[T | Reject]:
        try:
            with quotes_settled(source, options) as reader:
                yield from read(rows(source, reader), source.name)
        finally:
            where = "" if source.name == task.name else f"{source.name}: "
            notes.update({f"{where}{note}": number for note, number in source.notes.items()})

    try:
        reading = first_reading(task.path)
    except Exception as error:  # what stores raise is no OSError
        yield task.name, reject_of(error)
        return
    if reading.sha256 != task.sha256:
        raise LexbeamError(f"{task.name} has changed while it was read: run the command again when nobody writes to it")
    yield from read_rows_of(task.path, task.name, reading.open, options, opened)
