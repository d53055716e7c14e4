"""Which input files are other than they were: what is known of their digests, when they are whole, what has come.

`KnownDigests` spares reading a file to find that it is the same. A digest is taken for known where path, size and time
of change are those that it was noted with. It is noted only if the time lay far enough before the listing
(`input_listing.GRANULARITY`): what changes later has another one. The digests of a unit lie in one file beside the
artefacts; nothing of them is published.

`look_at` says when a file that appears is whole: once two looks, some time apart, have found the same size and time of
change. Whoever writes a file beside its place and renames it is not waited for longer than that. What a look finds is
all that is kept of a file, and the times are given, so that a test needs no clock.

    state = None
    for look in looks:
        state, settled = look_at(state, look, apart=2_000_000_000)

`Arrivals` says which files have come, changed or gone since all were taken up, from one listing after another. Of a
file that was taken up 8 bytes are held, of one that waits its path and a look. No look depends on how many came before
it, and the clock that is given need not be right, only go on.

    arrivals = Arrivals(apart=10_000_000_000)
    seen = arrivals.look(files, at=clock())          # again and again
    arrivals.take(seen)                              # when a refresh that began after that look has ended well

`input_changes` compares files as they were taken in with those that are listed now. Nothing is held of a file but three
numbers, and of some million files at a time.
"""

import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.fingerprints import digest, stream_digest
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.publish.removing import LISTING
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, ListedUnit, find_files, key_of
from lexbeam.transforms.formats.sources.readings import FileReading

# How files are found to be those of an earlier run.
CHECKS: Registry[Entry] = Registry(
    {
        "time": Entry(doc="size and time of change; what differs in them is read"),
        "content": Entry(doc="all files are read"),
    },
    what="check of input files",
)
_HEX = 64
_ENDING = ".arrow"
_NOTED = pa.schema([("path", pa.binary()), ("size", pa.int64()), ("changed", pa.int64()), ("sha256", pa.string())])
_Place = tuple[bytes, int, int]


class KnownDigests:
    """The digests of the files of a unit.

    Args:
        unit: as it was dealt out: in a listing, or of one file.
    """

    def __init__(self, workspace: Workspace, unit: ListedUnit | Unit) -> None:
        self._folder = files.join(workspace.root, LISTING)
        self._names = list(_names(unit))
        self._noted: dict[_Place, str] | None = None

    def fill(self, unit: Unit) -> Unit:
        """Return a unit with those digests of its files that are known."""
        asked = self._asked()
        filled = (file._replace(known=asked.get(_place(file), "")) if file.changed else file for file in unit.files)
        return replace(unit, files=tuple(filled))

    def _asked(self) -> dict[_Place, str]:
        """Return what is noted: for the unit, or, where their number has changed, for those that had its files."""
        for own, names in enumerate(self._names):
            found = [noted for name in names if (noted := _read(files.join(self._folder, name))) is not None]
            if found:
                merged = {place: sha256 for noted in found for place, sha256 in noted.items()}
                self._noted = merged if not own else None
                return merged
        return {}

    def keep(self, listed: Iterable[InputFile], readings: Iterable[FileReading]) -> None:
        """Note the digests of a unit's files that were read, or known before."""
        noted = {
            _place(file): reading.sha256
            for file, reading in zip(listed, readings, strict=True)
            if file.changed and reading.broken is None and len(reading.sha256) == _HEX
        }
        if noted == (self._noted or {}):
            return
        rows = [(*place, sha256) for place, sha256 in sorted(noted.items())]
        columns = zip(*rows, strict=True) if rows else [()] * len(_NOTED)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _NOTED, strict=True)]
        files.make_folder(self._folder)
        path = files.join(self._folder, self._names[0][0])
        with files.writing(path) as stream, pa.ipc.new_file(stream, _NOTED) as writer:
            writer.write_table(pa.Table.from_arrays(arrays, schema=_NOTED))


class AllKnown:
    """The digests of all files that are known, to ask whether a file is what it was. Of each, 8 bytes are held."""

    def __init__(self, root: str) -> None:
        self._folder = files.join(root, LISTING)

    def holds(self, file: InputFile, number: int) -> bool:
        """Return whether a file is known, as it is listed, to have a SHA-256 with this `number_of`."""
        if not file.changed:
            return False
        key = hash((*_place(file), number))
        at = int(np.searchsorted(self._keys, key))
        return at < len(self._keys) and int(self._keys[at]) == key

    @cached_property
    def _keys(self) -> "np.typing.NDArray[np.int64]":
        keys = array("q")
        for name in files.list_folder(self._folder).files:
            noted = _read(files.join(self._folder, name)) if name.endswith(_ENDING) else None
            keys.extend(hash((*place, number_of(sha256))) for place, sha256 in (noted or {}).items())
        return np.sort(np.array(keys, np.int64))


def number_of(sha256: str | None) -> int:
    """Return a number that stands for a digest within this process; -1 for None, or for why there is none."""
    return hash(sha256) if sha256 and len(sha256) == _HEX else -1


def _place(file: InputFile) -> _Place:
    return file.path.encode("utf-8", "surrogateescape"), file.size, file.changed


def _names(unit: ListedUnit | Unit) -> Iterator[Sequence[str]]:
    """Yield names of files with digests: the unit's own, then those of others that may have had its files."""
    if isinstance(unit, Unit):
        yield [f"file-{digest(unit.files[0].name)}{_ENDING}"]
        return
    yield [_bucket(unit.bits, unit.bucket)]
    for up in range(1, unit.bits + 1):
        yield [_bucket(unit.bits - up, unit.bucket >> up)]
    yield [_bucket(unit.bits + 1, 2 * unit.bucket), _bucket(unit.bits + 1, 2 * unit.bucket + 1)]


def _bucket(bits: int, bucket: int) -> str:
    return f"bucket-{bits:02d}-{bucket:x}{_ENDING}"


def _read(path: str) -> dict[_Place, str] | None:
    if not files.exists(path):
        return None
    try:
        with files.open_read(path) as stream:
            rows = pa.ipc.open_file(stream).read_all().cast(_NOTED)
    except (OSError, ValueError, KeyError):  # damaged: pyarrow's errors are of these kinds
        return None
    places = zip(*(rows[name].to_pylist() for name in ("path", "size", "changed")), strict=True)
    return dict(zip(places, rows["sha256"].to_pylist(), strict=True))


class FileLook(NamedTuple):
    """What a look at a file found.

    Attributes:
        at: when it was looked at, in nanoseconds, by a clock that does not go back while a file is waited for.
        size: its bytes.
        changed: when it was changed last, in nanoseconds since 1970; 0: nobody knows, and the size alone tells.
    """

    at: int
    size: int
    changed: int


class SettlingFile(NamedTuple):
    """What is known of a file.

    Attributes:
        first: the first look that found it as it is now.
        taken: whether it has been told of as settled since.
    """

    first: FileLook
    taken: bool = False


def look_at(before: SettlingFile | None, look: FileLook, apart: int) -> tuple[SettlingFile, bool]:
    """Return what is known of a file after a look, and whether this look is the one by which it has settled.

    A file that is changed later settles anew. Looks may come twice, or in another order than they were made in: an
    older one tells nothing.

    Args:
        before: what was known of it; None: nothing.
        apart: nanoseconds that must lie between the two looks that agree; what writes a file may rest meanwhile,
            and file systems note times in steps of up to two seconds.
    """
    if before is None or (look.at > before.first.at and look[1:] != before.first[1:]):
        return SettlingFile(look), False
    if before.taken or look[1:] != before.first[1:] or look.at - before.first.at < apart:
        return before, False
    return before._replace(taken=True), True


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


HELD = 1 << 22  # files that are held at a time
# Nanoseconds by which the time of an object may lie before the moment in which it was there: a store has a clock of its
# own, from which ours may differ by 15 minutes, and S3 notes when a long upload began.
SKEW = 24 * 3600 * 10**9
SHOWN = 3

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
