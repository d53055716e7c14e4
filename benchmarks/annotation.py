"""Annotation of staging files against a bare `nlp.pipe` loop over the same pieces.

    python -m benchmarks annotation

One BLAS thread each. The rows: throughput of step `AnnotateRecords` (text in, staged documents and
sentences out) over that of the bare loop in the same process, by CPU time; and of the annotation
stage of `lexbeam corpus` in two processes over that of the bare loop in one of its own, by the
clock, the loading of the models by the stage, but not by the loop, included. The texts are the
State of the Union addresses where LEXBEAM_DATA has them, else the sample corpus; the pipeline is
the trained one beside them, else a blank one with a sentencizer, whose figures say little.
"""

import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import BenchmarkRow, data_folder, lexbeam, ratios, run_script, stage_seconds
from lexbeam.transforms.annotation.annotate import AnnotateOptions, AnnotateRecords
from lexbeam.transforms.annotation.engines.engine import split_paragraphs
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit

REPEATS = 3
SHARE = 8  # one text in so many for the ratio in one process


def _texts(folder: Path) -> tuple[Path, str]:
    data = data_folder()
    if data is not None and (data.parent / "models" / "en_ud").is_dir():
        return data / "sotu", f"spacy:{data.parent / 'models' / 'en_ud'}"
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(folder / "blank")
    lexbeam("sample", "--out", str(folder / "sample"), "--tokens", "1000000")
    return folder / "sample" / "corpus", f"spacy:{folder / 'blank'}"


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    texts, spec = _texts(folder)
    paths = sorted(texts.glob("*.txt"))
    return [_one_process(folder, paths[::SHARE], spec), _two_processes(folder, paths, spec)]


BARE = """
import sys, time
from pathlib import Path
from benchmarks.annotation import bare
spec, *paths = sys.argv[1:]
loop = bare([Path(path) for path in paths], spec)
start = time.perf_counter()
loop()
print(time.perf_counter() - start)
"""


def bare(paths: list[Path], spec: str) -> Callable[[], None]:
    """Return the bare loop, its pipeline loaded."""
    import spacy

    nlp = spacy.load(spec.partition(":")[2])
    texts = (path.read_text("utf-8-sig") for path in paths)
    # The pieces as the engine is shown them.
    pieces = [" ".join(piece.split()) for text in texts for _, piece in split_paragraphs(text)]

    def loop() -> None:
        with one_thread():
            for _ in nlp.pipe(pieces, batch_size=64):
                pass

    return loop


def _one_process(folder: Path, paths: list[Path], spec: str) -> BenchmarkRow:
    files = [InputFile(path.name, str(path), path.stat().st_size, "in") for path in paths]
    space = Workspace(str(folder / "work"))
    unit = Unit(tuple(files), sum(file.size for file in files))
    receipt = make(space, Ingest(IngestOptions(format="text")), unit)
    load_engine(spec)
    info = describe_engine(spec)
    options = AnnotateOptions(engine=spec, name=info.name, fingerprint=info.fingerprint)

    def ours() -> None:
        shutil.rmtree(space.stage(AnnotateRecords.name), ignore_errors=True)
        for stage in receipt.stages:
            make(space, AnnotateRecords(options), AnnotateTask(stage, ()))

    loop = bare(paths, spec)
    loop()
    ours()  # both have warm caches now
    value, found = ratios(loop, ours, REPEATS, clock=time.process_time)
    note = f"all runs: {', '.join(f'{ratio:.3f}' for ratio in found)}"
    return BenchmarkRow("annotation over a bare nlp.pipe loop, one process", value, 0.95, False, "x", note)


def _two_processes(folder: Path, paths: list[Path], spec: str) -> BenchmarkRow:
    """Time the stage from its plan to its last artefact, the models' loading included."""
    found = []
    for number in range(REPEATS):
        single = float(run_script(BARE, spec, *map(str, paths)))
        work = folder / "two" / str(number)
        lexbeam(
            "corpus",
            str(paths[0].parent),
            "--out",
            str(work),
            "--format",
            "text",
            "--engine",
            spec,
            "--exclude",
            "*.csv",
            "--runner-config",
            "direct_multiprocess",
        )
        found.append(single / stage_seconds(work / "_artefacts", "corpus/annotate"))
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    name = "annotation stage in two processes over a bare nlp.pipe loop"
    return BenchmarkRow(name, statistics.median(found), 1.8, False, "x", note)
