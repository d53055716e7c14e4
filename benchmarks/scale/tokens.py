"""Once, twice, four and eight times the tokens: annotated input with engine `none`, and text with `builtin:en`.

Documents have 1,000 words, files 100 documents, so that files grow with tokens; their sizes do not.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.scale.corpora import write_corpus
from benchmarks.scale.runs import Checkout, Results, folder_sizes, fresh, measured, turns

WORDS = 1000
DOCUMENTS = 100  # of a file
SEED = 1
CASES = {"none": "conllu", "builtin:en": "jsonl"}
SIZES = {
    "small": {"none": (500_000, 1_000_000, 2_000_000, 4_000_000), "builtin:en": (100_000, 200_000, 400_000, 800_000)},
    "full": {
        "none": (12_500_000, 25_000_000, 50_000_000, 100_000_000),
        "builtin:en": (1_250_000, 2_500_000, 5_000_000, 10_000_000),
    },
}
REPEATS = 3


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    for engine, numbers in SIZES[sizes].items():
        for repeat, tokens in turns(numbers, REPEATS):
            key = {"case": engine, "label": checkout.label, "size": tokens, "repeat": repeat}
            if not results.has(key):
                results.add({**key, **_run(checkout, work, engine, tokens)})
                yield f"{engine}: {tokens:,} tokens, run {repeat + 1}"


def _run(checkout: Checkout, work: Path, engine: str, tokens: int) -> dict[str, Any]:
    documents = tokens // WORDS
    files = max(1, documents // DOCUMENTS)
    texts = work / f"tokens-{CASES[engine]}-{tokens}"
    write_corpus(texts, CASES[engine], seed=SEED, documents=documents, words=WORDS, files=files)
    out = fresh(work / "out")
    found = measured(checkout, "corpus", str(texts), "--out", str(out), "--engine", engine, "--dates", r"name:(\d{4})-")
    found.update(folder_sizes(out))
    check_counts(out, documents)
    fresh(out)
    return {**found, "commit": checkout.commit(), "documents": documents, "files": files, "tokens": tokens}


def check_counts(out: Path, documents: int, rejects: int = 0) -> None:
    """Check what was published against what was written.

    Raises:
        RuntimeError: documents are missing, or too many.
    """
    section = json.loads((out / "current" / "manifest.json").read_text("utf-8"))["corpus"]
    found = (section["documents"], section["rejected"])
    if found != (documents, rejects):
        raise RuntimeError(f"{found} documents and rejects are published of {documents} and {rejects}")
