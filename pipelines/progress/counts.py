"""Counts of the artefacts of stages, from the receipts in their folders.

A look lists only folders that have changed. It asks for the time of a file only where a receipt
was there before the run, to tell whether the run has taken it up, and no more once it has.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress

from pipelines.progress.lines import Foreseen, StageCount

__all__ = ["StageFolder"]

_COARSE = 20_000_000  # nanoseconds by which a file system's times may be behind


class StageFolder:
    """The folder of a stage's artefacts, from when the run began."""

    def __init__(self, work: str, stage: Foreseen) -> None:
        """Note what is there; nothing of the stage is made before."""
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
            since: nanoseconds of the epoch from which plans and receipts are the run's.
        """
        old = self.count
        if old.ended:
            return
        new = old._replace(planned=_planned(self._plan, since - _COARSE))
        changed = _time(self._folder)
        if changed is not None and (changed != self._listed or self._waiting):
            there = old.there
            found = self._take_up(since - _COARSE) if self._waiting else 0
            made = old.made
            if changed != self._listed:
                made = max(0, sum(1 for _ in _receipts(self._folder)) - self._before)
                # What changes in the same moment does not change the time.
                self._listed = changed if time.time_ns() - changed > _COARSE else -1
            new = new._replace(there=there + found, made=made)
        done = new.made + new.there
        if new.begun is None and (done or changed not in (None, self._first)):
            new = new._replace(begun=now, last=now)
        if done != old.made + old.there:
            new = new._replace(last=now)
        self.count = new

    def _take_up(self, since: int) -> int:
        """Return how many of the receipts that were there have been touched by now."""
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


def _planned(path: str, since: int) -> int | None:
    with suppress(OSError, ValueError):
        if os.stat(path).st_mtime_ns >= since:
            with open(path, encoding="ascii") as stream:
                return int(stream.read())
    return None
