"""The cache of compiled resources: it outlives runs, and processes share it.

A resource is compiled under a lock of its own, so that of two processes that want it at once one
waits for the other; if that one is killed, its lock goes with it. What is in the cache is checked
like an artefact. A file's digest is taken once per machine: a note beside the file says for which
size, times and inode it was found right.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from transforms.common.errors import UsageError
from transforms.common.publish.layout import ARTEFACTS, is_own_folder, make_own_folder
from transforms.common.store import files
from transforms.common.store.artefacts import Stage, Workspace, make, name_of
from transforms.common.store.json_text import parse_json
from transforms.common.store.locks import locked_file
from transforms.common.store.receipts import File, read_receipt
from transforms.common.store.sound import Damaged, checked, note_sound
from transforms.lexicon.compiled.places import VARIABLE
from transforms.lexicon.compiled_stage import Compiled
from transforms.lexicon.encoders.copies import COPIES, clean_copies

__all__ = ["cached", "clean_cache", "is_whole"]

T = TypeVar("T")

LOCK, NOTE = ".lock", ".checked"
_OURS = re.compile(r"([0-9a-f]{32})(?:\.json|\.lock|-\w+\.(?:arrow|npy)(?:\.checked)?)(?:" + files.TEMPORARY + ")?")


def cached(cache: str, stage: Stage[T, None, Compiled], task: T) -> Compiled:
    """Return a compiled resource of a cache, checked; it is made if need be.

    Raises:
        UsageError: the cache is not a folder of this machine, or something must be made and it
            cannot be written to.
        LexbeamError: the source cannot be compiled.
    """
    workspace = Workspace(_root(cache))
    stem = os.path.join(workspace.stage(stage.name), name_of(stage, task, None))
    # What is whole needs no lock, so that a cache that may only be read serves several users.
    found = read_receipt(stem + ".json", workspace.root, stage.receipt)
    if found is not None and is_whole(found):
        return found
    with _permitted(cache), locked_file(stem + LOCK):
        compiled = make(workspace, stage, task, None)
        try:
            _check(compiled)
        except Damaged:  # it has been discarded
            compiled = make(workspace, stage, task, None)
            _check(compiled)
    return compiled


def _root(cache: str) -> str:
    _check_local(cache)
    try:
        files.make_folder(cache)
        return make_own_folder(cache, ARTEFACTS)
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
    """Say which folder it is that may not be written to, be it for what lies in it already."""
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
    """Check a file by its digest, unless a note says that this has been done as it is now.

    Raises:
        Damaged: it is not what was written; it has been discarded.
    """
    note = file.path + NOTE
    with suppress(OSError, ValueError), open(note, "rb") as stream:
        if parse_json(stream.read()) == _as_it_is(file):
            note_sound(file)
            return
    checked(file)
    with suppress(OSError):  # of a cache that may only be read, digests are taken by each process
        files.write_bytes(note, json.dumps(_as_it_is(file)).encode())


def _as_it_is(file: File) -> list[int | str]:
    found = os.lstat(file.path)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, file.sha256]


def is_whole(compiled: Compiled) -> bool:
    """Return whether all files are on this machine, and what they must be."""
    try:
        _check(compiled)
    except (Damaged, OSError):
        return False
    return True


def clean_cache(cache: str) -> int:
    """Remove what was compiled, copies of models, and what killed processes have left.

    What somebody else has put into the folder stays, and so does what is being made.

    Returns the bytes.

    Raises:
        UsageError: the folder is not of this machine, or cannot be written to.
    """
    _check_local(cache)
    before = _size(cache)
    with _permitted(cache):
        if is_own_folder(cache, ARTEFACTS):
            _clean_compiled(os.path.join(cache, ARTEFACTS))
        clean_copies(os.path.join(cache, COPIES))
    return before - _size(cache)


def _clean_compiled(root: str) -> None:
    for folder, _, names in os.walk(os.path.join(root, "lexicon")):
        made: dict[str, list[str]] = {}
        for name in sorted(names):
            if found := _OURS.fullmatch(name):
                made.setdefault(found[1], []).append(name)
        for stem, own in made.items():
            lock = os.path.join(folder, stem + LOCK)
            with locked_file(lock, wait=False) as ours:
                if ours:  # else it is being made; receipts go first: none stands for what is gone
                    for name in sorted(own, key=lambda name: not name.endswith(".json")):
                        files.remove(os.path.join(folder, name))
                    files.remove(lock)


def _size(cache: str) -> int:
    size = 0
    for root in (ARTEFACTS, COPIES):
        for folder, _, names in os.walk(os.path.join(cache, root)):
            for name in names:
                with suppress(FileNotFoundError):  # another process has just renamed it
                    size += os.lstat(os.path.join(folder, name)).st_size
    return size
