"""The lease of an output folder on an object store, in place of a lock: one run at a time saves work.

    DIR/.lock.json      who holds the folder; written again every `RENEWED` seconds

A lease is free when its run has ended, when the holder is a process of this machine that is gone, `EXPIRES` seconds
after the last sign, by this machine's clock and the store's, or when none comes for as long. Two runs that hold the
folder at once, since a clock is wrong or a holder was stopped for minutes, lose work, and nothing else: publication
compares and swaps.
"""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from transforms.common.errors import LexbeamError
from transforms.common.store import files
from transforms.common.store.objects import Tag
from transforms.common.store.remote import remote

__all__ = ["EXPIRES", "LEASE", "RENEWED", "Holder", "holder_of", "leased"]

log = logging.getLogger("lexbeam")

LEASE = ".lock.json"
RENEWED = 10.0
EXPIRES = 60.0
LOOKS = 1.0  # seconds between two looks at a lease that may be free


class _Lease(msgspec.Struct, frozen=True):
    """What the object says: a number that no other run has, machine and process, how often it was renewed."""

    run: str
    machine: str
    process: int
    renewed: int = 0


class Holder(NamedTuple):
    """Who holds a folder: machine, process, seconds since the last sign."""

    machine: str
    process: int
    seconds: float


@contextmanager
def leased(out: str) -> Iterator[None]:
    """Hold a folder on an object store, and renew the lease meanwhile.

    Raises:
        LexbeamError: another run holds it.
    """
    path = files.join(out, LEASE)
    mine = _Lease(secrets.token_hex(8), socket.gethostname(), os.getpid())
    tag = _taken(out, path, mine)
    ended = threading.Event()
    keeper = threading.Thread(target=_keep, args=(path, mine, tag, ended), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        _give_back(path, mine)


def holder_of(out: str) -> Holder | None:
    """Return who holds a folder on an object store; None if nobody does."""
    path = files.join(out, LEASE)
    found = remote(path).read_tagged(path)
    lease = _read(found[0]) if found else None
    state = remote(path).state(path) if lease else None
    if lease is None or state is None:
        return None
    seconds = max(0.0, time.time() - state.changed / 1e9) if state.changed else 0.0
    if seconds > EXPIRES or (lease.machine == socket.gethostname() and not _runs(lease.process)):
        return None
    return Holder(lease.machine, lease.process, seconds)


def _taken(out: str, path: str, mine: _Lease) -> Tag:
    """Write the lease where there is none, or one that is free; return its tag.

    Whether a holder on another machine lives is seen by whether it renews the lease.
    """
    store = remote(path)
    begun, seen = time.monotonic(), None
    while True:
        found = store.read_tagged(path)
        holder = holder_of(out) if found else None
        if holder is None or time.monotonic() - begun > EXPIRES:
            tag = store.swap(path, msgspec.json.encode(mine), found[1] if found else None)
            if tag is not None:
                return tag
        elif holder.machine == mine.machine or (seen is not None and found != seen):
            raise LexbeamError(
                f"another run is at work on {out!r} (process {holder.process} on {holder.machine}, last sign "
                f"{holder.seconds:.0f} s ago): wait for it, or give another `out`"
            )
        elif seen is None:
            log.warning(
                "%s was held by process %d on %s; waiting, up to %.0f s, for a sign of it",
                out,
                holder.process,
                holder.machine,
                EXPIRES,
            )
        seen = found
        time.sleep(LOOKS)


def _keep(path: str, lease: _Lease, tag: Tag | None, ended: threading.Event) -> None:
    """Renew a lease until its run has ended, or another has taken it."""
    number = 0
    while tag is not None and not ended.wait(RENEWED):
        number += 1
        try:
            tag = remote(path).swap(path, msgspec.json.encode(msgspec.structs.replace(lease, renewed=number)), tag)
        except (OSError, LexbeamError) as error:  # perhaps it answers next time; publication is safe anyway
            log.debug("%s: the lease was not renewed: %s", path, error)
    if tag is None:
        log.warning("%s was taken by another run: of two that publish, one is refused in the end", path)


def _give_back(path: str, lease: _Lease) -> None:
    try:
        found = remote(path).read_tagged(path)
        held = _read(found[0]) if found else None
        if held is not None and held.run == lease.run:
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
