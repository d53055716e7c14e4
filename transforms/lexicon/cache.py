"""The cache of compiled resources: it outlives runs, and processes share it.

A resource is compiled under a lock of its own: of two processes that want it at once, one waits for
the other; if that one is killed, its lock goes with it. What is in the cache is checked like an
artefact. A file's digest is taken once per machine: a note beside the file records the size, times
and inode for which it matched.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from lexbeam.transforms.common.code.fingerprints import parse_json
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.machine import VARIABLE, locked_file
from lexbeam.transforms.common.publish.layout import ARTEFACTS, is_marked_folder, make_marked_folder
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Stage, Workspace, make, name_of
from lexbeam.transforms.common.store.models import COPIES as MODELS
from lexbeam.transforms.common.store.receipts import Damaged, File, checked, note_sound, read_receipt
from lexbeam.transforms.lexicon.compiled_stage import Compiled
from lexbeam.transforms.lexicon.encoders.copies import COPIES, clean_copies

T = TypeVar("T")

LOCK, NOTE = ".lock", ".checked"
_OURS = re.compile(r"([0-9a-f]{32})(?:\.json|\.lock|-\w+\.(?:arrow|npy)(?:\.checked)?)(?:" + files.TEMPORARY + ")?")


def cached(cache: str, stage: Stage[T, None, Compiled], task: T) -> Compiled:
    """Return a compiled resource of a cache, checked; it is made if necessary.

    Raises:
        UsageError: the cache is not a folder on this machine, or something must be made and the
            cache cannot be written to.
        LexbeamError: the source cannot be compiled.
    """
    workspace = Workspace(_root(cache))
    stem = os.path.join(workspace.stage(stage.name), name_of(stage, task, None))
    # What is whole needs no lock, so that a read-only cache can serve several users.
    receipt = read_receipt(stem + ".json", workspace.root, stage.receipt)
    if receipt is not None and is_whole(receipt):
        return receipt
    with _permitted(cache), locked_file(stem + LOCK):
        compiled: Compiled = make(workspace, stage, task)
        try:
            _check(compiled)
        except Damaged:  # it has been discarded
            compiled = make(workspace, stage, task, None)
            _check(compiled)
    return compiled


def _root(cache: str) -> str:
    _check_local(cache)
    try:
        files.make_folder(cache, private=True)
        return make_marked_folder(cache, ARTEFACTS)
    except OSError as error:
        raise _refused(cache, error) from None


def _check_local(cache: str) -> None:
    if not files.is_local(cache):
        raise UsageError(f"`cache` {cache!r} must be a folder of this machine: it is mapped")


def _refused(cache: str, error: OSError) -> UsageError:
    return UsageError(
        f"the cache {cache!r} cannot be written to ({error.strerror}): give another `cache`, or set {VARIABLE}"
    )


@contextmanager
def _permitted(cache: str) -> Iterator[None]:
    """Name the cache if it, or something in it, may not be written to."""
    try:
        yield
    except PermissionError as error:
        if str(error.filename).startswith(cache):
            raise _refused(cache, error) from None
        raise


def _check(compiled: Compiled) -> None:
    for file in compiled.files.values():
        _check_once(file)


def _check_once(file: File) -> None:
    """Check a file by its digest, unless a note says that this was done for its current state.

    Raises:
        Damaged: the file is not what was written; it has been discarded.
    """
    note = file.path + NOTE
    with suppress(OSError, ValueError), open(note, "rb") as stream:
        if parse_json(stream.read()) == _state(file):
            note_sound(file)
            return
    checked(file)
    with suppress(OSError):  # with a read-only cache, each process takes the digests
        files.write_bytes(note, json.dumps(_state(file)).encode())


def _state(file: File) -> list[int | str]:
    status = os.lstat(file.path)
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, file.sha256]


def is_whole(compiled: Compiled) -> bool:
    """Return whether all files are on this machine and sound."""
    try:
        _check(compiled)
    except (Damaged, OSError):
        return False
    return True


def clean_cache(cache: str) -> int:
    """Remove compiled resources, copies of models, and what killed processes have left.

    Files of others stay, and so does what is being made.

    Returns the number of bytes removed.

    Raises:
        UsageError: the folder is not on this machine, or cannot be written to.
    """
    _check_local(cache)
    before = _size(cache)
    with _permitted(cache):
        if is_marked_folder(cache, ARTEFACTS):
            _clean_compiled(os.path.join(cache, ARTEFACTS))
        for copies in (COPIES, MODELS):
            clean_copies(os.path.join(cache, copies))
    return before - _size(cache)


def _clean_compiled(root: str) -> None:
    for folder, _, names in os.walk(os.path.join(root, "lexicon")):
        made: dict[str, list[str]] = {}
        for name in sorted(names):
            if match := _OURS.fullmatch(name):
                made.setdefault(match[1], []).append(name)
        for stem, files_of_stem in made.items():
            lock = os.path.join(folder, stem + LOCK)
            with locked_file(lock, wait=False) as held:
                if held:  # else it is being made; receipts go first: none stands for missing files
                    for name in sorted(files_of_stem, key=lambda name: not name.endswith(".json")):
                        files.remove(os.path.join(folder, name))
                    files.remove(lock)


def _size(cache: str) -> int:
    size = 0
    for root in (ARTEFACTS, COPIES, MODELS):
        for folder, _, names in os.walk(os.path.join(cache, root)):
            for name in names:
                with suppress(FileNotFoundError):  # another process has just renamed it
                    size += os.lstat(os.path.join(folder, name)).st_size
    return size
