"""The sample on a Flink cluster of this machine, of which something is killed meanwhile.

`python -m benchmarks.flink_kills --times 5` does more of the same, see docs/reliability.md.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest
from marked import MARK, left_of, wait_until
from mixed_runs import ROOT, skip_without
from small_runs import call, corpus, write_texts

from benchmarks.damage import published
from benchmarks.flink_kills import JAR, killed_run, made_sample, running_cluster, worker_environment
from lexbeam.pipelines.runners.flink_cluster import read_state

pytestmark = pytest.mark.slow
POOL = 50000  # of the runner configuration


def assert_same_bytes(cluster, folder, kind, ended, *, change):
    config, expected = made_sample(folder, change=change)
    found, files, told = killed_run(cluster, config, folder / "out", kind)
    assert found == ended, told
    assert (found == "resumed") == ("the JobManager of the Flink cluster is gone" in told)
    assert files == expected


def test_a_taskmanager_that_is_killed_is_made_good(cluster, tmp_path):
    assert_same_bytes(cluster, tmp_path, "TaskManager", "first", change=False)


@pytest.mark.soak
def test_a_job_that_is_left_to_the_cluster_runs_on_and_the_same_command_publishes(cluster, tmp_path, capsys):
    texts, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    assert corpus(texts, tmp_path / "direct") == 0
    words = ["corpus", str(texts), "--engine", "builtin:en", "--format", "text", "--dates", r"name:^(\d+)"]
    words += ["--parts", "2", "--out", str(out), "--runner-config", "flink_cluster", "--detach"]
    environment = {**os.environ, **cluster.environment, MARK: str(tmp_path), "PYTHONPATH": str(ROOT)}

    def driver():
        subprocess.run([sys.executable, "-m", "lexbeam.pipelines.cli", *words], env=environment, check=True)
        assert left_of(str(tmp_path)) == {}  # the job server has ended, too

    def is_running():
        assert call("status", out, "--json") == 0
        job = json.loads(capsys.readouterr().out)["detached"]
        assert job["flink"] == "http://" + cluster.environment["LEXBEAM_FLINK_MASTER"]
        assert job["state"] in ("running", "finished")
        return job["state"] == "running"

    driver()
    capsys.readouterr()
    assert is_running()
    assert not (out / "current").exists()
    wait_until(lambda: not is_running(), "it finishes")
    driver()
    assert published(out) == published(tmp_path / "direct")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "ended"),
    [("nothing", "first"), ("Python worker", "first"), ("TaskManager", "first"), ("JobManager", "resumed")],
)
def test_whatever_is_killed_the_whole_road_publishes_the_same_bytes(kind, ended, cluster, tmp_path):
    assert_same_bytes(cluster, tmp_path, kind, ended, change=True)


@contextmanager
def pool_of_workers(running):
    """Run what the image of workers runs beside a TaskManager, from this checkout, while the block runs."""
    text = (ROOT / "deploy" / "worker.Dockerfile").read_text()
    lines = [re.findall(rf"^{name} (.*)", text, re.MULTILINE)[-1] for name in ("ENTRYPOINT", "CMD")]
    words = [word for line in lines for word in json.loads(line)]
    assert words[0] == "python"
    assert "LEXBEAM_BOOT=/opt/apache/beam/boot" in text
    words = [sys.executable, *(word.replace("/opt/lexbeam", str(ROOT)) for word in words[1:])]
    with socket.socket() as probe:
        if probe.connect_ex(("localhost", POOL)) == 0:
            pytest.skip(f"port {POOL} is taken")
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    own = {**worker_environment(running), "PATH": path, "LEXBEAM_BOOT": str(ROOT / "build" / "flink" / "boot")}
    pool = subprocess.Popen(words, env={**os.environ, **own}, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(pool.pid, signal.SIGTERM)  # boot programs pass it on to their workers
        pool.wait()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["nothing", "Python worker"])
def test_workers_beside_their_taskmanager_as_on_kubernetes(kind, tmp_path, monkeypatch):
    skip_without("flink_cluster")
    monkeypatch.setenv(MARK, str(tmp_path))
    config, expected = made_sample(tmp_path)
    with running_cluster(tmp_path, JAR, task_managers=1, slots=2) as running, pool_of_workers(running):
        own = {**running.environment, "LEXBEAM_PARALLELISM": "2"}
        on_kubernetes = running._replace(environment=own, runner="flink_kubernetes")
        found, files, told = killed_run(on_kubernetes, config, tmp_path / "out", kind)
    assert found == "first", told
    assert files == expected
    assert left_of(str(tmp_path)) == {}


@pytest.mark.soak
def test_nothing_outlives_a_watcher_that_is_killed(tmp_path, monkeypatch):
    skip_without("flink_cluster")
    monkeypatch.setenv(MARK, str(tmp_path))
    with running_cluster(tmp_path, JAR) as running:
        os.kill(read_state(running.state).watcher, signal.SIGKILL)
        assert left_of(str(tmp_path)) == {}
        wait_until(lambda: not list(running.state.glob("lexbeam-run-*")), "its temporary files go")
    assert not running.state.exists()
