"""Large files, made on the spot, are read in little memory (1 GB: benchmarks/ingest_memory.py)."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 40
PACKED = 18  # of an archive that holds as much


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "megabytes", "least"),
    [
        ("jsonl", MEGABYTES, 20_000),
        ("tsv", MEGABYTES, 20_000),
        ("lines", MEGABYTES, 1),
        ("conllu", MEGABYTES, 1),
        ("tar.gz of texts", PACKED, 600),
        ("tar.gz of one member of lines", PACKED, 1),
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
