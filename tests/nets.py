"""Work that must not hang or grow with the square: broken off, or counted; benchmarks measure speed."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def ends(seconds: float = 100) -> Iterator[None]:
    """Break off what takes so much processor time: at least ten times what it takes when all is well."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"not done after {seconds} seconds of processor time")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def calls(work: Callable[[], object]) -> int:
    """Return how many functions, of Python's and of C's, are called: the same on any machine."""
    number = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return number


def steps(work: Callable[[], object]) -> int:
    """Return how many lines of Python run, each turn of a loop on one line among them: the same on any machine."""
    number = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal number
        number += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return number
