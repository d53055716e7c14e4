"""Runs on a Flink cluster of this machine, of which something is killed: the published bytes must be the same.

    python -m benchmarks.flink_kills --times 5
    python -m benchmarks.flink_kills --drivers 20

The sample goes through `corpus` and `change`. When a worker begins to write an annotation it is held; then a
process is killed by SIGKILL, and the run goes on. A Python worker and a TaskManager are made good by the cluster
while the run waits. Without its JobManager a run fails, and the same command with --resume goes on. For each kind
it prints how many runs ended at once, how many when they were resumed, and how many published other bytes or not
at all, which must be 0; then, whether anything outlived the cluster.

With --drivers it is drivers of `corpus` that are killed, at random moments: those that leave their job to the cluster
(--detach), and then the call that follows, too, which submits again or publishes; and those that wait. Commands are
given again, as they are or with --resume, until the tables are there.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks.damage import published
from lexbeam.pipelines.cli import main as lexbeam
from lexbeam.pipelines.frame.handed_back import left_run, look_at
from lexbeam.pipelines.frame.publishing import read_unfinished
from lexbeam.pipelines.runners.flink_cluster import Cluster, down, free_port, read_state, up
from lexbeam.pipelines.runners.flink_jobs import JobKind

ROOT = Path(__file__).resolve().parents[1]
JAR = ROOT / "build" / "flink" / "job-server.jar"
KILLS = ("nothing", "Python worker", "TaskManager", "JobManager")
SECONDS = 1800  # however busy the machine is
# Holds whoever begins to write an annotation while the file HOLD is there, and tells which process it is.
HOLDS = """
import os, sys, time
_hold = os.environ["HOLD"]
def _wait(event, arguments):
    if event == "open" and "/_artefacts/corpus/annotate/" in str(arguments[0]) and os.path.exists(_hold):
        os.makedirs(_hold + ".reached", exist_ok=True)
        open(f"{_hold}.reached/{os.getpid()}", "w").close()
        while os.path.exists(_hold):
            time.sleep(0.02)
sys.addaudithook(_wait)
"""


class Running(NamedTuple):
    """A cluster that is up.

    Attributes:
        state: where its state lies.
        hold: the file that holds workers while it is there.
        environment: variables for runs.
        idle: milliseconds until a worker without work ends. A run must not take up one that has been killed.
        runner: the configuration of runs.
    """

    state: Path
    hold: Path
    environment: dict[str, str]
    idle: int
    runner: str = "flink_cluster"


@contextmanager
def running_cluster(
    folder: Path,
    jar: Path,
    environment: Mapping[str, str] | None = None,
    *,
    hook: str = HOLDS,
    task_managers: int = 2,
    slots: int = 1,
    restart: int = 15,
    source: Path = ROOT,
) -> Iterator[Running]:
    """Run a cluster while the block runs.

    Args:
        folder: where its state lies, and what else it makes.
        jar: the job server's.
        environment: variables for its workers.
        hook: what these do when they start; by default they can be held.
        task_managers: how many.
        slots: of each.
        restart: seconds until lost work begins anew.
        source: the checkout whose code they run.
    """
    hooks = folder / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(hook, "utf-8")
    cluster = Cluster(str(jar), free_port(), free_port(), task_managers, slots, restart)
    master = {"LEXBEAM_FLINK_MASTER": f"localhost:{cluster.port}"}
    running = Running(folder / "cluster", folder / "hold", master, restart * 2000 // 3)
    path = os.pathsep.join([str(hooks), str(source)])
    up(running.state, cluster, {**worker_environment(running), **(environment or {}), "PYTHONPATH": path})
    try:
        yield running
    finally:
        running.hold.unlink(missing_ok=True)
        down(running.state)


def worker_environment(running: Running) -> dict[str, str]:
    """Return the variables by which Python workers can be held."""
    hooks = running.state.parent / "hooks"
    return {"PYTHONPATH": os.pathsep.join([str(hooks), str(ROOT)]), "HOLD": str(running.hold)}


def made_sample(folder: Path, *, change: bool = True) -> tuple[Path, dict[str, bytes]]:
    """Make a sample corpus with its configuration, with or without `change`.

    Returns:
        the configuration, and what is published.
    """
    if lexbeam(["sample", "--out", str(folder / "sample"), "--tokens", "30000", "--seed", "1"]):
        raise RuntimeError("no sample was made")
    path = folder / "sample" / "config.yaml"
    values = yaml.safe_load(path.read_text("utf-8"))
    own = {"slices": values.pop("change")["slices"], "seeds": 2, "dim": 20}
    if change:
        values["change"] = own
    path.write_text(yaml.safe_dump(values), "utf-8")
    if lexbeam(["run", str(path), "--out", str(folder / "direct")]):
        raise RuntimeError("the run in one process failed")
    return path, published(folder / "direct")


def killed_run(running: Running, config: Path, out: Path, kind: str) -> tuple[str, dict[str, bytes], str]:
    """Run a configuration on a cluster, and kill something of it in the midst.

    Returns:
        `first` or `resumed`, by when it ended well, or `failed`; what is published; and the run's messages.
    """
    reached = Path(f"{running.hold}.reached")
    shutil.rmtree(reached, ignore_errors=True)  # what workers of another run have left
    if kind != "nothing":
        running.hold.touch()
    # Workers go with their TaskManager, so it makes no difference how long others live on.
    beam = ["--", f"--environment_cache_millis={running.idle}"] if kind == "Python worker" else []
    first = _start(running, config, out, *beam)
    if kind != "nothing":
        end = time.monotonic() + SECONDS
        while not (reached.is_dir() and os.listdir(reached)) and first.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        workers = [int(name) for name in os.listdir(reached)] if reached.is_dir() else []
        for process in _killed(running, kind, workers):
            os.kill(process, signal.SIGKILL)
        for worker in workers:
            (reached / str(worker)).unlink()
        running.hold.unlink()
    told = first.communicate(timeout=SECONDS)[0]
    if first.returncode == 0:
        return "first", published(out), told
    if os.path.lexists(out / "current"):
        return "failed", {}, f"{told}\nThe run failed, and has published."
    again = _start(running, config, out, "--resume")
    told += again.communicate(timeout=SECONDS)[0]
    return ("failed", {}, told) if again.returncode else ("resumed", published(out), told)


def killed_driver(
    running: Running, config: Path, out: Path, moments: Sequence[float], *more: str
) -> tuple[dict[str, bytes], str]:
    """Run a configuration on a cluster until it is published; the first drivers are killed.

    Args:
        running: the cluster.
        config: the configuration.
        out: the folder to publish to.
        moments: when they are killed, in seconds from the start of each.
        more: options.

    Returns:
        what is published, nothing if a command failed; and the messages.
    """
    told, left = "", list(moments)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        driver = _start(running, config, out, *more)
        with suppress(subprocess.TimeoutExpired):
            driver.wait(left.pop(0) if left else SECONDS)
        was_killed = driver.poll() is None
        driver.kill()
        heard = driver.communicate()[0]
        told += heard
        if (out / "current").exists():
            return published(out), told
        # What a killed driver has submitted may begin only now; whoever is told so waits, and gives the command again.
        if not was_killed and driver.returncode and "a detached run is at work" not in heard:
            break
        if not more:
            more = ("--resume",)
        _wait_for_job(out)
    return {}, told


def _wait_for_job(out: Path) -> None:
    while left := left_run(read_unfinished(str(out))):
        if look_at(str(out / "_artefacts"), left).kind is not JobKind.RUNNING:
            return
        time.sleep(1)


def _kill_drivers(folder: Path, jar: Path, times: int) -> int:
    """Kill drivers and print; return the exit status."""
    config, expected = made_sample(folder, change=False)
    rng = random.Random(1)
    print("| driver | killed at | other bytes, or none |\n|---|---|---|")
    all_wrong = 0
    with running_cluster(folder, jar) as running:
        for more in (("--detach",), ()):
            out, lengths, wrong = folder / f"whole {more}", list[float](), 0
            while not (out / "current").exists() and not wrong:
                _wait_for_job(out)
                begun = time.monotonic()
                wrong = _start(running, config, out, *more).wait(SECONDS)
                lengths.append(time.monotonic() - begun)
            for number in range(times):
                moments = [rng.uniform(0, length) for length in lengths]
                files, told = killed_driver(running, config, folder / f"{number} {more}", moments, *more)
                if files != expected:
                    wrong += 1
                    print(told, file=sys.stderr)
            spans = " and ".join(f"0 to {length:.0f} s" for length in lengths)
            print(f"| {' '.join(more) or 'waits'} | {times} moments of {spans} | {wrong} |", flush=True)
            all_wrong += wrong
    return int(all_wrong > 0)


def _start(running: Running, config: Path, out: Path, *more: str) -> "subprocess.Popen[str]":
    words = ["run", str(config), "--out", str(out), "--runner-config", running.runner, *more]
    return subprocess.Popen(
        [sys.executable, "-m", "lexbeam.pipelines.cli", *words],
        env={**os.environ, **running.environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _killed(running: Running, kind: str, workers: list[int]) -> list[int]:
    """Return the processes to kill: of workers and TaskManagers, those that are held, or whose worker is."""
    state = read_state(running.state)
    if kind == "JobManager":
        return [state.job_manager]
    if kind == "Python worker":
        return workers[:1]
    return [manager for manager in state.task_managers if manager in _above(workers[0])]


def _above(process: int) -> Iterator[int]:
    """Yield the processes that have started a process, from the nearest on."""
    while process > 1:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        process = int(fields[1])
        yield process


def main() -> int:
    """Kill and print; return the exit status, 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="runs of each kind")
    parser.add_argument("--jar", type=Path, default=JAR)
    parser.add_argument("--drivers", type=int, default=0, help="kill this many drivers of each kind instead")
    values = parser.parse_args()
    if values.drivers:
        with tempfile.TemporaryDirectory(prefix="lexbeam-kills-") as name:
            return _kill_drivers(Path(name), values.jar, values.drivers)
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="lexbeam-kills-") as name:
        folder = Path(name)
        config, expected = made_sample(folder)
        with running_cluster(folder, values.jar) as running:
            for kind in KILLS:
                for number in range(values.times):
                    ended, files, told = killed_run(running, config, folder / f"{kind} {number}", kind)
                    if files != expected:
                        ended = "wrong"
                        print(told, file=sys.stderr)
                    counts[kind, ended] += 1
                    print(f"{kind}, run {number + 1}: {ended}", file=sys.stderr, flush=True)
        left = _left(folder)
    print("| killed | runs | ended well at once | resumed | other bytes, or none |\n|---|---|---|---|---|")
    for kind in KILLS:
        columns = (values.times, *(counts[kind, ended] for ended in ("first", "resumed", "wrong")))
        print(f"| {kind} | {' | '.join(map(str, columns))} |")
    print(f"\nprocesses left: {len(left)}")
    return int(any(counts[kind, "wrong"] for kind in KILLS) or bool(left))


def _left(folder: Path) -> list[Path]:
    """Return the processes that belong to a folder; some of them may be about to end."""
    end = time.monotonic() + 30
    while left := [path for path in Path("/proc").glob("[0-9]*") if _is_of(path, folder)]:
        if time.monotonic() > end:
            break
        time.sleep(1)
    return left


def _is_of(process: Path, folder: Path) -> bool:
    with suppress(OSError):
        return os.fsencode(folder) in (process / "environ").read_bytes()
    return False


if __name__ == "__main__":
    sys.exit(main())
