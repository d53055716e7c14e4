"""Large files, made on the spot, are read in little memory (1 GB: benchmarks/ingest_memory.py)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 20
PACKED = 18  # of an archive that holds twice as much


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "megabytes", "least"),
    [
        ("jsonl", MEGABYTES, 10_000),
        pytest.param("tsv", MEGABYTES, 10_000, marks=pytest.mark.soak),
        pytest.param("lines", MEGABYTES, 1, marks=pytest.mark.soak),
        ("conllu", MEGABYTES // 2, 1),  # the slowest, and what is kept of it is the largest
        pytest.param("tar.gz of texts", PACKED, 600, marks=pytest.mark.soak),
        pytest.param("tar.gz of one member of lines", PACKED, 1, marks=pytest.mark.soak),
    ],
)
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch, kind, megabytes, least):
    """What a reader holds at any time is the same for a file twice as large."""
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.ingest_memory import grown

    _, rejects, small = grown(tmp_path, kind, megabytes * 10**6 // 2, staged=False)
    assert rejects == 0
    documents, rejects, large = grown(tmp_path, kind, megabytes * 10**6, staged=False)
    assert documents >= least
    assert rejects == 0
    assert large < 40
    assert large - small < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "format", ["jsonl", "csv", *(pytest.param(name, marks=pytest.mark.soak) for name in ("lines", "conllu"))]
)
def test_a_long_line_takes_twice_its_size(tmp_path, format):
    """Bytes and text, or text and cells; the rest is what the interpreter needs."""
    size = 60_000_000
    pieces = {
        "jsonl": (b'{"text": "', b'"}\n'),
        "csv": (b"text\tn\n", b"\t1\n"),
        "lines": (b"", b"\n"),
        "conllu": (b"1\t", b"\ta" + b"\t_" * 7 + b"\n\n"),
    }
    word = b"x" if format in ("lines", "conllu") else b"some words "
    path = tmp_path / "long"
    path.write_bytes(pieces[format][0] + word * (size // len(word)) + pieces[format][1])
    result = subprocess.run(
        [sys.executable, "-c", LONG_LINE, format, str(path)], stdout=subprocess.PIPE, check=True, cwd=ROOT, text=True
    )
    kind, grown = result.stdout.split()
    assert kind == "dict"
    assert float(grown) < 2.3 * size / 2**20  # formerly four to seven times


LONG_LINE = """
import os, sys
from benchmarks.measure import own_memory
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, InputFile, read_documents
format, path = sys.argv[1:]
options = IngestOptions(format=format, reader=ReaderOptions(max_line_bytes=400_000_000))
idle = own_memory("VmRSS")
for row in read_documents(InputFile("a", path, os.path.getsize(path), "in"), options):
    kind = type(row[0]).__name__
print(kind, own_memory("VmHWM") - idle)
"""
