"""Merges and gathers take the memory of a row group and of a batch of each open file, however many files there are."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MEBIBYTE = 1 << 20


@pytest.mark.soak
def test_memory_does_not_grow_with_staged_files(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.scale.merging import merged
    from lexbeam.transforms.common.store.staged import MOST_OPEN

    found = {}
    for files in (140, 420):
        (tmp_path / str(files)).mkdir()
        found[files] = merged(tmp_path / str(files), files, documents=35, sentences=72)
        assert found[files]["rows"] == files * 35 * 72
        assert found[files]["open"] <= MOST_OPEN
    # The sentences of 420 files are 180 MiB in memory.
    assert found[420]["grown"] < 120 * MEBIBYTE
    assert found[420]["grown"] < found[140]["grown"] + 40 * MEBIBYTE
