"""A rerun over files that are as they were opens none of them, whatever else it makes again."""

import os

import pandas as pd
from small_runs import corpus, write_texts

from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.ingest import input_listing


def test_files_are_opened_once_unless_they_change_or_content_is_asked_for(tmp_path, monkeypatch):
    texts, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    opened = []
    there = files.open_read

    def noting(path):
        if os.path.dirname(path) == str(texts):
            opened.append(os.path.basename(path))
        return there(path)

    monkeypatch.setattr(files, "open_read", noting)
    monkeypatch.setattr(input_listing, "GRANULARITY", -10_000_000_000)  # they were written just now
    assert corpus(texts, out) == 0
    assert sorted(opened) == ["1810.txt", "1820.txt", "1860.txt", "1870.txt"]
    opened.clear()
    assert corpus(texts, out, "--overwrite", "--parts", "3") == 0
    assert opened == []
    (texts / "1870.txt").write_text("In 1871 it was another sea.")
    assert corpus(texts, out, "--overwrite") == 0
    # Their unit is made anew, from the others, too.
    assert sorted(opened) == ["1810.txt", "1820.txt", "1860.txt", "1870.txt"]
    assert pd.read_parquet(out / "documents").text.str.contains("another sea").sum() == 1
    opened.clear()
    assert corpus(texts, out, "--overwrite", "--check", "content") == 0
    assert len(opened) == 4
