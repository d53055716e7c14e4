"""Peak memory of taking in one large file, over the idle process.

    python -m benchmarks ingest_memory

A file of 1 GB (10^9 bytes on disk, archives packed) is made of varied words, and a fresh process
takes it in as the pipeline does: step `Ingest`, staging files, rejects and receipt written. The
figure is the peak of its resident memory (VmHWM) less what it held before, all modules imported.

Records of JSON lines and TSV are of 1.7 kB. Whether memory depends on their number is seen by the
kinds that have no row here, of 500 bytes and of 50 kB:

    python -c "from pathlib import Path; from benchmarks.ingest_memory import grown
    print(grown(Path('.'), 'jsonl, records of 500 B', 10**9))"
"""

import gzip
import itertools
import json
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import BenchmarkRow, environment, own_memory
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.artefacts import make as make_artefact
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit, read_documents
from lexbeam.transforms.formats.records.base import ReaderOptions

GIGABYTE = 10**9
BOUND = 300


def _text() -> str:
    """Return some 2 MB of words and stray quotes, of which every record is a stretch."""
    rng = random.Random(1)
    letters = "eeeeaaaiiioounnrrssttdlmhcgfpbvkyzäéß"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 11))) for _ in range(20_000)]
    drawn = rng.choices(words, [1 / (rank + 10) for rank in range(len(words))], k=300_000)
    return " ".join(f'"{word}.' if n % 17 == 16 else word for n, word in enumerate(drawn))


def stretches(mean: int) -> Iterator[str]:
    """Yield stretches of text without end, of half to one and a half times `mean` characters."""
    rng, text = random.Random(2), _text()
    while True:
        start = rng.randrange(len(text) - 2 * mean)
        yield text[start : start + rng.randint(mean // 2, mean * 3 // 2)]


def _jsonl(mean: int) -> Iterator[bytes]:
    for number, text in enumerate(stretches(mean)):
        record = {"id": number, "date": f"{1800 + number % 100}", "author": "N. N.", "text": text}
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _tsv() -> Iterator[bytes]:
    yield b"id\tdate\tauthor\ttext\n"
    for number, text in enumerate(stretches(1500)):
        yield f"{number}\t{1800 + number % 100}\tN. N.\t{text}\n".encode()


def _lines() -> Iterator[bytes]:
    yield from (f"{text}\n".encode() for text in stretches(120))


def _conllu() -> Iterator[bytes]:
    for text in stretches(120):
        rows = (f"{n}\t{w}\t{w}" + "\t_" * 7 for n, w in enumerate(text.split(), 1))
        yield ("\n".join(rows) + "\n\n").encode()


def _texts() -> Iterator[bytes]:
    for number, text in enumerate(stretches(50_000)):
        yield _padded(f"{number // 1000}/{number}.txt", text.encode())


def _padded(name: str, content: bytes) -> bytes:
    return _header(name, len(content)) + content + bytes(-len(content) % tarfile.BLOCKSIZE)


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf()


# Each kind's name: its ending, its format, and what makes its pieces, without end.
KINDS: dict[str, tuple[str, str, Callable[[], Iterator[bytes]]]] = {
    "jsonl": (".jsonl", "jsonl", lambda: _jsonl(1500)),
    "jsonl, records of 500 B": (".jsonl", "jsonl", lambda: _jsonl(430)),
    "jsonl, records of 50 kB": (".jsonl", "jsonl", lambda: _jsonl(50_000)),
    "tsv": (".tsv", "csv", _tsv),
    "lines": (".txt", "lines", _lines),
    "conllu": (".conllu", "conllu", _conllu),
    "tar.gz of texts": (".tar.gz", "text", _texts),
    "tar.gz of one member of lines": (".tar.gz", "lines", _lines),
}

# Records as they are; the other kinds show what memory depends on.
BOUNDED = ("jsonl", "tsv", "lines", "tar.gz of texts", "tar.gz of one member of lines")


def make(folder: Path, kind: str, size: int) -> Path:
    """Make a file of about `size` bytes, as it lies on disk, and return its path."""
    suffix, format, pieces = KINDS[kind]
    path = folder / f"large{suffix}"
    with path.open("wb") as stream:
        if suffix != ".tar.gz":
            _fill(stream, pieces(), lambda: stream.tell() >= size)
            return path
        with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1) as packed:
            if format == "text":
                _fill(packed, pieces(), lambda: stream.tell() >= size)
            else:
                _fill_member(packed, pieces, size)
            packed.write(bytes(2 * tarfile.BLOCKSIZE))
    return path


def _fill(stream: Any, pieces: Iterator[bytes], full: Callable[[], bool]) -> None:
    while not full():
        stream.write(next(pieces))


def _fill_member(packed: gzip.GzipFile, pieces: Callable[[], Iterator[bytes]], size: int) -> None:
    """Write one member; its length, which stands before it, is reckoned from a sample."""
    sample = b"".join(itertools.islice(pieces(), 50_000))
    left = size * len(sample) // len(gzip.compress(sample, 1)) // tarfile.BLOCKSIZE
    left *= tarfile.BLOCKSIZE
    packed.write(_header("large.txt", left))
    for piece in pieces():
        packed.write(piece[:left])
        left -= len(piece)
        if left <= 0:
            return


def grown(folder: Path, kind: str, size: int, *, staged: bool = True) -> tuple[int, int, float]:
    """Make a file and take it in, or only read it, in a fresh process.

    Returns documents, rejects and the MiB that the process had over the idle one at its peak.
    """
    with tempfile.TemporaryDirectory(dir=folder) as place:
        command = [sys.executable, "-m", "benchmarks.ingest_memory", kind]
        command += [str(make(Path(place), kind, size)), *([place] if staged else [])]
        result = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment())
    documents, rejects, mebibytes = json.loads(result.stdout)
    return documents, rejects, mebibytes


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    rows = []
    for kind in BOUNDED:
        documents, rejects, mebibytes = grown(folder, kind, GIGABYTE)
        if rejects:
            raise RuntimeError(f"{kind}: {rejects} rejects, where all should have been read")
        name = f"peak memory over idle, taking in 1 GB: {kind}"
        rows.append(BenchmarkRow(name, mebibytes, BOUND, True, "MiB", f"{documents} documents"))
    return rows


def _take_in(kind: str, path: Path, work: str | None) -> tuple[int, int, float]:
    # Without quoting: the texts have stray quotes.
    options = IngestOptions(format=KINDS[kind][1], reader=ReaderOptions(quoting=False))
    file = InputFile(path.name, str(path), path.stat().st_size, "large")
    idle = own_memory("VmRSS")
    if work is None:
        documents = rejects = 0
        for row in read_documents(file, options):
            if isinstance(row, RejectRow):
                rejects += 1
            else:
                documents += row[1].block == 0
    else:
        unit = Unit((file,), file.size)
        (counts,) = make_artefact(Workspace(work), Ingest(options), unit).inputs
        documents, rejects = counts.documents, counts.rejects
    return documents, rejects, own_memory("VmHWM") - idle


if __name__ == "__main__":
    print(json.dumps(_take_in(sys.argv[1], Path(sys.argv[2]), (*sys.argv[3:], None)[0])))
