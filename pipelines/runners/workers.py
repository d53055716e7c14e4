"""Worker processes of Beam's direct runner on this machine, and what becomes of them."""

import logging
import os
import queue
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from pipelines.runners.leash import Leash
from transforms.common.errors import LexbeamError

__all__ = ["direct_runner", "has_processes", "run_watched", "thread_failures"]

Ended = queue.SimpleQueue[str]  # how workers ended that should not have

MODULE = "pipelines.runners.local_worker"
PROCESSES = "multi_processing"
LINES = 10  # of what workers said last, for the message
SECONDS = 2  # that the news of a worker's or a server's end may be late
READERS = ("read_", "run_worker")  # how names of Beam's threads begin that end with a server


def has_processes(options: PipelineOptions) -> bool:
    """Return whether the direct runner starts processes with these options."""
    return options.view_as(DirectOptions).direct_running_mode == PROCESSES


def direct_runner(options: PipelineOptions, leash: Leash) -> FnApiRunner:
    """Return the runner of this machine; where its workers are processes, they are on the leash.

    What workers print is shown only to those who want to see what Beam logs.
    """
    if not has_processes(options):
        return FnApiRunner()
    # Or Beam would start workers by a command of its own.
    options.view_as(DirectOptions).direct_running_mode = None
    output = "-" if _is_verbose() else _output(leash)
    words = leash.command([sys.executable, "-m", MODULE], output)
    # A Ctrl-C is not for workers, not even before they have left the group of processes that it
    # reaches; and no shell is left between them and Beam, which would outlive them.
    command = f"trap '' INT HUP; exec {shlex.join(words)}"
    return FnApiRunner(SubprocessSDKEnvironment.from_command_string(command))


def run_watched(run: Callable[[], Any], ended: Ended, leash: Leash) -> Any:
    """Return what `run` returns; it waits for workers, even for one that will never begin.

    Raises:
        LexbeamError: a worker ended before its time; the message has what workers said last.
    """
    outcome: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put((run(), None))
        except BaseException as error:
            outcome.put((None, error))

    def watch() -> None:
        outcome.put((None, _explained(ended.get(), leash)))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    threading.Thread(target=watch, daemon=True).start()
    try:
        value, error = outcome.get()
        if error is not None and "Channel closed" in str(error):
            with suppress(queue.Empty):
                error = outcome.get(timeout=SECONDS)[1] or error
    except BaseException:
        worker.join(SECONDS)  # an interrupt has ended its workers, so that it is about to end
        raise
    finally:
        ended.put("")  # or the watch would go on
    if error is not None:
        raise error
    return value


def _explained(text: str, leash: Leash) -> LexbeamError:
    lines = "".join(f"\n  {line}" for line in _last_lines(_output(leash)))
    return LexbeamError(f"a worker process ended before its time: {text}{lines}")


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
def thread_failures(leash: Leash) -> Iterator[Ended]:
    """Give a queue of how workers ended that should not have, as threads of Beam find out.

    Python would print whatever those threads fail with, each with a traceback: a dozen where a
    server or a worker ends. What it means for the run is told once, by the run's own error. What
    other threads fail with is printed as ever.
    """
    ended: Ended = queue.SimpleQueue()
    verbose, previous = _is_verbose(), threading.excepthook
    before = set(threading.enumerate())

    def note(given: threading.ExceptHookArgs) -> None:
        if "Worker subprocess" in str(given.exc_value) and not leash.is_cut:
            ended.put(str(given.exc_value))
        if verbose or not _is_of_beam(given):
            previous(given)

    threading.excepthook = note
    try:
        yield ended
    finally:
        # A server has ended by now, but those who read from it may not have found out.
        end = time.monotonic() + SECONDS
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith(READERS):
                thread.join(max(0.0, end - time.monotonic()))
        threading.excepthook = previous


def _is_of_beam(given: threading.ExceptHookArgs) -> bool:
    trace = given.exc_traceback
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("apache_beam."):
            return True
        trace = trace.tb_next
    return False
