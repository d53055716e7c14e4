"""Signals that ask a command to end: Ctrl-C, `kill`, a terminal that closes.

    heed_signals(lambda: "interrupted")
    ...
    except KeyboardInterrupt: sys.exit(interrupted_status())

The first raises KeyboardInterrupt, so that the command can clean up; failures of threads after it are
not printed. The second ends the process at once. Only the command line heeds signals: those to a
notebook are not ours.
"""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

__all__ = ["heed_signals", "interrupted_status", "leave_signals", "was_interrupted"]

_DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
_CAME: list[int] = []


def heed_signals(message: Callable[[], str]) -> None:
    """Heed the signals, except those that are ignored, as with `nohup`.

    Args:
        message: returns what is printed if the process ends at once.
    """

    def stop(number: int, _: FrameType | None) -> None:
        if _CAME:
            # The programs of a run end with this process, and nothing is ever half published.
            os.write(2, f"{message()}\n".encode())
            os._exit(interrupted_status())
        _CAME.append(number)
        raise KeyboardInterrupt

    before = threading.excepthook

    def report(failure: threading.ExceptHookArgs) -> None:
        if not _CAME:  # after a signal, threads fail because what they work with has ended
            before(failure)

    threading.excepthook = report
    for number, default in _DEFAULTS.items():
        if signal.getsignal(number) == default:
            signal.signal(number, stop)


def leave_signals() -> None:
    """Let the next signal end the process, since there is nothing left to clean up."""
    for number in _DEFAULTS:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def was_interrupted() -> bool:
    """Return whether a signal has arrived."""
    return bool(_CAME)


def interrupted_status() -> int:
    """Return the exit status of a command that a signal has ended: 130 for Ctrl-C."""
    return 128 + (_CAME[0] if _CAME else signal.SIGINT)
