"""What ties programs to the run that starts them: they end with it, however it ends.

    with leashed() as leash:
        subprocess.Popen(leash.command(["java", "-jar", "server.jar"]))

A leash is a named pipe that only this process holds open for writing. Each program is started by
`pipelines/runners/guard.py`, which kills it, and all that it has started, when the pipe closes: at the end
of the block, at an interrupt before anything else, and by the system when this process ends.
"""

import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from lexbeam.pipelines.runners import guard

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HELD: set[io.FileIO] = set()


def _let_go() -> None:
    """Close the pipes in a forked child, which would keep the programs of a dead run alive."""
    for pipe in _HELD:
        pipe.close()


os.register_at_fork(after_in_child=_let_go)


class Leash:
    """What a run's programs are tied to; a run without programs makes no folder."""

    def __init__(self) -> None:
        self._folder: str | None = None
        self._pipe: io.FileIO | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self.is_cut = False

    @property
    def folder(self) -> str:
        """A folder for the temporary files of programs, removed at the end."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="lexbeam-run-")
            place = os.path.join(self._folder, guard.ALIVE)
            os.mkfifo(place, 0o600)
            reader = os.open(place, os.O_RDONLY | os.O_NONBLOCK)  # without a reader the next line would wait
            # An object closes in one step, which no signal can interrupt.
            self._pipe = io.FileIO(os.open(place, os.O_WRONLY), "w")
            _HELD.add(self._pipe)
            os.close(reader)
            # With it, the folder goes with the run even if that is killed before it starts a program.
            waits = self.command(["cat", place], os.devnull)
            self._keeper = subprocess.Popen(waits, stdin=subprocess.DEVNULL)
            if self.is_cut:
                self.cut()
        return self._folder

    def command(self, words: Sequence[str], output: str = "-") -> list[str]:
        """Return the command that starts a program which ends with the run.

        Args:
            words: the program and its arguments.
            output: the file that takes its output; `-`: standard error.
        """
        return [sys.executable, "-I", "-S", guard.__file__, self.folder, output, *words]

    def cut(self) -> None:
        """End all programs; a second call does nothing."""
        self.is_cut = True
        if self._pipe is not None:
            self._pipe.close()
            _HELD.discard(self._pipe)

    def remove(self) -> None:
        """Remove the folder, if there is one; the last program to end does so, too."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._keeper is not None:
            self._keeper.wait()


@contextmanager
def leashed() -> Iterator[Leash]:
    """Yield a leash, and cut it at the end of the block or at an interrupt.

    An interrupt cuts it before its exception is raised, so that Beam, which waits for workers to end on
    its way out, need not wait for their work. Python sets signal handlers in the main thread alone; in
    other threads the leash is cut at the end of the block or of the process.
    """
    leash = Leash()
    previous: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def cut_first(number: int, frame: FrameType | None) -> None:
        leash.cut()
        previous[number](number, frame)

    try:
        if threading.current_thread() is threading.main_thread():
            for number in INTERRUPTS:
                if callable(handler := signal.getsignal(number)):
                    previous[number] = handler
                    signal.signal(number, cut_first)
        yield leash
    finally:
        leash.cut()
        for heeded, handler in previous.items():
            signal.signal(heeded, handler)
        leash.remove()
