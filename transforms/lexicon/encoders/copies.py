"""Copies of remote model folders on this machine: one for each content, made by one process.

A copy is a folder named by the digest of what it holds (`model_digest`), within `encoders/` of the
cache (`LEXBEAM_CACHE`, else the user's cache folder). It appears whole: it is made under another
name, checked and renamed, while other processes wait for a lock.
"""

import os
import re
import shutil
from contextlib import suppress

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import default_cache, locked_file
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import model_digest

COPIES, LOCK = "encoders", ".lock"
_OURS = re.compile(r"([0-9a-f]{64})(?:\.lock|" + files.TEMPORARY + ")?")


def cache_folder() -> str:
    """Return the folder of the copies."""
    return os.path.join(default_cache(), COPIES)


def local_copy(path: str, *, digest: str | None = None, folder: str | None = None) -> str:
    """Return the folder of a model on this machine: the path itself, or a copy of a remote one.

    Args:
        path: the model's folder, on any file system.
        digest: the digest of the folder, if known; else the whole folder is read.
        folder: where copies are; by default `cache_folder()`.

    Raises:
        LexbeamError: the folder does not exist, or has another digest.
    """
    if files.is_local(path):
        return os.path.expanduser(path)
    digest = digest or model_digest(path)
    target = os.path.join(folder or cache_folder(), digest)
    files.make_folder(default_cache() if folder is None else folder, private=True)
    with locked_file(target + LOCK):
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
        if (copied := _digest(making)) != digest:
            raise LexbeamError(
                f"the encoder at {path!r} is not the one that was described (digest {copied}, not "
                f"{digest}): it has changed meanwhile; start again"
            )
        shutil.rmtree(target, ignore_errors=True)
        os.rename(making, target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def clean_copies(folder: str) -> None:
    """Remove the copies in a folder, except those that are being made, and nothing else."""
    by_digest: dict[str, list[str]] = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if match := _OURS.fullmatch(name):
            by_digest.setdefault(match[1], []).append(name)
    for digest, names in by_digest.items():
        lock = os.path.join(folder, digest + LOCK)
        with locked_file(lock, wait=False) as held:
            if held:
                for path in (os.path.join(folder, name) for name in names):
                    if os.path.isdir(path) and not os.path.islink(path):
                        shutil.rmtree(path)
                files.remove(lock)
