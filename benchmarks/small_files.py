"""Many small files: seconds and memory of a corpus of 5,000, 50,000 or 500,000 of them.

    python -m benchmarks.small_files --files 5000,50000 --folder /dev/shm

Files of some 100 bytes, each a document, are listed, shown by `--dry-run`, taken in, asked for
again with `--resume`, and compared by `lexbeam status`. It prints seconds by the clock and of CPU, the
peak resident memory of the process and, from the second number of files on, what each further file took:
microseconds of CPU, and bytes.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import environment

WORDS = "ship sails over the sea and a sailor sings of land wind harbour star night rope anchor"
IN_FOLDER = 1000


class Used(NamedTuple):
    """What a process used: seconds by the clock, seconds of CPU, and peak memory in bytes."""

    wall: float
    cpu: float
    memory: int


def write_files(folder: Path, number: int, seed: int = 7) -> None:
    """Write `number` documents, no two alike, a thousand to a folder; their names have a year."""
    rng = random.Random(seed)
    words = WORDS.split()
    for index in range(number):
        place = folder / f"{index // IN_FOLDER:04d}"
        if index % IN_FOLDER == 0:
            place.mkdir(parents=True)
        text = f"number {index} the {' '.join(rng.choices(words, k=14))}"
        (place / f"{1800 + index % 200}-{index:06d}.txt").write_text(text, "ascii")


def used(*words: str) -> Used:
    """Run a command and return what it used.

    Raises:
        RuntimeError: it failed.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "lexbeam.pipelines.cli", *words], env=environment(), stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"lexbeam {' '.join(words)} ended with {process.returncode}")
    wall = time.perf_counter() - start
    return Used(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def _measured(folder: Path, number: int, options: list[str]) -> dict[str, Used]:
    texts, out = str(folder / "texts"), str(folder / "out")
    write_files(folder / "texts", number)
    words = ["corpus", texts, "--out", out, "--dates", r"name:(\d{4})-", *options]
    try:
        return {
            "dry run": used(*words, "--dry-run"),
            "corpus": used(*words),
            "again, --resume": used(*words, "--resume"),
            "status": used("status", out),
        }
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", default="1000,5000,50000", help="numbers of files")
    parser.add_argument("--folder", type=Path, help="where to work")
    parser.add_argument("--options", default="--format lines", help="options of lexbeam corpus")
    options = parser.parse_args()
    first: dict[str, Used] = {}
    smallest = 0
    print("| files | command | seconds | CPU seconds | MiB | us a file | bytes a file |")
    print("|---|---|---|---|---|---|---|")
    for number in sorted(int(text) for text in options.files.split(",")):
        work = Path(tempfile.mkdtemp(dir=options.folder))
        for name, use in _measured(work, number, options.options.split()).items():
            more = ["", ""]
            if name in first:
                further = number - smallest
                more[0] = f"{(use.cpu - first[name].cpu) / further * 1e6:.0f}"
                more[1] = f"{(use.memory - first[name].memory) / further:.0f}"
            first.setdefault(name, use)
            cells = [f"{use.wall:.1f}", f"{use.cpu:.1f}", f"{use.memory / 2**20:.0f}", *more]
            print(f"| {number} | {name} | {' | '.join(cells)} |", flush=True)
        smallest = smallest or number


if __name__ == "__main__":
    main()
