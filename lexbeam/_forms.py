"""Data from Python in the forms that files have: from rows to the lines of a file, see `Option.data`."""

import csv
import io
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lexbeam._paths import LONGEST_PATH
from lexbeam._tables import GivenTable, plain_value
from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.small_texts import WORD_COLUMNS, word_column
from lexbeam.transforms.common.texts.line_ends import lines_of

# The layout that a file of data has, where a command must be told one.
LAYOUTS = {"records": "jsonl", "table": "tsv"}
WORD_LIST = ("word", "value")
_RANKED = {"sentence": 0, "target": 1, "substitutes": 2}


def filled(table: GivenTable, name: str) -> GivenTable:
    """Return a table that has rows.

    Raises:
        UsageError: it has none.
    """
    rows = iter(table.rows)
    try:
        first = next(rows)
    except StopIteration:
        columns = f", of columns {', '.join(map(repr, table.names))}," if table.names else ""
        raise UsageError(f"`{name}`: what is given{columns} is empty: give at least one row") from None
    return table._replace(rows=itertools.chain([first], rows))


def records(table: GivenTable, name: str, text_field: str | None) -> Iterator[str]:
    """Yield the lines of JSON lines."""
    rows = iter(table.rows)
    first = next(rows)
    names = table.names
    if not names:
        if len(first) != 1:
            raise UsageError(f"`{name}`: its rows have {len(first)} values without names: give dicts, or a data frame")
        names = (text_field or "text",)
    if text_field is not None and text_field not in names:
        head = re.split(r"[.\[]", text_field)[0]
        if head == text_field or head not in names:
            raise UsageError(
                f"`{name}` has no column {text_field!r}{nearest(text_field, names)}; it has "
                f"{', '.join(map(repr, names))}: name the column of the texts by `text_field`"
            )
    texts = _Texts(name)
    place = names.index(text_field) if text_field in names else -1 if table.names else 0
    for number, row in enumerate(itertools.chain([first], rows), 1):
        if place >= 0:
            texts.check(row[place], number)
        where = f"`{name}`, row {number}, column"
        cells = {key: plain_value(cell, f"{where} {key!r}") for key, cell in zip(names, row, strict=True)}
        yield json.dumps(cells, ensure_ascii=False, allow_nan=False) + "\n"
    texts.end()


class _Texts:
    """Checks texts one by one: each is one, or missing, and they do not name files."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._path = ""
        self._are_paths = True

    def check(self, text: Any, number: int) -> None:
        text = plain_value(text, f"`{self._name}`, row {number}")
        if text is None:
            return
        if not isinstance(text, str):
            raise UsageError(
                f"`{self._name}`, row {number}: the text is {type(text).__name__}, {quoted(text)}: give texts alone"
            )
        if self._are_paths and text.strip():
            self._path = text
            self._are_paths = len(text) <= LONGEST_PATH and "\n" not in text and os.path.isfile(text)

    def end(self) -> None:
        """Refuse texts that are all paths of files.

        Raises:
            UsageError: they are.
        """
        if self._path and self._are_paths:
            raise UsageError(
                f"`{self._name}`: what stands for texts are paths of files, such as {quoted(self._path)}: give a list "
                "of paths, as by `.tolist()` of the column"
            )


def texts_of(table: GivenTable, name: str) -> Iterator[str]:
    texts = _Texts(name)
    for number, cell in _column(table, name, ("text",), "the texts", "text"):
        texts.check(cell, number)
        if (text := plain_value(cell, name)) is None:
            raise UsageError(f"`{name}`, row {number}: there is no text: leave the row out")
        yield text
    texts.end()


def words_of(table: GivenTable, name: str) -> Iterator[str]:
    for number, cell in _column(table, name, WORD_COLUMNS, "the words", "word"):
        word = plain_value(cell, f"`{name}`, row {number}")
        if not isinstance(word, str) or not word.strip() or len(lines_of(word)) > 1:
            raise UsageError(f"`{name}`, row {number}: {quoted(cell)} is no word: leave it out, or correct it")
        yield word


def _column(table: GivenTable, name: str, known: Sequence[str], what: str, called: str) -> Iterator[tuple[int, Any]]:
    """Yield the cells of the column that counts, with the numbers of their rows."""
    column = next((column for column in known if column in table.names), None)
    place = 0 if column is None else table.names.index(column)
    for number, row in enumerate(table.rows, 1):
        if column is None and len(row) != 1:
            has = f"columns {', '.join(map(repr, table.names))}" if table.names else f"rows of {len(row)} values"
            raise UsageError(f"`{name}` has {has}: give {what} alone, or call their column {called!r}")
        yield number, row[place]


def _cell(value: Any, where: str) -> str:
    value = plain_value(value, where)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def _plain(cell: str) -> str:
    """Return a cell for a file in which nothing is quoted; offsets stay what they are."""
    return re.sub(r"[\t\n\r]", " ", cell)


def _cells(table: GivenTable, name: str) -> Iterator[str]:
    """Yield lines of cells with tabs, below their names if they have any; quotes are plain characters."""
    if table.names:
        yield "\t".join(map(_plain, table.names)) + "\n"
    for number, row in enumerate(table.rows, 1):
        yield "\t".join(_plain(_cell(cell, f"`{name}`, row {number}")) for cell in row) + "\n"


def _rows(table: GivenTable, name: str) -> Iterator[str]:
    """Yield lines of cells with tabs and no header: sentence, target, then each of several values."""
    places = sorted(range(len(table.names)), key=lambda place: _RANKED.get(table.names[place], len(_RANKED)))
    if table.names and {*_RANKED} - {*table.names}:
        raise UsageError(
            f"`{name}` needs columns {', '.join(map(repr, _RANKED))}, and it has {', '.join(map(repr, table.names))}: "
            "rename them"
        )
    for number, row in enumerate(table.rows, 1):
        where = f"`{name}`, row {number}"
        cells: list[str] = []
        for place in places[: len(_RANKED)] if places else range(len(row)):
            value = plain_value(row[place], where)
            cells += [_cell(item, where) for item in (value if isinstance(value, list) else [value])]
        yield "\t".join(map(_plain, cells)) + "\n"


def _table(table: GivenTable, name: str) -> Iterator[str]:
    """Yield lines of a table with a header, with tabs, and with quotes as RFC 4180 has them."""
    rows = iter(table.rows)
    first = next(rows)
    names = _with_token(table.names) or (("token",) if len(first) == 1 else ())
    if not names:
        raise UsageError(f"`{name}`: its rows have {len(first)} values without names: give dicts, or a data frame")
    target = io.StringIO()
    writer = csv.writer(target, delimiter="\t", lineterminator="\n")
    writer.writerow(names)
    for number, row in enumerate(itertools.chain([first], rows), 1):
        writer.writerow(_cell(cell, f"`{name}`, row {number}") for cell in row)
        yield target.getvalue()
        target.seek(0)
        target.truncate()


def pairs_of(value: Any) -> Any:
    """Return a dict of words and lists as pairs; one of columns, of which one is called as words are, stays."""
    if isinstance(value, Mapping) and not {*WORD_COLUMNS} & {*value}:
        return list(value.items())
    return value


def _lists(table: GivenTable, name: str) -> Iterator[str]:
    """Yield lines of a word and the others of it with tabs, without a header."""
    at = next((table.names.index(column) for column in WORD_COLUMNS if column in table.names), 0)
    for number, row in enumerate(table.rows, 1):
        cells = [row[at], *row[:at], *row[at + 1 :]]
        if len(cells) < 2:
            raise UsageError(f"`{name}`, row {number}: give a word and simpler ones, {{'commenced': ['began']}}")
        yield "\t".join(_plain(_cell(cell, f"`{name}`, row {number}")) for cell in cells) + "\n"


ROWS: Mapping[str, Callable[[GivenTable, str], Iterator[str]]] = {
    "cells": _cells,
    "rows": _rows,
    "table": _table,
    "lists": _lists,
}


def _with_token(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return columns of which that of the words is called `token`, as its name tells in a frame."""
    place = word_column(names)
    if place is None or "token" in [name.strip().casefold() for name in names]:
        return names
    return (*names[:place], "token", *names[place + 1 :])


def word_list(table: GivenTable, name: str) -> Iterator[str]:
    """Yield the lines of a word list, with a header `word` and `value`.

    Raises:
        UsageError: it has no such columns.
    """
    rows = iter(table.rows)
    first = next(rows)
    names = table.names
    if len(names or first) == 2 and not {*WORD_LIST} <= {*names}:
        names = WORD_LIST
    if not {*WORD_LIST} <= {*names}:
        has = f"it has {', '.join(map(repr, names))}" if names else f"its rows have {len(first)} cells"
        raise UsageError(f"`{name}`: a word list has columns 'word' and 'value', and {has}: rename them")
    yield from _cells(GivenTable(names, itertools.chain([first], rows)), name)
