"""Rows of tables for a person, as tab-separated values, as JSON; blocks (`pipelines/frame/blocks.py`) as HTML."""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lexbeam.transforms.common.errors import UNSEEN, visible
from lexbeam.transforms.common.shown import Block, Grid, Kwic, columns_with, guarded, listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows

WIDTH = 60  # characters of a text in a cell that a person reads
BRIEF = 40  # the same, among the first rows of a table
FIRST = 3  # items of a list there


def names_of(paths: Sequence[str]) -> list[str]:
    """Return the columns of a table's parts."""
    with files.open_read(paths[0]) as stream:
        return list(pq.read_schema(stream).names)


def rows_at(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table's parts."""
    for table in read_rows(paths):
        for batch in table.to_batches(max_chunksize=256):
            yield from batch.to_pylist()


def rows_as_grid(rows: pa.Table) -> Grid:
    """Return rows as a grid, without the columns that are null throughout."""
    numbers = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in rows.schema.types]
    heads = [(name, ">" if is_number else "<") for name, is_number in zip(rows.schema.names, numbers, strict=True)]
    cells = [[cell(value, WIDTH) for value in row.values()] for row in rows.to_pylist()]
    if not cells:
        return Grid(tuple(rows.schema.names), ())
    return columns_with(heads, cells)


def first_rows(rows: Sequence[Mapping[str, Any]], indent: int, *, empty: bool = False) -> Grid:
    """Return rows of a table as a grid of the columns that fit.

    A list is shown by its first items and its length.

    Args:
        empty: whether columns that hold nothing are shown, too.
    """
    heads = list(rows[0]) if rows else []
    sides = [(head, ">" if any(is_number(row[head]) for row in rows) else "<") for head in heads]
    cells = [[_brief(row[head]) for head in heads] for row in rows]
    return columns_with(sides, cells, indent, empty=empty)._replace(fits=True)


def is_number(value: object) -> bool:
    """Return whether a value is a number, and no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _brief(value: object) -> str:
    if not isinstance(value, list):
        return cell(value, BRIEF)
    if not value:
        return ""
    shown = " ".join("_" if item is None else cell(item, BRIEF) for item in value[:FIRST])
    more = f"… ({len(value)})" if len(value) > FIRST else ""
    return f"{shown if len(shown) <= BRIEF else shown[: BRIEF - 1] + '…'} {more}".rstrip()


def rows_as_tsv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a header and rows, tab-separated and uncut, for a spreadsheet and a terminal, too.

    `'` stands before a text that would be run as a formula; what a terminal obeys is an escape. Numbers stay.
    """
    yield "\t".join(map(_tsv_cell, names))
    for row in rows:
        yield "\t".join(map(_tsv_cell, row.values()))


def _tsv_cell(value: object) -> str:
    text = cell(value, None)
    return text if isinstance(value, int | float) else guarded(visible(text))


def rows_as_json(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of one JSON document: a list with an object for each row."""
    before = "["
    for row in rows:
        yield f"{before}{as_json(row, indent=None)}"
        before = ","
    yield "]" if before == "," else "[]"


def as_json(value: object, indent: int | None = 1) -> str:
    """Return plain values as JSON; nan and infinity become null."""
    text = json.dumps(_plain(value), ensure_ascii=False, indent=indent, allow_nan=False)
    # JSON escapes only the first 32 characters by itself; others that a terminal obeys mean the same as escapes.
    return UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def cell(value: object, width: int | None) -> str:
    """Return a value in one line: uncut if `width` is None, else for a person, with what is left out marked."""
    if value is None:
        text = ""
    elif isinstance(value, bool) and width:
        text = "yes" if value else "no"
    elif isinstance(value, float):
        text = f"{value:.6g}" if width else repr(value)
    elif isinstance(value, list):
        items = ("_" if item is None else cell(item, width) for item in value)
        text = listed(items, separator=" ") if width else " ".join(items)
        width = None  # `listed` has marked what is left out
    elif isinstance(value, Mapping) and width:
        text = ", ".join(f"{name}: {cell(inner, width)}" for name, inner in value.items())
    else:
        text = str(value)
    text = text.replace("\t", " ").replace("\n", " ")
    return text if width is None or len(text) <= width else text[: width - 1] + "…"


_SIDES = {True: ' style="text-align: right"', False: ' style="text-align: left"'}


def as_html(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML: lines that follow one another as a text, grids and uses as tables."""
    return "\n".join(filter(None, _pieces(blocks)))


def folded(title: str, blocks: Iterable[Block]) -> str:
    """Return blocks as HTML that is shown when its title is clicked on."""
    return f"<details><summary>{_text(title)}</summary>\n{as_html(blocks)}\n</details>"


def _pieces(blocks: Iterable[Block]) -> Iterator[str]:
    for kind, same in groupby(blocks, type):
        if kind is Grid:
            yield from (_grid(grid) for grid in same if isinstance(grid, Grid))
        elif kind is Kwic:
            yield from (_uses(kwic) for kwic in same if isinstance(kwic, Kwic))
        else:
            text = "\n".join(map(str, same)).strip("\n")
            yield f'<pre style="white-space: pre-wrap">{_text(text)}</pre>' if text else ""


def _grid(grid: Grid) -> str:
    sides = [_SIDES[place in grid.right] for place in range(len(grid.heads))]
    head = _row("th", grid.heads, sides) if any(grid.heads) else ""
    rows = "".join(_row("td", row, sides) for row in grid.rows)
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _row(tag: str, cells: Iterable[str], sides: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}{side}>{_text(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True))}</tr>"


def _uses(kwic: Kwic) -> str:
    rows = (
        f"<tr><td{_SIDES[True]}>{_text(use.left)}</td><td><b>{_text(use.target)}</b></td>"
        f"<td{_SIDES[False]}>{_text(use.right)}</td><td>{_text(use.where)}</td></tr>"
        for use in kwic.uses
    )
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _text(text: str) -> str:
    return escape(visible(text))
