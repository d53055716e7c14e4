"""Signals that ask a command to end: Ctrl-C, `kill`, a terminal that closes.

    heed_signals(lambda: "interrupted")
    ...
    except KeyboardInterrupt: sys.exit(interrupted_status())

The first raises KeyboardInterrupt, so that the command can clean up; failures of threads after it are
not printed. The second ends the process at once. Only the command line heeds signals: those to a
notebook are not ours. `interrupted_text` says what is kept of a run, and how to go on.
"""

import os
import shlex
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.store import files

if TYPE_CHECKING:
    from lexbeam.pipelines.monitoring.progress import RunProgress

_DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
_CAME: list[int] = []


class _Begun(NamedTuple):
    """A run that has begun to make its sections: its folder, its progress, the snapshot of before."""

    out: str
    progress: "RunProgress"
    before: str | None


_BEGUN: list[_Begun] = []
_WORDS: list[str] = []  # the command line, without the program
_RESUMES = [True]


def note_nothing_begun(words: Sequence[str] = (), *, resumes: bool = True) -> None:
    """Note a command line, without the program, of which no run has begun.

    Args:
        words: the command line.
        resumes: whether it goes on with `--resume`; else simply by being given again.
    """
    _BEGUN.clear()
    _WORDS[:] = words
    _RESUMES[:] = [resumes]


def note_ended() -> None:
    """Note that the run that was begun has ended, and the command goes on."""
    _BEGUN.clear()


def resuming_line() -> str:
    """Return the command that goes on with the work of this one; empty where none was given, as in a notebook."""
    if not _WORDS:
        return ""
    end = _WORDS.index("--") if "--" in _WORDS else len(_WORDS)
    resume = ["--resume"] if _RESUMES[0] and "--resume" not in _WORDS[:end] else []
    return shlex.join(["lexbeam", *_WORDS[:end], *resume, *_WORDS[end:]])  # behind a lone `--` is what is for Beam


def note_run(out: str, progress: "RunProgress") -> None:
    """Note a run that begins to make its sections in the folder `out`."""
    _BEGUN[:] = [_Begun(out, progress, snapshot_name(out) if files.is_local(out) else None)]


def interrupted_text(options: Collection[str]) -> str:
    """Return what is told of an interrupted command with options of these names: what is kept, and how to go on."""
    if not _BEGUN:
        if "resume" in options:
            return "interrupted; nothing was made yet: run the same command again"
        # Files and folders get their names when they are whole.
        return f"interrupted; nothing was {'left half written' if {'out', 'to'} & set(options) else 'written'}"
    (run,) = _BEGUN
    out = files.shown(run.out)
    if files.is_local(run.out) and snapshot_name(run.out) != run.before:
        return f"interrupted; the tables are published at {out}"
    lines = [f"interrupted; nothing new is published, and what is finished is kept in {out}:", *_kept(run.progress)]
    if len(lines) == 1 and files.is_local(run.out):
        lines = ["interrupted; nothing new is published, and nothing is finished yet"]
    return "\n".join([*lines, f"go on by: {resuming_line()}"])


def _kept(progress: "RunProgress") -> list[str]:
    from lexbeam.pipelines.monitoring.estimates import amount

    return [f"  {count.stage.name}: {amount(count)}" for count in progress.all() if count.made + count.there]


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
