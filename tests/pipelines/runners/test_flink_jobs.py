"""What a cluster says of a job; the server is a real one, and its answers are as Flink 1.19 gives them."""

import json
import socket
import threading

import pytest
from fake_flink import JOB, fake_flink

from lexbeam.pipelines.runners.flink_cluster import free_port
from lexbeam.pipelines.runners.flink_jobs import JobKind, JobState, address_of, state_of

NAME = "lexbeam-00000000000000aa"


@pytest.fixture
def flink(tmp_path):
    (tmp_path / "_artefacts").mkdir()
    note = {"detached": {"jobs": [{"results": NAME.removeprefix("lexbeam-")}]}}
    (tmp_path / "_artefacts" / "unfinished.json").write_text(json.dumps(note))
    with fake_flink(tmp_path) as flink:
        yield flink


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        *((state, JobKind.RUNNING) for state in ("INITIALIZING", "CREATED", "RUNNING", "FAILING", "RESTARTING")),
        ("CANCELLING", JobKind.RUNNING),
        ("FINISHED", JobKind.FINISHED),
    ],
)
def test_the_states_of_a_job(state, kind, flink):
    flink.state = state
    assert state_of(flink.address, NAME) == JobState(kind, JOB)
    assert state_of(flink.address, "lexbeam-00000000000000ab") == JobState(JobKind.UNKNOWN)


def test_a_job_that_failed_says_why_and_one_that_was_cancelled_that(flink):
    flink.state, flink.trace = "FAILED", "a.B: x\n\tat c.D\nCaused by: java.io.IOException: disk full\n"
    assert state_of(flink.address, NAME) == JobState(JobKind.FAILED, JOB, "java.io.IOException: disk full")
    flink.state = "CANCELED"
    assert state_of(flink.address, NAME) == JobState(JobKind.FAILED, JOB, "it was cancelled")


@pytest.mark.parametrize("raw", [b"<html>no JSON", b"[]", b'{"jobs": [{}]}', b"{}"])
def test_what_is_no_cluster_is_not_reached(raw, flink):
    flink.raw = raw
    state = state_of(flink.address, NAME)
    assert state.kind is JobKind.UNREACHABLE
    assert state.reason


def test_what_does_not_speak_http_is_not_reached(monkeypatch):
    with socket.create_server(("localhost", 0)) as server:
        address = f"http://localhost:{server.getsockname()[1]}"
        threading.Thread(target=lambda: server.accept()[0].sendall(b"SSH-2.0-OpenSSH\r\n")).start()
        assert state_of(address, NAME) == JobState(JobKind.UNREACHABLE, "", "SSH-2.0-OpenSSH")
    assert state_of("http://localhost:x", NAME).kind is JobKind.UNREACHABLE


def test_a_proxy_of_the_environment_is_passed_by(flink, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://localhost:{free_port()}")
    assert state_of(flink.address, NAME).kind is JobKind.RUNNING


def test_where_nobody_listens_the_reason_is_told():
    assert state_of(f"http://localhost:{free_port()}", NAME) == JobState(
        JobKind.UNREACHABLE, "", "[Errno 111] Connection refused"
    )


@pytest.mark.parametrize(
    ("master", "address"),
    [
        ("localhost:8081", "http://localhost:8081"),
        ("http://flink.example:8081/", "http://flink.example:8081"),
        ("https://user:secret@flink.example/proxy", "https://flink.example/proxy"),
        ("user:secret@flink:8081", "http://flink:8081"),
    ],
)
def test_addresses_name_no_user(master, address):
    assert address_of(master) == address
