from pathlib import Path
from typing import NamedTuple

import pytest

from lexbeam.pipelines.frame.handed_back import ResultFiles
from lexbeam.transforms.common.store.receipts import ArtefactPath, File, encode


class Row(NamedTuple):
    """A row with a file, as parts have."""

    number: int
    file: File


ROWS = [Row(2, File(ArtefactPath("/work/a/x.parquet"), 7, "ab")), Row(1, File(ArtefactPath("y"), 0, ""))]


def write(path, rows):
    Path(path).write_bytes(b"[" + b",".join(encode(row) for row in rows) + b"]")


def test_rows_come_back_as_they_were_with_their_types(tmp_path):
    results = ResultFiles(str(tmp_path))
    write(results.path("rows"), ROWS)
    actual = results.read("rows", Row)
    assert actual == ROWS
    assert isinstance(actual[0].file.path, ArtefactPath)


def test_a_pipeline_without_rows_writes_no_file(tmp_path):
    results = ResultFiles(str(tmp_path))
    results.path("rows")
    assert results.read("rows", Row) == []


def test_rows_of_another_type_are_an_error(tmp_path):
    results = ResultFiles(str(tmp_path))
    write(results.path("rows"), ROWS)
    with pytest.raises(ValueError, match="Expected `str`"):
        results.read("rows", str)


def test_a_run_sees_neither_an_earlier_one_s_results_nor_a_late_one_s(tmp_path):
    first, second = ResultFiles(str(tmp_path)), ResultFiles(str(tmp_path))
    write(first.path("rows"), ROWS)
    second.path("rows")
    assert second.read("rows", Row) == []


def test_results_are_removed_and_nothing_else(tmp_path):
    first, second = ResultFiles(str(tmp_path)), ResultFiles(str(tmp_path))
    for results in (first, second):
        write(results.path("rows"), ROWS)
        results.path("never written")
    first.remove()
    assert second.read("rows", Row) == ROWS
    second.remove()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
