"""A runner's server that does not start, or is not there, is told with its cause.

Pipelines as they run: no folder is left, options have their views, servers listen on this machine alone.
"""

import os
import pickle
import signal
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from marked import MARK, left_of

from lexbeam.pipelines.runners.configs import RunnerConfig, load_runner_config
from lexbeam.pipelines.runners.runners import loopback_only, run_pipeline
from lexbeam.transforms.common.errors import LexbeamError


def program(folder, script):
    path = folder / "prism"
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return f"--prism_location={path}"


def run(folder, *beam):
    config = RunnerConfig(runner="PrismRunner", beam=beam)
    run_pipeline(lambda pipeline: True, config)


def test_what_a_server_says_last_is_told(tmp_path):
    with pytest.raises(LexbeamError) as caught:
        run(tmp_path, program(tmp_path, "echo starting; echo 'no room' >&2; exit 4"))
    first, *said = str(caught.value).splitlines()
    assert first.startswith(f"the runner's server ended with status 4: {tmp_path}/prism --job_port")
    assert [line.strip() for line in said] == ["starting", "no room"]


def test_a_server_that_cannot_be_run_is_named(tmp_path):
    (tmp_path / "prism").write_bytes(b"no program")
    with pytest.raises(LexbeamError, match=r"cannot start .*/prism: Exec format error"):
        run(tmp_path, f"--prism_location={tmp_path}/prism")


def test_an_interrupt_while_a_server_starts_ends_it(tmp_path, monkeypatch):
    monkeypatch.setenv(MARK, mark := str(tmp_path))
    script = f"kill -INT {os.getpid()}; exec sleep 600"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, program(tmp_path, script))
    finally:
        signal.signal(signal.SIGINT, before)
    assert left_of(mark) == {}


def test_what_beam_stages_goes_with_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary := tmp_path / "tmp"))
    temporary.mkdir()
    beam = (
        "--job_endpoint=localhost:1",
        "--job_server_timeout=1",
        "--environment_type=PROCESS",
        '--environment_config={"command": "worker"}',
    )
    config = RunnerConfig(runner="PortableRunner", beam=beam)
    with pytest.raises(LexbeamError):
        run_pipeline(lambda pipeline: True, config)
    assert list(temporary.iterdir()) == []


# 127.0.0.1, ::1 and ::ffff:127.0.0.1
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}
LISTENS = "0A"


def test_a_run_without_programs_has_no_folder_that_a_signal_could_leave(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    seen = []

    def build(_):
        seen.append(os.listdir(tmp_path))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(build, load_runner_config("direct"))
    assert seen == [[]]
    assert os.listdir(tmp_path) == []


def test_views_of_options_are_made_once_and_say_what_beams_own_say():
    config = load_runner_config("direct", ["--direct_num_workers=3"])
    actual = []

    def build(pipeline):
        options = pipeline.options
        for cls in PipelineOptions.__subclasses__():
            own = PipelineOptions.view_as(options, cls)
            assert options.view_as(cls).get_all_options() == own.get_all_options()
        view = options.view_as(DirectOptions)
        assert type(view) is DirectOptions
        assert options.view_as(DirectOptions) is view
        assert pickle.loads(pickle.dumps(options)).view_as(DirectOptions).direct_num_workers == 3
        view.direct_num_workers = 1
        assert options.view_as(DirectOptions).direct_num_workers == 1
        assert pickle.loads(pickle.dumps(options)).view_as(DirectOptions).direct_num_workers == 1
        actual.append(view)
        return False

    run_pipeline(build, config)
    assert actual


def listening(port):
    """The addresses that sockets of this machine listen on at a port, as the system writes them."""
    result = set()
    for name in ("tcp", "tcp6"):
        path = Path("/proc/self/net") / name
        rows = [line.split() for line in path.read_text().splitlines()[1:]] if path.exists() else []
        for row in rows:
            address, _, number = row[1].partition(":")
            if int(number, 16) == port and row[3] == LISTENS:
                result.add(address)
    return result


def started():
    """A server as Beam's direct runner starts its own, and the port."""
    server = worker_handlers.grpc.server(ThreadPoolExecutor(1))
    return server, server.add_insecure_port("[::]:0")


def addresses(port, server):
    server.start()
    try:
        return listening(port)
    finally:
        server.stop(0).wait()


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs /proc")
def test_a_server_that_would_listen_everywhere_listens_on_loopback():
    server, port = started()
    assert not addresses(port, server) <= LOOPBACK  # as Beam has it
    before = grpc.server
    with loopback_only():
        server, port = started()
    actual = addresses(port, server)
    assert actual
    assert actual <= LOOPBACK
    assert grpc.server is before
