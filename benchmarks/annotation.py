"""Annotation of staging files against a bare `nlp.pipe` loop over the same pieces.

    python -m benchmarks annotation

One BLAS thread each. The rows: throughput of `annotate_file` (text in, staged documents and
sentences out) in one process over that of the bare loop; and of the whole `lexbeam corpus` in two
processes, ingestion, merging and the workers' start included. The texts are the State of the Union
addresses where LEXBEAM_DATA has them, else the sample corpus; the pipeline is the trained one
beside them, else a blank one with a sentencizer, whose figures say little.
"""

import shutil
from pathlib import Path

from benchmarks.measure import Row, data_folder, lexbeam, ratios, timed
from transforms.annotation.annotate import AnnotateOptions, annotate_file
from transforms.annotation.base import describe_engine, load_engine, split_paragraphs
from transforms.common.artefacts import Workspace
from transforms.common.blas import one_thread
from transforms.formats.ingest import IngestOptions, InputFile, Unit, ingest_unit

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


def _pieces(paths: list[Path]) -> list[str]:
    """Return the paragraphs as the engine is shown them."""
    texts = (path.read_text("utf-8-sig") for path in paths)
    return [" ".join(piece.split()) for text in texts for _, piece in split_paragraphs(text)]


def measure(folder: Path) -> list[Row]:
    """Return the rows."""
    texts, spec = _texts(folder)
    paths = sorted(texts.glob("*.txt"))
    rows = [_one_process(folder, paths[::SHARE], spec)]

    import spacy

    nlp = spacy.load(spec.partition(":")[2])
    pieces = _pieces(paths)

    def bare() -> None:
        with one_thread():
            for _ in nlp.pipe(pieces, batch_size=64):
                pass

    def job() -> None:
        lexbeam(
            "corpus", str(texts), "--exclude", "*.csv", "--out", str(folder / "out"), "--overwrite",
            "--format", "text", "--engine", spec, "--runner-config", "direct_multiprocess",
        )  # fmt: skip

    found = [timed(bare) / timed(job) for _ in range(2)]
    note = f"all runs: {', '.join(f'{ratio:.2f}' for ratio in found)}"
    name = "whole corpus job in two processes over a bare nlp.pipe loop"
    return [*rows, Row(name, max(found), 1.8, False, "x", note)]


def _one_process(folder: Path, paths: list[Path], spec: str) -> Row:
    import spacy

    files = [InputFile(path.name, str(path), path.stat().st_size, "in") for path in paths]
    space = Workspace(str(folder / "work"))
    unit = Unit(tuple(files), sum(file.size for file in files))
    receipt = ingest_unit(space, unit, IngestOptions(format="text"))
    engine = load_engine(spec)
    options = AnnotateOptions(engine=spec, fingerprint=describe_engine(spec).fingerprint)
    nlp = spacy.load(spec.partition(":")[2])
    pieces = _pieces(paths)

    def ours() -> None:
        shutil.rmtree(folder / "work" / "annotate", ignore_errors=True)
        for path, ready, _, _ in receipt["files"]:
            annotate_file(space, path, ready, (), engine, options)

    def bare() -> None:
        with one_thread():
            for _ in nlp.pipe(pieces, batch_size=64):
                pass

    value, found = ratios(bare, ours, REPEATS)
    note = f"all runs: {', '.join(f'{ratio:.3f}' for ratio in found)}"
    return Row("annotation over a bare nlp.pipe loop, one process", value, 0.95, False, "x", note)
