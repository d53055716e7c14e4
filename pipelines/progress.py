"""Progress on a terminal: artefacts done of those planned, by stage, with a rate."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tqdm import tqdm

from transforms.common import files

__all__ = ["watching"]

INTERVAL = 0.5
_COARSE = 20_000_000  # nanoseconds by which a file system's times may be behind


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
                # A terminal that does not report its width is taken to be 80 columns wide.
                width = min(shutil.get_terminal_size().columns, 100)
                bars[stage] = tqdm(
                    desc=stage, total=planned, unit="piece", file=sys.stderr, ncols=width
                )
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
    if not sys.stderr.isatty() or not files.is_local(work):
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
