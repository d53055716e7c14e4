"""Two equal slices, trained side by side in two processes against one after the other.

    python -m benchmarks training

The value is the time of one lane over the time of two, for the whole `lexbeam change` on a sample
corpus of 2 M words, workers' start included; the corpus is made first.
"""

from pathlib import Path

from benchmarks.change import make_config
from benchmarks.measure import Row, lexbeam, ratios

TOKENS = 2_000_000
REPEATS = 3


def measure(folder: Path) -> list[Row]:
    """Return the row."""
    make_config(folder, TOKENS)
    corpus = str(folder / "corpus")
    lexbeam(
        "corpus", str(folder / "lines"), "--out", corpus, "--engine", "none", "--format", "lines",
        "--dates", r"name:^(\d{4})_", "--runner-config", "direct_multiprocess",
    )  # fmt: skip

    def change(*options: str) -> None:
        lexbeam(
            "change", corpus, "--out", str(folder / "change"), "--overwrite",
            "--slices", "early=1800-1849,late=1950-1999", "--alignment", "op", *options,
        )  # fmt: skip

    value, found = ratios(
        lambda: change("--runner-config", "direct"),
        lambda: change("--runner-config", "direct_multiprocess"),
        REPEATS,
    )
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    return [Row("two slices side by side, over one after the other", value, 1.8, False, "x", note)]
