"""What a resource is: a source, compiled once, mapped into memory, asked by whole arrays.

A kind of resource is three functions:

    parse(argument)            what a person wrote after `KIND:` -> files and options; reads nothing
    compile(paths, options)    reads the files -> tables and matrices by name, one after the other
    open(opened, options)      those, mapped into memory -> the object that is asked

`compiled` writes each table as one Arrow batch and each matrix as an `.npy` file, so that opening
copies nothing: the workers of a machine share the pages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from transforms.common.store.resources import content_digest

__all__ = ["BlockMatrix", "Compile", "Opened", "Parsed", "Resource", "ResourceKind"]


class BlockMatrix(NamedTuple):
    """A matrix that is written block by block, so that it need not fit in memory.

    Attributes:
        rows: how many there are.
        columns: how many there are.
        blocks: float32 arrays of shape (some, columns), `rows` rows together.
    """

    rows: int
    columns: int
    blocks: Iterable[np.ndarray]


class Parsed(NamedTuple):
    """What a person's words say of a resource.

    Attributes:
        paths: files or folders that are read, on any file system; none for what a package brings.
        options: a frozen dataclass of plain values; with the files' content it decides the bytes.
        language: the language whose rows it is for; None: for those of every language.
    """

    paths: tuple[str, ...]
    options: Any
    language: str | None = None


Opened = Mapping[str, pa.Table | np.ndarray]

Compile = Callable[[Sequence[str], Any], Iterator[tuple[str, pa.Table | BlockMatrix]]]


class Resource(Protocol):
    """What every opened resource can do beside what its kind is for."""

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what it says of a word, for a person: what it is, and its value."""


def _whatever_its_name(_: str, parsed: Parsed) -> Parsed:
    return parsed


class ResourceKind(NamedTuple):
    """A kind of resource.

    Attributes:
        parse: raises UsageError if the words are wrong.
        compile: raises LexbeamError, with file, line or column and remedy, if a file is wrong.
        open: must cost milliseconds: no table of hashes, no copy.
        help: how it is written, for a person.
        digest: from a path, a name of the content that counts.
        named: from the name that a person gives the resource, and what `parse` returned, what
            counts for a resource of that name.
    """

    parse: Callable[[str], Parsed]
    compile: Compile
    open: Callable[[Opened, Any], Resource]
    help: str
    digest: Callable[[str], str] = content_digest
    named: Callable[[str, Parsed], Parsed] = _whatever_its_name
