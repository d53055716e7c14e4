"""The number of parts follows from the corpus where nobody states it, and moves no document's content."""

import json

import pyarrow.parquet as pq
import pytest
from small_runs import call, published

from lexbeam.transforms.common import portions
from lexbeam.transforms.common.publish.snapshots import open_snapshot


@pytest.mark.parametrize(("stated", "rows", "expected"), [("auto", 10**6, 8), ("auto", 2, 16), ("3", 2, 3)])
def test_auto_counts_documents_and_a_number_is_taken_as_it_is(tmp_path, monkeypatch, stated, rows, expected):
    monkeypatch.setattr(portions, "ROWS", rows)
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
    rows = {table: [part["rows"] for part in entry["parts"]] for table, entry in manifest["tables"].items()}
    files = {table: len([*(tmp_path / "out" / table).glob("*.parquet")]) for table in rows}
    assert files == {table: max(1, sum(number > 0 for number in numbers)) for table, numbers in rows.items()}
    read = pq.read_table(tmp_path / "out" / "documents")
    assert sorted(read["source"].to_pylist()) == [f"{number:02}.txt" for number in range(20)]


@pytest.mark.slow
def test_a_refresh_that_fills_and_empties_parts_is_a_rebuild(tmp_path):
    texts, config, out = tmp_path / "texts", tmp_path / "config.yaml", tmp_path / "out"
    texts.mkdir()
    corpus = {"inputs": str(texts), "format": "text", "engine": "builtin:en", "dates": "name:^(\\d+)"}
    sections = {"corpus": corpus, "complexity.select": {}, "complexity.features": {"use": ["form"]}}
    config.write_text(json.dumps(sections))

    def write(*years):
        for path in texts.iterdir():
            path.unlink()
        for year in years:
            (texts / f"{year}.txt").write_text(f"The ship of {year} sails over the sea. Sailors sing of the land.")

    def filled():
        portions = open_snapshot(str(out)).parts("documents")
        return {part.number for part in portions if part.rows}

    write(1810, 1820, 1830)
    assert call("run", config, "--out", out) == 0
    before = filled()
    assert len(before) < 8
    for step, years in enumerate([(1810, 1820, 1830, 1840, 1850, 1860, 1870), (1820, 1850)]):
        write(*years)
        assert call("refresh", config, "--out", out, "--max-change", "1") == 0
        assert filled() != before
        before = filled()
        fresh = tmp_path / f"fresh{step}"
        assert call("run", config, "--out", fresh) == 0
        assert published(out) == published(fresh)
        for table, entry in open_snapshot(str(out)).tables.items():
            assert len(open_snapshot(str(out)).paths(table)) == max(1, sum(part["rows"] > 0 for part in entry["parts"]))
