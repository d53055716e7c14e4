"""Tables of answers that are not sheets: a header and a row for each answer, or JSON lines.

Platforms export columns of their own, in their own order. A role, such as who answered, is read from the
first of its names that is in the header. If cells are separated by tabs and a quote is stray, quotes are
plain characters (`transforms/formats/readers/delimited.py`).
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.errors import LexbeamError, nearest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.line_ends import lines_of
from lexbeam.transforms.formats.readers.delimited import Row as CellRow
from lexbeam.transforms.formats.readers.delimited import quotes_settled, rows
from lexbeam.transforms.formats.readers.json_records import json_rows
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.people.sheets import Sheet

_HEAD = 1 << 16
_WIDE = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MAX_LINE = 1 << 20
_JSON = re.compile(r"\.(jsonl|ndjson)(\.\w+)?$", re.IGNORECASE)

Row = tuple[int, dict[str, str] | BadRecord]
T = TypeVar("T")


class Roles(NamedTuple):
    """The columns to read from a table.

    Attributes:
        names: for each role, possible names of its column; the first that is present counts.
        needed: roles that must be present.
        remedy: how to name the column of a role, with `{role}` in it.
    """

    names: Mapping[str, Sequence[str]]
    needed: Collection[str]
    remedy: str


def is_sheet(entry: files.ListedFile, sheet: Sheet, answers: Collection[str]) -> bool:
    """Return whether a file is of a sheet: its comment says so, or its header has the sheet's columns.

    Args:
        entry: the file.
        sheet: the sheet.
        answers: columns to fill in that its header must have as well.

    Raises:
        LexbeamError: it cannot be read.
    """
    try:
        with files.open_read(entry.path) as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise _unreadable(entry, error) from error
    encoding = next((name for bom, name in _WIDE.items() if head.startswith(bom)), "utf-8-sig")
    lines = lines_of(head.decode(encoding, "replace"))
    if any("lexbeam sheet " in line for line in lines):
        return True
    header = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    shown = {*sheet.key, *(column.name for column in sheet.columns), *answers}
    return shown <= {cell.strip() for cell in re.split(r'[\t;,"]', header)}


def read_table(
    entry: files.ListedFile,
    roles: Roles,
    read: Callable[[int, dict[str, str]], T],
    *,
    encoding: str,
    stage: str,
    reasons: Collection[str],
) -> tuple[list[T], list[RejectRow]]:
    """Return the values of the rows of a table, in order, and a reject for each row without one.

    Args:
        entry: the file.
        roles: the columns to read.
        read: the value of a row, from its line and its cells by role; a `BadRecord` makes a reject.
        encoding: of a file without byte order mark.
        stage: of rejects.
        reasons: those that rejects may have; any other becomes `wrong_answer`.

    Raises:
        LexbeamError: see `table_rows`.
    """
    rows: list[T] = []
    rejects: list[RejectRow] = []
    for line, cells in table_rows(entry, roles, encoding=encoding):
        try:
            if isinstance(cells, BadRecord):
                raise cells
            rows.append(read(line, cells))
        except BadRecord as error:
            reason = error.reason if error.reason in reasons else "wrong_answer"
            rejects.append(RejectRow(entry.name, str(line) if line else "", stage, reason, error.detail))
    return rows, rejects


def table_rows(entry: files.ListedFile, roles: Roles, *, encoding: str) -> Iterator[Row]:
    """Yield line and cells by role of each row, or why it cannot be read; line 0 stands for the whole file.

    Cells are cleaned; roles without a column are left out.

    Raises:
        LexbeamError: the file cannot be read, has no rows, or its header lacks or repeats a column.
    """
    source = Source(entry.name, lambda: files.open_read(entry.path), entry.path)
    options = ReaderOptions(encoding=(encoding,), max_line_bytes=_MAX_LINE)
    read = _json if _JSON.search(entry.name) else _delimited
    count = 0
    try:
        for row in read(source, options, entry.name, roles):
            count += 1
            yield row
    except BadRecord as error:
        yield 0, error
    except OSError as error:
        raise _unreadable(entry, error) from error


def _unreadable(entry: files.ListedFile, error: OSError) -> LexbeamError:
    return LexbeamError(f"{files.shown(entry.path)} cannot be read: {error.strerror or error}")


def _delimited(source: Source, options: ReaderOptions, name: str, roles: Roles) -> Iterator[Row]:
    with quotes_settled(source, options) as settled:
        yield from _below(rows(source, settled), name, roles)


def _below(cell_rows: Iterable[CellRow], name: str, roles: Roles) -> Iterator[Row]:
    places: dict[str, int] | None = None
    for line, cells in cell_rows:
        if places is None:
            if isinstance(cells, BadRecord):
                raise LexbeamError(f"{name}: no header can be read: {cells.detail}")
            if not cells[0].lstrip().startswith("#"):
                places = _places(name, cells, roles)
        elif isinstance(cells, BadRecord):
            yield line, cells
        else:
            yield (line, {role: clean_field(cells[at]) if at < len(cells) else "" for role, at in places.items()})
    if places is None:
        raise LexbeamError(f"{name} has no rows")


def _places(name: str, header: list[str], roles: Roles) -> dict[str, int]:
    names = [cell.strip() for cell in header]
    places = {}
    for role, column_names in roles.names.items():
        column = next((candidate for candidate in column_names if candidate in names), None)
        if column is not None:
            if names.count(column) > 1:
                raise LexbeamError(f"{name}: several columns {column!r}: rename all but one")
            places[role] = names.index(column)
        elif role in roles.needed:
            raise LexbeamError(
                f"{name}: no column {column_names[0]!r} in the header{nearest(column_names[0], names)}; there "
                f"are {', '.join(map(repr, names[:12]))}: {roles.remedy.format(role=role)}"
            )
    return places


def _json(source: Source, options: ReaderOptions, name: str, roles: Roles) -> Iterator[Row]:
    for line, value in json_rows(source, options):
        if isinstance(value, BadRecord):
            yield line, value
        elif not isinstance(value, dict):
            yield line, BadRecord("malformed", f"{type(value).__name__}, not an object")
        else:
            yield line, _of_object(value, roles)


def _of_object(value: Mapping[str, object], roles: Roles) -> dict[str, str] | BadRecord:
    cells = {}
    for role, field_names in roles.names.items():
        name = next((candidate for candidate in field_names if candidate in value), None)
        if name is None:
            if role in roles.needed:
                there = ", ".join(map(repr, list(value)[:12]))
                detail = f"no field {field_names[0]!r}; there are {there}"
                return BadRecord("missing_field", f"{detail}: {roles.remedy.format(role=role)}")
            continue
        cell = value[name]
        if cell is not None and (isinstance(cell, bool) or not isinstance(cell, str | int | float)):
            return BadRecord("malformed", f"{name!r} is {type(cell).__name__}, not text")
        cells[role] = "" if cell is None else clean_field(str(cell))
    return cells
