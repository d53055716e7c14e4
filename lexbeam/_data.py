"""Data from Python: as rows, as strings that are paths or texts, in the forms that files have (see `Option.data`).

Data frames are read by Arrow's own protocol (`__arrow_c_stream__`), which pandas, Polars, DuckDB and others have; none
of them is imported.
"""

import csv
import datetime
import decimal
import io
import itertools
import json
import logging
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.options.small_texts import WORD_COLUMNS, word_column
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.encodings import lines_of

_AT_ONCE = 1 << 12  # rows held as Python objects
_FORMS = "a data frame, an Arrow table, a list of dicts, or a dict"


class ArrowData(Protocol):
    """A data frame, table or column that Arrow can read."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a stream of Arrow's C interface."""


class GivenTable(NamedTuple):
    """Data as rows.

    Attributes:
        names: those of the columns; empty: they have none.
        rows: cells, as many in each row as there are names.
    """

    names: tuple[str, ...]
    rows: Iterable[Sequence[Any]]


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame or a table."""
    return hasattr(value, "columns") and not isinstance(value, Mapping)


def is_list(value: object) -> bool:
    """Return whether a value is a list or the like, of which an option may take the items."""
    return isinstance(value, list | tuple | set | frozenset | Iterator | range) or type(value).__module__ == "numpy"


def table_of(value: object, name: str, *, paired: bool = False) -> GivenTable:
    """Return data as rows.

    Args:
        value: the data.
        name: the option that it is given for, for messages.
        paired: whether the index of a series is data, too: words, beside their values.

    Raises:
        UsageError: it is no data, or its values do not go together.
    """
    if type(value).__module__.partition(".")[0] == "pandas":
        return _of_pandas(value, name, paired)
    if isinstance(value, Mapping):
        return _of_mapping(value, name)
    if hasattr(value, "__arrow_c_stream__") or isinstance(value, pa.Array):
        is_table = hasattr(value, "columns")
        return _of_arrow(pa.table(value) if is_table else pa.table({"": pa.chunked_array(value)}), name)
    if hasattr(value, "collect"):
        raise UsageError(f"`{name}`: {type(value).__name__} is not computed yet: give what its `collect()` returns")
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        tolist = getattr(value, "tolist", None)  # of NumPy
        items = list(tolist() if tolist is not None else value)
        return _of_list(sorted(items, key=str) if isinstance(value, set | frozenset) else items, name)
    raise UsageError(f"`{name}` takes a path, {_FORMS}, not {type(value).__name__}")


def _of_pandas(value: Any, name: str, paired: bool) -> GivenTable:
    if not hasattr(value, "columns"):
        index = getattr(value, "index", None)
        if paired and index is not None and type(index).__name__ != "RangeIndex":
            return GivenTable((), list(zip(index.tolist(), value.tolist(), strict=True)))
        return GivenTable((), [(item,) for item in value.tolist()])
    # An index with a name is a column that was put there.
    frame = value.reset_index() if any(level is not None for level in value.index.names) else value
    try:
        return _of_arrow(pa.Table.from_pandas(frame, preserve_index=False), name)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(
            f"`{name}`: the data frame cannot be read: {'; '.join(map(str, error.args))}; give each column values of "
            "one type, as by `frame[column].astype(str)`, and a name of its own"
        ) from error


def _of_arrow(table: pa.Table, name: str) -> GivenTable:
    names = table.column_names
    if doubled := sorted({column for column in names if names.count(column) > 1}):
        raise UsageError(f"`{name}` has several columns {doubled[0]!r}: rename all but one")
    batches = table.to_batches(max_chunksize=_AT_ONCE)
    rows = (row for batch in batches for row in zip(*map(pa.Array.to_pylist, batch.columns), strict=True))
    return GivenTable(() if names == [""] else tuple(names), rows)


def _of_mapping(value: Mapping[Any, Any], name: str) -> GivenTable:
    columns = [key for key, cells in value.items() if _is_column(cells)]
    if not columns:
        return GivenTable((), list(value.items()))
    if len(columns) < len(value):
        other = next(key for key in value if key not in columns)
        raise UsageError(
            f"`{name}`: {quoted(columns[0])} is a column and {quoted(other)} a single value: give a dict of columns, "
            "or one of words and their values"
        )
    cells = [list(column) for column in value.values()]
    if len({len(column) for column in cells}) > 1:
        lengths = ", ".join(f"{key} {len(column)}" for key, column in zip(value, cells, strict=True))
        raise UsageError(f"`{name}`: its columns differ in length ({lengths})")
    return GivenTable(tuple(map(str, value)), list(zip(*cells, strict=True)))


def _is_column(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _of_list(items: list[Any], name: str) -> GivenTable:
    kinds = [(dict, Mapping), (str, str), (list, list | tuple)]
    for kind, types in kinds:
        if not all(isinstance(item, types) for item in items):
            continue
        if kind is dict:
            names = tuple(dict.fromkeys(key for item in items for key in item))
            return GivenTable(tuple(map(str, names)), [[item.get(key) for key in names] for item in items])
        return GivenTable((), [(item,) for item in items] if kind is str else items)
    seen = list(dict.fromkeys(type(item).__name__ for item in items))
    if len(seen) == 1:
        raise UsageError(f"`{name}` is a list of {seen[0]}: give {_FORMS}, or a list of texts")
    raise UsageError(f"`{name}` is a list that mixes {' and '.join(seen)}: give items of one kind")


def plain_value(value: Any, where: str) -> Any:
    """Return a value as JSON has it: dates as ISO texts, missing ones as None.

    Args:
        value: the value.
        where: where it stands, for messages.

    Raises:
        UsageError: JSON has no such value.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, float):
        if math.isinf(value):
            raise UsageError(f"{where} is {value}: give a number, or leave it empty")
        return None if math.isnan(value) else value
    if isinstance(value, datetime.datetime) and value.time() == datetime.time() and value.tzinfo is None:
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, where) for key, item in value.items()}
    if hasattr(value, "tolist"):  # of NumPy
        return plain_value(value.tolist(), where)
    if isinstance(value, list | tuple):
        return [plain_value(item, where) for item in value]
    raise UsageError(f"{where} is {type(value).__name__}: give a text or a number")


log = logging.getLogger("lexbeam")

LONGEST_PATH = 255  # bytes of a string that may be a path
_FINAL = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u0964\u061f][\"'\u2019\u201d\u00bb)\]]*\Z")
_FILE = re.compile(r"\S\.[A-Za-z]\w{0,7}\Z")
_FEW = 4  # words; so many are a text
_COLUMNS = {"table": "token", "cells": "sentence"}  # those of texts, by the form of data; else `text`


def check_is_no_text(entry: Option, value: str | os.PathLike[str]) -> None:
    """Refuse a text, or a word, where a path is meant.

    Raises:
        UsageError: it reads like a text, and nothing is there.
    """
    if not isinstance(value, str):
        return
    if entry.path == "input" and entry.positional and _kind(value) == "text":
        raise UsageError(f"`{entry.name}` {quoted(value)} reads like a text, and nothing is there: {_as_text(entry)}")
    if entry.data == "words" and not _is_there(value) and not re.search(r"[./\\:]", value):
        words = [word.strip() for word in re.split("[,;]", value) if word.strip()]
        raise UsageError(
            f"`{entry.name}` {quoted(value)}: no such file is there; words are given in a list, {entry.name}={words!r}"
        )


def hold_texts(entry: Option, items: Sequence[Any]) -> bool:
    """Return whether strings are texts or words, and not paths.

    Raises:
        UsageError: some are texts, and some paths; or it cannot be told.
    """
    if not (entry.path == "input" and entry.positional):
        return False
    kinds = [_kind(item) for item in items]
    if "text" in kinds and "path" in kinds:
        raise UsageError(
            f"`{entry.name}` has a text, {quoted(items[kinds.index('text')])}, and a path, "
            f"{quoted(os.fspath(items[kinds.index('path')]))}: give either paths or texts; what is a text for certain "
            f"is one of a dict, {_as_dict(entry)}"
        )
    if "text" in kinds or "path" in kinds:
        return "text" in kinds
    doubtful = next((item for item, kind in zip(items, kinds, strict=True) if kind != "word"), None)
    if doubtful is not None and ("word" in kinds or re.search(r"\s", doubtful)) and not files.is_glob(doubtful):
        raise UsageError(
            f"`{entry.name}` {quoted(doubtful)}: nothing is there; if it is a text, say so by a dict, "
            f"[{_as_dict(entry)}]"
        )
    if doubtful is None and len(items) == 1:
        log.warning("`%s` %s is taken for a text: nothing is there by that name", entry.name, quoted(items[0]))
    return doubtful is None


def path_or_text(entry: Option, value: object) -> str:
    """Return how a string that was taken for a path is given as a text; empty if there is none."""
    is_list = isinstance(value, list | tuple)
    if not (entry.data and entry.path == "input" and entry.positional and (is_list or isinstance(value, str))):
        return ""
    return "if it is a text, " + (f"say so by a dict, [{_as_dict(entry)}]" if is_list else _as_text(entry))


def _as_text(entry: Option) -> str:
    return "give `text`" if entry.data == "documents" else f"give texts in a list, {entry.name}=[...]"


def _as_dict(entry: Option) -> str:
    return f"{{{_COLUMNS.get(entry.data, 'text')!r}: ...}}"


def _kind(item: str | os.PathLike[str]) -> str:
    """Return what a string is: `path`, `text`, `word`, if it is a text in a list, or empty, if it may be any."""
    if isinstance(item, os.PathLike):
        return "path"
    if "\n" in item or len(item.encode("utf-8", "surrogatepass")) > LONGEST_PATH:
        return "text"
    if item.startswith(("http:", "https:")):  # nothing is read from there
        return ""
    if _is_there(item) or not files.is_local(item):
        return "path"
    is_doubtful = bool(_FILE.search(item)) or "*" in item
    if re.search(r"\s", item) and not is_doubtful and (_FINAL.search(item) or len(item.split()) >= _FEW):
        return "text"
    if is_doubtful:
        return "" if re.search(r"\s", item) else "path"
    if files.is_glob(item):
        return ""
    if _FINAL.search(item):
        return "text"
    return "" if re.search(r"[/\\]", item) else "word"


def _is_there(path: str) -> bool:
    return bool(path) and files.is_local(path) and "\0" not in path and os.path.lexists(os.path.expanduser(path))


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
