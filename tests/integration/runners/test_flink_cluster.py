"""The sample on a Flink cluster of this machine, of which something is killed meanwhile.

`python -m benchmarks.flink_kills --times 5` does more of the same, see docs/reliability.md.
"""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from marked import MARK, left_of, wait_until
from mixed_runs import ROOT, skip_without
from small_runs import call, corpus, write_texts

from benchmarks.damage import published
from benchmarks.flink_kills import killed_run, made_sample, running_cluster
from pipelines.runners.flink.cluster import read_state

pytestmark = pytest.mark.slow
JAR = ROOT / "build" / "flink" / "job-server.jar"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster that is up; nothing of it is left afterwards."""
    skip_without("flink_cluster")
    if shutil.which("java") is None:
        pytest.skip("needs Java for Flink")
    folder = tmp_path_factory.mktemp("cluster")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, str(folder))
        with running_cluster(folder, JAR) as running:
            yield running
    assert left_of(str(folder)) == {}
    assert not running.state.exists()


def assert_same_bytes(cluster, folder, kind, ended, *, change):
    config, expected = made_sample(folder, change=change)
    found, files, told = killed_run(cluster, config, folder / "out", kind)
    assert found == ended, told
    assert files == expected


def test_a_taskmanager_that_is_killed_is_made_good(cluster, tmp_path):
    assert_same_bytes(cluster, tmp_path, "TaskManager", "first", change=False)


def test_a_job_that_is_left_to_the_cluster_runs_on_and_the_same_command_publishes(cluster, tmp_path, capsys):
    texts, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    assert corpus(texts, tmp_path / "direct") == 0
    words = ["corpus", str(texts), "--engine", "builtin:en", "--format", "text", "--dates", r"name:^(\d+)"]
    words += ["--parts", "2", "--out", str(out), "--runner-config", "flink_cluster", "--detach"]
    environment = {**os.environ, **cluster.environment, MARK: str(tmp_path), "PYTHONPATH": str(ROOT)}

    def driver():
        subprocess.run([sys.executable, "-m", "pipelines.cli", *words], env=environment, check=True)
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


@pytest.mark.soak
def test_nothing_outlives_a_watcher_that_is_killed(tmp_path, monkeypatch):
    skip_without("flink_cluster")
    monkeypatch.setenv(MARK, str(tmp_path))
    with running_cluster(tmp_path, JAR) as running:
        os.kill(read_state(running.state).watcher, signal.SIGKILL)
        assert left_of(str(tmp_path)) == {}
        wait_until(lambda: not list(running.state.glob("lexbeam-run-*")), "its temporary files go")
    assert not running.state.exists()
