"""Output folders: what may be one, checked before anything is written, and the lease of one on an object store.

    DIR/.lock.json      who holds the folder; written again every `RENEWED` seconds

A lease stands in place of a lock: one run at a time saves work. It is free when its run has ended, when the holder is a
process of this machine that is gone, or when it gives no sign: for `EXPIRES` seconds, or `SIGN` if by this machine's
clock and the store's it has given none for so long already. So no clock frees the lease of a run at work. Two runs that
hold the folder at once, since a holder was stopped for minutes, lose work, and nothing else: publication compares and
swaps.
"""

import errno
import logging
import os
import secrets
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from lexbeam.transforms.common.errors import LexbeamError, UsageError, reason_of
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.objects import ObjectTag
from lexbeam.transforms.common.store.remote import remote

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


log = logging.getLogger("lexbeam")

LEASE = ".lock.json"
RENEWED = 10.0
EXPIRES = 60.0
SIGN = 1.5 * RENEWED
LOOKS = 1.0  # seconds between two looks at a lease that may be free
_NO_CONTENT = ObjectTag('"none"', "1")  # of nothing that a lease has ever been

_HELD: set[str] = set()  # the runs of this process


class _Lease(msgspec.Struct, frozen=True):
    """What the object says: a number that no other run has, machine and process, how often it was renewed."""

    run: str
    machine: str
    process: int
    renewed: int = 0


class Holder(NamedTuple):
    """Who holds a folder: machine, process, seconds since the last sign, whether these are too many to be at work."""

    machine: str
    process: int
    seconds: float
    is_silent: bool = False


@contextmanager
def leased(out: str, name: str = "out") -> Iterator[None]:
    """Hold a folder on an object store, which the option `name` names, and renew the lease meanwhile.

    Raises:
        LexbeamError: another run holds it.
    """
    path = files.join(out, LEASE)
    mine = _Lease(secrets.token_hex(8), socket.gethostname(), os.getpid())
    tag = _probed(out, path, mine, _taken(out, path, mine, name))
    _HELD.add(mine.run)
    ended = threading.Event()
    keeper = threading.Thread(target=_keep, args=(path, mine, tag, ended), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        _give_back(path, mine)
        _HELD.discard(mine.run)


def holder_of(out: str) -> Holder | None:
    """Return who holds a folder on an object store; None if nobody does."""
    holder = _holder(out)
    return None if holder is None or holder.is_silent else holder


def _holder(out: str) -> Holder | None:
    path = files.join(out, LEASE)
    found = remote(path).read_tagged(path)
    lease = _read(found[0]) if found else None
    state = remote(path).state(path) if lease else None
    if lease is None or state is None:
        return None
    seconds = max(0.0, time.time() - state.changed / 1e9) if state.changed else 0.0
    if lease.machine == socket.gethostname() and not _runs(lease.process):
        return None
    return Holder(lease.machine, lease.process, seconds, seconds > EXPIRES)


def _taken(out: str, path: str, mine: _Lease, name: str) -> ObjectTag:
    """Write the lease where there is none, or one that is free; return its tag.

    Whether a holder on another machine lives is seen by whether it renews the lease. In containers, machines of one
    name have processes of one number: a lease that seems to be of this process, and is not, is watched likewise.
    """
    store = remote(path)
    begun, seen = time.monotonic(), None
    while True:
        found = store.read_tagged(path)
        holder = _holder(out) if found else None
        patience = SIGN if holder and holder.is_silent else EXPIRES
        if holder is None or time.monotonic() - begun > patience:
            tag = store.swap(path, msgspec.json.encode(mine), found[1] if found else None)
            if tag is not None:
                return tag
        elif _is_near(holder, found, mine) or (seen is not None and found != seen):
            raise LexbeamError(
                f"another run is at work on {out!r} (process {holder.process} on {holder.machine}, last sign "
                f"{holder.seconds:.0f} s ago): wait for it{or_another(name)}"
            )
        elif seen is None:
            log.warning(
                "%s was held by process %d on %s; waiting, up to %.0f s, for a sign of it",
                out,
                holder.process,
                holder.machine,
                patience,
            )
        seen = found
        time.sleep(LOOKS)


def _probed(out: str, path: str, lease: _Lease, tag: ObjectTag) -> ObjectTag:
    """Return the tag of a lease after a write over another one, which is refused, or else told of."""
    written = remote(path).swap(path, msgspec.json.encode(msgspec.structs.replace(lease, renewed=-1)), _NO_CONTENT)
    if written is None:
        return tag
    log.warning(
        "the store of %s does not heed the conditions of a write (If-Match): of two runs at once each may publish over "
        "the other, and neither is told; never start two",
        out,
    )
    return written


def _is_near(holder: Holder, found: tuple[bytes, ObjectTag] | None, mine: _Lease) -> bool:
    """Return whether a holder is known to run on this machine."""
    if holder.machine != mine.machine or holder.is_silent:
        return False
    lease = _read(found[0]) if found else None
    return holder.process != mine.process or (lease is not None and lease.run in _HELD)


def _keep(path: str, lease: _Lease, tag: ObjectTag | None, ended: threading.Event) -> None:
    """Renew a lease until its run has ended, or another has taken it."""
    number = 0
    while tag is not None and not ended.wait(RENEWED):
        number += 1
        try:
            renewed = msgspec.json.encode(msgspec.structs.replace(lease, renewed=number))
            tag = remote(path).swap(path, renewed, tag) or _still_mine(path, lease)
        except (OSError, LexbeamError) as error:  # perhaps it answers next time; publication is safe anyway
            log.debug("%s: the lease was not renewed: %s", path, error)
    if tag is None:
        log.warning("%s was taken by another run: of two that publish, one is refused in the end", path)


def _still_mine(path: str, lease: _Lease) -> ObjectTag | None:
    """Return the tag of a lease that this run has renewed without being told so; None if it is another's."""
    found = remote(path).read_tagged(path)
    held = _read(found[0]) if found else None
    return found[1] if found and held is not None and held.run == lease.run else None


def _give_back(path: str, lease: _Lease) -> None:
    try:
        if _still_mine(path, lease):
            files.remove(path)
    except (OSError, LexbeamError) as error:
        log.warning("%s could not be removed (%s); it is free %.0f s from now", path, error, EXPIRES)


def _read(content: bytes) -> _Lease | None:
    """Return what a lease says; None if it is damaged, since then it holds nothing."""
    try:
        return msgspec.json.decode(content, type=_Lease)
    except msgspec.DecodeError:
        return None


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
