"""Two equal slices, trained side by side in two processes against one after the other.

    python -m benchmarks training

The value is the time of the stage `train` of `lexbeam change` (from its plan to its last artefact)
with one process over that with two, on a sample corpus of 2 M words, made first.
"""

import statistics
from pathlib import Path

from benchmarks.change import make_config
from benchmarks.measure import Row, lexbeam, run_script, stage_seconds

TOKENS = 2_000_000
REPEATS = 3
SCRIPT = """
import sys
from pipelines.change import ChangeOptions, execute
from pipelines.change_plan import Corpus
from pipelines.runners import load_runner_config
from transforms.common.artefacts import Workspace
from transforms.common.snapshots import open_snapshot
corpus, work, runner = sys.argv[1:]
options = ChangeOptions(corpora=(corpus,), out=work, alignment=("op",),
                        slices="early=1800-1849,late=1950-1999")
read = Corpus.published(open_snapshot(corpus))
execute(options, [read], load_runner_config(runner), Workspace(work))
"""


def measure(folder: Path) -> list[Row]:
    """Return the row."""
    make_config(folder, TOKENS)
    corpus = str(folder / "corpus")
    lexbeam(
        "corpus", str(folder / "lines"), "--out", corpus, "--engine", "none", "--format", "lines",
        "--dates", r"name:^(\d{4})_", "--runner-config", "direct_multiprocess",
    )  # fmt: skip

    def train(runner: str, number: int) -> float:
        work = folder / f"{runner}{number}"
        run_script(SCRIPT, corpus, str(work), runner)
        return stage_seconds(work, "change/train")

    found = [train("direct", n) / train("direct_multiprocess", n) for n in range(REPEATS)]
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    name = "two slices trained side by side, over one after the other"
    return [Row(name, statistics.median(found), 1.8, False, "x", note)]
