"""Starts and ends a Flink cluster on this machine: a JobManager and TaskManagers, on loopback alone.

The jar of the job server holds all of Flink: the JobManager and the TaskManagers are other classes of it.

    python -m lexbeam.pipelines.runners.flink_cluster up | down --folder FOLDER

`up` leaves a watcher behind that starts the programs, each in a folder of its own, and starts those again that end,
as Kubernetes would. The watcher holds a lock, so that the system knows whether it lives; the programs are on its
leash and end with it, however it ends. `down` ends the watcher, and removes the folder.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

import yaml

from lexbeam.pipelines.runners.flink_jobs import answer_of
from lexbeam.pipelines.runners.leash import Leash, leashed
from lexbeam.transforms.common.errors import LexbeamError, UsageError, explaining
from lexbeam.transforms.common.machine import locked_file
from lexbeam.transforms.common.store.files import write_bytes

HOST = "localhost"
# Flink reaches into the JDK's own classes, which Java 17 closes.
OPENED = ("lang", "net", "nio", "time", "util", "util.concurrent")
# The work is Python's: with its first compiler alone Java takes less CPU.
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# The library of Flink's calls gives up after 10 s when it starts, which a busy machine does not keep; of Flink's own
# options none reaches it, but Java's properties do.
STARTUP = "-Dpekko.remote.classic.startup-timeout=120s"
JOB_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
TASK_MANAGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
HEAP = 256  # MiB, of the JobManager
# A TaskManager's memory, in MiB. Python workers are not part of it.
TASK_HEAP, FRAMEWORK_HEAP, TASK_OFF_HEAP, FRAMEWORK_OFF_HEAP, METASPACE = 256, 128, 64, 128, 256
NETWORK, MANAGED = 128, 128
MiB = "{}m".format


class Cluster(NamedTuple):
    """What a cluster is made of.

    Attributes:
        jar: path of the job server's jar.
        port: of Flink's REST interface, to which jobs are submitted.
        rpc: port of the JobManager, for the TaskManagers.
        task_managers: how many.
        slots: of each.
        restart: seconds until what a lost program was at begins anew. By then idle workers have to be gone, and with
            them dead ones: more than `environment_cache_millis` of the runs.
    """

    jar: str
    port: int
    rpc: int
    task_managers: int
    slots: int
    restart: int = 15


def job_manager(cluster: Cluster, folder: Path) -> list[str]:
    """Return the command of the JobManager, with its configuration in a new folder of its own."""
    _configure(folder, {**_shared(cluster, folder), "web.tmpdir": str(folder / "web")})
    return _java(cluster, folder, JOB_MANAGER, [f"-Xmx{HEAP}m"])


def task_manager(cluster: Cluster, folder: Path) -> list[str]:
    """Return the command of a TaskManager, with its configuration in a new folder of its own."""
    memory = {
        "memory.task.heap.size": TASK_HEAP,
        "memory.framework.heap.size": FRAMEWORK_HEAP,
        "memory.task.off-heap.size": TASK_OFF_HEAP,
        "memory.framework.off-heap.size": FRAMEWORK_OFF_HEAP,
        "memory.network.min": NETWORK,
        "memory.network.max": NETWORK,
        "memory.managed.size": MANAGED,
        "memory.jvm-metaspace.size": METASPACE,
        "memory.jvm-overhead.min": FRAMEWORK_OFF_HEAP,
        "memory.jvm-overhead.max": FRAMEWORK_OFF_HEAP,
    }
    own = {
        "taskmanager.host": HOST,
        "taskmanager.bind-host": HOST,
        "taskmanager.cpu.cores": float(cluster.slots),
        "taskmanager.numberOfTaskSlots": cluster.slots,
        # The default of 512 reserves 16 MB for each piece that is at work.
        "taskmanager.network.sort-shuffle.min-buffers": 16,
        **{f"taskmanager.{name}": MiB(size) for name, size in memory.items()},
    }
    _configure(folder, {**_shared(cluster, folder), **own})
    direct = TASK_OFF_HEAP + FRAMEWORK_OFF_HEAP + NETWORK
    sizes = [
        f"-Xmx{TASK_HEAP + FRAMEWORK_HEAP}m",
        f"-XX:MaxDirectMemorySize={direct}m",
        f"-XX:MaxMetaspaceSize={METASPACE}m",
    ]
    return _java(cluster, folder, TASK_MANAGER, sizes)


def environment_of(name: str) -> Mapping[str, str]:
    """Return the variables with which a program of a cluster runs, and what it starts.

    Workers are started as `python`, which is this one; what they write for a while goes with the program's folder.

    Args:
        name: the program's folder.
    """
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    return {**os.environ, "PATH": path, "TMPDIR": name, "LEXBEAM_FLINK_PROGRAM": name}


def _shared(cluster: Cluster, folder: Path) -> dict[str, object]:
    return {
        "jobmanager.rpc.address": HOST,
        "jobmanager.rpc.port": cluster.rpc,
        "jobmanager.bind-host": HOST,
        "rest.address": HOST,
        "rest.bind-address": HOST,
        "rest.port": cluster.port,
        "io.tmp.dirs": str(folder),
        # Only so do workers outlive a stage: Beam ends those at once that a job's own jar has started.
        "classloader.resolve-order": "parent-first",
        # A program that is gone is missed after two heartbeats, since nothing takes them, and its work begins anew
        # where there is a slot. One that is only slow has time.
        "heartbeat.interval": 2000,
        "heartbeat.rpc-failure-threshold": 2,
        "heartbeat.timeout": 120_000,
        "pekko.ask.timeout": "120 s",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 10,
        "restart-strategy.fixed-delay.delay": f"{cluster.restart} s",
    }


def _configure(folder: Path, values: Mapping[str, object]) -> None:
    folder.mkdir(0o700)  # what of texts does not fit into memory lies there, and in logs
    (folder / "config.yaml").write_text(yaml.safe_dump(dict(values)), "utf-8")


def _java(cluster: Cluster, folder: Path, main: str, memory: list[str]) -> list[str]:
    opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in OPENED]
    opened.append("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
    words = ["java", *JVM, STARTUP, *memory, *opened, f"-Djava.io.tmpdir={folder}"]
    return [*words, "-cp", cluster.jar, main, "--configDir", str(folder)]


MASTER = "LEXBEAM_FLINK_MASTER"
SECONDS = 300  # however busy the machine is
INTERVAL = 0.2
LINES = 20


class State(NamedTuple):
    """A cluster that runs: the processes of its watcher, of the JobManager and of the TaskManagers."""

    master: str
    watcher: int
    job_manager: int
    task_managers: list[int]


def up(folder: Path, cluster: Cluster, environment: Mapping[str, str] | None = None) -> State:
    """Start a cluster whose state lies in `folder`, and wait until all of its slots are there.

    Args:
        folder: it is made, and goes with `down`.
        cluster: what to start.
        environment: variables for its programs and their workers, besides those of this process.

    Raises:
        UsageError: Java or the jar is missing, the port is taken, or a cluster is there already.
        LexbeamError: the cluster does not start; the message has the last lines of its programs.
    """
    if shutil.which("java") is None:
        raise UsageError("Flink needs Java 11 or later, and there is no `java` on the PATH")
    if not os.path.isfile(cluster.jar):
        raise UsageError(f"Flink needs {cluster.jar}; `make flink-jar` builds it")
    with locked_file(_lock(folder), wait=False) as held:
        if not held:
            raise UsageError(f"a cluster of {folder} is up already; `make flink-down` ends it")
        _clear(folder)
        if not _is_free(cluster.port):
            shutil.rmtree(folder)
            raise UsageError(
                f"port {cluster.port} of {HOST} is taken; choose another for the cluster and for runs: "
                f"`export {MASTER}={HOST}:PORT`"
            )
    words = [sys.executable, "-m", __spec__.name, "watch", "--folder", str(folder), "--jar", cluster.jar]
    for name in ("port", "rpc", "task_managers", "slots", "restart"):
        words += [f"--{name.replace('_', '-')}", str(getattr(cluster, name))]
    with open(folder / "log", "wb") as log:
        watcher = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
    try:
        return _awaited(folder, cluster, watcher)
    except BaseException:
        watcher.terminate()
        watcher.wait()
        down(folder)
        raise


def down(folder: Path) -> bool:
    """End the cluster of `folder`, with all that it has started, and remove the folder; return whether it was up."""
    was_up = False
    while folder.is_dir():
        with locked_file(_lock(folder), wait=False) as held:
            if held:  # the watcher is gone, and the programs with it
                _clear(folder)
                shutil.rmtree(folder, ignore_errors=True)
                break
        was_up = True
        with suppress(ProcessLookupError, FileNotFoundError, ValueError):
            # While the lock is held the number is the watcher's.
            os.kill(int((folder / "watcher").read_text("utf-8")), signal.SIGTERM)
        time.sleep(INTERVAL)
    return was_up


def read_state(folder: Path) -> State:
    """Return the state of the cluster of `folder`."""
    return State(**json.loads((folder / "state.json").read_text("utf-8")))


def watch(folder: Path, cluster: Cluster) -> None:
    """Run a cluster until SIGTERM: the programs are started, and started again when they end.

    It ends, too, when its folder is removed or another's: nobody could end it then.
    """
    signal.signal(signal.SIGTERM, _end)
    tempfile.tempdir = str(folder)
    with locked_file(_lock(folder), wait=False) as held:
        if not held:
            raise UsageError(f"a cluster of {folder} is up already")
        (folder / "watcher").write_text(str(os.getpid()), "utf-8")
        with leashed() as leash:
            names = ["jobmanager", *(f"taskmanager-{number + 1}" for number in range(cluster.task_managers))]
            manager, *others = programs = [_Program(name, cluster, leash) for name in names]
            while _is_ours(folder):
                if manager.pid and manager.kept_alive():
                    # Those of one that is gone would wait for it for minutes, and hold their slots from the new one.
                    for program in others:
                        program.kill()
                started = [program.kept_alive() for program in programs]
                if any(started):
                    pids = [program.pid for program in others]
                    state = State(f"{HOST}:{cluster.port}", os.getpid(), manager.pid, pids)
                    write_bytes(str(folder / "state.json"), json.dumps(state._asdict()).encode())
                time.sleep(INTERVAL)
            _sweep(leash.folder)


def _is_ours(folder: Path) -> bool:
    with suppress(OSError):
        return (folder / "watcher").read_text("utf-8") == str(os.getpid())
    return False


def _end(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # nothing is to disturb the end
    sys.exit(0)


class _Program:
    """A program of a cluster, which is started again when it ends, in a new folder."""

    def __init__(self, name: str, cluster: Cluster, leash: Leash) -> None:
        self._name = name
        self._cluster = cluster
        self._leash = leash
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    def kill(self) -> None:
        """Kill it, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def kept_alive(self) -> bool:
        """Start it if it does not run; return whether it was started."""
        if self._process is not None:
            if self._process.poll() is None:
                return False
            print(f"{self._name} ended with status {self._process.returncode}: it is started again", flush=True)
            _sweep(str(self._folder))
            shutil.rmtree(self._folder, ignore_errors=True)
        self._starts += 1
        make = job_manager if self._name == "jobmanager" else task_manager
        words = make(self._cluster, self._folder)
        self._process = subprocess.Popen(
            self._leash.command(words), cwd=self._folder, env=environment_of(str(self._folder)), process_group=0
        )
        return True

    @property
    def _folder(self) -> Path:
        return Path(self._leash.folder) / f"{self._name}.{self._starts}"


def _lock(folder: Path) -> str:
    return str(folder / "lock")


def _clear(folder: Path) -> None:
    """End what the programs of a cluster that is down have left, and remove it."""
    _sweep(str(folder))
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != "lock":
            path.unlink(missing_ok=True)  # the guard of a watcher that was killed removes, too


def _sweep(place: str) -> None:
    """Kill the processes that a program has started, whatever groups they are in.

    Beam's boot program puts workers into groups of their own; those of a TaskManager that is gone end by themselves
    only when their work is done.
    """
    for process in Path("/proc").glob("[0-9]*"):  # elsewhere than on Linux there are none
        with suppress(OSError):
            for variable in (process / "environ").read_bytes().split(b"\0"):
                name, _, value = variable.partition(b"=")
                if name == b"LEXBEAM_FLINK_PROGRAM" and f"{os.fsdecode(value)}{os.sep}".startswith(place + os.sep):
                    os.kill(int(process.name), signal.SIGKILL)


def _is_free(port: int) -> bool:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((HOST, port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        return int(sock.getsockname()[1])


def _awaited(folder: Path, cluster: Cluster, watcher: "subprocess.Popen[bytes]") -> State:
    slots = cluster.task_managers * cluster.slots
    end = time.monotonic() + SECONDS
    while watcher.poll() is None and time.monotonic() < end:
        with suppress(OSError, HTTPException, ValueError, KeyError):
            if answer_of(f"http://{HOST}:{cluster.port}/overview")["slots-total"] >= slots:
                return read_state(folder)
        time.sleep(INTERVAL)
    said = (folder / "log").read_text("utf-8", "backslashreplace").splitlines()[-LINES:]
    raise LexbeamError("the cluster does not start:" + "".join(f"\n  {line}" for line in said))


def main(arguments: Sequence[str] | None = None) -> int:
    """Start or end a cluster, as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(prog="flink-cluster", description="a Flink cluster on this machine")
    parser.add_argument("action", choices=("up", "down", "watch"))
    parser.add_argument("--folder", type=Path, required=True, help="where its state lies")
    parser.add_argument("--jar", default="", help="the job server's jar")
    parser.add_argument("--port", type=int, help=f"of Flink's REST interface; default: that of {MASTER}, or 8081")
    parser.add_argument("--rpc", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--task-managers", type=int, default=2)
    parser.add_argument("--slots", type=int, default=1, help="of each TaskManager")
    parser.add_argument("--restart", type=int, default=15, help=argparse.SUPPRESS)
    values = parser.parse_args(arguments)
    folder = values.folder.absolute()
    try:
        with explaining():
            return _act(values, folder)
    except LexbeamError as error:
        print(f"flink-cluster: {error}", file=sys.stderr)
        return 1


def _act(values: argparse.Namespace, folder: Path) -> int:
    if values.action == "down":
        print("the cluster is down" if down(folder) else "no cluster was up")
        return 0
    port = values.port or _port_of(os.environ.get(MASTER) or f"{HOST}:8081")
    jar = os.path.abspath(values.jar)
    cluster = Cluster(jar, port, values.rpc or free_port(), values.task_managers, values.slots, values.restart)
    if values.action == "watch":
        watch(folder, cluster)
        return 0
    state = up(folder, cluster)
    managers = len(state.task_managers)
    print(f"a Flink cluster is up at {state.master}: TaskManagers {managers}, slots {managers * cluster.slots}")
    return 0


def _port_of(master: str) -> int:
    host, _, port = master.rpartition(":")
    if host != HOST or not port.isdecimal():
        raise UsageError(f"{MASTER} is {master!r}, and a cluster on this machine has {HOST}:PORT")
    return int(port)


if __name__ == "__main__":
    sys.exit(main())
