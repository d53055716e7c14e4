"""Locks of files that processes of a machine share; the system releases those of killed ones."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def locked_file(path: str, *, wait: bool = True) -> Iterator[bool]:
    """Hold a lock file, which is made if need be; yield whether it is held.

    It is not if another process has it, unless this one is to `wait`. Whoever holds a lock file may
    remove it: one that waits for it takes the new one.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    while True:
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "rb+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            if _is_at(path, lock.fileno()):
                yield True
                return


def _is_at(path: str, handle: int) -> bool:
    """Return whether an open file is still the one that has this name."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.stat(path))
    return False
