"""The whole job at 1x and at 10x the tokens, with the same vocabulary.

    python -m benchmarks scaling

`lexbeam run` on ready-lemmatised text in two processes; the value is the time at 10x over the time
at 1x. The sample generator has a fixed inventory of words.
"""

import statistics
from pathlib import Path

from benchmarks.change import make_config
from benchmarks.measure import BenchmarkRow, lexbeam, timed

TOKENS = 500_000
REPEATS = 3


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the row."""
    configs = []
    for name, tokens in (("small", TOKENS), ("large", 10 * TOKENS)):
        (folder / name).mkdir()
        configs.append(make_config(folder / name, tokens))
    measured = []
    for _ in range(REPEATS):
        small, large = (
            timed(
                lambda config=config: lexbeam(
                    "run", str(config), "--overwrite", "--fresh", "--runner-config", "direct_multiprocess"
                )
            )
            for config in configs
        )
        measured.append(large / small)
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in measured)}"
    return [BenchmarkRow("10x the tokens over 1x", statistics.median(measured), 10.5, True, "x", note)]
