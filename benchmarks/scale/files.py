"""So many small files of 2 kB, and the same documents as ten files; what a file costs beside bare loops.

The documents are annotated (CoNLL-U), so that no engine's time covers what files cost. The bare loops list the
folders and ask for size and time of each file, open and close it, read it, and take the SHA-256 of its bytes.
"""

import hashlib
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.scale.corpora import write_corpus
from benchmarks.scale.runs import Checkout, Results, folder_sizes, fresh, measured, turns
from benchmarks.scale.tokens import check_counts

WORDS = 60  # of CoNLL-U, 2 kB
PACKED = 10
SEED = 2
SIZES = {"small": (1_000, 10_000, 100_000), "full": (10_000, 100_000, 1_000_000)}
REPEATS = 3
SAMPLE = 20_000


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    for repeat, documents in turns(SIZES[sizes], REPEATS):
        for case, files in (("files", documents), ("packed", PACKED)):
            key = {"case": case, "label": checkout.label, "size": documents, "repeat": repeat}
            if not results.has(key):
                texts = work / f"{case}-{documents}"
                write_corpus(texts, "conllu", seed=SEED, documents=documents, words=WORDS, files=files)
                results.add({**key, **_run(checkout, work, texts, documents, files)})
                yield f"{documents:,} documents in {files:,} files, run {repeat + 1}"
        key = {"case": "bare", "size": documents}
        texts = work / f"files-{documents}"
        if not results.has(key):
            results.add({**key, **bare(texts)})
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
    """Return the CPU seconds of bare loops over the files of a folder: medians of three, after one that is not counted.

    All are listed; of many, `SAMPLE` are opened and read, and their seconds stand for all.
    """
    listed = _walk(str(folder))
    paths = listed[:SAMPLE]
    kept = [Path(path).read_bytes() for path in paths]
    share = len(listed) / len(paths)
    opened, read = (share * _cpu(lambda loop=loop: loop(paths)) for loop in (_open_all, _read_all))
    return {
        "stat": _cpu(lambda: _walk(str(folder))),
        "open": opened,
        "read": read - opened,
        "digest": share * _cpu(lambda: [hashlib.sha256(content).hexdigest() for content in kept]),
    }


def _walk(place: str) -> list[str]:
    paths = []
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.is_dir():
                paths += _walk(entry.path)
            elif not entry.name.startswith("."):
                entry.stat()
                paths.append(entry.path)
    return paths


def _open_all(paths: Sequence[str]) -> None:
    for path in paths:
        with open(path, "rb"):
            pass


def _read_all(paths: Sequence[str]) -> None:
    for path in paths:
        with open(path, "rb") as file:
            file.read()


def _cpu(action: Callable[[], object]) -> float:
    seconds = []
    for _ in range(4):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds[1:])
