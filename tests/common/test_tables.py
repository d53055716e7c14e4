import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.common.tables import GROUP_ROWS, part_name, read_rows, sort_rows, write_part

SCHEMA = pa.schema([pa.field("word", pa.string(), nullable=False), ("count", pa.int64())])


def rows(*words):
    return pa.table({"word": list(words), "count": list(range(len(words)))}, schema=SCHEMA)


def test_a_part_tells_rows_bytes_and_digest(tmp_path):
    path = tmp_path / "x.parquet"
    part = write_part(str(path), SCHEMA, [rows("a", "b"), rows("c")], table="t", number=3)
    content = path.read_bytes()
    assert (part.table, part.number, part.rows) == ("t", 3, 3)
    assert (part.bytes, part.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert pq.read_table(path)["word"].to_pylist() == ["a", "b", "c"]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    first = write_part(str(tmp_path / "1"), SCHEMA, [rows("a", "b")], table="t", number=0)
    again = write_part(str(tmp_path / "2"), SCHEMA, [rows("a", "b")], table="t", number=0)
    assert first.sha256 == again.sha256


def test_row_groups_end_at_a_fixed_number_of_rows(tmp_path):
    path = str(tmp_path / "x.parquet")
    write_part(path, SCHEMA, [rows(*map(str, range(2 * GROUP_ROWS + 5)))], table="t", number=0)
    groups = [pq.ParquetFile(path).metadata.row_group(i).num_rows for i in range(3)]
    assert groups == [GROUP_ROWS, GROUP_ROWS, 5]
    assert sum(table.num_rows for table in read_rows([path])) == 2 * GROUP_ROWS + 5


def test_a_part_without_rows_has_the_schema(tmp_path):
    path = str(tmp_path / "x.parquet")
    assert write_part(path, SCHEMA, [], table="t", number=0).rows == 0
    assert pq.read_schema(path).names == ["word", "count"]


def test_a_null_where_none_may_be_is_an_error_and_leaves_no_file(tmp_path):
    path = tmp_path / "x.parquet"
    broken = pa.table({"word": pa.array([None], pa.string()), "count": [1]})
    with pytest.raises(ValueError, match="takes no null"):
        write_part(str(path), SCHEMA, [broken], table="t", number=0)
    assert list(tmp_path.iterdir()) == []


def test_names_of_parts_sort_as_their_numbers():
    assert part_name(3, 12) == "part-00003-of-00012.parquet"


def test_rows_are_sorted_by_all_keys():
    table = pa.table({"a": ["y", "x", "x"], "b": [1, 2, 1]})
    assert sort_rows(table, ["a", "b"]).to_pylist() == [
        {"a": "x", "b": 1}, {"a": "x", "b": 2}, {"a": "y", "b": 1},
    ]  # fmt: skip
