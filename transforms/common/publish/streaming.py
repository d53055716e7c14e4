"""The lock of a stream: one at a time lands in a folder, beside runs, and nobody removes what it is writing."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.layout import ARTEFACTS, make_marked_folder
from lexbeam.transforms.common.store import files

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
