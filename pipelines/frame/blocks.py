"""Blocks as lines: as wide as the terminal and with colours if there is one, plain if not.

    for line in shown_lines(blocks): print(line)

Plain lines are not cut, however wide a table is, and have no colours and no frames.
"""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap
from typing import TYPE_CHECKING

from lexbeam.transforms.common.errors import readable, visible
from lexbeam.transforms.common.shown import Block, Grid, Kwic, Use

if TYPE_CHECKING:
    from rich.table import Table

PLAIN_CONTEXT = 60  # characters before and after a word, if there is no terminal
NARROWEST = 40  # columns; a smaller width of a terminal is taken for a mistake
WHERE_SHARE = 0.35  # of a terminal's width, at most, for where a use is
PLAIN_WIDTH = 100  # columns of text into which the first columns of a table must fit, if there is no terminal
NAMED = 40  # columns, at most, that are named without being shown
SHORTEST = 8  # characters of context on either side
_SPACE = re.compile(r"\s")
_PLAIN: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def plain_lines() -> Iterator[None]:
    """Have lines neither cut nor coloured while the block runs: they are returned to Python, not printed."""
    token = _PLAIN.set(True)
    try:
        yield
    finally:
        _PLAIN.reset(token)


def is_terminal() -> bool:
    """Return whether lines go to a terminal: standard output is one, and they are not to be plain."""
    try:
        return not _PLAIN.get() and sys.stdout is not None and sys.stdout.isatty()
    except ValueError:  # it has been closed
        return False


def shown_lines(blocks: Iterable[Block], width: int | None = None) -> Iterator[str]:
    """Yield the lines of blocks.

    Args:
        blocks: see `transforms/common/shown.py`; a string is a whole line, as it is but for what a terminal obeys.
        width: columns of the terminal; 0: plain lines; None: according to standard output.
    """
    if width is None:
        width = max(NARROWEST, shutil.get_terminal_size().columns) if is_terminal() else 0
    for block in blocks:
        if isinstance(block, Grid):
            yield from _first_columns(block, width) if block.fits else _grid(block, width)
        elif isinstance(block, Kwic):
            yield from _uses(block, width)
        else:
            yield visible(block) if width else block


def _grid(grid: Grid, width: int) -> Iterator[str]:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD if width and any(grid.heads) else None,
        pad_edge=False,
        show_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold" if width else "",
        show_header=any(grid.heads),
    )
    for place, head in enumerate(grid.heads):
        table.add_column(
            Text(_clean(head)), justify="right" if place in grid.right else "left", overflow="fold", no_wrap=not width
        )
    for row in grid.rows:
        table.add_row(*(Text(_clean(cell)) for cell in row))
    room = max(NARROWEST // 2, width - grid.indent) if width else _plain_width(grid)
    for line in _rendered(table, room, colours=bool(width)):
        yield " " * grid.indent + line


def _first_columns(grid: Grid, width: int) -> Iterator[str]:
    """Yield the first columns that fit, at least one, and the names of the others."""
    from rich.cells import cell_len

    most = (width or PLAIN_WIDTH) - grid.indent
    gap = 3 if width else 2  # on a terminal, columns have a frame
    fitting = used = 0
    for column in zip(grid.heads, *grid.rows, strict=True):
        used += max(cell_len(_clean(cell)) for cell in column) + gap
        if used - gap > most and fitting:
            break
        fitting += 1
    shown = grid._replace(heads=grid.heads[:fitting], rows=tuple(row[:fitting] for row in grid.rows))
    yield from _grid(shown, width)
    if others := grid.heads[fitting:]:
        indent = " " * grid.indent
        limit = f", the first {NAMED} of them" if len(others) > NAMED else ""
        text = f"and {len(others)} more column{'s' * (len(others) > 1)}{limit}: "
        text += ", ".join(others[:NAMED])
        yield from wrap(
            _clean(text), most + grid.indent, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )


def _plain_width(grid: Grid) -> int:
    """Return a width in which no cell is broken."""
    from rich.cells import cell_len

    columns = zip(grid.heads, *grid.rows, strict=True)
    return sum(max(cell_len(_clean(cell)) for cell in column) + 4 for column in columns) + 4


def _rendered(table: "Table", width: int, *, colours: bool) -> Iterator[str]:
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        height=100,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=colours,
        force_jupyter=False,  # in a kernel, the table would be displayed instead of written
        color_system="standard" if colours else None,
        legacy_windows=False,
    )
    console.print(table, no_wrap=not colours, crop=False)
    for line in stream.getvalue().splitlines():
        yield line.rstrip()


def _uses(kwic: Kwic, width: int) -> Iterator[str]:
    """Yield uses with the word in one column; contexts are cut at the far ends, marked by `…`."""
    from rich.cells import cell_len

    uses = [Use(*(_clean(text) for text in use)) for use in kwic.uses]
    if not uses:
        return
    targets = max(cell_len(use.target) for use in uses) + 2
    context, wheres = PLAIN_CONTEXT, max(cell_len(use.where) for use in uses)
    if width:
        wheres = min(wheres, int(width * WHERE_SHARE))
        context = max(SHORTEST, (width - kwic.indent - targets - wheres - 2) // 2)
    cuts = [use._replace(left=_tail(use.left, context)) for use in uses]
    left = max(cell_len(use.left) for use in cuts)
    room = targets + min(context, max(cell_len(use.right) for use in uses))
    for use in cuts:
        shown = f"[{use.target}]"
        after = _head(use.right, room - cell_len(shown))
        gap = " " * (room - cell_len(shown) - cell_len(after) + 2)
        before = " " * (kwic.indent + left - cell_len(use.left)) + use.left
        bold = f"\x1b[1m{shown}\x1b[0m" if width else shown
        yield f"{before}{bold}{after}{gap}{_head(use.where, wheres)}".rstrip()


def _tail(text: str, most: int) -> str:
    """Return the end of a text that fits into so many columns of a terminal."""
    from rich.cells import cell_len

    if cell_len(text) <= most:
        return text
    while cell_len(text) > most - 1:
        text = text[1:]
    return "…" + text.lstrip()


def _head(text: str, most: int) -> str:
    from rich.cells import cell_len

    if cell_len(text) <= most:
        return text
    while cell_len(text) > most - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def _clean(text: str) -> str:
    return text if text.isprintable() else readable(_SPACE.sub(" ", text))
