"""What is in an output folder, seen from outside: what is published, made, left to make and left behind; and `clean`.

How far the stages of a run have come is told from the receipts and plans that lie in a folder of artefacts. `clean`
frees what can be made anew, artefacts, and what killed runs have left behind. Published tables stay as they are, and so
do receipts and the artefacts that are published parts: a run with the same options finds all it needs; another one
makes anew what it lacks. With `--cache`, it is the cache of compiled resources and of copied models that is freed.
"""

import contextlib
import fcntl
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.handed_back import LeftRun, left_run
from lexbeam.pipelines.frame.publishing import (
    UNFINISHED,
    begun_at,
    check_nobody_detached,
    kept_digests,
    read_unfinished,
)
from lexbeam.pipelines.frame.registry import all_tables, available, command_of
from lexbeam.pipelines.monitoring.estimates import Foreseen, StageCount, settled
from lexbeam.pipelines.monitoring.events import ArtefactsFreed, report
from lexbeam.pipelines.monitoring.progress import noted_waits, planned, receipts_below
from lexbeam.transforms.common.errors import LexbeamError, UsageError, readable
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.forgotten import read_marks
from lexbeam.transforms.common.publish.layout import (
    ARTEFACTS,
    FAILED,
    FORGOTTEN,
    GIVEN,
    HISTORY,
    LOCK,
    LOG,
    MARK,
    POINTER,
    RUN_LOG,
    SNAPSHOTS,
    is_link_of_ours,
    is_marked_folder,
    is_unfinished_snapshot,
    links_of,
    locked,
    read_record,
)
from lexbeam.transforms.common.publish.leases import holder_of
from lexbeam.transforms.common.publish.removing import (
    RESULTS,
    check_not_streaming,
    failed_files,
    free,
    leftovers,
    remove_failed,
    remove_hidden,
)
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, output_folder, published_below
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import FREED
from lexbeam.transforms.common.store.remote import remote

_TEMPORARY = re.compile(r"(.+)" + files.TEMPORARY)


class StageWork(NamedTuple):
    """Artefacts of a stage, as the run sees them that is at work or was cut off.

    Attributes:
        name: `change/train`.
        planned: artefacts that the run is to make or reuse; None if it has not got so far, or does
            not know beforehand.
        done: artefacts that the run has made or reused; on object stores, made.
        earlier: artefacts of earlier runs that it has not asked for: they are reused if it asks for
            the same, and of no use to it otherwise. On object stores nothing tells of which of them
            it has asked for, and they count here.
        unit: what they are, in the plural, as progress says.
        first: when the first of those done was made or taken up, in seconds since 1970; None of none.
        last: likewise of the latest.
    """

    name: str
    planned: int | None
    done: int
    earlier: int
    unit: str = ""
    first: float | None = None
    last: float | None = None

    @property
    def left(self) -> int | None:
        """Artefacts still to make, where that is known; on object stores `earlier` ones may be among them."""
        return None if self.planned is None else max(self.planned - self.done, 0)


def stages_of(root: str, folders: Iterable[str]) -> tuple[StageWork, ...]:
    """Return the stages of the run at work or cut off, by folders and in the order of their first artefacts.

    Args:
        root: the folder of artefacts.
        folders: those in it that hold the stages of the sections that the run is to make.
    """
    begun = begun_at(root)
    if begun is None:  # it has just finished
        return ()
    receipts = receipts_below(root) if not files.is_local(root) else {}
    return tuple(stage for folder in folders for stage in _stages(root, folder, begun, receipts))


def _stages(root: str, section: str, begun: int, receipts: Mapping[str, list[int]]) -> list[StageWork]:
    is_local = files.is_local(root)
    plans = files.join(root, "plan", section)
    names = {name for name in files.list_folder(plans).files if not _TEMPORARY.fullmatch(name)}
    if is_local:
        names.update(files.list_folder(os.path.join(root, section)).folders)
    else:
        names.update(name.removeprefix(f"{section}/") for name in receipts if name.startswith(f"{section}/"))
    units = {s.name: s.unit for _, command in available() for s in command.stages}
    works = []
    for name in sorted(names):
        full = f"{section}/{name}"
        # A run says what it is to do before it asks for its first artefact.
        times = _receipt_times(os.path.join(root, section, name)) if is_local else receipts.get(full, [])
        done = [time for time in times if time >= begun]
        expected = planned(files.join(plans, name), begun)
        if done or expected is not None:
            unit = units.get(full, "")
            span = (min(done) / 1e9, max(done) / 1e9) if done else (None, None)
            stage = StageWork(full, expected, len(done), len(times) - len(done), unit, *span)
            works.append((not done, min(done, default=0), stage))
    return _settled([stage for *_, stage in sorted(works)], noted_waits(root, section, begun))


def _settled(stages: list[StageWork], waits: Mapping[str, Collection[str]]) -> list[StageWork]:
    """Return stages with nothing left of those that a finished one has waited for."""
    counts = [StageCount(Foreseen(s.name, s.unit), s.planned, s.done, begun=0.0) for s in stages]
    return [
        stage._replace(planned=stage.done) if count.ended else stage
        for stage, count in zip(stages, settled(counts, waits), strict=True)
    ]


def _receipt_times(folder: str) -> list[int]:
    times = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            if entry.name.endswith(".json"):
                with contextlib.suppress(FileNotFoundError):
                    times.append(entry.stat().st_mtime_ns)
    return times


WRONG = "what a failed run says was wrong"
UNNEEDED = "data from Python that nothing published is made from"
_SNAPSHOT = re.compile(r"[0-9a-f]{32}")  # and what else is named by its content


class Leftover(NamedTuple):
    """Something that a killed run has left behind: `temporary file`, say, its path, its bytes."""

    kind: str
    path: str
    bytes: int


class Survey(NamedTuple):
    """What is in an output folder.

    Attributes:
        snapshot: what is published, or None.
        at_work: whether a run holds the folder.
        holder: process that holds it, where the system says so.
        machine: where that process is; None: here.
        unfinished: sections that a run which has not finished was to make.
        failed: whether it ended by an error.
        held_back: why what it made was not to be published, a line each; none: that was not the error.
        forgetting: whether what was to be forgotten is still to be removed.
        command: the command that goes on with it, and the folder in which it was given; empty of a notebook.
        left: what it has left to a cluster, or None.
        stages: of that run, in the order of their first artefacts.
        artefacts: bytes of all artefacts that nothing published shares.
        freed: how many artefacts have been freed, of which the receipts have stayed.
        leftovers: what `lexbeam clean` would remove beside artefacts.
    """

    snapshot: Snapshot | None
    at_work: bool
    holder: int | None
    machine: str | None
    unfinished: tuple[str, ...]
    failed: bool
    held_back: tuple[str, ...]
    forgetting: bool
    command: tuple[str, ...]
    left: LeftRun | None
    stages: tuple[StageWork, ...]
    artefacts: int
    freed: int
    leftovers: tuple[Leftover, ...]


def survey(out: str) -> Survey:
    """Look at an output folder, which may change meanwhile.

    Raises:
        LexbeamError: no run has written there.
    """
    owned = [name for name in (ARTEFACTS, SNAPSHOTS) if is_marked_folder(out, name)]
    if not files.is_local(out):
        return _survey_store(out, owned)
    if not owned and not is_link_of_ours(out, POINTER):
        raise _no_output(out)
    at_work, holder = _lock_of(out)
    root = os.path.join(out, ARTEFACTS)
    note = read_unfinished(out) if ARTEFACTS in owned else {}
    return Survey(
        snapshot=find_snapshot(out),
        at_work=at_work,
        holder=holder,
        machine=None,
        **_of_note(note),
        forgetting=read_marks(out)[1],
        stages=stages_of(root, _folders(note)),
        artefacts=_size(root) if ARTEFACTS in owned else 0,
        freed=sum(name.endswith(FREED) for _, _, names in os.walk(root) for name in names) if ARTEFACTS in owned else 0,
        leftovers=(*_leftovers(out, owned, note), *_unneeded(out), *_failed(out)),
    )


def _folders(note: Mapping[str, Any]) -> dict[str, None]:
    """Return the folders, among artefacts, of the stages of the sections that a run was to make, in their order."""
    folders: dict[str, None] = {}
    for name in note.get("sections", ()):
        command = command_of(name)
        stages = [name.partition(".")[0]] if command is None else [stage.name for stage in command.stages_of(name)]
        folders |= dict.fromkeys(stage.partition("/")[0] for stage in stages)
    return folders


def _no_output(out: str) -> LexbeamError:
    return LexbeamError(
        f"{out!r} is not an output folder: no run of Lexbeam has written there"
        + (published_below(out) or "; name the folder that a command published to")
    )


def _survey_store(out: str, owned: Sequence[str]) -> Survey:
    snapshot = find_snapshot(out)
    if not owned and snapshot is None:
        raise _no_output(out)
    root = files.join(out, ARTEFACTS)
    holder = holder_of(out)
    note = read_unfinished(out)
    hidden = _no_results(root, note) if ARTEFACTS in owned else ()
    # A published part is a copy of an artefact, which stays.
    parts = [part for name in snapshot.tables for part in snapshot.files(name)] if snapshot else []
    published = {part.sha256: part.bytes for part in parts}
    size = freed = 0
    for path, state in remote(root).below(root) if ARTEFACTS in owned else ():
        size += state.bytes
        freed += path.endswith(FREED)
    return Survey(
        snapshot=snapshot,
        at_work=holder is not None,
        holder=holder.process if holder else None,
        machine=holder.machine if holder else None,
        **_of_note(note),
        forgetting=read_marks(out)[1],
        stages=stages_of(root, _folders(note)) if note else (),
        artefacts=max(0, size - sum(published.values())),
        freed=freed,
        leftovers=(
            *(Leftover("temporary file", path, files.size(path) or 0) for path in hidden),
            *_unneeded(out),
            *_failed(out),
        ),
    )


def _of_note(note: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "unfinished": tuple(note.get("sections", ())),
        "failed": bool(note.get("failed")),
        "held_back": tuple(readable(str(line)) for line in note.get("held_back", ())),
        "command": tuple(readable(str(note[key])) for key in ("command", "directory")) if note.get("command") else (),
        "left": left_run(note),
    }


def _failed(out: str) -> Iterator[Leftover]:
    for path in failed_files(out):
        yield Leftover(WRONG, path, files.size(path) or 0)


def _unneeded(out: str) -> Iterator[Leftover]:
    """Yield the files of data that Python functions were given, and of which no snapshot was made."""
    given, snapshots = files.join(out, GIVEN), files.join(out, SNAPSHOTS)
    if files.is_local(out) and os.path.islink(given):
        return
    folders = [name for name in files.list_folder(given).folders if _SNAPSHOT.fullmatch(name)]
    logs = [name for name in files.list_folder(snapshots).files if name.endswith(LOG)] if folders else []
    said = b""
    for name in logs:
        with contextlib.suppress(FileNotFoundError):  # a run may be at work
            said += files.read_bytes(files.join(snapshots, name))
    for name in folders:
        if name.encode() in said:  # what is made of it names it
            continue
        with contextlib.suppress(files.NoFilesError):
            for entry in files.find_files(files.join(given, name)):
                yield Leftover(UNNEEDED, entry.path, entry.size)


def _lock_of(out: str) -> tuple[bool, int | None]:
    path = os.path.join(out, LOCK)
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as lock:
            try:
                # Shared and given back at once: two that look do not disturb each other.
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True, _holder(os.fstat(lock.fileno()).st_ino)
    except OSError:
        pass
    return False, None


def _holder(inode: int) -> int | None:
    """Return the process that holds a lock on a file; only Linux says."""
    with contextlib.suppress(OSError), open("/proc/locks", encoding="utf-8") as locks:
        for words in map(str.split, locks):
            if len(words) > 5 and words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
                return int(words[4])
    return None


def _no_results(root: str, note: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is left behind among artefacts, without what a job that was left to a cluster hands back."""
    run = left_run(note)
    kept = tuple(files.join(root, RESULTS, job.results) for job in run.jobs) if run else ()
    return (path for path in leftovers(root) if not path.startswith(kept))


def _leftovers(out: str, owned: Sequence[str], note: Mapping[str, Any]) -> Iterator[Leftover]:
    if ARTEFACTS in owned:
        for path in _no_results(os.path.join(out, ARTEFACTS), note):
            yield Leftover("temporary file", path, _bytes(path))
    if SNAPSHOTS in owned:
        folder = os.path.join(out, SNAPSHOTS)
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if is_unfinished_snapshot(path):
                yield Leftover("unfinished snapshot", path, _size(path))
                continue
            match = _TEMPORARY.fullmatch(name)
            if match is None or os.path.islink(path) or not os.path.isfile(path):
                continue
            snapshot = match[1].removesuffix(LOG).removesuffix(RUN_LOG)
            if match[1] in (MARK, HISTORY, FORGOTTEN) or _SNAPSHOT.fullmatch(snapshot):
                yield Leftover("temporary file", path, _bytes(path))
    for name in sorted(os.listdir(out)):
        path = os.path.join(out, name)
        match = _TEMPORARY.fullmatch(name)
        if match is not None:
            if match[1] in _known(out) and (os.path.islink(path) or os.path.isfile(path) or _is_empty_mark(path)):
                yield Leftover("temporary file", path, 0)
        elif not os.path.exists(path) and name in _known(out) and is_link_of_ours(out, name):
            yield Leftover("dangling link", path, 0)


def _known(out: str) -> set[str]:
    """Return the names that a folder's own entries may have; every command is imported for it."""
    return {*read_record(out).links, *links_of(all_tables()), POINTER, LOCK, ARTEFACTS, SNAPSHOTS, FAILED}


def _bytes(path: str) -> int:
    """Return the bytes of a file, none if it has gone: a run may be at work."""
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


def _is_empty_mark(folder: str) -> bool:
    """Return whether a folder was about to become one of ours: it holds a mark, if anything."""
    try:
        return set(os.listdir(folder)) <= {MARK}
    except (FileNotFoundError, NotADirectoryError):
        return False  # it has its own name by now, or is not a folder


def _size(folder: str) -> int:
    """Return the bytes of a folder's files that no other name holds."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                entry = os.lstat(os.path.join(place, name))
                size += entry.st_size if entry.st_nlink == 1 else 0
    return size


def leftover_sizes(leftovers: tuple[Leftover, ...]) -> list[str]:
    """Say how many leftovers of each kind there are, and their size."""
    lines = []
    for kind in dict.fromkeys(leftover.kind for leftover in leftovers):
        sizes = [leftover.bytes for leftover in leftovers if leftover.kind == kind]
        lines.append(f"{kind} ({len(sizes)}, {sum(sizes) / 1e6:.1f} MB)")
    return lines


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """Options of `lexbeam clean`."""

    path: str | None = option(
        None,
        help="folder of published tables, or with `cache` a cache folder",
        metavar="DIR",
        positional=True,
        path="place",
    )
    cache: bool = option(False, help="free the cache of compiled resources, the user's if no folder is given")


def _clean_folder(out: str, action: Action) -> None:
    survey(out)
    # The lock is held while leftovers are found again and removed: none is of a run at work.
    with locked(out, name="path"):
        root = files.join(out, ARTEFACTS)
        check_nobody_detached(out)
        check_not_streaming(out)
        if is_marked_folder(out, ARTEFACTS):
            # Before anything else: what a job has handed back goes, and must not be looked for.
            files.remove(files.join(root, UNFINISHED))
        lines = [f"removed: {line}" for line in leftover_sizes(remove_leftovers(out))]
        if is_marked_folder(out, ARTEFACTS):
            freed = free(root, kept_digests(out))
            if freed.files:
                event = ArtefactsFreed(files=freed.files, bytes=freed.bytes)
                report(event, f"freed: {freed.files} files of artefacts, {freed.bytes / 1e6:.1f} MB", lines.append)
    for line in lines or ["nothing to remove"]:
        action.tell(line)


def remove_leftovers(out: str) -> tuple[Leftover, ...]:
    """Remove what killed and failed runs have left at a folder, which the caller has locked; return it."""
    leftovers = survey(out).leftovers
    for leftover in leftovers:
        _remove(leftover)
    remove_failed(out)
    return leftovers


def _remove(leftover: Leftover) -> None:
    if not files.is_local(leftover.path):
        files.remove(leftover.path)
    elif os.path.islink(leftover.path) or not os.path.isdir(leftover.path):
        os.remove(leftover.path)
        # The folder of a killed run's results is empty then.
        if os.path.basename(os.path.dirname(os.path.dirname(leftover.path))) == RESULTS:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(leftover.path))
        if leftover.kind == UNNEEDED:
            with contextlib.suppress(OSError):  # a folder that is not empty ends it
                os.removedirs(os.path.dirname(leftover.path))
    else:
        remove_hidden(leftover.path)


class Clean(Command[CleanOptions, None]):
    """`lexbeam clean`."""

    options = CleanOptions
    examples = """\
  lexbeam clean results
  lexbeam clean --cache"""

    def action(self, options: CleanOptions, action: Action) -> None:
        """Free artefacts and remove leftovers at `options.path`, or free a cache.

        Raises:
            UsageError: no folder is given.
            LexbeamError: a run is at work there, or none has ever written there.
        """
        if options.cache:
            from lexbeam.transforms.common.machine import default_cache
            from lexbeam.transforms.lexicon.resource_cache import clean_cache

            folder = options.path or default_cache()
            freed = clean_cache(folder)
            action.tell(f"freed: {freed / 1e6:.1f} MB of {folder}" if freed else "nothing to remove")
        elif options.path is None:
            raise UsageError("`path` must be given: the folder to clean")
        else:
            _clean_folder(output_folder(options.path), action)
