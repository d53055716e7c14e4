"""One large file of JSON lines, taken in by one process and by two.

Annotation would take a hundred times longer than taking in, and hide it: a last line that is no JSON, of which no
reject is allowed, ends the run before annotation. Seconds by the clock are from the first piece of work of the
stages that take in to the last.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.scale.corpora import drawn, jsonl
from benchmarks.scale.runs import Checkout, Results, fresh, measured

__all__ = ["run"]

WORDS = 350  # 2 kB
SEED = 3
SIZES = {"small": 200_000_000, "full": 20_000_000_000}
REPEATS = 3
PASS = 100_000_000  # bytes that are made; a larger file repeats them, with other numbers


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results, one and two processes in turn; yield a line for each run."""
    size = SIZES[sizes]
    path = work / f"cut-{size}.jsonl"
    for repeat in range(REPEATS):
        for processes in (1, 2):
            key = {"case": f"{processes}", "label": checkout.label, "size": size, "repeat": repeat}
            if not results.has(key):
                write_lines(path, size)
                row = {**key, **_run(checkout, work, path, processes), "commit": checkout.commit()}
                results.add(row)
                yield f"{size / 1e6:,.0f} MB, {processes} at work, run {repeat + 1}: {row['taking']:.1f} s"


def _run(checkout: Checkout, work: Path, path: Path, processes: int) -> dict[str, Any]:
    out = fresh(work / "out")
    words = ("corpus", str(path), "--out", str(out), "--engine", "builtin:en", "--max-reject-share", "0")
    found = measured(checkout, *words, processes=processes, fails="input records were rejected")
    fresh(out)
    return {**found, "taking": sum(stage["wall"] for stage in found["stages"].values())}


def write_lines(path: Path, size: int) -> None:
    """Write JSON lines of about so many bytes, and one that is broken; what stands there already is left."""
    if path.exists():
        return
    made, total = [], 0
    for number, ranks in drawn(SEED, PASS // 1000, WORDS):
        made.append(jsonl(number, ranks).replace(f"Number {number}.", "Number {}.", 1))
        total += len(made[-1])
        if total >= min(size, PASS):
            break
    hidden, written, number = path.with_suffix(".part"), 0, 0
    with hidden.open("w", encoding="ascii") as file:
        while written < size:
            for line in made:
                written += file.write(line.replace("{}", str(number), 1))
                number += 1
        file.write("{\n")
    hidden.rename(path)
