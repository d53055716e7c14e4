"""The programs that Beam's portable runners need on this machine: Flink's job server, Prism.

Beam starts them, too, but ends them when Python exits, in a signal handler that deadlocks when two
signals come, and not at all when the driver is killed.
"""

import logging
import os
import shlex
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from apache_beam.options.pipeline_options import (
    DebugOptions,
    FlinkRunnerOptions,
    JobServerOptions,
    PipelineOptions,
    PortableOptions,
)
from apache_beam.runners.portability.flink_runner import FlinkRunner
from apache_beam.runners.portability.job_server import StopOnExitJobServer, SubprocessJobServer
from apache_beam.runners.runner import PipelineRunner

from lexbeam.pipelines.runners.flink_jobs import address_of, place_of
from lexbeam.pipelines.runners.leash import Leash
from lexbeam.transforms.common.errors import LexbeamError

log = logging.getLogger(__name__)

LINES = 20  # of a server's last output, for the message
INTERVAL = 0.1
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
        log.info("%s", text)


def _wait_for(endpoint: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server takes connections."""
    host, _, port = endpoint.rpartition(":")
    while process.poll() is None:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            time.sleep(INTERVAL)
    raise ConnectionError(f"nothing takes connections at {endpoint}")
