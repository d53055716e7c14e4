"""A refresh that stays: it lists the inputs again and again, and takes up what has come, one refresh after the other.

Pure but for what it is given: how to list, how to refresh, and a clock. That clock only goes on, so that setting the
machine's time does nothing here.
"""

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from lexbeam.pipelines.frame.command import Job
from lexbeam.pipelines.frame.inputs import input_patterns
from lexbeam.pipelines.frame.interrupts import note_ended, was_interrupted
from lexbeam.pipelines.runners.hooks import PublishHookError
from lexbeam.transforms.common.errors import LexbeamError, UsageError, explaining
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.formats.ingest.file_changes import FOLLOWED, Arrivals, Seen
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import find_files

log = logging.getLogger("lexbeam")

LONGEST = 3600.0  # seconds between two tries of what fails again and again
WATCH = "watch"
REST = 5  # after a look, wait at least this many times what it took
SIGN = 60.0  # seconds after which it is noted again that there is nothing to do


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """Options of a refresh that stays."""

    watch: bool = option(False, help="stay, and take up files as they come, one refresh after the other", group=WATCH)
    watch_files: int = option(
        1000, help="refresh as soon as so many files have come and are whole", least=1, group=WATCH
    )
    watch_minutes: float = option(
        5,
        help="or so many minutes after the first of them was seen; also the least time after a failure",
        least=0,
        group=WATCH,
    )
    watch_poll: float = option(
        10,
        help="seconds between two looks; a file is whole when two looks find the same size and time",
        least=0.1,
        group=WATCH,
    )


@dataclass
class Pace:
    """When to refresh, from looks and times in seconds.

    Attributes:
        files: as soon as so many files have settled,
        seconds: or so long after the first of them was seen. So long, and twice as long each time, it is also waited
            after a refresh that has failed; after one whose inputs have changed since, the first of these times.
        is_failing: whether a refresh, or a look, or what follows a publication has failed since a refresh ended well.
    """

    files: int
    seconds: float
    _is_first: bool = True
    _since: float | None = None
    _failed: tuple[float, Seen] | None = None
    _failures: int = 0
    _untold: int = 0
    _again: float = -math.inf
    is_failing: bool = False

    def is_due(self, seen: Seen, now: float) -> bool:
        """Return whether to refresh after a look, now.

        Files that are still being written are waited for, but not longer than twice what the attributes say. Where
        inputs are again what they were before a failure, a refresh finds so, and that it is over.
        """
        if not seen.differs:
            self._since = None
            return self.is_failing and now >= (self._again if self._failed is None else self._retry(seen))
        self._since = now if self._since is None else self._since
        if self._failed is not None and now < self._retry(seen):
            return False
        waited = now - self._since
        whole = seen.settled == min(seen.coming, FOLLOWED) and (bool(seen.settled) or seen.rests)
        if whole:
            return self._is_first or seen.settled >= self.files or waited >= self.seconds
        return seen.settled >= 2 * self.files or waited >= 2 * self.seconds

    def _retry(self, seen: Seen) -> float:
        assert self._failed is not None
        at, before = self._failed
        is_same = len(seen.keys) == len(before.keys) and bool((seen.keys == before.keys).all())
        wait = self.seconds * 2 ** min(self._failures - 1, 30) if is_same else self.seconds
        return at + min(wait, max(LONGEST, self.seconds))

    def note_success(self) -> None:
        """Note that a refresh has ended well."""
        self._is_first, self._since, self._failed, self._failures = False, None, None, 0
        self._untold, self._again = 0, -math.inf
        self.is_failing = False

    def note_untold(self, now: float) -> None:
        """Note that a refresh has ended well, but for what follows a publication.

        That is tried again after the next look, then after `seconds`, and after twice as long each time.
        """
        tries = self._untold
        self.note_success()
        wait = self.seconds * 2 ** min(tries - 1, 30) if tries else 0.0
        self._untold, self._again = tries + 1, now + min(wait, max(LONGEST, self.seconds))
        self.is_failing = True

    def note_failure(self, seen: Seen, now: float) -> None:
        """Note that the refresh after a look has failed."""
        self._failed = now, seen
        self._failures += 1
        self.is_failing = True

    def note_failed_look(self) -> None:
        """Note that a look has failed, after which nothing needs to be waited for."""
        self.is_failing = True


def input_files(jobs: Sequence[Job]) -> Iterator[tuple[str, InputFile]]:
    """Yield the files that jobs take in, each with the section that does.

    Raises:
        LexbeamError: there are none, or they cannot be listed.
    """
    patterns = [(job.section, pattern) for job in jobs if (pattern := input_patterns(job)) is not None]
    if not patterns:
        raise UsageError("`watch`: no section of the configuration takes in files")
    for section, pattern in patterns:
        for file in find_files(pattern):
            yield section, file


def watch(
    listed: Callable[[], Iterable[tuple[str, InputFile]]],
    refresh: Callable[[], object],
    pace: Pace,
    poll: float,
    *,
    out: str | None = None,
    looked: Callable[[LexbeamError | None], object] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> NoReturn:
    """Refresh whenever it is due, until an interrupt.

    Args:
        listed: begins to list the input files, each with the section that reads it.
        refresh: makes what has changed anew and publishes it.
        pace: says when.
        poll: seconds between two looks.
        out: the folder to publish to, for messages.
        looked: takes what is to be noted of looks: why one failed, once however often it does; None, every `SIGN`
            seconds: that all has been taken up.
        clock: seconds, which only go on.
        sleep: waits.

    Raises:
        UsageError: the first look or refresh finds that the configuration or an option is wrong; later ones are told.
    """
    arrivals = Arrivals(apart=round(poll * 1e9 / 2))  # two looks, even if one comes a little early
    told = ""
    is_first = True
    noted = -SIGN
    while True:
        begun = clock()
        try:
            with explaining(out):
                seen = arrivals.look(listed(), at=round(begun * 1e9))
            told = ""
        except LexbeamError as error:
            _refuse(error, is_first)
            if str(error) != told:  # once, however often it is looked
                log.error("inputs cannot be listed, and are looked for again: %s", error)
                pace.note_failed_look()
                looked(error)
            told = str(error)
        else:
            if pace.is_due(seen, clock()):
                is_first = not _refreshed(refresh, arrivals, seen, pace, is_first, out, clock) and is_first
                begun = clock()
            elif not (seen.differs or pace.is_failing) and clock() >= noted + SIGN:
                noted = clock()
                looked(None)
        sleep(max(poll, REST * (clock() - begun)))


def _refreshed(
    refresh: Callable[[], object],
    arrivals: Arrivals,
    seen: Seen,
    pace: Pace,
    is_first: bool,
    out: str | None,
    clock: Callable[[], float],
) -> bool:
    try:
        with explaining(out):
            refresh()
    except PublishHookError as error:  # what it was to be told of is published
        log.error("%s", error)
        note_ended()
        arrivals.take(seen)
        pace.note_untold(clock())
        return True
    except LexbeamError as error:
        _refuse(error, is_first)
        log.error("this refresh failed, and is tried again later or when inputs change: %s", error)
        pace.note_failure(seen, clock())
        note_ended()
        return False
    note_ended()
    arrivals.take(seen)
    pace.note_success()
    return True


def _refuse(error: LexbeamError, is_first: bool) -> None:
    """Raise an error of usage at the first try, since a person is there to read it, and what an interrupt broke."""
    if was_interrupted() or (is_first and isinstance(error, UsageError)):
        raise error
