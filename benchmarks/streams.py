"""Documents a second that a stream and a watch take in and annotate, beside runs, on two worker processes.

    python -m benchmarks.streams --documents 3000

The stream (`flink_stream`) finds all documents there when it starts; what counts is from its first window to its last.
Runs are of all documents and of half of them, on Beam's direct runner: the difference has no start-up in it. A watch,
on the same runner, gets half of them at once, and when these are published as many as all. Stream, watch and runs are
taken in turn, so many times; the medians are printed.
"""

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from benchmarks.measure import ROOT, environment
from lexbeam.transforms.annotation.landed_texts import Landed
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.store.receipts import read_receipt

WORDS = "ship sea captain sail wind harbour gold letter news king war storm crew deck island".split()  # noqa: SIM905
BYTES = 2000
WINDOW = 250
RUN = "direct_multiprocess"


def _text(number: int) -> str:
    draw = random.Random(number)
    sentences = (" ".join(draw.choices(WORDS, k=draw.randint(5, 20))).capitalize() + "." for _ in range(200))
    return "\n".join(sentences)[:BYTES]


def _write(folder: Path, numbers: Iterable[int]) -> None:
    folder.mkdir(parents=True)
    for number in numbers:
        (folder / f"{number:06}.txt").write_text(_text(number), "utf-8")


def _world(folder: Path, documents: int) -> Path:
    """Make a configuration of documents, which have settled."""
    _write(folder / "texts", range(documents))
    corpus = {"inputs": ["texts"], "engine": "builtin:en", "language": "en"}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({"out": "out", "corpus": corpus}), "utf-8")
    return path


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "lexbeam.pipelines.cli", *words]


def _landed(out: Path) -> Iterator[tuple[float, int]]:
    """Yield when windows landed, and their documents."""
    for path in (out / "_artefacts" / "corpus" / "land").glob("*.json"):
        receipt = read_receipt(str(path), str(out / "_artefacts"), Landed)
        yield path.stat().st_mtime, receipt.counts["documents"]


def _stream(folder: Path, documents: int) -> float:
    config = _world(folder, documents)
    words = _command("stream", str(config), "--window", "5s", "--window-size", str(WINDOW), "--every", "1s")
    process = subprocess.Popen(words, env=environment(PYTHONPATH=str(ROOT)), stdout=subprocess.DEVNULL)
    try:
        while sum(number for _, number in _landed(folder / "out")) < documents:
            if process.poll() is not None:
                raise RuntimeError("the stream has ended")
            time.sleep(1)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    windows = sorted(_landed(folder / "out"))
    return (documents - windows[0][1]) / (windows[-1][0] - windows[0][0])


def _run(folder: Path, documents: int) -> float:
    """Return the seconds of a run."""
    words = ["run", str(_world(folder, documents)), "--runner-config", RUN, "--", "--direct_num_workers=2"]
    begun = time.perf_counter()
    subprocess.run(_command(*words), env=environment(PYTHONPATH=str(ROOT)), check=True, capture_output=True)
    return time.perf_counter() - begun


def _watch(folder: Path, documents: int) -> float:
    words = ["refresh", str(_world(folder, 1)), "--watch", "--watch-poll", "1", "--watch-files", "1"]
    words += ["--runner-config", RUN, "--max-change", "1", "--", "--direct_num_workers=2"]
    process = subprocess.Popen(_command(*words), env=environment(PYTHONPATH=str(ROOT)), stdout=subprocess.DEVNULL)
    seconds, there = [], 1
    try:
        _wait_for(there, folder / "out", process)
        for more in (documents // 2, documents):
            _write(folder / str(more), range(there, there + more))
            there += more
            begun = time.perf_counter()
            for path in (folder / str(more)).iterdir():
                path.rename(folder / "texts" / path.name)
            _wait_for(there, folder / "out", process)
            seconds.append(time.perf_counter() - begun)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    return (documents - documents // 2) / (seconds[1] - seconds[0])


def _wait_for(documents: int, out: Path, process: "subprocess.Popen[bytes]") -> None:
    while (snapshot := find_snapshot(str(out))) is None or snapshot.tables["documents"]["rows"] < documents:
        if process.poll() is not None:
            raise RuntimeError("the watch has ended")
        time.sleep(0.2)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    whole, half = given.documents, given.documents // 2
    rates: dict[str, list[float]] = {"stream": [], "watch": [], RUN: []}
    with tempfile.TemporaryDirectory(prefix="lexbeam-streams-") as name:
        for turn in range(given.times):
            folder = Path(name) / str(turn)
            rates["stream"].append(_stream(folder / "stream", whole))
            rates["watch"].append(_watch(folder / "watch", whole))
            seconds = [_run(folder / str(size), size) for size in (whole, half)]
            rates[RUN].append((whole - half) / (seconds[0] - seconds[1]))
            print(f"turn {turn + 1}, load {os.getloadavg()[0]:.1f}: {rates}", file=sys.stderr, flush=True)
    print(f"{whole:,} documents of {BYTES:,} bytes, median of {given.times}\n")
    print("| | documents a second |\n|---|---|")
    for runner, found in rates.items():
        print(f"| {runner} | {statistics.median(found):.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
