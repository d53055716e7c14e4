"""Progress drawn by rich: on a terminal lines at its foot that are updated, and finished lines above.

What this process writes to standard error meanwhile, such as log lines and warnings, appears above. In a notebook,
progress is an output of the cell that runs, which is updated.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, cast

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lexbeam.pipelines.monitoring.estimates import Line, StageCount, line_of

BAR, LEAST_BAR = 20, 8
WORDS = 44  # columns left for words such as: 48 of 48 parts of null slices in 1 min 20 s
NARROW = 80  # columns; narrower terminals have no bars
CELL = 100  # columns of the output of a cell

Draw = Callable[[Sequence[StageCount], Sequence[StageCount], float, str | None], None]


class _Console(Console):
    """A console that never hides the cursor, since a killed process could not show it again."""

    def show_cursor(self, show: bool = True) -> bool:
        """Leave the cursor as it is."""
        return False


class _Above:
    """A stream whose complete lines appear above what is drawn."""

    def __init__(self, console: Console, stream: TextIO) -> None:
        self._console = console
        self._stream = stream
        self._begun = ""

    def write(self, text: str) -> int:
        whole, end, self._begun = (self._begun + text).rpartition("\n")
        if end:
            self._console.print(Text(whole), soft_wrap=True)
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def finish(self) -> None:
        """Write what is left of an incomplete line."""
        if self._begun:
            self._stream.write(self._begun)
            self._begun = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def drawing() -> Iterator[Draw]:
    """Yield a function that draws counts.

    It takes the counts that get lines, all counts of the run (whose names decide the width), the time, and
    the time left in words: empty if nothing can be told, None if all is over. A line is frozen once its
    stage has finished or all is over.
    """
    stream = sys.stderr
    console = _Console(file=stream, highlight=False)
    live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False)
    frozen: set[str] = set()

    def draw(counts: Sequence[StageCount], whole: Sequence[StageCount], now: float, left: str | None) -> None:
        width = max((len(count.stage.name) for count in whole), default=0)
        lines: list[RenderableType] = []
        for count in counts:
            name = count.stage.name
            if count.begun is None or name in frozen:
                continue
            line = _drawn(line_of(count, now), width, console.width)
            if left is None or count.is_finished:
                frozen.add(name)
                console.print(line)
            else:
                lines.append(line)
        if left is not None:
            lines += [Text(left)] if left else []
            # The last line is empty, so that output of others begins at the margin.
            lines += [Text("")] if lines else []
        live.update(Group(*lines), refresh=True)

    with _above(console, stream), live:
        yield draw


@contextmanager
def drawing_in_cell() -> Iterator[Draw]:
    """Yield a function that draws counts as `drawing` does, in the output of the cell that runs."""
    from IPython.display import display

    handle: Any = None

    def draw(counts: Sequence[StageCount], whole: Sequence[StageCount], now: float, left: str | None) -> None:
        nonlocal handle
        width = max((len(count.stage.name) for count in whole), default=0)
        lines = Table.grid()
        for count in counts:
            if count.begun is not None:
                lines.add_row(_drawn(line_of(count, now), width, CELL))
        if left:
            lines.add_row(Text(left))
        if handle is not None:
            handle.update(lines)
        elif lines.row_count:
            handle = display(lines, display_id=True)  # type: ignore[no-untyped-call]

    yield draw


def _drawn(line: Line, width: int, columns: int) -> Table:
    name = Text(line.name.ljust(width), no_wrap=True)
    words = Text(line.words, no_wrap=True, overflow="ellipsis")
    if columns < NARROW:
        grid = Table.grid(padding=(0, 2))
        grid.add_row(name, words)
        return grid
    grid = Table.grid(padding=(0, 2))
    size = min(BAR, max(LEAST_BAR, columns - width - 4 - WORDS))
    bar = Text(" " * size) if line.share is None else ProgressBar(1.0, line.share, width=size)
    grid.add_row(name, bar, words)
    return grid


@contextmanager
def _above(console: Console, stream: TextIO) -> Iterator[None]:
    """Make output to a stream appear above what is drawn while the block runs."""
    above = _Above(console, stream)
    handlers = [
        handler
        for logger in (logging.getLogger(), logging.getLogger("lexbeam"))
        for handler in logger.handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream is stream
    ]
    for handler in handlers:
        handler.setStream(above)
    sys.stderr = cast(TextIO, above)
    try:
        yield
    finally:
        if cast(object, sys.stderr) is above:
            sys.stderr = stream
        for handler in handlers:
            handler.setStream(stream)
        above.finish()
