"""The sample on a Flink cluster of this machine, of which something is killed meanwhile.

`python -m benchmarks.flink_kills --times 5` does more of the same, see docs/reliability.md.
"""

import os
import shutil
import signal

import pytest
from marked import MARK, left_of, wait_until
from mixed_runs import ROOT, skip_without

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
