"""Columns of tables of sentences: which has what, by the names of a header, or by numbers where there is none.

>>> named_columns(("sentence=Frase", "substitutes=s1", "substitutes=s2"))
[('sentence', 'frase'), ('substitutes', 's1'), ('substitutes', 's2')]
>>> has_header(["3", "El mar."], ("sentence=2",)), has_header(["id", "Sentence"], ())
(False, True)
"""

import itertools
from collections.abc import Iterator, Sequence

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.readers.delimited import Row
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.intake.header import header_name

PLACED = ("start", "end", "target")
_ROLES = ("sentence", *PLACED, "id", "substitutes")


def check_columns(value: tuple[str, ...]) -> None:
    """Check which columns of a table are named.

    Raises:
        UsageError: one is no ROLE=COLUMN, a role but `substitutes` is named twice, none is the sentence, or names
            and numbers are mixed.
    """
    pairs = [pair.partition("=") for pair in value]
    for pair, (role, equals, name) in zip(value, pairs, strict=True):
        if role not in _ROLES or not equals or not name.strip():
            raise UsageError(f"`columns`: {pair!r} is no ROLE=COLUMN; roles are {', '.join(_ROLES)}")
    roles = [role for role, _, _ in pairs]
    if twice := sorted({role for role in roles if role != "substitutes" and roles.count(role) > 1}):
        raise UsageError(f"`columns` names {twice[0]} twice: take one out")
    if value and "sentence" not in roles:
        raise UsageError("`columns` names no sentence: add sentence=COLUMN")
    numbers = [name.isdecimal() for _, _, name in pairs]
    if any(numbers) and not (all(numbers) and all(int(name) > 0 for _, _, name in pairs)):
        raise UsageError("`columns`: name all by the header's names, or all by numbers from 1 where there is no header")


def named_columns(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return roles with the names of their columns, as `header_name` has them; without any, each has its own name."""
    pairs = (pair.partition("=") for pair in columns)
    return [(role, header_name(name)) for role, _, name in pairs] or [(role, role) for role in _ROLES]


def has_header(cells: Sequence[str] | BadRecord, columns: Sequence[str]) -> bool:
    """Return whether the first row of a file names columns."""
    return is_table(cells, columns) and not _are_numbers(columns)


def is_table(cells: Sequence[str] | BadRecord, columns: Sequence[str]) -> bool:
    """Return whether a file is a table, by its first row; if columns are named, it is one."""
    return bool(columns) or (not isinstance(cells, BadRecord) and "sentence" in map(header_name, cells))


def headed(rows: Iterator[Row], columns: Sequence[str]) -> Iterator[Row]:
    """Return rows with a header: where columns are named by numbers, one is put before them, and others are cut."""
    if not _are_numbers(columns):
        return rows
    width = max(int(name) for _, name in named_columns(columns))
    header: Row = (0, [str(number) for number in range(1, width + 1)])
    return itertools.chain([header], _cut(rows, width))


def _cut(rows: Iterator[Row], width: int) -> Iterator[Row]:
    for line, cells in rows:
        yield line, cells if isinstance(cells, BadRecord) else cells[:width]


def _are_numbers(columns: Sequence[str]) -> bool:
    return bool(columns) and columns[0].partition("=")[2].isdecimal()
