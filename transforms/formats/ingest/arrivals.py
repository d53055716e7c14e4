"""Which input files have come, changed or gone since all were taken up, from one listing after another.

    arrivals = Arrivals(apart=10_000_000_000)
    seen = arrivals.look(files, at=clock())          # again and again
    arrivals.take(seen)                              # when a refresh that began after that look has ended well

Of a file that was taken up 8 bytes are held, of one that waits its path and a look. No look depends on how many came
before it, and the clock that is given need not be right, only go on.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.formats.ingest.settling import FileLook, SettlingFile, look_at
from lexbeam.transforms.formats.ingest.stage import InputFile

FOLLOWED = 100_000  # files at a time of which it is known whether they have settled; more wait for these
_BATCH = 1 << 12
_Keys = npt.NDArray[np.int64]


class Seen(NamedTuple):
    """What a look has found.

    Attributes:
        keys: what stands for the files as they are, sorted; within this process alone.
        coming: files that are new, or other than those that were taken up.
        settled: how many of these are as they were at an earlier look.
        gone: states of files that were taken up and are no more.
        rests: whether nothing has changed between this look and the one before.
    """

    keys: _Keys
    coming: int
    settled: int
    gone: int
    rests: bool

    @property
    def differs(self) -> bool:
        """Whether there is anything to take up."""
        return bool(self.coming or self.gone)


class Arrivals:
    """Files since all were taken up."""

    def __init__(self, apart: int) -> None:
        """Begin with nothing taken up.

        Args:
            apart: nanoseconds between two looks that agree on a file that is whole.
        """
        self._apart = apart
        self._taken: _Keys = np.empty(0, np.int64)
        self._last: _Keys | None = None
        self._waiting: dict[str, SettlingFile] = {}

    def look(self, listed: Iterable[tuple[str, InputFile]], at: int) -> Seen:
        """Look at all files there are.

        Args:
            listed: the files, each with the section that reads it.
            at: when, in nanoseconds, by a clock that goes on.
        """
        keys = array("q")
        waiting: dict[str, SettlingFile] = {}
        coming = settled = 0
        for section, file, key, is_known in self._compared(listed):
            keys.append(key)
            if is_known:
                continue
            coming += 1
            place = f"{section}\0{file.path}"
            before = self._waiting.get(place)
            if before is not None or len(waiting) < FOLLOWED:
                waiting[place], _ = look_at(before, FileLook(at, file.size, file.changed), self._apart)
                settled += waiting[place].taken
        self._waiting = waiting
        now = np.sort(np.array(keys, np.int64))
        gone = len(self._taken) - int(_among(self._taken, now).sum())
        rests = self._last is not None and np.array_equal(self._last, now)
        self._last = now
        return Seen(now, coming, settled, gone, rests)

    def _compared(self, listed: Iterable[tuple[str, InputFile]]) -> Iterator[tuple[str, InputFile, int, bool]]:
        files = iter(listed)
        while batch := list(islice(files, _BATCH)):
            keys = [hash((section, file.path, file.size, file.changed)) for section, file in batch]
            known = _among(np.array(keys, np.int64), self._taken).tolist()
            for (section, file), key, is_known in zip(batch, keys, known, strict=True):
                yield section, file, key, is_known

    def take(self, seen: Seen) -> None:
        """Note that the files of a look have been taken up as they were, or as they have become since."""
        self._taken = seen.keys
        self._waiting = {}


def _among(keys: _Keys, known: _Keys) -> npt.NDArray[np.bool_]:
    """Return which keys are among others, which are sorted."""
    if not len(known):
        return np.zeros(len(keys), bool)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.equal(known[places], keys)
