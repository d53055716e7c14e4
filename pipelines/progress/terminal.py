"""Progress drawn on a terminal, by rich: lines at its foot that are drawn anew, and frozen ones.

What this process writes to the standard error meanwhile, log lines and warnings, appears above.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pipelines.progress.lines import Line, StageCount, line_of, remaining, time_left

__all__ = ["drawing"]

BAR, LEAST_BAR = 20, 8
WORDS = 44  # columns left to what is said: 48 of 48 parts of null slices in 1 min 20 s
NARROW = 80  # columns below which no bars are drawn

Draw = Callable[[Sequence[StageCount], Sequence[StageCount], float, bool], None]


class _Console(Console):
    """A console that never hides the cursor: a process that is killed could not show it again."""

    def show_cursor(self, show: bool = True) -> bool:
        """Leave the cursor as it is."""
        return False


class _Above:
    """A stream whose whole lines appear above what is drawn."""

    def __init__(self, console: Console, stream: Any) -> None:
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
        """Write the line that has not ended."""
        if self._begun:
            self._stream.write(self._begun)
            self._begun = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def drawing() -> Iterator[Draw]:
    """Give a function that draws counts, while the block runs.

    It takes the counts that have lines, all counts of the run, by which the time left is told, the
    time, and whether it is over. A line is frozen when its stage has finished, or all is over.
    """
    stream = sys.stderr
    console = _Console(file=stream, highlight=False)
    live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False)
    frozen: set[str] = set()

    def draw(counts: Sequence[StageCount], whole: Sequence[StageCount], now: float, over: bool) -> None:
        width = max((len(count.stage.name) for count in whole), default=0)
        lines: list[Any] = []
        for count in counts:
            name = count.stage.name
            if count.begun is None or name in frozen:
                continue
            line = _drawn(line_of(count, now), width, console.width)
            if over or count.is_finished:
                frozen.add(name)
                console.print(line)
            else:
                lines.append(line)
        if not over:
            seconds = remaining(whole, now)
            lines += [] if seconds is None else [Text(time_left(seconds))]
            # The last line is empty, so that what others write begins at the margin.
            lines += [Text("")] if lines else []
        live.update(Group(*lines), refresh=True)

    with _above(console, stream), live:
        yield draw


def _drawn(line: Line, width: int, columns: int) -> Any:
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
def _above(console: Console, stream: Any) -> Iterator[None]:
    """Let what is written to a stream appear above what is drawn, while the block runs."""
    above = _Above(console, stream)
    handlers = [
        handler
        for logger in (logging.getLogger(), logging.getLogger("lexbeam"))
        for handler in logger.handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream is stream
    ]
    for handler in handlers:
        handler.setStream(above)
    sys.stderr = above
    try:
        yield
    finally:
        if sys.stderr is above:
            sys.stderr = stream
        for handler in handlers:
            handler.setStream(stream)
        above.finish()
