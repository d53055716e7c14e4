"""So many small texts, each a file, of which a task makes pairs: what files cost where they are no corpus."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale.corpora import write_corpus
from benchmarks.scale.runs import Checkout, Results, folder_sizes, fresh, measured, turns

WORDS = 60
SEED = 2
SIZES = {"small": (1_000, 10_000), "full": (1_000, 10_000, 100_000)}
REPEATS = 3
LIMITS = ("--min-summary-words", "1", "--min-passage-words", "1", "--max-reject-share", "1")


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    for repeat, files in turns(SIZES[sizes], REPEATS):
        key = {"case": "pairs", "label": checkout.label, "size": files, "repeat": repeat}
        if not results.has(key):
            texts, out = work / f"texts-{files}", fresh(work / "out")
            write_corpus(texts, "text", seed=SEED, documents=files, words=WORDS, files=files)
            cut = ("--layout", "documents", "--format", "text", "--summary", "first-sentence", "--keep-rest", *LIMITS)
            found = measured(checkout, "cloze", "pairs", str(texts), *cut, "--out", str(out))
            results.add({**key, **found, **folder_sizes(out), "commit": checkout.commit()})
            fresh(out)
            yield f"pairs of {files:,} files, run {repeat + 1}"
