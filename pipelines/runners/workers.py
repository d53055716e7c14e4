"""Worker processes of Beam's direct runner on this machine, and what becomes of them."""

import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner

from lexbeam.pipelines.runners.leash import Leash
from lexbeam.pipelines.runners.private_runner import PrivateRunner
from lexbeam.transforms.common.errors import LexbeamError

Ended = queue.SimpleQueue[str]  # how workers ended prematurely

MODULE = "lexbeam.pipelines.runners.local_worker"
PROCESSES = "multi_processing"
LINES = 10  # of the workers' last output, for the message
SECONDS = 2  # by which the news of a worker's or a server's end may be late
READERS = ("read_", "run_worker")  # prefixes of the names of Beam's threads that end with a server


def has_processes(options: PipelineOptions) -> bool:
    """Return whether the direct runner starts processes with these options."""
    return bool(options.view_as(DirectOptions).direct_running_mode == PROCESSES)


def direct_runner(options: PipelineOptions, leash: Leash, ended: Ended) -> FnApiRunner:
    """Return the runner of this machine; if its workers are processes, they are on the leash.

    The output of workers is shown only with --verbose, as Beam's log is.
    """
    if not has_processes(options):
        return FnApiRunner()
    # Otherwise Beam would start workers by a command of its own.
    options.view_as(DirectOptions).direct_running_mode = None
    output = "-" if _is_verbose() else _output(leash)
    command = leash.command([sys.executable, "-m", MODULE], output)

    def tell(how: str) -> None:
        if not leash.is_cut:
            ended.put(how)

    return PrivateRunner(command, leash.folder, tell)


def run_watched(run: Callable[[], str], ended: Ended, leash: Leash) -> str:
    """Return what `run` returns; it waits for workers, even for a worker that will never start.

    Raises:
        LexbeamError: a worker ended prematurely; the message has the workers' last output.
    """
    outcome: queue.SimpleQueue[tuple[str, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put((run(), None))
        except BaseException as error:
            outcome.put(("", error))

    def watch() -> None:
        outcome.put(("", _explained(ended.get(), leash)))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    threading.Thread(target=watch, daemon=True).start()
    try:
        value, error = outcome.get()
        if error is not None and "Channel closed" in str(error):
            with suppress(queue.Empty):
                error = outcome.get(timeout=SECONDS)[1] or error
    except BaseException:
        worker.join(SECONDS)  # an interrupt has ended its workers, so it is about to end
        raise
    finally:
        ended.put("")  # ends the watch
    if error is not None:
        raise error
    return value


def _explained(text: str, leash: Leash) -> LexbeamError:
    lines = "".join(f"\n  {line}" for line in _last_lines(_output(leash)))
    return LexbeamError(f"a worker process ended before its time: {text}{lines}")


def _output(leash: Leash) -> str:
    """Return the path of the file that takes the output of workers if it is not shown."""
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
    """Yield a queue for how workers ended prematurely, and let Beam's threads fail silently.

    Python would print the failures of these threads with tracebacks, a dozen when a server or a worker
    ends. The run's own error says once what it means for the run. Failures of other threads are printed
    as usual.
    """
    ended: Ended = queue.SimpleQueue()
    verbose, previous = _is_verbose(), threading.excepthook
    before = set(threading.enumerate())

    def note(failure: threading.ExceptHookArgs) -> None:
        if verbose or not _is_of_beam(failure):
            previous(failure)

    threading.excepthook = note
    try:
        yield ended
    finally:
        # A server has ended by now, but the threads that read from it may not have noticed.
        end = time.monotonic() + SECONDS
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith(READERS):
                thread.join(max(0.0, end - time.monotonic()))
        threading.excepthook = previous


def _is_of_beam(failure: threading.ExceptHookArgs) -> bool:
    trace = failure.exc_traceback
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("apache_beam."):
            return True
        trace = trace.tb_next
    return False
