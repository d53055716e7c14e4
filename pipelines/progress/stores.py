"""How far a stage has come whose artefacts lie on an object store: what one listing tells.

A store says when an object was written, and receipts are written once: so what a run has made is told from what was
there, and nothing tells what it has taken up. All times are the store's.
"""

import re
from typing import NamedTuple

from lexbeam.pipelines.progress.lines import Foreseen, StageCount
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


def planned_in_store(path: str, begun: int) -> int | None:
    """Return the number that a run which began then planned; None where what is noted is an earlier run's."""
    state = remote(path).state(path)
    if state is None or state.changed < begun:
        return None
    text = files.read_bytes(path)
    return int(text) if text.isdigit() else None


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
            new = new._replace(planned=planned_in_store(self._plan, since))
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
