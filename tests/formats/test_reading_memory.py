"""Large files, made on the spot, are read in little memory (1 GB: benchmarks/ingest_memory.py)."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 256
PACKED = 110  # of an archive that holds as much


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "megabytes", "least"),
    [
        ("jsonl", MEGABYTES, 150_000),
        ("tsv", MEGABYTES, 150_000),
        ("lines", MEGABYTES, 1),
        ("conllu", MEGABYTES, 1),
        ("tar.gz of texts", PACKED, 4_000),
        ("tar.gz of one member of lines", PACKED, 1),
    ],
)
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch, kind, megabytes, least):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.ingest_memory import grown

    documents, rejects, mebibytes = grown(tmp_path, kind, megabytes * 10**6, staged=False)
    assert documents >= least
    assert rejects == 0
    assert mebibytes < 40
