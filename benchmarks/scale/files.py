"""So many small files of 2 kB, and the same documents as ten files; what a file costs beside bare loops.

The documents are annotated (CoNLL-U), so that no engine's time covers what files cost. The bare loops list the
folders and ask for size and time of each file, open and close it, read it, and take the SHA-256 of what was read.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.scale.corpora import write_corpus
from benchmarks.scale.runs import Checkout, Results, folder_sizes, fresh, measured
from benchmarks.scale.tokens import check_counts

__all__ = ["WORDS", "run"]

WORDS = 60  # of CoNLL-U, 2 kB
PACKED = 10
SEED = 2
SIZES = {"small": (1_000, 10_000, 100_000), "full": (10_000, 100_000, 1_000_000)}
REPEATS = 3


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    numbers = SIZES[sizes]
    for place, documents in enumerate(numbers):
        for case, files in (("files", documents), ("packed", PACKED)):
            texts = work / f"{case}-{documents}"
            for repeat in range(REPEATS if place < len(numbers) - 1 else 1):
                key = {"case": case, "label": checkout.label, "size": documents, "repeat": repeat}
                if not results.has(key):
                    write_corpus(texts, "conllu", seed=SEED, documents=documents, words=WORDS, files=files)
                    results.add({**key, **_run(checkout, work, texts, documents, files)})
                    yield f"{documents:,} documents in {files:,} files, run {repeat + 1}"
        key = {"case": "bare", "size": documents}
        if not results.has(key):
            write_corpus(
                work / f"files-{documents}", "conllu", seed=SEED, documents=documents, words=WORDS, files=documents
            )
            results.add({**key, **bare(work / f"files-{documents}")})
            yield f"bare loops over {documents:,} files"


def _run(checkout: Checkout, work: Path, texts: Path, documents: int, files: int) -> dict[str, Any]:
    out = fresh(work / "out")
    found = measured(checkout, "corpus", str(texts), "--out", str(out), "--engine", "none")
    found.update(folder_sizes(out))
    check_counts(out, documents)
    fresh(out)
    numbers = {"documents": documents, "files": files, "tokens": documents * WORDS}
    return {**found, "commit": checkout.commit(), **numbers}


def bare(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of bare loops over all files of a folder."""
    paths: list[str] = []

    def walk(place: str) -> None:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir():
                    walk(entry.path)
                elif not entry.name.startswith("."):
                    entry.stat()
                    paths.append(entry.path)

    def open_all() -> None:
        for path in paths:
            with open(path, "rb"):
                pass

    def read_all() -> None:
        for path in paths:
            with open(path, "rb") as file:
                file.read()

    def digest_all() -> None:
        for path in paths:
            with open(path, "rb") as file:
                hashlib.sha256(file.read()).hexdigest()

    steps = {"stat": _cpu(lambda: walk(str(folder))), "open": _cpu(open_all), "read": _cpu(read_all)}
    steps["digest"] = _cpu(digest_all)
    # Each loop does what the one before it does, and one thing more.
    steps["digest"] -= steps["read"]
    steps["read"] -= steps["open"]
    return steps


def _cpu(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start
