"""One large file of JSON lines, taken in by one process and by two.

Annotation would take a hundred times longer than taking in, and hide it: a last line that is no JSON, of which no
reject is allowed, ends the run before annotation. Seconds by the clock are from the first piece of work of the
stages that take in to the last.

Beside it the pass that cuts the file, by itself, in one process: its CPU, that of the SHA-256 alone, and that of taking
in the pieces, so that the gain of more workers can be told where these cannot be measured without disturbance.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import environment
from benchmarks.scale.corpora import drawn, jsonl
from benchmarks.scale.runs import Checkout, Results, fresh, measured

WORDS = 350  # 2 kB
SEED = 3
SIZES = {"small": 200_000_000, "full": 20_000_000_000}
REPEATS = 3
TAKEN_IN = 8  # pieces
SCRIPT = """
import hashlib, json, sys, time
from pathlib import Path
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.formats.ingest.cut_files import CutFile, looked_at, units_of
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile

folder, path, most = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
file = InputFile(path.name, str(path), path.stat().st_size, "in")
options, workspace = IngestOptions(), Workspace(folder)

def timed(call):
    start = time.process_time()
    made = call()
    return made, time.process_time() - start

task = looked_at(file, options)
for step, made in ((CutFile(), task), (Ingest(options), None)):
    step.code(step.entries(made))  # once in a worker, whatever it makes
receipt, passed = timed(lambda: make(workspace, CutFile(), task))
with path.open("rb") as stream:
    _, digest = timed(lambda: hashlib.file_digest(stream, "sha256"))
units = units_of(task, receipt)
taken = [timed(lambda unit=unit: make(workspace, Ingest(options), unit))[1] for unit in units[:most]]
bytes = sum(unit.size for unit in units[:most])
print(json.dumps({"pass": passed, "digest": digest, "pieces": sum(taken) * file.size / bytes, "number": len(units)}))
"""
PASS = 100_000_000  # bytes that are made; a larger file repeats them, with other numbers


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results, one and two processes in turn; yield a line for each run."""
    size = SIZES[sizes]
    path = work / f"cut-{size}.jsonl"
    for repeat in range(REPEATS):
        for processes in (1, 2):
            key = {"case": f"{processes}", "label": checkout.label, "size": size, "repeat": repeat}
            if not results.has(key):
                write_lines(path, size)
                row = {**key, **_run(checkout, work, path, processes), "commit": checkout.commit()}
                results.add(row)
                yield f"{size / 1e6:,.0f} MB, {processes} at work, run {repeat + 1}: {row['taking']:.1f} s"
        key = {"case": "pass", "label": checkout.label, "size": size, "repeat": repeat}
        if checkout.label == "after" and not results.has(key):
            write_lines(path, size)
            with tempfile.TemporaryDirectory(dir=work) as folder:
                done = subprocess.run(
                    [checkout.python, "-c", SCRIPT, folder, str(path), str(TAKEN_IN)],
                    env=environment(PYTHONPATH=str(checkout.folder)),
                    cwd=checkout.folder,
                    capture_output=True,
                    text=True,
                )
            if done.returncode:
                raise RuntimeError(f"cutting failed: {done.stderr[-2000:]}")
            results.add({**key, **json.loads(done.stdout), "commit": checkout.commit()})
            yield f"{size / 1e6:,.0f} MB, the pass, run {repeat + 1}"


def _run(checkout: Checkout, work: Path, path: Path, processes: int) -> dict[str, Any]:
    out = fresh(work / "out")
    words = ("corpus", str(path), "--out", str(out), "--engine", "builtin:en", "--max-reject-share", "0")
    found = measured(checkout, *words, processes=processes, fails="input records were rejected")
    fresh(out)
    return {**found, "taking": sum(stage["wall"] for stage in found["stages"].values())}


def write_lines(path: Path, size: int) -> None:
    """Write JSON lines of about so many bytes, and one that is broken; what stands there already is left."""
    if path.exists():
        return
    made, total = [], 0
    for number, ranks in drawn(SEED, PASS // 1000, WORDS):
        made.append(jsonl(number, ranks).replace(f"Number {number}.", "Number {}.", 1))
        total += len(made[-1])
        if total >= min(size, PASS):
            break
    hidden, written, number = path.with_suffix(".part"), 0, 0
    with hidden.open("w", encoding="ascii") as file:
        while written < size:
            for line in made:
                written += file.write(line.replace("{}", str(number), 1))
                number += 1
        file.write("{\n")
    hidden.rename(path)
