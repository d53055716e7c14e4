"""The number of parts follows from the corpus where nobody states it, and moves no document's content."""

import json

import pyarrow.parquet as pq
import pytest
from small_runs import call

from transforms.common import parts


@pytest.mark.parametrize(("stated", "rows", "expected"), [("auto", 10**6, 8), ("auto", 2, 16), ("3", 2, 3)])
def test_auto_counts_documents_and_a_number_is_taken_as_it_is(tmp_path, monkeypatch, stated, rows, expected):
    monkeypatch.setattr(parts, "ROWS", rows)
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(20):
        (texts / f"{number:02}.txt").write_text(f"A ship of {number}. It sails.")
    words = ("--format", "text", "--engine", "builtin:en", "--out", tmp_path / "out", "--parts", stated)
    assert call("corpus", texts, *words) == 0
    manifest = json.loads((tmp_path / "out" / "current" / "manifest.json").read_text())
    assert {table: len(entry["parts"]) for table, entry in manifest["tables"].items()} == dict.fromkeys(
        ("corpus/inputs", "documents", "rejects", "sentences"), expected
    )
    read = pq.read_table(tmp_path / "out" / "documents")
    assert sorted(read["source"].to_pylist()) == [f"{number:02}.txt" for number in range(20)]
