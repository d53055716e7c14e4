"""When a window ends: after some time, or when it holds enough."""

import re
from typing import NamedTuple

from lexbeam.transforms.common.errors import UsageError

WINDOW_BYTES = 4 << 20  # of lines, which are held in memory until their window ends
_DURATION = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(text: str) -> float:
    """Return the seconds of a duration: a number and one of ms, s, m, h, d.

    Raises:
        UsageError: it is none, or none above zero.

    >>> seconds_of("5m")
    300.0
    """
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not 0 < seconds < 1e9:
        raise UsageError(f"{text!r} is no duration: give a number above zero and one of ms, s, m, h, d, such as 5m")
    return seconds


class WindowRule(NamedTuple):
    """When a window ends, whichever comes first.

    Attributes:
        seconds: since its first element came.
        most: elements: files, or lines.
    """

    seconds: float
    most: int

    def ends(self, elements: int, size: int, age: float) -> bool:
        """Return whether a window of so many elements and bytes, begun so many seconds ago, ends."""
        return elements > 0 and (elements >= self.most or size >= WINDOW_BYTES or age >= self.seconds)
