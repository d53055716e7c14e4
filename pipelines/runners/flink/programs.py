"""The programs of a Flink cluster on one machine, and how they are configured.

The jar of the job server holds all of Flink: the JobManager and the TaskManagers are other classes of it.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

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
