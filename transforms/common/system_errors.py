"""Errors of the operating system, explained like any other: what happened, to which path, what to do.

    with explaining():
        ...  # an OSError or a MemoryError leaves the block as a LexbeamError

Commands are run within such a block, on the command line and from Python.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from lexbeam.transforms.common.errors import LexbeamError, cause_of

_CAUSES: dict[int, str] = {
    errno.EACCES: "no permission; change the permissions, or name another place",
    errno.EPERM: "the system does not permit it; change the permissions, or name another place",
    errno.EROFS: "the file system is read-only; name a place that can be written to",
    errno.ENOSPC: "no space, or no room for another file, is left on the file system; free some, "
    "or name a place on another one",
    errno.EDQUOT: "your quota on the file system is used up; free some, or name another place",
    errno.EFBIG: "the file system takes no file of this size; name a place on another one",
    errno.ENAMETOOLONG: "the name is too long for the file system; name a shorter one",
    errno.ELOOP: "its links lead in a circle; name what they should lead to",
    errno.ENOTDIR: "a file stands where a folder is expected; name another place",
    errno.EISDIR: "it is a folder, where a file is expected; name a file",
    errno.ENOENT: "there is no such file or folder; check the path",
    errno.EEXIST: "there is something of this name; name another place",
    errno.EMFILE: "too many files are open; raise the limit of the system (ulimit -n)",
    errno.ENFILE: "too many files are open on this machine; wait for other programs to end",
    errno.ENOMEM: "there is not enough memory; end other programs, or take a smaller input",
    errno.EIO: "the device fails to read or write; check the disk",
    errno.ESTALE: "the file system on the network has lost it; run the same command again",
}

# What is left of an error where it has crossed the border of a process as text: a traceback, whose
# last line of this form is the error that counts.
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .*$", re.MULTILINE)
_AS_TEXT = re.compile(r"\[Errno (\d+)\] [^\n'\":]*(?:: '([^'\n]+)'|: \"([^\"\n]+)\")?")


def reason_of(error: OSError) -> str:
    """Return what happened and what to do, without the path."""
    if error.errno in _CAUSES:
        return _CAUSES[error.errno]
    return f"{error.strerror or error}"


def explained(error: OSError, path: str | None = None) -> LexbeamError:
    """Return an error of the system as one for a person.

    Args:
        error: the error.
        path: what to name; the path that the error itself names, if it is not given.
    """
    if isinstance(getattr(error, "exception_details", None), dict):
        return _of_store(error)
    named = path or error.filename
    place = f"{os.fsdecode(named)!r}: " if isinstance(named, str | bytes | os.PathLike) else ""
    return LexbeamError(place + reason_of(error))


def _of_store(error: BaseException) -> LexbeamError:
    """Return an error of Beam's file systems, which hold the errors of others by path, for a person."""
    path = ""
    while details := getattr(error, "exception_details", None):
        path, inner = next(iter(details.items()))
        if not isinstance(inner, BaseException):
            break
        error = inner
    place = f"{os.fsdecode(path)!r}: " if isinstance(path, str | bytes) and path else ""
    return LexbeamError(
        f"{place}the file system fails: {cause_of(error)}; check the path, the network, and what this machine is "
        "permitted to do there (its credentials)"
    )


def explained_text(text: str) -> LexbeamError | None:
    """Return the error that a traceback ends in for a person; None if it is none of the system."""
    raised = _RAISED.findall(text)
    match = _AS_TEXT.search(raised[-1]) if raised else None
    if match is None or int(match[1]) not in _CAUSES:
        return None
    return explained(OSError(int(match[1]), ""), match[2] or match[3])


@contextmanager
def explaining(place: str | None = None) -> Iterator[None]:
    """Raise the errors of the system that leave the block as LexbeamError.

    A reader that has gone (a broken pipe) is none: whoever prints ends quietly.

    Args:
        place: what to name where an error names no path, as of a disk that is full.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise explained(error, error.filename or place) from error
    except MemoryError as error:
        cause = f"there is not enough memory ({error})" if str(error) else "there is not enough memory"
        raise LexbeamError(f"{cause}; end other programs, or take a smaller input") from error
