"""Copies of remote model folders on this machine: one for each content, made by one process.

A copy is a folder named by the digest of what it holds (`model_digest`), within `encoders/` of the
cache (`LEXBEAM_CACHE`, else the user's cache folder). It appears whole: it is made under another
name, checked and renamed, while other processes wait for a lock.
"""

import fcntl
import os
import re
import shutil
from contextlib import suppress

from transforms.common import files
from transforms.common.errors import LexbeamError
from transforms.common.resources import model_digest
from transforms.lexicon.places import default_cache

__all__ = ["COPIES", "cache_folder", "clean_copies", "is_held", "local_copy"]


COPIES = "encoders"
_OURS = re.compile(r"([0-9a-f]{64})(?:\.lock|" + files.TEMPORARY + ")?")


def cache_folder() -> str:
    """Return the folder of the copies."""
    return os.path.join(default_cache(), COPIES)


def local_copy(path: str, *, digest: str | None = None, folder: str | None = None) -> str:
    """Return the folder of a model on this machine: the path itself, or a copy of a remote one.

    Args:
        path: the model's folder, on any file system.
        digest: the digest of what is there, if it is known; else all of it is read for it.
        folder: where copies are; by default `cache_folder()`.

    Raises:
        LexbeamError: nothing is there, or its digest is another.
    """
    if files.is_local(path):
        return os.path.expanduser(path)
    digest = digest or model_digest(path)
    folder = folder or cache_folder()
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, digest)
    with open(f"{target}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # given up when the file is closed, or the process ends
        # A copy that has been damaged since is made anew.
        if not os.path.isdir(target) or _digest(target) != digest:
            _copy(path, target, digest)
    return target


def _digest(folder: str) -> str | None:
    with suppress(LexbeamError):
        return model_digest(folder)
    return None


def _copy(path: str, target: str, digest: str) -> None:
    making = files.temporary(target)
    try:
        for entry in files.list_files(path):
            place = os.path.join(making, *entry.name.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with files.open_read(entry.path) as source, open(place, "xb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
        if (found := _digest(making)) != digest:
            raise LexbeamError(
                f"the encoder at {path!r} is not the one that was described (digest {found}, not "
                f"{digest}): it has changed meanwhile; start again"
            )
        shutil.rmtree(target, ignore_errors=True)
        os.rename(making, target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def clean_copies(folder: str) -> None:
    """Remove the copies in a folder but those that are being made, and nothing else."""
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        found = _OURS.fullmatch(name)
        path = os.path.join(folder, name)
        if found is None or is_held(os.path.join(folder, f"{found[1]}.lock")):
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            files.remove(path)


def is_held(lock: str) -> bool:
    """Return whether a process holds a lock."""
    with suppress(FileNotFoundError), open(lock, "rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
