"""Files of rows, as tables and JSON lines are: read by a function of the task's own.

What stands around the rows is the same for every task: archives are opened, compression undone,
files that hold no text are rejects, and so is whatever a broken file raises.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from transforms.common.errors import LexbeamError
from transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source
from transforms.formats.sources.archives import open_sources
from transforms.formats.sources.content import content_of
from transforms.formats.sources.failures import reject_of
from transforms.formats.sources.streams import peek

__all__ = ["read_rows_of"]

_HEAD = 1 << 13

T = TypeVar("T")


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
                if (found := content_of(head)) is not None:
                    raise BadRecord(found.reason, f"{found.what}, not {what}")
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
