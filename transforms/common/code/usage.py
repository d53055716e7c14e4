"""What making artefacts took, as workers count it: names of counters, and what is counted.

A runner sums counters by namespace and name over all elements and hands them to the driver. So the namespace says the
stage, and the name what is counted and in which process.
"""

import os
import resource
import socket
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

LANDED = "landed"
SUMMED = ("microseconds", "elements", "there", "documents", LANDED, "tokens", "bytes")
MEMORY = "memory"  # of which the greatest counts
_SPACE = "artefacts:"


def namespace(stage: str) -> str:
    """Return the namespace of a stage's counters."""
    return _SPACE + stage


def counter_name(what: str) -> str:
    """Return the name of a counter of this process."""
    return f"{what} {worker_name()}"


def counted(space: str, name: str) -> tuple[str, str, str] | None:
    """Return stage, what and worker of a counter; None for one of somebody else's.

    >>> counted("artefacts:change/train", "tokens host:17")
    ('change/train', 'tokens', 'host:17')
    """
    what, _, worker = name.partition(" ")
    if not space.startswith(_SPACE) or what not in (*SUMMED, MEMORY):
        return None
    return space.removeprefix(_SPACE), what, worker


def worker_name() -> str:
    """Return the machine and the number of this process, which no other worker of a run has."""
    return f"{socket.gethostname()}:{os.getpid()}"


def amount_of(what: str, receipt: object, task: object) -> int:
    """Return how many documents or tokens an artefact has, by its receipt or the task; 0 where neither says."""
    counts = getattr(receipt, "counts", None)
    held = (getattr(receipt, what, None), counts.get(what) if isinstance(counts, Mapping) else None)
    for number in (*held, getattr(task, what, None)):
        if isinstance(number, int):
            return number
    return 0


class _Told(threading.local):
    def __init__(self) -> None:
        self.amounts: Counter[str] = Counter()


_TOLD = _Told()


def tell_amount(what: str, number: int) -> None:
    """Tell, while an artefact is made, of how many of what is counted no receipt says, since its bytes do not."""
    _TOLD.amounts[what] += number


def amounts_told() -> Counter[str]:
    """Return what this thread has told since it was asked last."""
    told, _TOLD.amounts = _TOLD.amounts, Counter()
    return told


def peak_memory() -> int:
    """Return the most memory that this process has had in use at once, in bytes."""
    # Not first by `getrusage`, which on Linux begins with what the process had that started this one.
    with suppress(OSError), open("/proc/self/status", "rb") as stream:
        for line in stream:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
