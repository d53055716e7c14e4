"""Progress on a terminal: artefacts done of those planned, by stage, with a rate."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from tqdm import tqdm

from transforms.common import files

__all__ = ["is_shown", "quiet", "watching"]

INTERVAL = 0.5
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_COARSE = 20_000_000  # nanoseconds by which a file system's times may be behind


@contextmanager
def quiet() -> Iterator[None]:
    """Show no progress while the block runs, not on a terminal either: Python prints nothing."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


def is_shown() -> bool:
    """Return whether progress is to be shown: on a terminal, unless it was asked to be quiet."""
    return not _QUIET.get() and sys.stderr.isatty()


def _planned(work: str, stage: str) -> int | None:
    try:
        with open(os.path.join(work, "plan", *stage.split("/"))) as stream:
            return int(stream.read())
    except (OSError, ValueError):
        return None


def _done(work: str, stage: str, since: int) -> int:
    """Count the receipts that were written or reused since a time."""
    done = 0
    with suppress(OSError):
        for entry in os.scandir(os.path.join(work, *stage.split("/"))):
            if entry.name.endswith(".json"):
                with suppress(FileNotFoundError):
                    done += entry.stat().st_mtime_ns >= since
    return done


def _watch(work: str, stages: Sequence[str], stop: threading.Event) -> None:
    bars: dict[str, tqdm] = {}
    since = time.time_ns() - _COARSE
    while True:
        last = stop.wait(INTERVAL)
        for stage in stages:
            done, planned = _done(work, stage, since), _planned(work, stage)
            if stage not in bars and done:
                # A terminal that does not report its size is taken to have 80 columns and 24 lines.
                width, lines = shutil.get_terminal_size()
                bars[stage] = tqdm(
                    desc=stage, total=planned, unit="piece", file=sys.stderr,
                    ncols=min(width, 100), nrows=lines,
                )  # fmt: skip
            if stage in bars:
                bar = bars[stage]
                bar.total = planned or bar.total
                bar.n = min(done, bar.total) if bar.total else done
                bar.refresh()
        if last:
            break
    for bar in bars.values():
        bar.close()


@contextmanager
def watching(work: str, stages: Sequence[str]) -> Iterator[None]:
    """Show the progress of the stages in `work` while the block runs; quiet off a terminal."""
    if not is_shown() or not files.is_local(work):
        yield
        return
    stop = threading.Event()
    watcher = threading.Thread(target=_watch, args=(work, stages, stop), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
