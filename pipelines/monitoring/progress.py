"""Progress of runs: on a terminal or in a notebook a line for each stage; with --verbose a line every 30 seconds.

Elsewhere nothing is printed, but the counts are kept for what an interrupted run tells, and events tell them.

    run = RunProgress(work, {"corpus": [Foreseen("corpus/ingest", "batches", 1.0), ...], ...})
    with watching(run, "corpus"):
        ...                                     # receipts appear in the folders of the stages

All of it goes to standard error, but in a notebook to the output of the cell. A thread looks at the folders of
stages and counts the receipts there: it lists only folders that have changed, and asks for the time of a file only if
the receipt was there before the run, to tell whether the run has taken it up. `estimates.py` puts counts into words,
and says how long the rest takes. However many artefacts there are, looking takes at most 2 % of the time of one core.

An object store says when an object was written, and receipts are written once: so what a run has made is told from
what was there, by one listing, and nothing tells what it has taken up. All times are the store's.
"""

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, NamedTuple

from lexbeam.pipelines.monitoring.estimates import (
    Estimates,
    Foreseen,
    StageCount,
    at_work,
    in_one_line,
    settled,
    time_left,
)
from lexbeam.pipelines.monitoring.events import StageProgress, are_printed, emit
from lexbeam.transforms.common.code.fingerprints import parse_json
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.remote import remote

_RECEIPT = re.compile(r"([\w-]+/[\w-]+)/[0-9a-f]{32}\.json")


def receipts_below(root: str) -> dict[str, list[int]]:
    """Return when the receipts of each stage were written, in nanoseconds since 1970, by one listing.

    Args:
        root: the folder of artefacts.
    """
    times: dict[str, list[int]] = {}
    start = len(root.rstrip("/")) + 1
    for path, state in remote(root).below(root):
        if found := _RECEIPT.fullmatch(path[start:]):
            times.setdefault(found[1], []).append(state.changed)
    return times


def planned(path: str, since: int) -> int | None:
    """Return the number that a run which began then planned; None where what is noted is an earlier run's."""
    number: int | None = _noted(path, since)
    return number


def _noted(path: str, since: int) -> Any:
    with suppress(OSError, ValueError):
        if files.is_local(path):
            changed = os.stat(path).st_mtime_ns
        elif (state := remote(path).state(path)) is not None:
            changed = state.changed
        else:
            return None
        return parse_json(files.read_bytes(path)) if changed >= since else None
    return None


def noted_waits(work: str, section: str, since: int) -> dict[str, list[str]]:
    """Return what a run that began then has noted of a section: by stage, those that are over once it has finished.

    Args:
        work: folder of artefacts.
        section: its name, or the first word of several sections' names.
        since: when the run began.
    """
    plans, waits = files.join(work, "plan"), dict[str, list[str]]()
    for name in files.list_folder(plans).files:
        if name.endswith(".json") and f"{name.removesuffix('.json')}.".startswith(f"{section}."):
            waits.update(_noted(files.join(plans, name), since) or {})
    return waits


class _Counted(NamedTuple):
    """Receipts of a stage: those of this run, those of earlier ones."""

    made: int
    before: int


class StageObjects:
    """The receipts of a stage on an object store, as `StageFolder` has them of a folder."""

    def __init__(self, work: str, stage: Foreseen) -> None:
        self._folder = files.join(work, *stage.name.split("/"))
        self._plan = files.join(work, "plan", *stage.name.split("/"))
        self._before = 0
        self.count = StageCount(stage)

    def look(self, now: float, since: int) -> None:
        """Bring `count` up to date: one listing, and one look at the plan until there is one.

        Args:
            now: seconds, by the clock of the count.
            since: start of the run, in nanoseconds of the epoch, by the store's clock.
        """
        old = self.count
        if old.ended:
            return
        made, self._before = self._counted(since)
        new = old._replace(made=made)
        if new.planned is None:
            new = new._replace(planned=planned(self._plan, since))
        if new.begun is None and (made or new.planned is not None):
            new = new._replace(begun=now, last=now)
        if made != old.made:
            new = new._replace(last=now, first=now if old.first is None else old.first)
        self.count = new

    def _counted(self, since: int) -> _Counted:
        made = before = 0
        for path, state in remote(self._folder).below(self._folder):
            if path.endswith(".json"):
                made += state.changed >= since
                before += state.changed < since
        return _Counted(made, before)

    def end(self) -> None:
        """Say that the stage is over: what it planned and has not made was there."""
        there = min(self._before, max(0, (self.count.planned or 0) - self.count.made))
        self.count = self.count._replace(ended=True, there=there)


INTERVAL = 0.5  # seconds between two updates of a terminal
LINE_INTERVAL = 30.0  # seconds between two lines, or events
REST = 50  # after a look, wait this many times its processor time,
WAIT = 5  # and this many times its duration, which on a slow disk may be longer
LONG = 0.2  # seconds; an interrupted run does not wait for a look that takes longer
_COARSE = 20_000_000  # nanoseconds by which a file system's times may be behind
_ONLY_DRAWN: ContextVar[bool] = ContextVar("only drawn", default=False)


@contextmanager
def only_drawn() -> Iterator[None]:
    """Print no lines of progress while the block runs: where it cannot be drawn, Python functions print nothing."""
    token = _ONLY_DRAWN.set(True)
    try:
        yield
    finally:
        _ONLY_DRAWN.reset(token)


def is_shown() -> bool:
    """Return whether progress is drawn: on a terminal, or in a notebook.

    With --verbose a terminal gets lines, since workers write to it, too, unseen by this process.
    """
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty() and not _is_verbose())


def _is_verbose() -> bool:
    return logging.getLogger().isEnabledFor(logging.INFO)


def _is_notebook() -> bool:
    if "IPython" not in sys.modules:  # as in a command, where rich is not loaded for the question
        return False
    from rich.console import Console

    return Console().is_jupyter


def _is_told() -> bool:
    return is_shown() or not _ONLY_DRAWN.get()


class RunProgress:
    """How far each stage of each section of a run has come."""

    def __init__(self, work: str, sections: Mapping[str, Sequence[Foreseen]], since: int | None = None) -> None:
        """Begin; what is made or planned from now on belongs to this run.

        Args:
            work: folder of artefacts.
            sections: the stages of each section, in the order in which they run.
            since: on an object store, when the run began by its clock, in nanoseconds of the epoch.
        """
        self.work = work
        self.since = time.time_ns() if since is None or files.is_local(work) else since
        self.counts = {name: [StageCount(s) for s in stages] for name, stages in sections.items()}
        self.estimates = Estimates()
        self.last_line = time.monotonic()

    def all(self) -> list[StageCount]:
        """Return the counts of all sections, in their order."""
        return [count for counts in self.counts.values() for count in counts]

    def leave(self, section: str) -> None:
        """Count the stages of a section as over: it has failed, or is not to be made."""
        self.counts[section] = [count._replace(ended=True) for count in self.counts[section]]

    def left(self, now: float) -> str:
        """Return the time left in words, for every look; empty if nothing can be told."""
        seconds = self.estimates.left(self.all(), now)
        return "" if seconds is None else time_left(seconds)


@contextmanager
def watching(run: RunProgress, section: str, used: Iterable[str] | None = None) -> Iterator[None]:
    """Show the progress of a section while the block runs.

    Args:
        run: the run, which keeps the counts of the section.
        section: the section.
        used: the names of the stages that it uses; None: all.
    """
    if not _is_told():
        yield
        return
    names = None if used is None else set(used)
    stages = [c.stage for c in run.counts[section] if names is None or c.stage.name in names]
    is_local = files.is_local(run.work)
    folders = [(StageFolder if is_local else StageObjects)(run.work, stage) for stage in stages]

    waits: dict[str, list[str]] = {}

    def look(now: float) -> None:
        waits.update({} if waits else noted_waits(run.work, section, run.since))  # once the graph is there
        for folder in folders:
            folder.look(now, run.since)
        run.counts[section] = settled([folder.count for folder in folders], waits)

    def end() -> None:
        for folder in folders:
            folder.end()
        run.counts[section] = [folder.count for folder in folders]

    with _shown(run, lambda: run.counts[section], look, end, 0.0 if is_local else LINE_INTERVAL):
        yield


@contextmanager
def counting(name: str, unit: str, total: int) -> Iterator[Callable[[int], object]]:
    """Show how many of a total are done while the block runs.

    Yields:
        A function that takes how many more are done.
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

    if not _is_told():
        yield add
        return
    with _shown(run, lambda: run.counts[name], look, end):
        yield add


@contextmanager
def _shown(
    run: RunProgress,
    counts: Callable[[], Sequence[StageCount]],
    look: Callable[[float], None],
    end: Callable[[], None],
    pause: float = 0.0,
) -> Iterator[None]:
    """Look and show in a thread while the block runs; if it ends well, its stages are over.

    There are at least `pause` seconds before each look, since one at an object store costs requests.
    """
    stop, well = threading.Event(), threading.Event()
    drawn = is_shown()

    def watch() -> None:
        # A run must not fail for want of a reader, nor because a folder disappears.
        with suppress(OSError, ValueError, LexbeamError):
            if drawn:
                from lexbeam.pipelines.monitoring.terminal import drawing, drawing_in_cell  # import rich

                with drawing_in_cell() if _is_notebook() else drawing() as draw:
                    _look_on(look, lambda now: draw(counts(), run.all(), now, run.left(now)), stop, well, pause, True)
                    if well.is_set():
                        end()
                    draw(counts(), run.all(), time.monotonic(), None)
            else:
                _look_on(look, lambda now: _tell(run, now), stop, well, pause, not pause)

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
    look: Callable[[float], None],
    show: Callable[[float], None],
    stop: threading.Event,
    well: threading.Event,
    pause: float,
    last_look: bool,
) -> None:
    """Look and show until `stop`; with `last_look`, look once more if the block has ended `well`."""
    due, taken = time.monotonic() + pause, 0.0
    while True:
        last = stop.wait(INTERVAL)
        now = time.monotonic()
        # An interrupted run ends at once, even if a look takes long.
        if now >= due or (last and last_look and (well.is_set() or taken < LONG)):
            busy = time.thread_time()
            look(now)
            busy, taken = time.thread_time() - busy, time.monotonic() - now
            due = now + max(pause, REST * busy, WAIT * taken)
        if last:
            return
        show(now)


def _tell(run: RunProgress, now: float) -> None:
    left = run.left(now)
    if now - run.last_line >= LINE_INTERVAL:
        run.last_line = now
        if are_printed():
            for count in at_work(run.all()):
                emit(_progress_of(count, now))
        elif _is_verbose():
            print(f"progress: {in_one_line(run.all(), now, left)}", file=sys.stderr, flush=True)


def _progress_of(count: StageCount, now: float) -> StageProgress:
    begun = now if count.begun is None else count.begun
    return StageProgress(
        stage=count.stage.name,
        made=count.made,
        there=count.there,
        planned=count.planned,
        unit=count.stage.unit,
        seconds=round(now - begun, 3),
    )


class StageFolder:
    """The folder of a stage's artefacts, from when the run began."""

    def __init__(self, work: str, stage: Foreseen) -> None:
        """Note what is there before the stage makes anything."""
        self._stage = stage
        self._folder = os.path.join(work, *stage.name.split("/"))
        self._plan = os.path.join(work, "plan", *stage.name.split("/"))
        self._first = self._listed = _time(self._folder)
        self._waiting = set(_receipts(self._folder))
        self._before = len(self._waiting)
        self.count = StageCount(stage)

    def look(self, now: float, since: int) -> None:
        """Bring `count` up to date.

        Args:
            now: seconds, by the clock of the count.
            since: start of the run, in nanoseconds of the epoch; newer plans and receipts are the run's.
        """
        old = self.count
        if old.ended:
            return
        new = old._replace(planned=planned(self._plan, since - _COARSE))
        changed = _time(self._folder)
        if changed is not None and (changed != self._listed or self._waiting):
            there = old.there
            taken_up = self._take_up(since - _COARSE) if self._waiting else 0
            made = old.made
            if changed != self._listed:
                made = max(0, sum(1 for _ in _receipts(self._folder)) - self._before)
                # A later change in the same moment would leave the time as it is.
                self._listed = changed if time.time_ns() - changed > _COARSE else -1
            new = new._replace(there=there + taken_up, made=made)
        done = new.made + new.there
        if new.begun is None and (done or changed not in (None, self._first)):
            new = new._replace(begun=now, last=now)
        if done != old.made + old.there:
            new = new._replace(last=now)
        if new.made and not old.made:
            new = new._replace(first=now)
        self.count = new

    def _take_up(self, since: int) -> int:
        touched = []
        for name in self._waiting:
            with suppress(OSError):
                if os.stat(os.path.join(self._folder, name)).st_mtime_ns >= since:
                    touched.append(name)
        self._waiting.difference_update(touched)
        return len(touched)

    def end(self) -> None:
        """Say that the stage is over."""
        self.count = self.count._replace(ended=True)


def _time(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_mtime_ns
    return None


def _receipts(folder: str) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".json"):
                yield entry.name
