"""Progress of runs: on a terminal a line for each stage, elsewhere a line every 30 seconds.

    run = RunProgress(work, {"corpus": [Foreseen("corpus/ingest", "batches", 1.0), ...], ...})
    with watching(run, "corpus"):
        ...                                     # receipts appear in the folders of the stages

All goes to the standard error. A thread looks at the folders of stages (`progress_counts.py`); what
it says of them is `progress_lines.py`. However many artefacts there are, looking takes 2 % of the
time of one core at most.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from pipelines.progress.counts import StageFolder
from pipelines.progress.lines import Foreseen, StageCount, in_one_line, settled
from transforms.common.store import files

__all__ = ["RunProgress", "counting", "is_shown", "quiet", "watching"]

INTERVAL = 0.5  # seconds between two pictures on a terminal
TELLING = 30.0  # seconds between two lines where there is none
REST = 50  # times as long as a look has kept a core busy nobody looks again
LONG = 0.2  # seconds of a look that an interrupted run does not wait for
WAIT = 5  # and this many times as long as it has taken, which on a slow disk may be longer
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Show no progress while the block runs, not on a terminal either: Python prints nothing."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


def is_shown() -> bool:
    """Return whether progress is drawn: on a terminal, unless it was asked to be quiet.

    With --verbose it is told in lines: workers write to the terminal, too, unseen by this process.
    """
    verbose = logging.getLogger().isEnabledFor(logging.INFO)
    return not _QUIET.get() and sys.stderr.isatty() and not verbose


class RunProgress:
    """What is known of a run: how far each stage of each of its sections has come."""

    def __init__(self, work: str, sections: Mapping[str, Sequence[Foreseen]]) -> None:
        """Begin; what is made or planned from now on is of this run.

        Args:
            work: folder of artefacts.
            sections: the stages of each section, in the order in which they run.
        """
        self.work = work
        self.since = time.time_ns()
        self.counts = {name: [StageCount(s) for s in stages] for name, stages in sections.items()}
        self.told = time.monotonic()

    def all(self) -> list[StageCount]:
        """Return the counts of all sections, in their order."""
        return [count for counts in self.counts.values() for count in counts]


@contextmanager
def watching(run: RunProgress, section: str, used: Iterable[str] | None = None) -> Iterator[None]:
    """Show the progress of a section while the block runs.

    Args:
        run: the run; what comes to be known of the section is kept in it.
        section: the section.
        used: the names of those of its stages that it uses; None: all.
    """
    if _QUIET.get() or not files.is_local(run.work):
        yield
        return
    names = None if used is None else set(used)
    stages = [c.stage for c in run.counts[section] if names is None or c.stage.name in names]
    folders = [StageFolder(run.work, stage) for stage in stages]

    def look(now: float) -> None:
        for folder in folders:
            folder.look(now, run.since)
        run.counts[section] = settled([folder.count for folder in folders])

    def end() -> None:
        for folder in folders:
            folder.end()
        run.counts[section] = [folder.count for folder in folders]

    with _shown(run, lambda: run.counts[section], look, end):
        yield


@contextmanager
def counting(name: str, unit: str, total: int) -> Iterator[Callable[[int], object]]:
    """Show how many of a total are done while the block runs.

    Yields:
        A function that is told how many more are done.
    """
    run = RunProgress("", {name: [Foreseen(name, unit)]})
    begun = time.monotonic()
    run.counts[name] = [StageCount(Foreseen(name, unit), total, begun=begun, last=begun)]
    done = [0]

    def add(number: int) -> None:
        done[0] += number

    def look(now: float) -> None:
        (count,) = run.counts[name]
        if count.made != done[0]:
            run.counts[name] = [count._replace(made=done[0], last=now)]

    def end() -> None:
        run.counts[name] = [run.counts[name][0]._replace(ended=True)]

    if _QUIET.get():
        yield add
        return
    with _shown(run, lambda: run.counts[name], look, end):
        yield add


@contextmanager
def _shown(
    run: RunProgress, counts: Callable[[], Sequence[StageCount]], look: Callable[[float], None], end: Callable[[], None]
) -> Iterator[None]:
    """Look and show in a thread while the block runs; what has ended well is over."""
    stop, well = threading.Event(), threading.Event()
    drawn = is_shown()

    def watch() -> None:
        # Nobody to read it is no reason for a run to fail, nor is a folder that goes away.
        with suppress(OSError, ValueError):
            if drawn:
                from pipelines.progress.terminal import drawing  # imports rich, on terminals only

                with drawing() as draw:
                    _look_on(look, lambda now: draw(counts(), run.all(), now, False), stop, well)
                    if well.is_set():
                        end()
                    draw(counts(), run.all(), time.monotonic(), True)
            else:
                _look_on(look, lambda now: _tell(run, now), stop, well)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
        well.set()
    finally:
        stop.set()
        watcher.join()
        if well.is_set():
            end()


def _look_on(
    look: Callable[[float], None], show: Callable[[float], None], stop: threading.Event, well: threading.Event
) -> None:
    """Look, and show what was found, until `stop`; one that stops `well` is looked at once more."""
    due, taken = time.monotonic(), 0.0
    while True:
        last = stop.wait(INTERVAL)
        now = time.monotonic()
        # An interrupted run ends at once, even if a look takes long.
        if now >= due or (last and (well.is_set() or taken < LONG)):
            busy = time.thread_time()
            look(now)
            busy, taken = time.thread_time() - busy, time.monotonic() - now
            due = now + max(REST * busy, WAIT * taken)
        if last:
            return
        show(now)


def _tell(run: RunProgress, now: float) -> None:
    if now - run.told >= TELLING:
        run.told = now
        print(f"progress: {in_one_line(run.all(), now)}", file=sys.stderr, flush=True)
