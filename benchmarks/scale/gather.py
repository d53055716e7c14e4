"""What a piece of work costs where all are brought together: CPU and memory of gathering so many, in one process.

`lanes` deals pieces out to two workers by weight (`SpreadOverLanes`), `result` hands small rows back to the driver
(`WriteResult`). The pieces are as small as they can be: what they hold comes on top.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import environment
from benchmarks.scale.runs import Checkout, Results, turns

SIZES = {"small": (1_000, 50_000, 200_000), "full": (1_000, 250_000, 1_000_000)}
CASES = ("lanes", "result")
REPEATS = 3
SCRIPT = """
import json, resource, sys, time
from lexbeam.transforms.common.spared_imports import spare_imports
spare_imports()
import apache_beam as beam
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.ptransforms import SpreadOverLanes, WriteResult

folder, case, size = sys.argv[1], sys.argv[2], int(sys.argv[3])

def pieces(start):
    for number in range(start, min(start + 1000, size)):
        yield f"{number:09d}", number % 97

def weight(piece):
    return 1.0 + piece[1]

start = time.process_time()
with beam.Pipeline(runner="FnApiRunner") as pipeline:
    made = pipeline | beam.Create(range(0, size, 1000)) | beam.Reshuffle() | "Pieces" >> beam.FlatMap(pieces)
    if case == "lanes":
        made | "Spread" >> SpreadOverLanes(weight, 2, Workspace(folder), "")
    else:
        made | "Write" >> WriteResult(folder + "/rows.json")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"cpu": time.process_time() - start, "peak": peak}))
"""


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    for case in CASES:
        for repeat, size in turns(SIZES[sizes], REPEATS):
            key = {"case": case, "label": checkout.label, "size": size, "repeat": repeat}
            if not results.has(key):
                with tempfile.TemporaryDirectory(dir=work) as folder:
                    done = subprocess.run(
                        [checkout.python, "-c", SCRIPT, folder, case, str(size)],
                        env=environment(PYTHONPATH=str(checkout.folder)),
                        cwd=checkout.folder,
                        capture_output=True,
                        text=True,
                    )
                if done.returncode:
                    raise RuntimeError(f"gathering failed: {done.stderr[-2000:]}")
                results.add({**key, **json.loads(done.stdout), "commit": checkout.commit()})
                yield f"{case}: {size:,} pieces, run {repeat + 1}"
