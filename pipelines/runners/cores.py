"""How many cores this process may use, which are often fewer than the machine has."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cores"]


def cores(root: str = "/") -> int:
    """Return the number of cores that this process may use, at least 1.

    That is the machine's, less those that it is kept from (`taskset`, a batch system), and no more
    than the control groups that it is in allow (a container's limit, begun cores counted whole).

    Args:
        root: the folder in which the system's `proc` and `sys` lie.
    """
    try:
        own = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        own = os.cpu_count() or 1
    return max(1, min([own, *_quotas(Path(root))]))


def _quotas(root: Path) -> Iterator[int]:
    """Yield the limits of the control groups that this process is in, of either version."""
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds == "" or "cpu" in kinds.split(","):
            folder = root / "sys/fs/cgroup" / kinds
            # A container may see its own group as the top, whatever the path says.
            for name in ("", *path.strip("/").split("/")):
                folder /= name
                yield from _quota(folder)


def _quota(folder: Path) -> Iterator[int]:
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            allowed, period = " ".join((folder / name).read_text() for name in names).split()
            if int(allowed) > 0:  # else -1, or the word max
                yield math.ceil(int(allowed) / int(period))
        except (OSError, ValueError, ZeroDivisionError):
            continue
