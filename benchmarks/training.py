"""Two equal slices, trained side by side in two processes against one after the other.

    python -m benchmarks training

The value is the time of the stage `train` of `lexbeam change` (from its plan to its last artefact)
with one process over that with two, on a sample corpus of 2 M words, made first.
"""

import statistics
from pathlib import Path

from benchmarks.change import make_config
from benchmarks.measure import BenchmarkRow, lexbeam, stage_seconds

TOKENS = 2_000_000
REPEATS = 3


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the row."""
    make_config(folder, TOKENS)
    corpus = str(folder / "corpus")
    lexbeam(
        "corpus",
        str(folder / "lines"),
        "--out",
        corpus,
        "--engine",
        "none",
        "--format",
        "lines",
        "--dates",
        r"name:^(\d{4})_",
        "--runner-config",
        "direct_multiprocess",
    )

    def train(runner: str, number: int) -> float:
        work = folder / f"{runner}{number}"
        lexbeam(
            "change",
            corpus,
            "--out",
            str(work),
            "--alignment",
            "op",
            "--runner-config",
            runner,
            "--slices",
            "early=1800-1849,late=1950-1999",
        )
        return stage_seconds(work / "_artefacts", "change/train")

    found = [train("direct", n) / train("direct_multiprocess", n) for n in range(REPEATS)]
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    name = "two slices trained side by side, over one after the other"
    return [BenchmarkRow(name, statistics.median(found), 1.8, False, "x", note)]
