"""What a resource is: a source, compiled once, mapped into memory, queried by whole arrays.

A kind of resource is three functions:

    parse(argument)            what a person wrote after `KIND:` -> files and options; reads nothing
    compile(paths, options)    reads the files -> tables and matrices by name, one after the other
    open(opened, options)      those, mapped into memory -> the object that is queried

`compiled` writes each table as one Arrow batch and each matrix as an `.npy` file, so that opening
copies nothing: the workers of a machine share the pages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.store.models import content_digest


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
