"""Metadata tables: a CSV or TSV file with a row for each source, found by the file's name.

The key column holds the file's name, with or without its suffix, or its whole published name. A name
that is published in another form (`transforms/common/names.py`) may be written either way. The
columns `title`, `author`, `genre` and `language`, whatever their case, fill in what the source does
not say; other columns can be named for them, `table:FILE:key=filename,date=Date,author=President`.
If all columns are named by numbers, and the first row has no such names, the file has no header and
columns are counted from 1: `table:FILE:key=1,date=2`.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.names import ways_to_write
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.formats.readers.delimited import rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.fields import KNOWN
from lexbeam.transforms.formats.records.text_cleaning import clean_field

_NUMBER = re.compile(r"[1-9][0-9]*")
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def stem(name: str) -> str:
    """Return a file's name without the suffixes of compression and of its kind."""
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name


@functools.lru_cache(256)
def _keys(source: str) -> tuple[str, ...]:
    ways = ways_to_write(source)
    # Cleaned as the keys are: names made on other systems may be in another normal form.
    names = (*ways, *(stem(way) for way in ways if "/" not in way))
    return tuple(dict.fromkeys(map(clean_field, names)))


@dataclass(frozen=True, eq=False)
class Metadata:
    """Rows of a metadata table by key; each holds `date` and fields as far as they are there.

    Attributes:
        by_key: fields by key.
        fingerprint: digest of the rows, for artefact names and the manifest.
    """

    by_key: Annotated[Mapping[str, Mapping[str, str]], Uncounted("the fingerprint is of them")]
    fingerprint: str

    def row(self, source: str) -> Mapping[str, str] | None:
        """Return the row whose key is a source's whole name, file name or stem, in this order."""
        for key in _keys(source):
            if key in self.by_key:
                return self.by_key[key]
        return None

    def fields(self, source: str) -> dict[str, str]:
        """Return what the table says of a source, apart from its date."""
        return {k: v for k, v in (self.row(source) or {}).items() if k != "date"}


def read_metadata(path: str, columns: Mapping[str, str]) -> Metadata:
    """Read a table of metadata, whose columns a rule names.

    Raises:
        UsageError: a column is missing, or a key has two rows that differ.
        LexbeamError: the file cannot be read.
    """
    columns = dict(columns)
    source = Source(path, lambda: files.open_read(path), path)
    by_key: dict[str, dict[str, str]] = {}
    header: list[str] | None = None
    try:
        for number, row in rows(source, ReaderOptions()):
            if isinstance(row, BadRecord):
                raise LexbeamError(f"{path}, line {number}: {row.detail}")
            if header is None:
                header = [name.strip() for name in row]
                headless = _is_headless(header, columns)
                if headless:
                    header = [str(place) for place in range(1, len(row) + 1)]
                columns = _resolved(path, header, columns)
                if not headless:
                    continue
            if len(row) < len(header):
                raise LexbeamError(f"{path}, line {number}: {len(row)} cells, but {len(header)} columns")
            values = dict(zip(header, row, strict=False))
            _add(by_key, values, columns, f"{path}, line {number}")
    except BadRecord as error:  # of the whole table: it is cut within a character of UTF-16
        raise LexbeamError(f"{path}: {error.detail}") from None
    except OSError as error:
        raise LexbeamError(f"{path}: {error.strerror or error}") from None
    if header is None:
        raise LexbeamError(f"{path}: the metadata table is empty")
    return Metadata(by_key, digest([[key, sorted(by_key[key].items())] for key in sorted(by_key)]))


def _is_headless(first: list[str], columns: Mapping[str, str]) -> bool:
    """Return whether columns are named by numbers that are not names in the first row."""
    names = columns.values()
    return all(map(_NUMBER.fullmatch, names)) and not set(names) <= set(first)


def _resolved(path: str, header: list[str], columns: dict[str, str]) -> dict[str, str]:
    """Return the column of each field, including those found by name."""
    for name in columns.values():
        if name not in header:
            hint = nearest(name, header)
            if _NUMBER.fullmatch(name):
                hint = f": its first row has {len(header)} cells"
            raise UsageError(f"{path} has no column {name!r}{hint}")
    for name in header:
        if name.lower() in KNOWN and name.lower() != "date":
            columns = {name.lower(): name} | columns
    return columns


def _add(by_key: dict[str, dict[str, str]], values: dict[str, str], columns: dict[str, str], place: str) -> None:
    key = clean_field(values[columns["key"]])
    if not key:
        return  # a row about no file
    row = {name: value for name, column in columns.items() if name != "key" and (value := clean_field(values[column]))}
    if by_key.setdefault(key, row) != row:
        raise UsageError(f"{place}: the key {key!r} has another row, which differs")
