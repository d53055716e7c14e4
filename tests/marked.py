"""Processes known by a variable of their environment: all that a process has started has it too."""

import contextlib
import os
import time
from pathlib import Path

import pytest

MARK = "LEXBEAM_TEST_MARK"
SECONDS = 300  # however busy the machine is; nobody waits for them where the tests pass


def marked(mark: str) -> dict[int, str]:
    """Command lines of the processes that live and have a mark, by process."""
    if not os.path.isdir("/proc/self"):
        pytest.skip("needs /proc")
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "environ").read_bytes().split(b"\0")
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if f"{MARK}={mark}".encode() in words and state not in "ZX":
                line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(process.name)] = line
    return found


def wait_until(condition, what: str):
    """Wait until a condition holds and return its value."""
    end = time.monotonic() + SECONDS
    while not (value := condition()):
        assert time.monotonic() < end, f"in vain: {what}"
        time.sleep(0.02)
    return value


def left_of(mark: str) -> dict[int, str]:
    """What lives of the marked processes after they had time to end; none is the aim."""
    end = time.monotonic() + SECONDS
    while (left := marked(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return left
