"""What is done, what is left and what is stale in an output folder, whether or not a run is on.

lexbeam status results
"""

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from pipelines.options import option
from transforms.common import files
from transforms.common.errors import LexbeamError
from transforms.common.fingerprints import code_digest
from transforms.common.publish import SNAPSHOTS, WORK, read_manifest

__all__ = [
    "WORK_KIND", "Leftover", "Stage", "StatusOptions", "Survey", "run", "summed", "survey",
]  # fmt: skip

WORK_KIND = "unfinished work"
_TEMPORARY = re.compile(r".*\.\d+\.tmp")


@dataclass(frozen=True, kw_only=True)
class StatusOptions:
    """Options of `lexbeam status`."""

    path: str = option(help="folder of published tables", metavar="DIR", positional=True)


class Stage(NamedTuple):
    """Artefacts of a stage.

    Attributes:
        name: `corpus/train`, or `train` where one pipeline ran alone.
        planned: artefacts that the latest run is to make; None if it has not come so far, or does
            not know beforehand.
        done: artefacts that the latest run has made or taken up.
        earlier: artefacts of earlier runs that the latest has not asked for: they are stale if
            options or inputs have changed since, and taken up otherwise.
    """

    name: str
    planned: int | None
    done: int
    earlier: int

    @property
    def left(self) -> int | None:
        """Artefacts still to make, where that is known."""
        return None if self.planned is None else max(self.planned - self.done, 0)


class Leftover(NamedTuple):
    """Something that a killed run has left behind: `unfinished work`, say, its path, its bytes."""

    kind: str
    path: str
    bytes: int


class Survey(NamedTuple):
    """What is in an output folder.

    Attributes:
        manifest: of what is published, or None.
        at_work: whether a run holds the folder.
        holder: process that holds it, where the system tells.
        stages: of the unfinished run, in the order of their first artefacts.
        other_code: whether the unfinished run was one of another code; then all it made is stale.
        leftovers: what `lexbeam clean` would remove.
    """

    manifest: dict[str, Any] | None
    at_work: bool
    holder: int | None
    stages: tuple[Stage, ...]
    other_code: bool
    leftovers: tuple[Leftover, ...]


def survey(out: str) -> Survey:
    """Look at an output folder, which may change meanwhile.

    Raises:
        LexbeamError: no run has written there.
    """
    if not files.is_local(out):
        raise LexbeamError(f"{out!r}: work on object stores cannot be surveyed; see `lexbeam show`")
    made = ("current", WORK, SNAPSHOTS)
    if not any(os.path.lexists(os.path.join(out, name)) for name in made):
        raise LexbeamError(f"{out!r} is no output folder: no run of Lexbeam has written there")
    at_work, holder = _lock_of(out)
    pipelines = sorted(_pipelines(os.path.join(out, WORK)))
    codes = [_read(os.path.join(out, WORK, name, "plan", "code")) for name in pipelines]
    return Survey(
        manifest=read_manifest(out),
        at_work=at_work,
        holder=holder,
        stages=tuple(stage for name in pipelines for stage in _stages(out, name)),
        other_code=any(code not in ("", code_digest()) for code in codes),
        leftovers=tuple(_leftovers(out)),
    )


def _lock_of(out: str) -> tuple[bool, int | None]:
    path = os.path.join(out, ".lock")
    try:
        with open(path, "rb") as lock:
            try:
                # Shared and given back at once: two that look do not disturb each other.
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True, _holder(os.fstat(lock.fileno()).st_ino)
    except FileNotFoundError:
        pass
    return False, None


def _holder(inode: int) -> int | None:
    """Return the process that holds a lock on a file; only Linux tells."""
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


def _pipelines(work: str) -> Iterator[str]:
    """Name the folders of pipelines in a work folder: itself, or one for each."""
    for name in (".", *_folders(work)):
        if os.path.isdir(os.path.join(work, name, "plan")):
            yield name


def _folders(path: str) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(path) if entry.is_dir())
    except FileNotFoundError:
        return []


def _stages(out: str, pipeline: str) -> list[Stage]:
    work = os.path.join(out, WORK, pipeline)
    found = []
    names = {*_folders(work), *os.listdir(os.path.join(work, "plan"))} - {"plan", "code"}
    for name in sorted(name for name in names if not _TEMPORARY.fullmatch(name)):
        plan = os.path.join(work, "plan", name)
        planned = _read(plan)
        # A run writes the plan of a stage before it asks for the stage's first artefact.
        since = os.stat(plan).st_mtime_ns if planned.isdecimal() else 0
        times = _receipt_times(os.path.join(work, name))
        done = sum(time >= since for time in times)
        stage = Stage(
            name if pipeline == "." else f"{pipeline}/{name}",
            int(planned) if planned.isdecimal() else None,
            done,
            len(times) - done,
        )
        found.append((not times, min(times, default=0), stage))
    return [stage for *_, stage in sorted(found)]


def _receipt_times(folder: str) -> list[int]:
    times = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(folder):
            if entry.name.endswith(".json"):
                with contextlib.suppress(FileNotFoundError):
                    times.append(entry.stat().st_mtime_ns)
    return times


def _leftovers(out: str) -> Iterator[Leftover]:
    work = os.path.join(out, WORK)
    if os.path.isdir(work):
        yield Leftover(WORK_KIND, work, _size(work))
    snapshots = os.path.join(out, SNAPSHOTS)
    current = os.path.basename(os.path.realpath(os.path.join(out, "current")))
    for name in _folders(snapshots):
        folder = os.path.join(snapshots, name)
        if name != current:
            yield Leftover("stale snapshot", folder, _size(folder))
            continue
        for place, _, names in os.walk(folder):
            for path in (os.path.join(place, name) for name in sorted(names)):
                if _TEMPORARY.fullmatch(path):
                    yield Leftover("temporary file", path, os.lstat(path).st_size)
    for name in sorted(os.listdir(out)):
        path = os.path.join(out, name)
        if os.path.islink(path):
            if _TEMPORARY.fullmatch(name):
                yield Leftover("temporary file", path, 0)
            elif not os.path.exists(path):
                yield Leftover("dangling link", path, 0)


def _size(folder: str) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                size += os.lstat(os.path.join(place, name)).st_size
    return size


def run(options: StatusOptions) -> None:
    """Print what is at `options.path`."""
    found = survey(options.path)
    print("\n".join(_told(options.path, found)))


def _told(out: str, found: Survey) -> Iterator[str]:
    if found.manifest is None:
        yield "published: nothing"
    else:
        tables = found.manifest["tables"].items()
        rows = ", ".join(f"{name} {entry['rows']} rows" for name, entry in tables)
        same = found.manifest["lexbeam"]["code"] == code_digest()
        yield f"published: {rows}" + ("" if same else "; made by another code than this one")
    if found.at_work:
        by = f"process {found.holder}" if found.holder else "another process"
        yield f"at work: {by}"
    else:
        yield "at work: nobody"
    if found.stages:
        yield ""
        yield from _table(found.stages)
    if not found.at_work and found.leftovers:
        yield ""
        yield from (f"left behind: {line}" for line in summed(found.leftovers))
        if found.other_code:
            yield "the unfinished work is stale: another code made it, --resume makes it anew"
        elif found.stages:
            yield "the same command with --resume takes the unfinished work up"
        yield f"`lexbeam clean {out}` removes what is left behind"


def _table(stages: tuple[Stage, ...]) -> Iterator[str]:
    yield f"{'stage':26}{'done':>8}{'left':>8}{'earlier':>9}"
    for stage in stages:
        left = "?" if stage.left is None else stage.left
        yield f"{stage.name:26}{stage.done:8}{left:>8}{stage.earlier or '':>9}"
    if any(stage.earlier for stage in stages):
        yield "earlier: of earlier runs, not asked for yet; stale if options or inputs have changed"


def summed(leftovers: tuple[Leftover, ...]) -> list[str]:
    """Say how many leftovers of each kind there are, and their size."""
    lines = []
    for kind in dict.fromkeys(leftover.kind for leftover in leftovers):
        sizes = [leftover.bytes for leftover in leftovers if leftover.kind == kind]
        lines.append(f"{kind} ({len(sizes)}, {sum(sizes) / 1e6:.1f} MB)")
    return lines
