"""A cluster that cannot start says why; one that is gone leaves nothing. Java is played by a script."""

import itertools
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from marked import MARK, left_of, wait_until

from lexbeam.pipelines.runners import flink_cluster as module
from lexbeam.pipelines.runners.flink_cluster import (
    Cluster,
    down,
    environment_of,
    free_port,
    job_manager,
    main,
    read_state,
    task_manager,
    up,
)
from lexbeam.transforms.common.errors import LexbeamError, UsageError

# Answers as the JobManager does where it is one, and starts a process in a group of its own, as workers are.
JAVA = """#!{python}
import http.server, os, subprocess, sys
sys.path[:0] = {path!r}
import yaml
conf = yaml.safe_load(open(sys.argv[-1] + "/config.yaml"))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{{"slots-total": 2}}')
    def log_message(self, *_):
        pass
worker = subprocess.Popen(["sleep", "600"], process_group=0)
if "Standalone" in " ".join(sys.argv):
    http.server.HTTPServer(("localhost", conf["rest.port"]), Handler).serve_forever()
worker.wait()
"""


@pytest.fixture
def java(tmp_path, monkeypatch):
    """A `java` on the PATH, and a mark for all that is started."""
    monkeypatch.setenv(MARK, str(tmp_path))
    return lambda script=JAVA: play(tmp_path, monkeypatch, script)


def play(folder, monkeypatch, script):
    (folder / "bin").mkdir()
    path = folder / "bin" / "java"
    path.write_text(script.format(python=sys.executable, path=[str(Path(yaml.__file__).parents[1])]), "utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def cluster(**changes):
    return Cluster(__file__, free_port(), free_port(), 2, 1)._replace(**changes)


def test_a_cluster_goes_up_and_down_and_leaves_nothing(java, tmp_path):
    java()
    one = cluster()
    state = up(tmp_path / "cluster", one)
    assert state.master == f"localhost:{one.port}"
    assert len(state.task_managers) == 2
    with pytest.raises(UsageError, match="is up already; `make flink-down` ends it"):
        up(tmp_path / "cluster", cluster())
    assert down(tmp_path / "cluster")
    assert left_of(str(tmp_path)) == {}
    assert not (tmp_path / "cluster").exists()
    assert not down(tmp_path / "cluster")


def test_what_ends_is_started_again_without_what_it_left(java, tmp_path):
    java()
    folder = tmp_path / "cluster"
    first = up(folder, cluster())
    gone = first.task_managers[0]
    children = Path(f"/proc/{gone}/task/{gone}/children")
    worker = wait_until(lambda: [int(pid) for pid in children.read_text().split() if sleeps(pid)], "it has a worker")[0]
    os.kill(gone, 9)
    wait_until(lambda: read_state(folder).task_managers[0] != gone, "it is started again")
    wait_until(lambda: has_ended(worker), "it is ended")
    assert read_state(folder).task_managers[1] == first.task_managers[1]
    os.kill(watcher := read_state(folder).watcher, 9)
    wait_until(lambda: has_ended(watcher), "the watcher ends")
    # Nothing is up then, and what it left does not hinder the next.
    up(folder, cluster())
    assert down(folder)
    assert left_of(str(tmp_path)) == {}


def test_a_new_jobmanager_gets_new_taskmanagers(java, tmp_path):
    java()
    folder = tmp_path / "cluster"
    first = up(folder, cluster())
    os.kill(first.job_manager, 9)

    def is_new():
        state = read_state(folder)
        return state.job_manager != first.job_manager and not {*state.task_managers} & {*first.task_managers}

    wait_until(is_new, "all are started again")
    assert len(read_state(folder).task_managers) == 2
    assert down(folder)
    assert left_of(str(tmp_path)) == {}


def test_a_cluster_whose_folder_is_removed_ends(java, tmp_path):
    """As `make clean` removes it; nobody could end it then."""
    java()
    folder = tmp_path / "cluster"
    watcher = up(folder, cluster()).watcher
    shutil.rmtree(folder, ignore_errors=True)
    wait_until(lambda: has_ended(watcher), "the watcher ends")
    assert left_of(str(tmp_path)) == {}


def test_only_what_its_own_programs_have_started_is_ended(tmp_path):
    own, other = (
        subprocess.Popen(
            ["sleep", "600"], env={**os.environ, "LEXBEAM_FLINK_PROGRAM": f"{tmp_path}/{name}/jobmanager.1"}
        )
        for name in ("cluster", "cluster-2")
    )
    try:
        (tmp_path / "cluster").mkdir()
        assert not down(tmp_path / "cluster")
        assert own.wait() == -9
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize("action", ["up", "down"])
def test_what_the_system_refuses_is_told(action, java, tmp_path, capsys):
    java()
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "lock").mkdir()
    assert main([action, "--folder", str(tmp_path / "cluster"), "--jar", __file__]) == 1
    assert capsys.readouterr().err.startswith("flink-cluster: ")


def sleeps(pid):
    return b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()


def has_ended(pid):
    """Return whether a process has ended, with all of its threads, which hold what it has opened."""
    try:
        threads = len(os.listdir(f"/proc/{pid}/task"))
        return threads == 1 and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_what_the_programs_say_last_is_told(java, tmp_path, monkeypatch):
    java("#!/bin/sh\necho 'no room' >&2; exit 4\n")
    log, looks = tmp_path / "cluster" / "log", itertools.count()

    # Patience ends when a program has ended, however long that takes.
    def late():
        return 2 * module.SECONDS if next(looks) and "is started again" in log.read_text() else 0

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=late, sleep=time.sleep))
    with pytest.raises(LexbeamError, match=r"does not start:\n(.*\n)*.*no room") as caught:
        up(tmp_path / "cluster", cluster())
    assert "ended with status 4: it is started again" in str(caught.value)
    assert left_of(str(tmp_path)) == {}
    assert not (tmp_path / "cluster").exists()


def test_a_port_that_is_taken_is_told_with_the_way_out(java, tmp_path):
    java()
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"port {port} .* `export LEXBEAM_FLINK_MASTER=localhost:PORT`"):
            up(tmp_path / "cluster", cluster(port=port))


def test_what_is_missing_is_named(tmp_path, monkeypatch, java):
    java()
    with pytest.raises(UsageError, match=r"needs /nowhere/x\.jar; `make flink-jar` builds it"):
        up(tmp_path / "cluster", cluster(jar="/nowhere/x.jar"))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="no `java` on the PATH"):
        up(tmp_path / "cluster", cluster())


@pytest.mark.parametrize("master", ["elsewhere:8081", "localhost", "localhost:x"])
def test_a_cluster_of_another_machine_is_not_started_here(master, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LEXBEAM_FLINK_MASTER", master)
    assert main(["up", "--folder", str(tmp_path / "cluster"), "--jar", __file__]) == 1
    assert f"LEXBEAM_FLINK_MASTER is '{master}'" in capsys.readouterr().err


@pytest.mark.parametrize("make", [job_manager, task_manager])
def test_programs_listen_on_this_machine_alone_and_write_into_their_folder(make, tmp_path):
    one = cluster()
    words = make(one, tmp_path / "place")
    values = yaml.safe_load((tmp_path / "place" / "config.yaml").read_text("utf-8"))
    hosts = {value for name, value in values.items() if name.endswith(("host", "address"))}
    assert hosts == {"localhost"}
    assert values["io.tmp.dirs"] == str(tmp_path / "place")
    assert f"-Djava.io.tmpdir={tmp_path / 'place'}" in words
    assert environment_of(str(tmp_path / "place"))["TMPDIR"] == str(tmp_path / "place")
    assert (values["rest.port"], values["jobmanager.rpc.port"]) == (one.port, one.rpc)


def test_the_worker_that_a_cluster_starts_has_a_folder_of_its_own_and_the_next_removes_it(tmp_path):
    said = tmp_path / "said"
    (tmp_path / "boot").write_text(
        f'#!/bin/sh\necho "$PWD" "$@" "$RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT" > {said}\nexec sleep 600\n', "utf-8"
    )
    (tmp_path / "boot").chmod(0o755)
    command = Path(__file__).parents[3] / "runner_configs" / "flink" / "boot"
    variables = {**os.environ, "LEXBEAM_BOOT": str(tmp_path / "boot"), "TMPDIR": str(tmp_path)}
    workers, folders = [], []
    for number in range(3):
        workers.append(subprocess.Popen([command, "--id=1"], env=variables))
        wait_until(lambda: said.exists() and said.read_text().endswith("\n"), "it starts")
        folder, semi, name, default = said.read_text().split()
        assert (semi, name, default) == (f"--semi_persist_dir={folder}", "--id=1", "1")
        folders.append(Path(folder))
        said.unlink()
        if number == 1:  # the first lives on while the third starts, the second does not
            workers[1].kill()
            workers[1].wait()
    assert sorted(tmp_path.glob("lexbeam-worker.*")) == sorted([folders[0], folders[2]])
    for worker in workers:
        worker.kill()
        worker.wait()
