"""Worker processes of Beam's direct runner on this machine, and what becomes of them."""

import logging
import os
import shlex
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from pipelines.leash import Leash

__all__ = ["Failed", "direct_runner", "thread_failures"]

log = logging.getLogger("lexbeam")

MODULE = "apache_beam.runners.worker.sdk_worker_main"
LINES = 10  # of what workers said last, for the message


class Failed(NamedTuple):
    """What threads of Beam failed with, one of which waits for each worker."""

    texts: list[str]
    leash: Leash

    def told(self) -> str:
        """Return what is to be added to the message of a run that failed: how workers ended."""
        ended = sorted({text for text in self.texts if "Worker subprocess" in text})
        if not ended:
            return ""
        lines = [f"\n  {line}" for line in _last_lines(_output(self.leash))]
        return f" ({'; '.join(ended)})" + "".join(lines)


def direct_runner(options: PipelineOptions, leash: Leash) -> FnApiRunner:
    """Return the runner of this machine; where its workers are processes, they are on the leash."""
    direct = options.view_as(DirectOptions)
    if direct.direct_running_mode != "multi_processing":
        return FnApiRunner()
    direct.direct_running_mode = None  # or Beam starts workers by a command of its own
    output = "-" if _is_verbose() else _output(leash)
    words = leash.command([sys.executable, "-m", MODULE], output)
    # A Ctrl-C is not for workers, not even before they have left the group of processes that it
    # reaches; and no shell is left between them and Beam, which would outlive them.
    command = f"trap '' INT HUP; exec {shlex.join(words)}"
    return FnApiRunner(SubprocessSDKEnvironment.from_command_string(command))


def _output(leash: Leash) -> str:
    """Return the path of the file that takes what workers print, where nobody wants to see it."""
    return os.path.join(leash.folder, "workers.log")


def _is_verbose() -> bool:
    return logging.getLogger().isEnabledFor(logging.INFO)


def _last_lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as stream:
            return stream.read().splitlines()[-LINES:]
    except OSError:
        return []


@contextmanager
def thread_failures(leash: Leash) -> Iterator[Failed]:
    """Collect what threads of Beam fail with while the block runs.

    Python would print each with a traceback, a dozen of them when a server or worker ends. What
    they mean for the run is told once, by its own error. Other threads' failures are printed.
    """
    failed = Failed([], leash)
    verbose, previous = _is_verbose(), threading.excepthook

    def note(given: threading.ExceptHookArgs) -> None:
        if verbose or not _is_of_beam(given):
            previous(given)
        failed.texts.append(f"{given.exc_type.__name__}: {given.exc_value}")

    threading.excepthook = note
    try:
        yield failed
    finally:
        threading.excepthook = previous


def _is_of_beam(given: threading.ExceptHookArgs) -> bool:
    trace = given.exc_traceback
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("apache_beam."):
            return True
        trace = trace.tb_next
    return False
