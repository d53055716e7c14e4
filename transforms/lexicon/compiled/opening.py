"""Files of resources, opened on any file system and decompressed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.formats.sources.streams import BROKEN, decompress, reject_of

LINE_BYTES = 1 << 20  # no line of a word list, or of a thousand dimensions, is that long


def opened(path: str) -> BinaryIO:
    """Open a file for reading; .gz, .xz, .bz2 and .zst, recognised by their first bytes, are decompressed.

    Raises:
        BadRecord, OSError: the file cannot be read; `reading` turns these into errors for a person.
    """
    stream = files.open_read(path)
    # Frequency lists compress well, but not as well as a bomb.
    return decompress(stream, path, ReaderOptions(max_expansion_ratio=1000))[0]


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn errors raised within the block into errors that name the file.

    Raises:
        LexbeamError: the file does not exist, cannot be read, or is damaged.
    """
    try:
        yield
    except LexbeamError:
        raise
    except FileNotFoundError as error:
        raise LexbeamError(f"no file at {path!r}: check the path") from error
    except IsADirectoryError as error:
        raise LexbeamError(f"{path!r} is a folder, not a file: name a file") from error
    except (BadRecord, OSError, ValueError, *BROKEN) as error:
        raise LexbeamError(f"{path} cannot be read: {reject_of(error).detail}") from error
