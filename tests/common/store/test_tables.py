import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import (
    GROUP_ROWS,
    Part,
    part_name,
    read_rows,
    read_table,
    sort_rows,
    write_part,
)

SCHEMA = pa.schema([pa.field("word", pa.string(), nullable=False), ("count", pa.int64())])


def rows(*words):
    return pa.table({"word": list(words), "count": list(range(len(words)))}, schema=SCHEMA)


def write(path, *batches, **options):
    return write_part(Artefact(str(path)), SCHEMA, batches, **options)


def test_a_part_tells_rows_bytes_and_digest(tmp_path):
    made = write(tmp_path / "x", rows("a", "b"), rows("c"))
    content = (tmp_path / "x.parquet").read_bytes()
    assert made.file.path == str(tmp_path / "x.parquet")
    assert made.rows == 3
    digest = hashlib.sha256(content).hexdigest()
    assert (made.file.bytes, made.file.sha256) == (len(content), digest)
    assert pq.read_table(made.file.path)["word"].to_pylist() == ["a", "b", "c"]
    part = Part.of("t", 3, made)
    assert part == ("t", 3, made.file.path, 3, len(content), digest)


def test_the_same_rows_give_the_same_bytes(tmp_path):
    first = write(tmp_path / "1", rows("a", "b"))
    again = write(tmp_path / "2", rows("a", "b"))
    assert first.file.sha256 == again.file.sha256
    assert write(tmp_path / "3", rows("a", "c")).file.sha256 != first.file.sha256


def test_row_groups_end_at_a_fixed_number_of_rows(tmp_path):
    path = write(tmp_path / "x", rows(*map(str, range(2 * GROUP_ROWS + 5)))).file.path
    groups = [pq.ParquetFile(path).metadata.row_group(i).num_rows for i in range(3)]
    assert groups == [GROUP_ROWS, GROUP_ROWS, 5]
    assert sum(table.num_rows for table in read_rows([path])) == 2 * GROUP_ROWS + 5


def test_a_part_without_rows_has_the_schema(tmp_path):
    made = write(tmp_path / "x")
    assert made.rows == 0
    assert pq.read_schema(made.file.path).names == ["word", "count"]


def test_what_rows_are_sorted_by_is_noted_in_the_file(tmp_path):
    made = write(tmp_path / "x", rows("a", "b"), sort_keys=("count", "word"))
    noted = pq.ParquetFile(made.file.path).metadata.row_group(0).sorting_columns
    assert [column.column_index for column in noted] == [1, 0]


def test_a_null_where_none_may_be_is_an_error_and_leaves_no_file(tmp_path):
    broken = pa.table({"word": pa.array([None], pa.string()), "count": [1]})
    with pytest.raises(ValueError, match="cannot be null"):
        write(tmp_path / "x", broken)
    assert list(Path(tmp_path).iterdir()) == []


def test_names_of_parts_sort_as_their_numbers_and_tell_of_their_content():
    assert part_name(3, 12, "0123456789abcdef") == "part-00003-of-00012-01234567.parquet"


def test_rows_are_sorted_by_all_keys():
    table = pa.table({"a": ["y", "x", "x"], "b": [1, 2, 1]})
    assert sort_rows(table, ["a", "b"]).to_pylist() == [{"a": "x", "b": 1}, {"a": "x", "b": 2}, {"a": "y", "b": 1}]


def test_a_table_without_rows_is_read_with_its_columns(tmp_path):
    part = write(tmp_path / "a")
    found = read_table([part.file.path])
    assert (found.num_rows, found.schema.names) == (0, SCHEMA.names)
    assert read_table([part.file.path], ["count"]).schema.names == ["count"]
    whole = write(tmp_path / "b", rows("a", "b"))
    assert read_table([whole.file.path, whole.file.path])["word"].to_pylist() == ["a", "b"] * 2
