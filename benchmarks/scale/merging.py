"""Merges of staged files, by their number: CPU and memory for documents that are as many times more.

Each file holds what annotation makes of some 140 documents of 48 words. They are gathered and merged into eight
parts as the pipeline does it, but in one process, so that nothing else is measured.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT
from benchmarks.scale.runs import Checkout, Results

DOCUMENTS = 140
SENTENCES, WORDS = 6, 8
PARTS = 8
SIZES = {"small": (32, 128, 512), "full": (128, 512, 2048, 8192)}
REPEATS = 3


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run. Only this checkout can be measured."""
    for files in SIZES[sizes]:
        for repeat in range(REPEATS if files < max(SIZES[sizes]) else 1):
            key = {"case": "merge", "label": checkout.label, "size": files, "repeat": repeat}
            if not results.has(key):
                with tempfile.TemporaryDirectory(dir=work) as folder:
                    row = {**key, **merged(Path(folder), files), "commit": checkout.commit()}
                results.add(row)
                each = 1000 * row["cpu"] / row["documents"]
                yield f"{files:,} staged files, run {repeat + 1}: {each:.3f} ms a document"


def merged(folder: Path, files: int, documents: int = DOCUMENTS, sentences: int = SENTENCES) -> dict[str, Any]:
    """Merge staged files, with so many documents in each and sentences in a document, in a process of their own.

    Returns:
        `cpu`: seconds, `grown`: bytes by which resident memory grew at most, `open`: staged files that were open at
        a time at most, `documents`: how many rows were merged, `sha256`: of the parts.
    """
    words = [sys.executable, "-m", "benchmarks.scale.merging", str(folder), *map(str, (files, documents, sentences))]
    return dict(json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout))


def stage_files(folder: Path, files: int, documents: int, sentences: int) -> list[Any]:
    """Write staged files of so many documents, with so many sentences each; return them."""
    import numpy as np
    import pyarrow as pa

    from lexbeam.schemas.corpus_tables import SENTENCES as TABLE
    from lexbeam.transforms.common.code.fingerprints import digest, hash_of
    from lexbeam.transforms.common.store.artefacts import Artefact
    from lexbeam.transforms.common.store.staged import StagedWriter

    schema = TABLE.schema()
    known = pa.array([f"w{word}" for word in range(5000)])
    draw = np.random.default_rng(0)
    columns = {field.name: pa.nulls(sentences, field.type) for field in schema}
    columns["sentence"] = pa.array(np.arange(sentences, dtype=np.int32))
    offsets = np.arange(documents * sentences + 1, dtype=np.int32) * WORDS
    staged = []
    for number in range(files):
        artefact = Artefact(str(folder / f"{number}"))
        words = known.take(pa.array(draw.integers(0, len(known), documents * sentences * WORDS)))
        lemmas = pa.ListArray.from_arrays(offsets, words)
        with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
            for document in range(documents):
                name = digest([number, document])
                columns["document_id"] = pa.repeat(name, sentences)
                columns["lemmas"] = lemmas.slice(document * sentences, sentences)
                rows = pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)
                writer.add(hash_of(name), name, 0, rows)
        staged.append(writer.file(artefact.file(".arrow")))
    return staged


def _merge(folder: Path, files: int, documents: int, sentences: int) -> dict[str, Any]:
    from lexbeam.transforms.annotation.annotated_tables import MergeSentences
    from lexbeam.transforms.common.code.fingerprints import hash_of
    from lexbeam.transforms.common.store.artefacts import Workspace, make
    from lexbeam.transforms.common.store.merging_ptransforms import GATHERED
    from lexbeam.transforms.common.store.staged import Gather, GatherTask, MergeTask, groups

    space, gather = Workspace(str(folder / "work")), Gather("corpus")
    first = tuple(stage_files(folder, 1, documents, sentences))
    make(space, MergeSentences(), MergeTask(0, 1, first))  # what is read once
    staged = stage_files(folder, files, documents, sentences)
    idle, begun, most = _memory("VmRSS"), time.process_time(), 0
    for level in range(GATHERED):
        if number := groups(len(staged), PARTS, level == GATHERED - 1):
            of_group: dict[int, list[Any]] = {}
            for file in staged:
                of_group.setdefault(hash_of(file.sha256) % number, []).append(file)
            most = max(most, *map(len, of_group.values()))
            staged = [make(space, gather, GatherTask(PARTS, tuple(some))).file for some in of_group.values()]
    parts = [make(space, MergeSentences(), MergeTask(n, PARTS, tuple(staged))) for n in range(PARTS)]
    return {
        "cpu": time.process_time() - begun,
        "grown": _memory("VmHWM") - idle,
        "open": max(most, len(staged)),
        "documents": files * documents,
        "rows": sum(part.rows for part in parts),
        "sha256": [part.file.sha256 for part in parts],
    }


def _memory(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


if __name__ == "__main__":
    print(json.dumps(_merge(Path(sys.argv[1]), *map(int, sys.argv[2:]))))
