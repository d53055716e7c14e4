"""Rows of comma-separated text, with cells of any length: who reads them bounds lines before."""

import csv
import sys
from collections.abc import Iterable, Iterator

# The limit of the csv module, 128 KiB, is one for the whole process: a longer cell would end in an error of its own.
csv.field_size_limit(sys.maxsize)


def csv_rows(lines: Iterable[str], delimiter: str, *, strict: bool = False) -> Iterator[list[str]]:
    """Return the cells of each row (RFC 4180).

    Args:
        lines: of the text; a row in quotes takes several.
        delimiter: what separates cells, a character.
        strict: whether a stray quote is an error instead of a character.

    Raises:
        csv.Error: a line cannot be read as rows.
    """
    return csv.reader(lines, delimiter=delimiter, strict=strict)
