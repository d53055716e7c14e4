"""What a Flink cluster says of a job, by its REST interface: that it runs, has finished, or why it failed.

    state_of("http://localhost:8081", "lexbeam-0123456789abcdef").kind

Why it failed is found in the texts in which runners report it: these hold the traces of two languages.
"""

import http.client
import json
import re
import urllib.error
import urllib.request
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from lexbeam.transforms.common.errors import LexbeamError, UsageError, readable
from lexbeam.transforms.common.store.files import NoFilesError
from lexbeam.transforms.common.store.objects import StoreFailed
from lexbeam.transforms.common.store.receipts import Damaged, Needed

# Errors of ours that workers raise. A message that crossed a process border is text: `module.Class: message [while
# running ...]`.
_KINDS = {
    f"{kind.__module__}.{kind.__qualname__}": kind
    for kind in (LexbeamError, UsageError, Damaged, Needed, StoreFailed, NoFilesError)
}
_RAISED = re.compile(
    rf"({'|'.join(map(re.escape, _KINDS))}): (.*?)(?:\s*\[while running|\n\n|\nTraceback|\Z)", re.DOTALL
)
_WHERE = re.compile(r" \[while running .*", re.DOTALL)
# Of Java and Python: the class, perhaps with its package, and the message.
_CAUSE = re.compile(r"^(?:Caused by: )?((?:\w+[.$])*\w*(?:Error|Exception|Failure)\b.*)$", re.MULTILINE)
_ON = "what is finished is kept, and the same command with --resume goes on from there"
_LOST = (
    "the JobManager of the Flink cluster is gone, or was started anew, and knows nothing of the job any more; see to "
    f"it that the cluster is up (`make flink-up` starts one on this machine): {_ON}"
)
_KNOWN = (
    ("Could not find Flink job", _LOST),
    ("AnnotatedConnectException", _LOST),  # of Flink's client; workers' connections are refused in other words
    ("Number of retries has been exhausted", _LOST),
    (
        "Insufficient number of network buffers",
        "Flink has too little memory for data between stages; give its TaskManagers more "
        "(`taskmanager.memory.network.min` and `.max`), or ask for a smaller `--parallelism`: " + _ON,
    ),
    (
        "finishConnect(..) failed: Connection refused",
        "no pool of workers takes connections beside a TaskManager, where --environment_type=EXTERNAL looks for it "
        f"(--environment_config; on Kubernetes the container `lexbeam-worker`): start one: {_ON}",
    ),
    (
        "No module named 'lexbeam",
        "the workers of the cluster have no Lexbeam: install it there with the driver's lock file, for the first "
        "`python` on the PATH of its TaskManagers, or build the workers' image from the driver's checkout",
    ),
    (
        'Cannot run program "docker"',
        "the TaskManagers have no Docker, by which --environment_type=DOCKER, Beam's default, starts workers: give "
        "`runner_config` flink_cluster or flink_kubernetes, which do without",
    ),
    (
        "NoResourceAvailableException",
        "the Flink cluster has fewer free slots than the job asks for; start more TaskManagers, wait for other jobs, "
        "or ask for a smaller `--parallelism`: " + _ON,
    ),
)


def raised_in(text: str) -> LexbeamError | None:
    """Return the last error of ours that a text reports; None if it reports none."""
    if raised := _RAISED.findall(text):
        kind, message = raised[-1]
        return _KINDS[kind](message.strip())
    return None


def root_cause(trace: str) -> str:
    """Return the cause that a trace ends in, in one line: our own message, what is known, or class and message."""
    ours = raised_in(trace) or explained_flink(trace)
    causes = [str(ours)] if ours else _CAUSE.findall(trace)
    cause = causes[-1] if causes else trace.strip().partition("\n")[0]
    return readable(" ".join(_WHERE.sub("", cause).split()))


def explained_flink(text: str) -> LexbeamError | None:
    """Return the error for a person that Flink's report of a failed job tells of; None if it is none that is known."""
    if "org.apache.flink." not in text and "failed in state FAILED" not in text:
        return None
    return next((LexbeamError(message) for sign, message in _KNOWN if sign in text), None)


SECONDS = 20
# A proxy that the environment names is passed by: the job server, by which jobs go to the cluster, knows none.
_DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))
# What an address that leads to no cluster can be answered by, or a cluster that is just ending.
_WRONG = (OSError, http.client.HTTPException, ValueError, KeyError, TypeError)


class JobKind(Enum):
    """What has become of a job."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    UNKNOWN = "unknown"  # to the cluster: it was started anew, or keeps a job's end for an hour only
    UNREACHABLE = "unreachable"  # the cluster does not answer


_ENDED = {"FINISHED": JobKind.FINISHED, "FAILED": JobKind.FAILED, "CANCELED": JobKind.FAILED}


class JobState(NamedTuple):
    """The state of a job.

    Attributes:
        kind: what has become of it.
        job: its number at the cluster; empty where nothing says it.
        reason: in a line, why it failed or the cluster does not answer.
    """

    kind: JobKind
    job: str = ""
    reason: str = ""


def address_of(master: str) -> str:
    """Return the address of a cluster's REST interface, `http://HOST:PORT`; it names no user."""
    place = _split(master)
    return f"{place.scheme or 'http'}://{place.netloc.rpartition('@')[2]}{place.path.rstrip('/')}"


def place_of(master: str) -> tuple[str | None, int | None]:
    """Return the host and the port of a cluster; None for what is not said.

    Raises:
        UsageError: the port is none.
    """
    place = _split(master)
    try:
        return place.hostname, place.port
    except ValueError:
        raise UsageError(
            f"--flink_master: {address_of(master)} has no port: give HOST:PORT, or set LEXBEAM_FLINK_MASTER to it"
        ) from None


def _split(master: str) -> SplitResult:
    return urlsplit(master if "//" in master else f"//{master}")


def state_of(address: str, name: str) -> JobState:
    """Ask a cluster for the state of the last job of this name."""
    try:
        jobs = [job for job in answer_of(f"{address}/jobs/overview")["jobs"] if job["name"] == name]
        if not jobs:
            return JobState(JobKind.UNKNOWN)
        last = max(jobs, key=lambda job: int(job["start-time"]))
        job, kind = str(last["jid"]), _ENDED.get(last["state"], JobKind.RUNNING)
    except _WRONG as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        return JobState(JobKind.UNREACHABLE, "", root_cause(str(cause)))
    if kind is not JobKind.FAILED:
        return JobState(kind, job)
    if last["state"] == "CANCELED":
        return JobState(kind, job, "it was cancelled")
    reason = ""
    with suppress(*_WRONG):
        reason = root_cause(str(answer_of(f"{address}/jobs/{job}/exceptions")["root-exception"]))
    return JobState(kind, job, reason)


def answer_of(url: str) -> Any:
    """Return what a cluster's REST interface answers.

    Raises:
        OSError, HTTPException, ValueError: nothing answers, or not in JSON.
    """
    with _DIRECTLY.open(url, timeout=SECONDS) as answer:
        return json.load(answer)
