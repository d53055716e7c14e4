"""A command run once and measured from outside and inside, and the results that a part keeps.

    results = Results(folder / "tokens.jsonl")
    if not results.has(key):
        results.add({**key, **measured(run, "corpus", "texts", "--out", "out")})

A run is of a checkout, this one or another: its own environment's Python is used where it has one.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT, descendants, environment, proportional_memory

PROBE = Path(__file__).resolve().parent / "probe"
INTERVAL = 0.2
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Checkout:
    """The source that is measured.

    Attributes:
        label: what results call it: `after`, or `before` for an earlier commit.
        folder: where it lies.
    """

    label: str = "after"
    folder: Path = ROOT

    @property
    def python(self) -> str:
        """The Python of its own environment, or this one."""
        own = self.folder / ".venv" / "bin" / "python"
        return str(own) if own.exists() else sys.executable

    def command(self, *words: str) -> list[str]:
        """Return what runs one of its commands under the probe."""
        return [self.python, "-m", "scale_probe", *words]

    def environment(self, log: Path) -> dict[str, str]:
        """Return the environment of that command."""
        return environment(PYTHONPATH=f"{self.folder}{os.pathsep}{PROBE}", SCALE_LOG=str(log))

    def commit(self) -> str:
        """Return the short name of the commit that is checked out."""
        words = ["git", "-C", str(self.folder), "rev-parse", "--short=8", "HEAD"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


class Results:
    """The runs of a part that have been measured: a file of JSON lines, to which each is added as it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.rows = list(self._read())

    def _read(self) -> Iterator[dict[str, Any]]:
        if self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                with suppress(json.JSONDecodeError):  # the last line of a run that was killed as it wrote
                    yield json.loads(line)

    def has(self, key: Mapping[str, Any]) -> bool:
        """Return whether a run with these values is there."""
        return any(all(row.get(name) == value for name, value in key.items()) for row in self.rows)

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a run."""
        with self.path.open("ab+") as file:
            if file.tell() and os.pread(file.fileno(), 1, file.tell() - 1) != b"\n":
                file.write(b"\n")  # after a line that was not written to its end
            file.write(json.dumps(row, sort_keys=True).encode() + b"\n")
        self.rows.append(dict(row))


class _Watch(threading.Thread):
    """Looks at a process tree at intervals: peaks of memory, and CPU of the workers."""

    def __init__(self, process: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._process, self._stop_event = process, stop
        self.whole = self.driver = self.worker = 0
        self._cpu: dict[int, float] = {}

    @property
    def workers_cpu(self) -> float:
        return sum(self._cpu.values())

    def run(self) -> None:
        while not self._stop_event.wait(INTERVAL):
            tree = [self._process, *descendants(self._process)]
            self.whole = max(self.whole, 1024 * sum(map(proportional_memory, tree)))
            self.driver = max(self.driver, _peak(self._process))
            for process in tree[1:]:
                if _is_worker(process):
                    self.worker = max(self.worker, _peak(process))
                    self._cpu[process] = max(self._cpu.get(process, 0.0), _cpu(process))


def _is_worker(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[1:3] == [b"-m", b"scale_worker"]
    return False


def _peak(process: int) -> int:
    """Return the peak resident memory of a process in bytes; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0


def _cpu(process: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    return 0.0


def measured(checkout: Checkout, *words: str, processes: int = 2, fails: str = "") -> dict[str, Any]:
    """Run a command in so many worker processes; return what was measured.

    Args:
        checkout: whose command it is.
        words: the command.
        processes: workers; 0 runs it in one process, without workers.
        fails: what the error says with which the command is to end; empty: it is to end well.

    Raises:
        RuntimeError: it ended otherwise than it should.
    """
    runner = ["--runner-config", "direct_multiprocess", "--", f"--direct_num_workers={processes}"] if processes else []
    with tempfile.TemporaryDirectory(prefix="lexbeam-scale-") as folder:
        log = Path(folder) / "log"
        start = time.perf_counter()
        with (Path(folder) / "told").open("w+") as told:
            process = subprocess.Popen(
                checkout.command(*words, *runner),
                env=checkout.environment(log),
                stdout=subprocess.DEVNULL,
                stderr=told,
                cwd=checkout.folder,
                start_new_session=True,
            )
            stop = threading.Event()
            watch = _Watch(process.pid, stop)
            watch.start()
            try:
                code = process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                raise
            finally:
                stop.set()
                watch.join()
            told.seek(0)
            said = told.read()
            if code != bool(fails) or fails not in said:
                raise RuntimeError(f"`{' '.join(words)}` ended with {code}: {said[-2000:]}")
        wall = time.perf_counter() - start
        inside = read_log([json.loads(line) for line in log.read_text().splitlines()], process.pid)
    driver_cpu = sum(inside["driver"].values())
    return {
        **inside,
        "wall": wall,
        "load": os.getloadavg()[0],  # of the last minute: what else wanted a core shows in seconds by the clock
        "workers": watch.workers_cpu,
        "cpu": driver_cpu + watch.workers_cpu,
        "driver_peak": watch.driver,
        "worker_peak": watch.worker,
        "peak": watch.whole,
    }


def read_log(lines: Sequence[Mapping[str, Any]], driver: int) -> dict[str, Any]:
    """Return what the processes of one run have told.

    The driver's CPU is given by step: what was used until a mark and since the one before it. Of what ends `before` a
    step there is `check` (before the plan), `prepare` (before the graph is built) and `build` (before it runs).
    """
    steps: dict[str, float] = {}
    names = {"before plan": "check", "before pipeline": "prepare", "before run": "build", "pipeline": "publish"}
    last = 0.0
    for line in lines:
        if line["kind"] == "step" and line["pid"] == driver:
            name = names.get(line["ends"], line["ends"])
            steps[name] = steps.get(name, 0.0) + line["cpu"] - last
            last = line["cpu"]
    stages: dict[str, dict[str, float]] = {}
    within: dict[str, float] = {}
    for line in lines:
        if line["kind"] == "make":
            for step, cpu in line["within"].items():
                within[step] = within.get(step, 0.0) + cpu
            stage = stages.setdefault(
                line["stage"], {"cpu": 0.0, "calls": 0, "start": line["start"], "end": line["end"]}
            )
            stage["cpu"] += line["cpu"]
            stage["calls"] += 1
            stage["start"], stage["end"] = min(stage["start"], line["start"]), max(stage["end"], line["end"])
    return {
        "driver": steps,
        "stages": {
            name: {"cpu": stage["cpu"], "calls": stage["calls"], "wall": stage["end"] - stage["start"]}
            for name, stage in stages.items()
        },
        "within": within,
        "graph": sum(line["bytes"] for line in lines if line["kind"] == "graph"),
        "transforms": sum(line["transforms"] for line in lines if line["kind"] == "graph"),
        "sent": sum(line["bytes"] for line in lines if line["kind"] == "send" and line["pid"] != driver),
        "returned": sum(line["bytes"] for line in lines if line["kind"] == "send" and line["pid"] == driver),
    }


def folder_sizes(out: Path) -> dict[str, Any]:
    """Return files and bytes of an output folder: of the manifest, of each stage's artefacts, of what is published."""
    manifest = (out / "current" / "manifest.json").stat().st_size
    stages: dict[str, dict[str, int]] = {}
    for path in (out / "_artefacts").rglob("*"):
        if path.is_file():
            stage = stages.setdefault(str(path.parent.relative_to(out / "_artefacts")), {"files": 0, "bytes": 0})
            stage["files"] += 1
            stage["bytes"] += path.stat().st_size
    published = [path.stat().st_size for path in (out / "current").resolve().rglob("*") if path.is_file()]
    return {"manifest": manifest, "artefacts": stages, "published": {"files": len(published), "bytes": sum(published)}}


def fresh(folder: Path) -> Path:
    """Return a folder of that name, emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def turns(sizes: Sequence[int], repeats: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of a part in their order, (repeat, size): every size once, then again; the largest never again.

    >>> list(turns([1, 2, 4], 2))
    [(0, 1), (0, 2), (0, 4), (1, 1), (1, 2)]
    """
    for repeat in range(repeats):
        yield from ((repeat, size) for size in sizes if not repeat or size != sizes[-1])
