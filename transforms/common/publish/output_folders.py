"""The folder that a command writes to: what may be one, checked before anything is written."""

import errno
import os
import stat

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.system_errors import reason_of

LONGEST_NAME = 255  # bytes of a file's name, on all common file systems


def or_another(name: str) -> str:
    """Return how a message goes on where a run might write elsewhere: one that looks at a folder, as `path`, cannot."""
    return ", or give another `out`" if name == "out" else ""


def check_output_folder(path: str, name: str = "out") -> None:
    """Check that a path may be a folder to write to; it need not be there. A link to one may.

    Args:
        path: the folder; on object stores anything may be one.
        name: the option that names it.

    Raises:
        UsageError: it is, or lies below, something else than a folder, it cannot be written to, or
            it is the root folder or the user's home.
    """
    if not files.is_local(path):
        return
    shown = f"`{name}` {path!r}"
    try:
        os.path.abspath(path).encode()
    except UnicodeEncodeError:  # Arrow opens no such file, and the rows that runners pass on hold it as text
        raise UsageError(f"{shown}: the path is not UTF-8; give one that is") from None
    try:
        place = _nearest_there(os.path.abspath(path))
        if max(map(len, os.fsencode(path).split(b"/"))) > LONGEST_NAME:
            raise OSError(errno.ENAMETOOLONG, "")
        real = os.path.realpath(path)
        if real == os.path.realpath(os.sep):
            raise UsageError(f"{shown} is the root folder of the file system: give a folder in it")
        if real == os.path.realpath(os.path.expanduser("~")):
            raise UsageError(f"{shown} is your home folder: give a folder in it")
        kind = _kind(place)
        if kind is not None:
            below = "" if place == os.path.abspath(path) else f"lies below {place!r}, which "
            raise UsageError(f"{shown} {below}is {kind}: give a folder")
        # Not by `access` alone, which knows no reason.
        if not os.access(place, os.W_OK | os.X_OK, effective_ids=_EFFECTIVE):
            read_only = bool(os.statvfs(place).f_flag & os.ST_RDONLY)
            raise OSError(errno.EROFS if read_only else errno.EACCES, "")
    except OSError as error:
        raise UsageError(f"{shown} cannot be written to: {reason_of(error)}") from error


_EFFECTIVE = os.access in os.supports_effective_ids


def _nearest_there(path: str) -> str:
    """Return the path, or the nearest of the folders above it that is there, links not followed."""
    while True:
        try:
            os.lstat(path)
            return path
        except (FileNotFoundError, NotADirectoryError):
            path = os.path.dirname(path)


def _kind(path: str) -> str | None:
    """Return what a path is that is no folder; None for a folder, or a link that leads to one."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return f"a link that leads nowhere (to {os.readlink(path)!r})"
    if stat.S_ISDIR(mode):
        return None
    kind = next((word for check, word in _KINDS if check(mode)), "no folder")
    return f"a link to {kind}" if os.path.islink(path) else kind


_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def make_output_folder(path: str, name: str = "out", *, private: bool = True) -> None:
    """Make a folder to write to, and its parents, if need be; raises as `check_output_folder`.

    If `private`, a new one is for its user alone: texts lie in it.
    """
    check_output_folder(path, name)
    try:
        files.make_folder(path, private=private)
    except OSError as error:
        raise UsageError(f"`{name}` {path!r} cannot be made: {reason_of(error)}") from error
