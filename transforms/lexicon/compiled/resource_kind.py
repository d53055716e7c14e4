"""What a resource is: a source, compiled once, mapped into memory, queried by whole arrays; and how it is specified.

A kind of resource is three functions:

    parse(argument)            what a person wrote after `KIND:` -> files and options; reads nothing
    compile(paths, options)    reads the files -> tables and matrices by name, one after the other
    open(opened, options)      those, mapped into memory -> the object that is queried

`compiled` writes each table as one Arrow batch and each matrix as an `.npy` file, so that opening
copies nothing: the workers of a machine share the pages.

A specification is a path, followed by `key=value` pairs:

>>> split_spec("s3://norms/mrc.csv:word=WORD,value=2", ("word", "value"), form="FILE:word=,value=")
('s3://norms/mrc.csv', {'word': 'WORD', 'value': '2'})
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.formats.sources.streams import BROKEN, decompress, reject_of


class BlockMatrix(NamedTuple):
    """A matrix that is written block by block, so that it need not fit in memory.

    Attributes:
        rows: their number.
        columns: their number.
        blocks: float32 arrays of `columns` columns, with `rows` rows in total.
    """

    rows: int
    columns: int
    blocks: Iterable[np.ndarray]


class Parsed(NamedTuple):
    """A resource as a person specified it.

    Attributes:
        paths: files or folders that are read, on any file system; none for data from a package.
        options: a frozen dataclass of plain values; with the files' content it decides the bytes.
        language: the language of the rows that it serves; None: rows of every language.
    """

    paths: tuple[str, ...]
    options: Any
    language: str | None = None


Opened = Mapping[str, pa.Table | np.ndarray]

Compile = Callable[[Sequence[str], Any], Iterator[tuple[str, pa.Table | BlockMatrix]]]


def table_in(opened: Opened, name: str) -> pa.Table:
    """Return a table of an opened resource."""
    table = opened[name]
    assert isinstance(table, pa.Table)
    return table


class Resource(Protocol):
    """What every opened resource can do, beside what its kind is for."""

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what the resource says of a word, for a person: labels and values."""


def _same_for_all_names(_: str, parsed: Parsed) -> Parsed:
    return parsed


class ResourceKind(NamedTuple):
    """A kind of resource.

    Attributes:
        parse: raises UsageError if the argument is malformed.
        compile: raises LexbeamError, with file, line or column and remedy, if a file is wrong.
        open: must take milliseconds: no hash table, no copy.
        help: how it is written, for a person.
        digest: maps a path to a name of the content that counts.
        named: maps the name that a person gives the resource, and what `parse` returned, to what
            counts for a resource of that name.
        modules: of other packages, without which it cannot be compiled.
    """

    parse: Callable[[str], Parsed]
    compile: Compile
    open: Callable[[Opened, Any], Resource]
    help: str
    digest: Callable[[str], str] = content_digest
    named: Callable[[str, Parsed], Parsed] = _same_for_all_names
    modules: tuple[str, ...] = ()


# Paths may hold colons: `s3://bucket/x`, `C:\x`. The options follow the last such colon.
_OPTIONS = re.compile(r":(?=[A-Za-z_]\w*=)")


def split_spec(argument: str, known: Collection[str], *, form: str) -> tuple[str, dict[str, str]]:
    """Return the path and the options of `PATH[:key=value,...]`.

    The options begin at the last colon that is followed by `key=`.

    Args:
        argument: what a person wrote.
        known: the valid keys.
        form: how it should be written, for the error.

    Raises:
        UsageError: there is no path, or `pairs` rejects the options.
    """
    places = [match.start() for match in _OPTIONS.finditer(argument)]
    path = argument[: places[-1]] if places else argument
    if not path:
        raise UsageError(f"{argument!r} names no file; it is written {form}")
    texts = argument[places[-1] + 1 :].split(",") if places else []
    return path, pairs(texts, known, argument, form)


def pairs(texts: Sequence[str], known: Collection[str], argument: str, form: str) -> dict[str, str]:
    """Return `key=value` texts as a dictionary.

    Raises:
        UsageError: a text is no pair, a key is unknown or occurs twice, a value is empty, or `language` none.
    """
    values: dict[str, str] = {}
    for pair in texts:
        key, _, value = (part.strip() for part in pair.partition("="))
        if not value:
            hint = " (a column whose name holds a comma is given by its number)"
            raise UsageError(f"{argument!r}: {pair!r} is not of the form key=value{hint}")
        if key not in known:
            hint = nearest(key, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"{argument!r}: no option {key!r}{hint}. It is written {form}")
        if key in values:
            raise UsageError(f"{argument!r}: {key!r} stands twice")
        values[key] = stated_language(value) if key == "language" else value
    return values


def choice(values: Mapping[str, str], key: str, known: Collection[str], default: str) -> str:
    """Return the value of a key that takes certain words.

    Raises:
        UsageError: the value is another word.
    """
    value = values.get(key, default)
    if value not in known and value != default:
        raise UsageError(f"{key}={value}: it takes {', '.join(known)}{nearest(value, known)}")
    return value


def yes(values: Mapping[str, str], key: str, default: bool) -> bool:
    """Return whether a key is `yes`.

    Raises:
        UsageError: the value is neither yes nor no.
    """
    return choice(values, key, ("yes", "no"), "yes" if default else "no") == "yes"


def number(values: Mapping[str, str], key: str, *, whole: bool = False) -> float | None:
    """Return the value of a key as a number, or None if the key is absent.

    Args:
        values: the options.
        key: which of them.
        whole: whether it must be a whole number from 0.

    Raises:
        UsageError: the value is not such a number.
    """
    if key not in values:
        return None
    text = values[key]
    if not re.fullmatch(r"\d+" if whole else r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise UsageError(f"{key}={text}: it takes a {'whole ' if whole else ''}number")
    return float(text)


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
