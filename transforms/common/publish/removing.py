"""What may be removed of a folder: snapshots, artefacts by their receipts, files of failed runs; the lock of a stream.

Nothing goes but what Lexbeam wrote. Folders go when they are empty; what somebody else has put into them stays where it
is.

What a failed run leaves for a person to read are files in DIR/_failed, each whole or absent. The mark of the folder
names them, so that nothing else is ever removed from it: a publication that succeeds removes them, and so
does `lexbeam clean`.

By its lock one stream at a time lands in a folder, beside runs, and nobody removes what it is writing.
"""

import contextlib
import errno
import fcntl
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.layout import (
    ARTEFACTS,
    FAILED,
    LOG,
    MANIFEST,
    MARK,
    RUN_LOG,
    SNAPSHOTS,
    DamagedFolderError,
    is_marked_folder,
    make_marked_folder,
    parts_named,
)
from lexbeam.transforms.common.publish.snapshots import read_manifest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import LAST, Last
from lexbeam.transforms.common.store.receipts import (
    FREED,
    ArtefactPath,
    Damaged,
    Envelope,
    File,
    FileName,
    is_sound,
    read_envelope,
    read_receipt,
    state_of,
    stem_of,
)

log = logging.getLogger("lexbeam")

_PART = re.compile(r"part-\d{5}-of-\d{5}-[0-9a-f]{8}\.parquet")
_RECEIPT = re.compile(r"[0-9a-f]{32}\.json")
# What the stages write beside receipts, and what is not whole yet of anything of an artefact's.
_ARTEFACT = re.compile(
    r"[0-9a-f]{32}(?:\.freed|\.last|\.tar|(?:-pairs|-points)?\.parquet|-[a-z_]+\.(?:arrow|npy)"
    r"|(?:-(?:documents|sentences|keys|counts|rejects)|(?:-ready)?-\d{4,})?\.arrow"
    r"|[^/]*" + files.TEMPORARY + ")"
)
_KEPT = re.compile(r"buckets\.json|(?:bucket-\d{2}-[0-9a-f]+|file-[0-9a-f]{32})\.arrow")
_TEMPORARY = re.compile(r"(.*)" + files.TEMPORARY, re.DOTALL)
_RUN = re.compile(r"[0-9a-f]{16}")
KEYS = "-keys.arrow"  # small files: every run reads them, whatever else it takes up, or rows are inherited by them
RESULTS = "results"  # of pipelines, beside the sections' folders; and `plan`, for progress
LISTING = "listing"  # what is kept of input files between runs: how they are dealt out, and their digests


def remove_snapshot(out: str, name: str, retained: Collection[str] = ()) -> bool:
    """Remove a snapshot's files and its log; on object stores not those that a retained one names.

    Returns whether it could be removed: not as long as it is not known what a retained one names.
    """
    folder = files.join(out, SNAPSHOTS, name)
    if not files.is_local(out):
        return _remove_objects(out, name, retained)
    if os.path.islink(folder):
        return True
    if os.path.isdir(folder):
        # Out of readers' sight in one step: whoever lists it while it goes would miss parts.
        # Where somebody else has put something into it, that stays where it is.
        hidden = folder if _holds_foreign(folder) else files.temporary(folder)
        if hidden != folder:
            os.rename(folder, hidden)
        remove_hidden(hidden)
    files.remove(folder + RUN_LOG)
    files.remove(folder + LOG)
    return True


def _holds_foreign(folder: str) -> bool:
    for place, folders, names in os.walk(folder):
        if any(os.path.islink(os.path.join(place, name)) for name in folders):
            return True
        expected = (MANIFEST,) if place == folder else ()
        if any(name not in expected and not _PART.fullmatch(name) for name in names):
            return True
    return False


def remove_hidden(folder: str) -> None:
    """Remove a local snapshot, perhaps under a temporary name: parts, manifest, folders, marks."""
    for place, _, names in os.walk(folder, topdown=False):
        for file in names:
            if _PART.fullmatch(file) or _TEMPORARY.fullmatch(file):
                files.remove(os.path.join(place, file))
        if place != folder:
            _remove_empty(place)
    for name in (MANIFEST, MARK):
        files.remove(os.path.join(folder, name))
    _remove_empty(folder)


def _remove_empty(folder: str) -> None:
    """Remove a folder, unless somebody else's files are in it."""
    try:
        os.rmdir(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise


def _remove_objects(out: str, name: str, retained: Collection[str]) -> bool:
    try:
        named = {place for other in retained for place in parts_named(read_manifest(out, other), other)}
    except DamagedFolderError as error:
        log.warning("%s; until then the snapshot %s cannot be removed", error, name)
        return False
    places = set(_parts_below(out, f"{SNAPSHOTS}/{name}"))
    # One that a killed run was making has no manifest yet. Of one that is damaged, with its copy,
    # what it had of earlier snapshots stays: nobody knows any more what that is.
    with suppress(DamagedFolderError):
        places |= parts_named(read_manifest(out, name), name)
    for place in sorted(places - named):
        files.remove(files.join(out, place))
    files.remove(files.join(out, SNAPSHOTS, name, MANIFEST))
    files.remove(files.join(out, SNAPSHOTS, name + RUN_LOG))
    files.remove(files.join(out, SNAPSHOTS, name + LOG))
    return True


def _parts_below(out: str, folder: str) -> Iterator[str]:
    """Yield the places of the parts below a folder of objects: `<table>`, or `<task>/<table>`."""
    listing = files.list_folder(files.join(out, folder))
    yield from (f"{folder}/{name}" for name in listing.files if _PART.fullmatch(name))
    for inner in listing.folders:
        yield from _parts_below(out, f"{folder}/{inner}")


class _Held(NamedTuple):
    """An artefact: its stage, the path of its receipt, its files (None: the receipt is damaged)."""

    stage: str
    receipt: str
    files: tuple[FileName, ...] | None

    @property
    def stem(self) -> str:
        return self.receipt.removesuffix(".json")


def _stages(root: str) -> Iterator[str]:
    """Yield the names of the stages that have artefacts: `change/train`."""
    for section in files.list_folder(root).folders:
        if section not in ("plan", RESULTS, LISTING):
            for stage in files.list_folder(files.join(root, section)).folders:
                yield f"{section}/{stage}"


def each_artefact(root: str) -> Iterator[tuple[str, str, bytes | None, list[File]]]:
    """Yield of each artefact the stage, the path of its receipt, what that says (None: it is damaged), the files."""
    for stage in _stages(root):
        for path, envelope in _envelopes(root, stage, files.list_folder(files.join(root, stage)).files):
            held = [_file(root, name) for name in envelope.files] if envelope else []
            yield stage, path, envelope.receipt if envelope else None, held


def receipts_of(root: str, stages: Iterable[str]) -> Iterator[tuple[str, str, Envelope]]:
    """Yield the sound receipts of some stages, each with its stage and the path that names of its files begin with."""
    for stage in stages:
        for path, envelope in _envelopes(root, stage, files.list_folder(files.join(root, stage)).files):
            if envelope is not None:
                yield stage, stem_of(path), envelope


def _held(root: str) -> Iterator[_Held]:
    for stage in _stages(root):
        yield from _held_by(root, stage, files.list_folder(files.join(root, stage)).files)


def _held_by(root: str, stage: str, names: Collection[str]) -> Iterator[_Held]:
    for path, envelope in _envelopes(root, stage, names):
        yield _Held(stage, path, envelope.files if envelope else None)


def _envelopes(root: str, stage: str, names: Collection[str]) -> Iterator[tuple[str, Envelope | None]]:
    for name in names:
        if _RECEIPT.fullmatch(name):
            path = files.join(root, stage, name)
            yield path, read_envelope(path)


def _file(root: str, name: FileName) -> File:
    return File(ArtefactPath(files.join(root, name.name)), name.bytes, name.sha256)


def _discard(root: str, held: _Held) -> None:
    """Remove an artefact: first its receipt, so that none stands for what is gone.

    And before that what says that files are gone on purpose, so that it is never of another receipt.
    """
    files.remove(held.stem + FREED)
    files.remove(held.receipt)
    for name in held.files or ():
        path = files.join(root, name.name)
        if state_of(path) is not None:
            files.remove(path)


def discard_damaged(root: str) -> list[str]:
    """Discard every artefact that is not sound, so that it is made anew; return their receipts. Every file is read."""
    gone = []
    for held in _held(root):
        if held.files is not None:
            states = [is_sound(_file(root, name)) for name in held.files]
            freed = files.exists(held.stem + FREED)
            if all(state or (state is None and freed) for state in states):
                continue
        gone.append(held.receipt)
        _discard(root, held)
    return gone


class Freed(NamedTuple):
    """What was freed: files, and bytes of those that nothing else holds."""

    files: int
    bytes: int


def discard_artefacts(root: str, kept: Callable[[str, Sequence[File]], bool]) -> Freed:
    """Discard every artefact but those that `kept` is true for, given the stage and the files, and what is unfinished.

    One is not kept, either, for which it finds a file damaged or gone. Return what that frees.
    """
    number = size = 0
    for path in list(leftovers(root)):
        number, size = number + 1, size + (files.size(path) or 0)
        files.remove(path)
    for held in list(_held(root)):
        found = [_file(root, name) for name in held.files or ()]
        with suppress(Damaged):
            if held.files is not None and kept(held.stage, found):
                continue
        there = [file for file in found if state_of(file.path) is not None]
        number, size = number + len(there), size + sum(map(_bytes, there))
        _discard(root, held)
    return Freed(number, size)


def discard_unused(root: str, stages: Collection[str], since: int, kept: Collection[str] = ()) -> Freed:
    """Remove the artefacts of some stages that were neither made nor taken up since a time.

    Args:
        root: where artefacts lie; on an object store, which does not tell what was taken up, nothing is removed.
        since: in nanoseconds since 1970, by the clock of what holds the artefacts.
        kept: artefacts that stay all the same, by the paths that names of their files begin with.
    """
    number = size = 0
    for stage in sorted(stages) if files.is_local(root) else ():
        names = files.list_folder(files.join(root, stage)).files
        left = set(names)
        for held in _held_by(root, stage, names):
            if held.stem not in kept and os.stat(held.receipt).st_mtime_ns < since:
                gone = [file for name in held.files or () if state_of((file := _file(root, name)).path) is not None]
                number += len(gone)
                size += sum(map(_bytes, gone))
                _discard(root, held)
                left.remove(held.receipt.rpartition("/")[2])
        for path in list(_dangling(root, stage, left)):
            files.remove(path)
    return Freed(number, size)


def discard_stages(root: str, sections: Collection[str]) -> None:
    """Discard all artefacts of sections: what a run with --fresh is not to take up; and all that is kept of inputs."""
    for name in files.list_folder(files.join(root, LISTING)).files:
        if _KEPT.fullmatch(name):
            files.remove(files.join(root, LISTING, name))
    for stage in list(_stages(root)):
        if stage.partition("/")[0] in sections:
            folder = files.join(root, stage)
            names = files.list_folder(folder).files
            for held in _held_by(root, stage, names):
                _discard(root, held)
            for name in names:
                if _ARTEFACT.fullmatch(name):
                    files.remove(files.join(folder, name))


def free(root: str, published: Collection[str], needed: Collection[str] = ()) -> Freed:
    """Remove the artefacts' files but those whose SHA-256 is in `published`, or whose stage is needed; receipts stay.

    A later run with the same options finds all it needs in receipts, in the keys of records, which
    stay like them, and in published parts; one that needs a file that was freed makes it anew, and what it comes from
    (`artefacts.want`).
    """
    number = size = 0
    for held in _held(root):
        if held.stage in needed:
            continue
        gone = [
            _file(root, name)
            for name in held.files or ()
            if name.sha256 not in published and not name.name.endswith(KEYS)
        ]
        gone = [file for file in gone if state_of(file.path) is not None]
        if gone:
            files.write_bytes(held.stem + FREED, b"")
        for file in gone:
            number += 1
            size += _bytes(file)
            files.remove(file.path)
    return Freed(number, size)


def _bytes(file: File) -> int:
    if not files.is_local(file.path):
        return file.bytes
    status = os.lstat(file.path)
    return status.st_size if status.st_nlink == 1 else 0


def leftovers(root: str) -> Iterator[str]:
    """Yield the artefacts' files that killed runs have left: temporary ones, or without receipt.

    And the results that a pipeline wrote for a driver that was killed.
    """
    plans = files.join(root, "plan")
    inner = (files.join(plans, name) for name in files.list_folder(plans).folders)
    for place in [root, files.join(root, LISTING), *inner]:
        for name in files.list_folder(place).files:
            if _TEMPORARY.fullmatch(name):
                yield files.join(place, name)
    results = files.join(root, RESULTS)
    for run in files.list_folder(results).folders if not os.path.islink(results) else ():
        if _RUN.fullmatch(run):
            for name in files.list_folder(files.join(results, run)).files:
                if name.rpartition(".")[2] in ("json", "tmp", "arrow"):
                    yield files.join(results, run, name)
    for stage in _stages(root):
        names = files.list_folder(files.join(root, stage)).files
        # What an artefact's files are called begins as its receipt's name does, which so need not be read.
        held = {name.removesuffix(".json") for name in names if _RECEIPT.fullmatch(name)}
        yield from _dangling(root, stage, set(names))
        for name in names:
            own = _ARTEFACT.fullmatch(name) and not name.endswith(LAST)
            if own and (name[:32] not in held or _TEMPORARY.fullmatch(name)):
                yield files.join(root, stage, name)


def _dangling(root: str, stage: str, names: set[str]) -> Iterator[str]:
    """Yield what says that an artefact was made last which has gone."""
    for name in sorted(names):
        if _ARTEFACT.fullmatch(name) and name.endswith(LAST):
            path = files.join(root, stage, name)
            last = read_receipt(path, root, Last)
            if last is None or f"{last.name}.json" not in names:
                yield path


_NAME = re.compile(r"[\w.-]+\.tsv")
_IN_MEMORY = 8 << 20


def write_failed(out: str, name: str, lines: Iterable[str]) -> str:
    """Write lines of text as the file `name` of a failed run; return its path.

    Raises:
        ValueError: the name is not one of ours.
        OSError: the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name of a failed run's file")
    folder = make_marked_folder(out, FAILED)
    named = sorted({*_named(out), name})
    # Noted before the file exists, so that what a killed run leaves is known as ours.
    files.write_bytes(files.join(folder, MARK), json.dumps(named).encode(), durable=True)
    path = files.join(folder, name)
    # An object exists once its upload ends, however it ends: so the upload begins when all is known.
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as whole:
        for line in lines:
            whole.write(line.encode())
        whole.seek(0)
        with files.writing(path, durable=True) as stream:
            shutil.copyfileobj(whole, stream)
    return path


def failed_files(out: str) -> list[str]:
    """Return the paths of what failed runs have left at `out`, also half written."""
    folder = files.join(out, FAILED)
    if not is_marked_folder(out, FAILED):
        return []
    named = _named(out)
    return [
        files.join(folder, name)
        for name in files.list_folder(folder).files
        if name in named or ((match := _TEMPORARY.fullmatch(name)) and match[1] in {*named, MARK})
    ]


def remove_failed(out: str) -> None:
    """Remove what failed runs have left at `out`; files of others stay, and so does their folder."""
    folder = files.join(out, FAILED)
    if not is_marked_folder(out, FAILED):
        return
    for path in failed_files(out):
        files.remove(path)
    if not files.is_local(out):
        files.remove(files.join(folder, MARK))
    elif os.listdir(folder) == [MARK]:
        files.remove(os.path.join(folder, MARK))
        with suppress(OSError):
            os.rmdir(folder)


def _named(out: str) -> set[str]:
    """Return the names in the mark; none if it is damaged, since then nobody knows what is ours."""
    with suppress(OSError, ValueError, TypeError):
        value = json.loads(files.read_bytes(files.join(out, FAILED, MARK)))
        return {name for name in value if _NAME.fullmatch(name)}
    return set()


_LOCK = "stream.lock"


@contextlib.contextmanager
def streaming(out: str) -> Iterator[str]:
    """Hold a folder for one stream, and yield its folder of artefacts, which is made if necessary.

    Object stores have no locks; there, two streams land the same by the same names.

    Raises:
        LexbeamError: another stream holds the folder.
    """
    root = make_marked_folder(out, ARTEFACTS)
    if not files.is_local(out):
        yield root
        return
    with open(os.open(os.path.join(root, _LOCK), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644), "rb") as lock:
        if not _taken(lock.fileno(), fcntl.LOCK_EX):
            raise LexbeamError(f"another stream lands in {files.shown(out)!r}: stop it, or give another `out`")
        yield root


def check_not_streaming(out: str) -> None:
    """Check that no stream lands in a folder whose artefacts are to be removed.

    Raises:
        LexbeamError: one does.
    """
    if is_streaming(out):
        raise LexbeamError(f"a stream lands in {files.shown(out)!r}: stop it first")


def is_streaming(out: str) -> bool:
    """Return whether a stream lands in a folder; of an object store, which has no locks, nobody knows."""
    path = os.path.join(out, ARTEFACTS, _LOCK)
    if not files.is_local(out) or not os.path.lexists(path):
        return False
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as lock:
        return not _taken(lock.fileno(), fcntl.LOCK_SH)  # two that look do not disturb each other


def _taken(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
