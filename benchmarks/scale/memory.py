"""Peak memory of `lexbeam corpus` and of `lexbeam change` with one seed and one pass, two workers.

It is PSS summed over all processes.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale.corpora import write_corpus
from benchmarks.scale.runs import Checkout, Results, fresh, measured
from benchmarks.scale.tokens import DOCUMENTS, SEED, WORDS, check_counts

BOUND = 3 << 30
SIZES = {"small": (2_000_000,), "full": (12_500_000, 100_000_000)}
EPOCHS = "1"  # a pass more takes time alone
SLICES = "early=1800-1849,late=1950-1999"


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    for tokens in SIZES[sizes]:
        keys = [{"case": case, "label": checkout.label, "size": tokens} for case in ("corpus", "change")]
        if all(map(results.has, keys)):
            continue
        documents = tokens // WORDS
        texts, out = work / f"tokens-conllu-{tokens}", fresh(work / "out")
        write_corpus(texts, "conllu", seed=SEED, documents=documents, words=WORDS, files=max(1, documents // DOCUMENTS))
        commands = (
            ("corpus", str(texts), "--out", str(out), "--engine", "none", "--dates", r"name:(\d{4})-"),
            ("change", "--out", str(out), "--slices", SLICES, "--seeds", "1", "--epochs", EPOCHS),
        )
        for key, words in zip(keys, commands, strict=True):
            row = {**key, **measured(checkout, *words), "commit": checkout.commit()}
            if not results.has(key):
                results.add(row)
            yield f"{words[0]}: {tokens:,} tokens, {row['peak'] / 2**20:,.0f} MiB"
        check_counts(out, documents)
        fresh(out)
