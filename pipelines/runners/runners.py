"""A pipeline run to its end, on this machine or by a runner of Beam's; the servers that it needs, and what stages took.

Flink's job server and Prism are programs that Beam's portable runners need on this machine. They are kept to it. Beam
starts them, too, but ends them when Python exits, in a signal handler that deadlocks when two signals come, and not at
all when the driver is killed.

What the stages of a pipeline took is told from the counters that a runner has summed.
"""

import functools
import logging
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO, Any, NamedTuple, TypeVar, cast

import apache_beam as beam
import grpc  # type: ignore[import-untyped]
from apache_beam import pipeline as beam_pipeline
from apache_beam.options.pipeline_options import (
    DebugOptions,
    FlinkRunnerOptions,
    JobServerOptions,
    PipelineOptions,
    PortableOptions,
    SetupOptions,
)
from apache_beam.runners.portability.flink_runner import FlinkRunner
from apache_beam.runners.portability.job_server import StopOnExitJobServer, SubprocessJobServer
from apache_beam.runners.runner import PipelineResult, PipelineRunner, PipelineState, create_runner
from apache_beam.transforms import environments

from lexbeam.pipelines.runners.bundles import small_bundles
from lexbeam.pipelines.runners.configs import DIRECT, RunnerConfig
from lexbeam.pipelines.runners.flink_jobs import JobKind, address_of, explained_flink, place_of, raised_in, state_of
from lexbeam.pipelines.runners.leash import Leash, leashed
from lexbeam.pipelines.runners.signatures import signatures_kept
from lexbeam.pipelines.runners.workers import direct_runner, has_processes, run_watched, thread_failures
from lexbeam.transforms.common.errors import LexbeamError, explained, explained_text
from lexbeam.transforms.common.machine import MEMORY, counted
from lexbeam.transforms.common.publish.run_log import RunLine, now_in_utc
from lexbeam.transforms.common.spared_imports import restore_google

_server_log = logging.getLogger(__name__)

LINES = 20  # of a server's last output, for the message
SERVER_INTERVAL = 0.1
CONNECTED = 20  # seconds until a cluster must take a connection


@contextmanager
def job_server(runner: PipelineRunner, options: PipelineOptions, leash: Leash) -> Iterator[None]:
    """Start the job server that a runner needs, if any, and name it in the options.

    Raises:
        LexbeamError: it does not start, or ends before the block does, and the message has its last output;
            or there is no Flink where the options say.
    """
    server = _server_of(runner, options, leash)
    if server is None:
        yield
        return
    words, endpoint = server.subprocess_cmd_and_endpoint()
    words = [str(word) for word in words]
    process = subprocess.Popen(
        leash.command(words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,
    )
    assert process.stdout is not None
    output: deque[str] = deque(maxlen=LINES)
    reader = threading.Thread(target=_note, args=(process.stdout, output), daemon=True)
    reader.start()
    try:
        _wait_for(endpoint, process)
        options.view_as(PortableOptions).job_endpoint = endpoint
        yield
    except Exception as error:
        if process.poll() is None or leash.is_cut:
            raise
        reader.join()
        raise LexbeamError(
            f"the runner's server ended with status {process.returncode}: {shlex.join(words)}"
            + "".join(f"\n  {line}" for line in output)
        ) from error
    finally:
        leash.cut()
        process.wait()


def _server_of(runner: PipelineRunner, options: PipelineOptions, leash: Leash) -> SubprocessJobServer | None:
    """Return the server that Beam would start and stop, before it is started."""
    portable = options.view_as(PortableOptions)
    if portable.job_endpoint or not hasattr(runner, "default_job_server"):
        return None
    if isinstance(runner, FlinkRunner):
        _look_for(options.view_as(FlinkRunnerOptions).flink_master)
    # Prism's server would be kept for the next run of this process, with the options of this run.
    options.view_as(DebugOptions).add_experiment("disable_prism_server_singleton")
    server_options = options.view_as(JobServerOptions)
    # A user's property comes later, and wins.
    properties = server_options.job_server_jvm_properties or ()
    server_options.job_server_jvm_properties = [f"-Djava.io.tmpdir={leash.folder}", *properties]
    server_options.artifacts_dir = server_options.artifacts_dir or os.path.join(leash.folder, "artifacts")
    server = runner.default_job_server(options)
    if isinstance(server, StopOnExitJobServer):
        server = server._job_server
    return server if isinstance(server, SubprocessJobServer) else None


def _look_for(master: str) -> None:
    """Look whether anything takes connections at `HOST:PORT`: the job server would try for minutes."""
    if master.startswith("["):  # embedded, or found by Flink's own configuration
        return
    host, port = place_of(master)
    if port is None:  # behind a name that we cannot reach
        return
    try:
        socket.create_connection((host, port), timeout=CONNECTED).close()
    except OSError as error:
        raise LexbeamError(
            f"no Flink cluster takes connections at {address_of(master)} ({error.strerror or error}): `make flink-up` "
            "starts one on this machine, LEXBEAM_FLINK_MASTER=HOST:PORT names another"
        ) from error


def _note(stream: IO[bytes], output: deque[str]) -> None:
    for line in stream:
        text = line.decode(errors="backslashreplace").rstrip()
        output.append(text)
        _server_log.info("%s", text)


def _wait_for(endpoint: str, process: "subprocess.Popen[bytes]") -> None:
    host, _, port = endpoint.rpartition(":")
    while process.poll() is None:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            time.sleep(SERVER_INTERVAL)
    raise ConnectionError(f"nothing takes connections at {endpoint}")


log = logging.getLogger("lexbeam")


def run_lines(result: PipelineResult) -> list[RunLine]:
    """Return a line for each stage and worker of a pipeline that has ended.

    Returns:
        Lines; none where the runner has no counters or cannot be asked: nobody's tables depend on them.
    """
    try:
        found = result.metrics().query()
    except (grpc.RpcError, NotImplementedError, AttributeError) as error:
        log.debug("the runner says nothing of what stages took", exc_info=error)
        return []
    at = now_in_utc()
    used: dict[tuple[str, str], dict[str, Any]] = {}
    for each in (*found["counters"], *found["distributions"]):
        key = counted(each.key.metric.namespace, each.key.metric.name)
        value = each.committed if each.committed is not None else each.attempted
        if key is None or value is None:
            continue
        stage, what, worker = key
        sums = used.setdefault((stage, worker), {})
        if what == MEMORY:
            sums[what] = max(sums.get(what, 0), value.max or 0)
        else:
            sums[what] = sums.get(what, 0) + value
    return [
        RunLine(stage=stage, worker=worker, at=at, seconds=sums.pop("microseconds", 0) / 1e6, **sums)
        for (stage, worker), sums in used.items()
    ]


INTERVAL = 0.5  # seconds between two looks whether a cluster has a job

_View = TypeVar("_View", bound=PipelineOptions)


class _Options(PipelineOptions):
    """Options whose views are made once: Beam wants several for each transform, and each parses anew.

    Views share their values, so a view that was made before has the same.
    """

    def view_as(self, cls: type[_View]) -> _View:
        views: dict[type[PipelineOptions], PipelineOptions] = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        return cast(_View, views[cls])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_views"}


class Left(NamedTuple):
    """Where a job is left to a Flink cluster: the address of its REST interface, and the name of the job."""

    address: str
    name: str


def run_pipeline(
    build: Callable[[beam.Pipeline], bool],
    config: RunnerConfig,
    watched: AbstractContextManager[object] | None = None,
    left: Left | None = None,
) -> list[RunLine]:
    """Build a pipeline and run it to its end, or until a cluster has it; return what its stages took.

    Args:
        build: adds the transforms; returns whether they are to be run.
        config: where to run.
        watched: a context that shows its progress while it runs.
        left: where the pipeline runs on when this returns; None: nowhere, it has ended then.

    Raises:
        LexbeamError: the pipeline failed; the message is the cause's.
    """
    options = _Options([*config.beam, *([f"--job_name={left.name}"] if left else [])])
    here = config.runner == DIRECT
    processes = here and has_processes(options)
    if not here:  # Dataflow, and those that stage files at gs://
        restore_google()
    kept = signatures_kept(one_process=here and not processes)
    with leashed() as leash, thread_failures(leash) as ended, _as_in_a_script(), kept, small_bundles():
        runner = direct_runner(options, leash, ended) if here else create_runner(config.runner)
        pipeline = beam.Pipeline(runner=runner, options=options)
        # Beam removes this folder after a run unless killed; without programs none is needed.
        os.rmdir(pipeline.local_tempdir)
        if processes or not here:
            pipeline.local_tempdir = tempfile.mkdtemp(dir=leash.folder)
        if not build(pipeline):
            return []
        took: list[RunLine] = []

        def run() -> str:
            result = pipeline.run()
            if left is not None:
                return _has_taken(left, result)
            state = str(result.wait_until_finish())
            took.extend(run_lines(result))
            return state

        listening = nullcontext() if here else loopback_only()
        staging = nullcontext() if here else _staging_in(pipeline)
        servers = job_server(runner, pipeline.options, leash)
        try:
            with listening, staging, _portable(), watched or nullcontext(), servers:
                state = run_watched(run, ended, leash) if processes else run()
        except Exception as error:
            raise _readable(error) from error
    if state != PipelineState.DONE:
        raise LexbeamError(f"the pipeline ended in state {state}; see the runner's log")
    return took


def _has_taken(left: Left, result: PipelineResult) -> str:
    """Wait until a cluster has a job, which needs nothing of its job server then; return the state DONE.

    A job that fails before raises what it failed of, and so does one that has failed already.
    """
    while True:
        kind = state_of(left.address, left.name).kind
        if kind in (JobKind.RUNNING, JobKind.FINISHED):
            return str(PipelineState.DONE)
        if kind is JobKind.FAILED or PipelineState.is_terminal(result.state):
            return str(result.wait_until_finish())
        time.sleep(INTERVAL)


@contextmanager
def _as_in_a_script() -> Iterator[None]:
    """Let Beam build and run pipelines in a notebook as anywhere else while the block runs.

    In IPython it would put the number of the cell into the labels of transforms, for which it imports its
    interactive package, which needs pandas 2; and it would leave folders of its own behind.
    """
    real = beam_pipeline.alter_label_if_ipython, beam_pipeline.is_in_ipython
    beam_pipeline.alter_label_if_ipython, beam_pipeline.is_in_ipython = lambda *_: None, lambda: False
    try:
        yield
    finally:
        beam_pipeline.alter_label_if_ipython, beam_pipeline.is_in_ipython = real


@contextmanager
def _staging_in(pipeline: beam.Pipeline) -> Iterator[None]:
    """Let Beam stage what workers need in the pipeline's own folder while the block runs.

    Beam would make folders for it that nobody removes, whether or not there is anything to stage.
    """
    setup = pipeline.options.view_as(SetupOptions)
    if not setup.requirements_file:
        setup.requirements_cache = setup.requirements_cache or "skip"
    stage = environments.python_sdk_dependencies
    environments.python_sdk_dependencies = functools.partial(stage, tmp_dir=pipeline.local_tempdir)
    try:
        yield
    finally:
        environments.python_sdk_dependencies = stage


@contextmanager
def _portable() -> Iterator[None]:
    """Make the surroundings that portable runners need while the block runs.

    They start workers as `python`, so this Python comes first on PATH. They log a failure with its
    traceback on the root logger; Lexbeam reports the cause once.
    """
    root, path = logging.getLogger(), os.environ.get("PATH", "")
    level = root.level
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + path
    if not root.isEnabledFor(logging.INFO):
        root.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        os.environ["PATH"] = path
        root.setLevel(level)


_ANYWHERE = ("[::]:", "0.0.0.0:")


class _Server:
    """A gRPC server that listens on loopback where it should listen everywhere.

    Portable runners on this machine call workers within the driver over gRPC. Beam lets its servers listen on every
    interface without checking who calls, and what arrives is unpickled; their callers only ever call `localhost`.
    Other users of the machine still reach them (docs/running/other-users.md).
    """

    def __init__(self, server: Any) -> None:
        self._server = server

    def add_insecure_port(self, address: str) -> int:
        for anywhere in _ANYWHERE:
            if address.startswith(anywhere):
                address = f"localhost:{address.removeprefix(anywhere)}"
        return int(self._server.add_insecure_port(address))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)


@contextmanager
def loopback_only() -> Iterator[None]:
    """Make gRPC servers that start while the block runs listen on loopback alone."""
    real = grpc.server

    def server(*arguments: Any, **options: Any) -> _Server:
        return _Server(real(*arguments, **options))

    grpc.server = server
    try:
        yield
    finally:
        grpc.server = real


def _readable(error: Exception) -> LexbeamError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, LexbeamError):
            text = re.sub(r" \[while running .*\]$", "", str(cause), flags=re.DOTALL)
            return type(cause)(text)
        cause = cause.__cause__ or cause.__context__
    if ours := raised_in(str(error)):
        return ours
    log.debug("the pipeline failed", exc_info=error)
    if isinstance(error, OSError):
        return explained(error)
    if known := explained_text(str(error)) or explained_flink(str(error)):
        return known
    # Of what cannot be pickled Beam says the name alone.
    why = "" if error.__cause__ is None else f": {error.__cause__}"
    return LexbeamError(f"the pipeline failed: {type(error).__name__}: {error}{why}")
