"""What is in an output folder, seen from outside: what is published, made, left to make and left behind."""

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lexbeam.pipelines.commands.folder.stages import StageWork, stages_of
from lexbeam.pipelines.frame.detaching import LeftRun, left_run
from lexbeam.pipelines.frame.publishing import read_unfinished
from lexbeam.pipelines.frame.registry import all_tables, command_of
from lexbeam.transforms.common.errors import LexbeamError, readable
from lexbeam.transforms.common.publish.failed import failed_files
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
    read_record,
)
from lexbeam.transforms.common.publish.leases import holder_of
from lexbeam.transforms.common.publish.removing import RESULTS, leftovers
from lexbeam.transforms.common.publish.snapshots import Snapshot, find_snapshot, published_below
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import FREED
from lexbeam.transforms.common.store.remote import remote

WRONG = "what a failed run says was wrong"
UNNEEDED = "data from Python that nothing published is made from"
_TEMPORARY = re.compile(r"(.+)" + files.TEMPORARY)
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
    for line in _read("/proc/locks").splitlines():
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
            return int(words[4])
    return None


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except OSError:
        return ""


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
