"""Signals that ask a command to end: Ctrl-C, `kill`, a terminal that closes.

    heed_signals(lambda: "interrupted")
    ...
    except KeyboardInterrupt: sys.exit(interrupted_status())

The first raises KeyboardInterrupt, so that the command ends in order; what threads fail with then
is not told. The second ends the process at once. Only the command line heeds signals: those to a
notebook are not ours.
"""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["heed_signals", "interrupted_status", "leave_signals", "was_interrupted"]

_DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
_CAME: list[int] = []


def heed_signals(told: Callable[[], str]) -> None:
    """Heed the signals, except where one is ignored, as `nohup` has it.

    Args:
        told: returns what a person reads if the process is left at once.
    """

    def stop(number: int, _: FrameType | None) -> None:
        if _CAME:
            # What a run has started ends with this process, and nothing is ever half published.
            os.write(2, f"{told()}\n".encode())
            os._exit(interrupted_status())
        _CAME.append(number)
        raise KeyboardInterrupt

    def tell(given: threading.ExceptHookArgs, before: Any = threading.excepthook) -> None:
        if not _CAME:  # else a thread failed because what it worked with was ended
            before(given)

    threading.excepthook = tell
    for number, default in _DEFAULTS.items():
        if signal.getsignal(number) == default:
            signal.signal(number, stop)


def leave_signals() -> None:
    """Let the next signal end the process, since there is nothing left to be put in order."""
    for number in _DEFAULTS:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def was_interrupted() -> bool:
    """Return whether a signal has come."""
    return bool(_CAME)


def interrupted_status() -> int:
    """Return the exit status of a command that a signal has ended: 130 for Ctrl-C."""
    return 128 + (_CAME[0] if _CAME else signal.SIGINT)
