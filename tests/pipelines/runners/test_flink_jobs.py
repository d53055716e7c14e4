"""What a cluster says of a job; the server is a real one, and its answers are as Flink 1.19 gives them."""

import json
import socket
import threading
import traceback

import pytest
from fake_flink import JOB, fake_flink

from lexbeam.pipelines.runners.flink_cluster import free_port
from lexbeam.pipelines.runners.flink_jobs import (
    JobKind,
    JobState,
    address_of,
    explained_flink,
    raised_in,
    root_cause,
    state_of,
)
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.files import NoFilesError
from lexbeam.transforms.common.store.objects import StoreFailed
from lexbeam.transforms.common.store.receipts import Damaged

OURS = """org.apache.flink.runtime.JobException: Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy
\tat org.apache.flink.runtime.executiongraph.failover.ExecutionFailureHandler.handleFailure(Handler.java)
Caused by: java.lang.Exception: The user defined 'open()' method caused an exception.
Caused by: java.lang.RuntimeException: Error received from SDK harness for 7: Traceback (most recent call last):
  File "apache_beam/runners/common.py", line 1498, in process
lexbeam.transforms.common.errors.LexbeamError: the corpus is empty:
name a file

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "sdk_worker.py", line 310, in _execute
lexbeam.transforms.common.errors.LexbeamError: the corpus is empty:
name a file [while running 'ListFiles/ParDo(MakeArtefact)-ptransform-4']

\tat org.apache.beam.runners.fnexecution.control.FnApiControlClient.lambda$handle$1(FnApiControlClient.java:180)
"""

REST = "org.apache.flink.runtime.rest"
REPORT = """Pipeline BeamApp-1 failed in state FAILED: {}
\tat org.apache.flink.runtime.rest.handler.job.JobExecutionResultHandler.propagateException(JobExecutionResult.java:94)
\tat java.base/java.util.concurrent.CompletableFuture.postComplete(CompletableFuture.java:510)
Caused by: java.util.concurrent.CompletionException: {}
\t... 45 more
Caused by: {}
\tat org.apache.flink.runtime.dispatcher.Dispatcher.requestJobStatus(Dispatcher.java:890)
\t... 5 more
"""


@pytest.mark.parametrize(
    ("trace", "cause"),
    [
        (OURS, "the corpus is empty: name a file"),
        (
            OURS.replace("lexbeam.transforms.common.errors.LexbeamError", "ValueError").replace(":\nname", ", name"),
            "ValueError: the corpus is empty, name a file",
        ),
        (
            "org.apache.flink.runtime.JobException: Recovery is suppressed\n\tat a.B.c(B.java:1)\n"
            "Caused by: org.apache.flink.util.FlinkException: Lost worker a$b.\n\tat a.B.d(B.java:2)\n",
            "org.apache.flink.util.FlinkException: Lost worker a$b.",
        ),
        (
            "org.apache.flink.runtime.JobException: Recovery is suppressed\n\tat a.B.c(B.java:1)\n"
            'Caused by: java.io.IOException: Cannot run program "docker": error=2, No such file or directory\n',
            "the TaskManagers have no Docker, by which --environment_type=DOCKER, Beam's default, starts workers: give "
            "`runner_config` flink_cluster or flink_kubernetes, which do without",
        ),
        ("no trace at all\nsecond line", "no trace at all"),
        ("", ""),
    ],
)
def test_the_root_cause_is_told_in_a_line(trace, cause):
    assert root_cause(trace) == cause


@pytest.mark.parametrize("kind", [LexbeamError, UsageError, Damaged, StoreFailed, NoFilesError])
def test_what_a_worker_raised_is_known_by_its_kind_when_only_its_text_has_come(kind):
    try:
        raise kind("s3://bucket/a: it is cut off\nmake it anew")
    except LexbeamError:
        text = traceback.format_exc()
    known = raised_in(
        OURS.partition("transforms.")[0] + text.rstrip() + " [while running 'Merge-ptransform-4']\n\n\tat x"
    )
    assert type(known) is kind
    assert str(known) == "s3://bucket/a: it is cut off\nmake it anew"


def report(cause):
    return REPORT.format(f"{REST}.util.RestClientException: [{cause}", cause, cause)


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (
            "org.apache.flink.runtime.messages.FlinkJobNotFoundException: Could not find Flink job (068d)",
            "make flink-up",
        ),
        (
            "org.apache.flink.shaded.netty4.io.netty.channel.AbstractChannel$AnnotatedConnectException: "
            "Connection refused: localhost/127.0.0.1:8081",
            "JobManager of the Flink cluster is gone",
        ),
        (
            "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException: Could not acquire the minimum "
            "required resources.",
            "a smaller `--parallelism`",
        ),
        ("java.net.ConnectException: finishConnect(..) failed: Connection refused", "no pool of workers"),
        ("java.io.IOException: Insufficient number of network buffers: required 2, but only 1", "network.min"),
    ],
)
def test_what_is_known_is_told_with_its_remedy_and_without_calls(cause, told):
    message = str(explained_flink(report(cause)))
    assert told in message
    assert "--resume" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (
            "java.net.ConnectException: java.net.ConnectException: finishConnect(..) failed: Connection refused",
            "no pool",
        ),
        ("ModuleNotFoundError: No module named 'lexbeam.transforms.formats'", "have no Lexbeam"),
        ('java.io.IOException: Cannot run program "docker": error=2, No such file or directory', "have no Docker"),
    ],
)
def test_what_keeps_workers_from_starting_is_told(cause, told):
    """As it comes in one line, in which no class of Flink stands."""
    assert told in str(explained_flink(f"Pipeline BeamApp-root-1126104125-24ab6386 failed in state FAILED: {cause}"))


def test_what_is_not_known_or_not_of_flink_is_left_alone():
    assert explained_flink("RuntimeError: Could not find Flink job") is None
    assert explained_flink(report("java.lang.OutOfMemoryError: Metaspace")) is None


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
