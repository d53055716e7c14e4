"""What all benchmarks use: ratios measured side by side, bounds, memory of a process tree."""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class BenchmarkRow(NamedTuple):
    """A measured figure with its bound: at least `bound`, or at most if `at_most`."""

    name: str
    value: float
    bound: float
    at_most: bool
    unit: str
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the bound is met."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound


class Skipped(Exception):
    """A benchmark cannot be run here; the message says what it needs."""


def data_folder() -> Path | None:
    """Return the folder of real corpora, or None."""
    folder = Path(os.environ.get("LEXBEAM_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


def timed(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that an action takes by a clock."""
    start = clock()
    action()
    return clock() - start


def ratios(
    first: Callable[[], object],
    second: Callable[[], object],
    repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, list[float]]:
    """Return the median of time(first) / time(second), measured alternately, and all ratios."""
    measured = []
    for number in range(repeats):
        # They take turns in going first, since the speed of a shared machine drifts.
        if number % 2:
            b = timed(second, clock)
            a = timed(first, clock)
        else:
            a = timed(first, clock)
            b = timed(second, clock)
        measured.append(a / b)
    return statistics.median(measured), measured


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of a measured process: one BLAS thread, this source."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONPATH": str(ROOT), **extra}


def lexbeam(*words: str) -> None:
    """Run the command in a process of its own."""
    _run("-m", "lexbeam.pipelines.cli", *words)


def run_script(script: str, *words: str) -> str:
    """Run a Python script in a process of its own and return what it printed."""
    return _run("-c", script, *words)


def _run(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"a measured process failed: {done.stderr[-2000:]}")
    return done.stdout


def descendants(process: int) -> list[int]:
    """Return the numbers of the processes that a process has started, and that these have."""
    try:
        tasks = Path(f"/proc/{process}/task")
        children = [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return children + [grandchild for child in children for grandchild in descendants(child)]


def proportional_memory(process: int) -> int:
    """Return the PSS of a process in KiB; 0 if it has ended."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def own_memory(name: str) -> float:
    """Return a line of the memory of this process in MiB, such as VmRSS (what it has) or VmHWM (the most it had)."""
    # Not `ru_maxrss`: a process inherits that from the one that started it.
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


def peak_memory(command: list[str], interval: float = 0.25) -> float:
    """Run a command; return the peak of the summed PSS of its process tree, in MiB."""
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
    peak = 0
    stop = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not stop.wait(interval):
            peak = max(peak, sum(map(proportional_memory, [process.pid, *descendants(process.pid)])))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    stop.set()
    watcher.join()
    if code:
        raise subprocess.CalledProcessError(code, command)
    return peak / 1024


def stage_seconds(work: Path, stage: str) -> float:
    """Return the seconds from a stage's plan to its last artefact, in the work folder of a run."""
    start = (work / "plan" / stage).stat().st_mtime
    return max(path.stat().st_mtime for path in (work / stage).glob("*.json")) - start


def report(rows: list[BenchmarkRow], path: Path | None, skipped: Mapping[str, str] | None = None) -> bool:
    """Print the rows as a table, write them as JSON, and return whether all bounds are met.

    Skipped benchmarks are printed with their reasons, and are not in the JSON.
    """
    print(f"{'measured':72}{'value':>10}  bound")
    for row in rows:
        sign = "<=" if row.at_most else ">="
        verdict = "" if row.ok else "   MISSED"
        print(f"{row.name:72}{row.value:10.3f}  {sign} {row.bound:g} {row.unit}{verdict}")
        if row.note:
            print(f"    {row.note}")
    for name, reason in (skipped or {}).items():
        print(f"{name}: skipped: {reason}")
    if path is not None:
        path.write_text(json.dumps([{**row._asdict(), "ok": row.ok} for row in rows], indent=1))
    return all(row.ok for row in rows)
