"""What a Flink cluster says of a job, by its REST interface: that it runs, has finished, or why it failed.

state_of("http://localhost:8081", "lexbeam-0123456789abcdef").kind
"""

import http.client
import json
import urllib.error
import urllib.request
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from lexbeam.pipelines.runners.causes import root_cause
from lexbeam.transforms.common.errors import UsageError

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
