"""A runner's server that does not start, or is not there, is told with its cause."""

import os
import signal
import tempfile

import pytest
from marked import MARK, left_of

from lexbeam.pipelines.runners.configs import RunnerConfig
from lexbeam.pipelines.runners.runners import run_pipeline
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
