"""Worker processes of Beam's direct runner on this machine, to which it talks by a socket in its user's own folder.

Beam's own opens ports, and whoever calls one is believed: another user of the machine gets the functions of a run, may
take a worker's place, and reads any file that the driver may read. Here no port is opened; the system lets nobody but
the user, and root, enter the folder.
"""

import itertools
import logging
import os
import queue
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import grpc  # type: ignore[import-untyped]
from apache_beam.metrics.monitoring_infos import consolidate
from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.portability.api import beam_fn_api_pb2_grpc as services
from apache_beam.portability.api import endpoints_pb2 as endpoints
from apache_beam.runners.portability.fn_api_runner.execution import FnApiRunnerExecutionContext
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner, RunnerResult
from apache_beam.runners.portability.fn_api_runner.translations import Stage, TransformContext
from apache_beam.runners.portability.fn_api_runner.worker_handlers import (
    DATA_BUFFER_TIME_LIMIT_MS,
    BeamFnControlServicer,
    GrpcServer,
    GrpcStateServicer,
    GrpcWorkerHandler,
    WorkerHandler,
    WorkerHandlerManager,
)
from apache_beam.runners.portability.local_job_service import BeamFnLoggingServicer
from apache_beam.runners.runner import PipelineState
from apache_beam.runners.worker.data_plane import BeamFnDataServicer
from apache_beam.transforms.environments import SubprocessSDKEnvironment
from apache_beam.utils.thread_pool_executor import shared_unbounded_instance
from google.protobuf import text_format  # type: ignore[import-untyped]

from lexbeam.pipelines.runners.leash import Leash
from lexbeam.transforms.common.errors import LexbeamError, UsageError

_GRACE = 5.0  # seconds for calls that are still under way when a run has ended
# As Beam has them: messages of any size, and workers that ask whether the driver is there as often as they like.
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 20_000),
)


class PrivateRunner(FnApiRunner):
    """Runs a pipeline in worker processes that it alone reaches.

    Args:
        command: starts a worker.
        folder: where the socket lies; nobody else may enter it.
        ended: told of each worker that ends with another status than 0.
    """

    def __init__(self, command: Sequence[str], folder: str, ended: Callable[[str], None]) -> None:
        super().__init__(SubprocessSDKEnvironment.from_command_string(shlex.join(command)))
        self._command = command
        self._folder = folder
        self._ended = ended

    def run_stages(self, stage_context: TransformContext, stages: list[Stage]) -> RunnerResult:
        """Run the stages of a pipeline as Beam's own runner does, on workers of its own.

        Raises:
            UsageError: no socket can lie in the folder.
        """
        workers = _Workers(self, stage_context.components.environments, self._provision_info)
        context = FnApiRunnerExecutionContext(
            stages,
            workers,
            stage_context.components,
            stage_context.safe_coders,
            stage_context.data_channel_coders,
            self._num_workers,
            split_managers=self._split_managers,
        )
        queues = context.queues
        counted: dict[str, list[Any]] = {}
        try:
            with self.maybe_profile():
                context.setup()
                while len(queues.ready_inputs):
                    name, given = queues.ready_inputs.deque()
                    bundle = context.bundle_manager_for(context.stages[name])
                    made = self._execute_bundle(context, bundle, given).process_bundle.monitoring_infos
                    for key in (name, ""):  # of the stage, and of all
                        counted[key] = list(consolidate(itertools.chain(counted.get(key, ()), made)))
                    if not len(queues.ready_inputs):
                        self._schedule_ready_bundles(context)
            if len(queues.watermark_pending_inputs) or len(queues.time_pending_inputs):
                raise RuntimeError("the runner has left work undone")
        finally:
            workers.close_all()
        return RunnerResult(PipelineState.DONE, counted)

    def serve(self, server: Any) -> str:
        """Let a gRPC server listen in the folder alone; return its address.

        Raises:
            UsageError: it cannot.
        """
        address = f"unix:{os.path.join(self._folder, 'socket')}"
        try:
            server.add_insecure_port(address)
        except RuntimeError as error:  # some 100 bytes are the most, and not all file systems have sockets
            raise UsageError(
                f"the driver cannot listen in {self._folder!r}: name a folder of a short path, on a disk of this "
                "machine, by the environment variable TMPDIR"
            ) from error
        return address

    def start(self, worker_id: str, address: str) -> "subprocess.Popen[bytes]":
        """Start a worker that is to call an address, in a group of its own, which no Ctrl-C reaches."""
        descriptor = text_format.MessageToString(endpoints.ApiServiceDescriptor(url=address))
        environment = {
            "WORKER_ID": worker_id,
            "CONTROL_API_SERVICE_DESCRIPTOR": descriptor,
            "LOGGING_API_SERVICE_DESCRIPTOR": descriptor,
            "PIPELINE_OPTIONS": "{}",
        }
        return subprocess.Popen(self._command, env={**os.environ, **environment}, process_group=0)

    def wait(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for the end of a worker, and tell of it if it comes before its time."""
        if code := process.wait():
            self._ended(f"exit status {code}" if code > 0 else f"killed by signal {-code}")


class _Workers(WorkerHandlerManager):
    """The workers of a run: all are alike, whatever environment they are asked for."""

    def __init__(self, runner: PrivateRunner, environments: Any, provision_info: Any) -> None:
        super().__init__(environments, provision_info)
        self._grpc_server: _Server | None = None
        self._runner = runner

    def get_worker_handlers(self, environment_id: str | None, num_workers: int) -> list[WorkerHandler]:
        """Return so many workers; those that are not there yet are started."""
        server = self._grpc_server = self._grpc_server or _Server(self._runner, self)
        handlers: list[WorkerHandler] = self._cached_handlers[""]
        while len(handlers) < num_workers:
            handler = _Worker(self._runner, self.state_servicer, self._job_provision_info, server)
            self._workers_by_id[handler.worker_id] = handler
            handlers.append(handler)
            handler.start_worker()
        return handlers[:num_workers]


class _Server(GrpcServer):
    """All that workers call, at one address, and nothing else: no files are handed out, as Beam's own server does."""

    def __init__(self, runner: PrivateRunner, workers: _Workers) -> None:
        self._server = grpc.server(shared_unbounded_instance(), options=_OPTIONS)
        self.control_handler = BeamFnControlServicer(workers)
        self.data_plane_handler = BeamFnDataServicer(DATA_BUFFER_TIME_LIMIT_MS)
        services.add_BeamFnControlServicer_to_server(self.control_handler, self._server)
        services.add_BeamFnDataServicer_to_server(self.data_plane_handler, self._server)
        services.add_BeamFnStateServicer_to_server(GrpcStateServicer(workers.state_servicer), self._server)
        services.add_BeamFnLoggingServicer_to_server(BeamFnLoggingServicer(), self._server)
        self.control_port = self.data_port = self.state_port = self.logging_port = runner.serve(self._server)
        self._server.start()

    def close(self) -> None:
        self.control_handler.done()
        self._server.stop(_GRACE).wait()


class _Worker(GrpcWorkerHandler):
    """A worker, as the driver sees it."""

    def __init__(self, runner: PrivateRunner, state: Any, provision_info: Any, server: GrpcServer) -> None:
        super().__init__(state, provision_info, server)
        self._runner = runner

    def port_from_worker(self, port: str) -> str:
        return port

    def start_worker(self) -> None:
        process = self._runner.start(self.worker_id, self.control_address)
        self._thread = threading.Thread(name="run_worker", target=self._runner.wait, args=(process,))
        self._thread.start()

    def stop_worker(self) -> None:
        self._thread.join()


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
    said: list[str] = []
    with suppress(OSError), open(_output(leash), encoding="utf-8", errors="backslashreplace") as stream:
        said = stream.read().splitlines()[-LINES:]
    return LexbeamError("\n  ".join([f"a worker process ended before its time: {text}", *said]))


def _output(leash: Leash) -> str:
    """Return the path of the file that takes the output of workers if it is not shown."""
    return os.path.join(leash.folder, "workers.log")


def _is_verbose() -> bool:
    return logging.getLogger().isEnabledFor(logging.INFO)


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
