"""Annotation on a Flink cluster of one TaskManager, and of two, each with one slot; and memory, where it shuffles.

Seconds by the clock from the first piece of annotation that a worker takes up to the last that is done: the starts of
the cluster, of the driver and of the job are left out, and what comes before and after. Memory is the peak of the
driver, and of the worker that takes most, by the run's own log, of annotated input.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.flink_kills import JAR, Running, running_cluster
from benchmarks.measure import environment
from benchmarks.scale.corpora import write_corpus
from benchmarks.scale.runs import Checkout, Results, fresh
from benchmarks.scale.tokens import check_counts
from lexbeam.transforms.common.publish.run_log import read_run_log

WORDS = 1000
DOCUMENTS = 100  # of a file
SEED = 1
SIZES = {"small": 1_600_000, "full": 10_000_000}  # tokens
MEMORY = {"small": (500_000, 4_000_000), "full": (12_500_000, 100_000_000)}  # tokens
REPEATS = 3
# Notes when a process opens a file of annotation: it looks for the receipt of a piece before it begins, and writes it
# when the piece is done. Merges read such files later.
NOTES = """
import os, sys, time
_log = os.open(os.environ["ANNOTATION_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def _note(event, arguments):
    if event == "open" and "/_artefacts/corpus/annotate/" in str(arguments[0]):
        done = ".json." in str(arguments[0]) and "x" in (arguments[1] or "")
        os.write(_log, f"{os.getpid()} {time.time()} {'done' if done else 'at work'}\\n".encode())
sys.addaudithook(_note)
"""


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results, one and two TaskManagers in turn; yield a line for each run."""
    tokens = SIZES[sizes]
    for repeat in range(REPEATS):
        for managers in (1, 2):
            key = {"case": f"{managers}", "label": checkout.label, "size": tokens, "repeat": repeat}
            if not results.has(key):
                row = {**key, **_run(checkout, work, tokens, managers), "commit": checkout.commit()}
                results.add(row)
                yield f"{tokens:,} tokens, TaskManagers {managers}, run {repeat + 1}: {row['taking']:.1f} s"

    for tokens in MEMORY[sizes]:
        key = {"case": "memory", "label": checkout.label, "size": tokens}
        if not results.has(key):
            results.add({**key, **_memory(checkout, work, tokens), "commit": checkout.commit()})
            yield f"{tokens:,} tokens, memory"


def _run(checkout: Checkout, work: Path, tokens: int, managers: int) -> dict[str, Any]:
    documents = tokens // WORDS
    texts = work / f"tokens-jsonl-{tokens}"
    write_corpus(texts, "jsonl", seed=SEED, documents=documents, words=WORDS, files=documents // DOCUMENTS)
    with tempfile.TemporaryDirectory(prefix="lexbeam-scale-") as name:
        log = Path(name) / "log"
        out, told = fresh(work / "out"), {"ANNOTATION_LOG": str(log)}
        with running_cluster(
            Path(name), JAR, told, hook=NOTES, task_managers=managers, source=checkout.folder
        ) as running:
            start = time.perf_counter()
            _take_in(checkout, running, texts, out, "builtin:en", managers)
            wall, load = time.perf_counter() - start, os.getloadavg()[0]
        noted = log.read_text("ascii").splitlines()
    check_counts(out, documents)
    fresh(out)
    return {"taking": seconds(noted, managers), "wall": wall, "load": load, "tokens": tokens, "documents": documents}


def _memory(checkout: Checkout, work: Path, tokens: int) -> dict[str, Any]:
    documents = tokens // WORDS
    texts, out = work / f"tokens-conllu-{tokens}", fresh(work / "out")
    write_corpus(texts, "conllu", seed=SEED, documents=documents, words=WORDS, files=documents // DOCUMENTS)
    with (
        tempfile.TemporaryDirectory(prefix="lexbeam-scale-") as name,
        running_cluster(Path(name), JAR, hook="", source=checkout.folder) as running,
    ):
        _take_in(checkout, running, texts, out, "none", 2)
    check_counts(out, documents)
    peaks: dict[str, int] = {}
    for line in read_run_log(str(out)):
        name = "driver_peak" if line.worker == "driver" else "worker_peak"
        peaks[name] = max(peaks.get(name, 0), line.memory)
    fresh(out)
    return {**peaks, "tokens": tokens, "documents": documents}


def _take_in(checkout: Checkout, running: Running, texts: Path, out: Path, engine: str, managers: int) -> None:
    words = ["corpus", str(texts), "--out", str(out), "--engine", engine, "--dates", r"name:(\d{4})-"]
    words += ["--runner-config", "flink_cluster", "--", f"--parallelism={managers}"]
    done = subprocess.run(
        [checkout.python, "-m", "lexbeam.pipelines.cli", *words],
        env=environment(PYTHONPATH=str(checkout.folder), **running.environment),
        cwd=checkout.folder,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"`{' '.join(words)}` ended with {done.returncode}: {done.stderr[-2000:]}")


def seconds(noted: Sequence[str], workers: int) -> float:
    """Return seconds from the first time that workers have noted to the last at which a piece was done.

    >>> seconds(["7 10.5 at work", "8 11.0 at work", "8 13.0 done", "7 14.0 done", "7 20.0 at work"], 2)
    3.5

    Args:
        noted: a process, a time, and whether it is at work or done, each.
        workers: how many must have done pieces.

    Raises:
        RuntimeError: as many have not.
    """
    done = [line.split() for line in noted if line.endswith(" done")]
    found = {process for process, *_ in done}
    if len(found) != workers:
        raise RuntimeError(f"{len(found)} workers annotated instead of {workers}")
    return max(float(time) for _, time, _ in done) - min(float(line.split()[1]) for line in noted)
