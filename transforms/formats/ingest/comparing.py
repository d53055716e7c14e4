"""What has changed between input files as they were taken in and as they are listed now.

Nothing is held of a file but three numbers, and of some million files at a time.
"""

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import islice

import numpy as np

from lexbeam.transforms.common.code.fingerprints import stream_digest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest.known import AllKnown, number_of
from lexbeam.transforms.formats.ingest.listing import InputPatterns, find_files
from lexbeam.transforms.formats.ingest.stage import InputFile
from lexbeam.transforms.formats.ingest.units import key_of

HELD = 1 << 22  # files that are held at a time
# Nanoseconds by which the time of an object may lie before the moment in which it was there: a store has a clock of its
# own, from which ours may differ by 15 minutes, and S3 notes when a long upload began.
SKEW = 24 * 3600 * 10**9
SHOWN = 3
_BATCH = 1 << 12

Rows = Iterable[tuple[list[str], list[int], list[str]]]


@dataclass
class Some:
    """How many names there are, and the least of them."""

    number: int = 0
    least: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Count a name."""
        self.number += 1
        self.least = nsmallest(SHOWN, [*self.least, name])


@dataclass
class Changes:
    """Files that were not there before, that are not there now, and that have other bytes.

    Attributes:
        new: the first.
        gone: the second.
        changed: the third.
        back: files that are there again, of those that had gone before and were kept.
        newest: when a file that is there was changed last, in nanoseconds since 1970; 0: nobody knows.
    """

    new: Some = field(default_factory=Some)
    gone: Some = field(default_factory=Some)
    changed: Some = field(default_factory=Some)
    back: Some = field(default_factory=Some)
    newest: int = 0


def input_changes(
    patterns: InputPatterns, rows: Callable[[], Rows], number: int, listed: int, root: str, kept: Iterable[int]
) -> Changes:
    """Compare files that patterns name with those that were taken in.

    A file is read again unless its digest is known by its path, size and time of change, or, on an object store, that
    time lies before the files were listed.

    Args:
        patterns: what names the files.
        rows: begins to read names, bytes and SHA-256 of files that were taken in.
        number: how many these are.
        listed: when files were listed before they were taken in, in nanoseconds since 1970; 0: nobody knows.
        root: the folder where artefacts lie, with the digests that are known.
        kept: keys of the names of files that had gone before, and of which everything was kept.

    Raises:
        LexbeamError: the files cannot be listed.
    """
    known = AllKnown(root)
    return compare_inputs(
        lambda: find_files(patterns),
        rows,
        number,
        lambda file, sha256: (
            not (files.is_local(file.path) and known.holds(file, sha256)) and is_touched(file, listed, time.time_ns())
        ),
        lambda file: _sha256(file.path),
        kept,
    )


def _sha256(path: str) -> str | None:
    try:
        with files.open_read(path) as stream:
            return stream_digest(stream)
    except OSError:
        return None


def compare_inputs(
    listed: Callable[[], Iterator[InputFile]],
    rows: Callable[[], Rows],
    number: int,
    is_touched: Callable[[InputFile, int], bool],
    sha256: Callable[[InputFile], str | None],
    kept: Iterable[int] = (),
) -> Changes:
    """Compare files that are listed with those that were taken in.

    Args:
        listed: begins to list files; called once for each `HELD` files that were taken in.
        rows: begins to read names, bytes and SHA-256 of files that were taken in.
        number: how many these are.
        is_touched: whether a file of the same size may have other bytes than those whose SHA-256 has a `number_of`.
        sha256: of such a file, what its SHA-256 is now; None: it cannot be read.
        kept: keys of the names of files that had gone before, and of which everything was kept.
    """
    changes = Changes()
    had_gone = frozenset(kept)
    rounds = max(-(-number // HELD), 1)
    for turn in range(rounds):
        known = _Known(rows(), rounds, turn)
        found = listed()
        while batch := list(islice(found, _BATCH)):
            changes.newest = max(changes.newest, *(file.changed for file in batch))
            for place, at in known.places([file.name for file in batch]):
                file = batch[at]
                if place is None:
                    changes.new.add(file.name)
                    continue
                known.is_there[place] = True
                if had_gone and key_of(file.name) in had_gone:
                    changes.back.add(file.name)
                if file.size != known.sizes[place] or (
                    is_touched(file, int(known.digests[place])) and number_of(sha256(file)) != known.digests[place]
                ):
                    changes.changed.add(file.name)
        if not known.is_there.all():
            for names, _, _ in rows():
                for place, at in known.places(names):
                    if place is not None and not known.is_there[place]:
                        changes.gone.add(names[at])
    return changes


def is_touched(file: InputFile, listed: int, now: int) -> bool:
    """Return whether a file of the same size may have other bytes than when it was taken in, if no digest is known.

    A file of this machine may: whoever renames a folder above it, or a link, changes no time of its own.

    Args:
        file: as it is listed now.
        listed: when files were listed before they were taken in, in nanoseconds since 1970; 0: nobody knows.
        now: what time it is; a clock that has gone back since says nothing.
    """
    return files.is_local(file.path) or now < listed or not file.changed or file.changed >= listed - SKEW


class _Known:
    """Numbers of files that were taken in: those whose keys have the remainder `turn` by `rounds`.

    A key is what Python's `hash` says within this process: 64 bits, of which nothing is kept.

    Attributes:
        sizes: bytes, in the order of keys; int64.
        digests: what `number_of` makes of their SHA-256; int64.
        is_there: whether they are listed.
    """

    def __init__(self, rows: Rows, rounds: int, turn: int) -> None:
        self._rounds, self._turn = rounds, turn
        keys, sizes, digests = array("q"), array("q"), array("q")
        for names, bytes_read, found in rows:
            for name, size, sha256 in zip(names, bytes_read, found, strict=True):
                key = hash(name)
                if key % rounds == turn:
                    keys.append(key)
                    sizes.append(size)
                    digests.append(number_of(sha256))
        order = np.argsort(np.array(keys, np.int64), kind="stable")
        # No hash is -1, which ends them.
        self._keys = np.append(np.array(keys, np.int64)[order], -1)
        self.sizes, self.digests = (np.array(each, np.int64)[order] for each in (sizes, digests))
        self.is_there = np.zeros(len(order), bool)

    def places(self, names: Sequence[str]) -> Iterator[tuple[int | None, int]]:
        """Yield, of names whose turn it is, the place of each here, None if there is none, and among `names`."""
        keys = np.fromiter(map(hash, names), np.int64, len(names))
        here = np.flatnonzero(keys % self._rounds == self._turn)
        places = np.searchsorted(self._keys[:-1], keys[here])
        is_known = self._keys[places] == keys[here]
        for place, known, at in zip(places.tolist(), is_known.tolist(), here.tolist(), strict=True):
            yield (place if known else None), at
