import hashlib
import math
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.store import tables
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import (
    GROUP_ROWS,
    Part,
    RowsByKey,
    contents_of,
    joined,
    part_name,
    read_rows,
    read_table,
    sizes_of,
    sort_rows,
    write_part,
    write_rows,
)

TEXTS = st.none() | st.text(max_size=3)
NUMBERS = st.none() | st.lists(st.integers(0, 1), max_size=2)
VALUES = {
    pa.string(): TEXTS,
    pa.int32(): st.none() | st.integers(-9, 9),
    pa.float64(): st.none() | st.sampled_from([0.0, 1.5, math.inf]),
    pa.bool_(): st.none() | st.booleans(),
    pa.list_(pa.string()): st.none() | st.lists(TEXTS, max_size=3),
    pa.list_(pa.list_(pa.int32())): st.none() | st.lists(NUMBERS, max_size=2),
    pa.list_(pa.struct([("note", pa.string()), ("number", pa.int64())])): st.none()
    | st.lists(st.fixed_dictionaries({"note": TEXTS, "number": st.none() | st.integers(0, 2)}), max_size=2),
    pa.large_string(): TEXTS,  # of no table: by way of its values
}
CONTENTS = pa.schema([(str(number), kind) for number, kind in enumerate(VALUES)])
ROWS = st.fixed_dictionaries({str(number): values for number, values in enumerate(VALUES.values())})
ENTRIES = st.lists(st.lists(ROWS, max_size=3), min_size=1, max_size=4)


def batch_of(rows):
    return pa.RecordBatch.from_pylist(rows, schema=CONTENTS)


def alone(rows):
    (content,) = contents_of(batch_of(rows), [len(rows)])
    return content


@settings(max_examples=40)
@given(ENTRIES, st.integers(0, 2))
def test_what_an_entry_holds_does_not_depend_on_what_lies_beside_it(entries, before):
    rows = [row for entry in entries for row in entry]
    # A slice has buffers that begin before it.
    batch = batch_of([*rows[:before], *rows]).slice(len(rows[:before]))
    counts = [len(entry) for entry in entries]
    assert list(contents_of(batch, counts)) == [alone(entry) for entry in entries]


@given(st.lists(ROWS, max_size=2), st.lists(ROWS, max_size=2))
def test_entries_hold_the_same_only_if_they_are_equal(one, other):
    assert (alone(one) == alone(other)) == (one == other)


@pytest.mark.parametrize("name", CONTENTS.names)
@settings(max_examples=40)
@given(data=st.data())
def test_a_value_is_told_from_another(name, data):
    values = list(VALUES.values())[int(name)]
    row = data.draw(ROWS)
    changed = {**row, name: data.draw(values)}
    assert (alone([row]) == alone([changed])) == (row == changed)


@given(ENTRIES, st.integers(0, 2))
def test_an_entry_has_the_size_of_a_batch_of_its_own(entries, before):
    rows = [row for entry in entries for row in entry]
    batch = batch_of([*rows[:before], *rows]).slice(len(rows[:before]))
    known = [place for place, field in enumerate(CONTENTS) if field.type != pa.large_string()]
    sizes = [batch_of(entry).select(known).nbytes for entry in entries]
    assert sizes_of(batch.select(known), [len(entry) for entry in entries]) == sizes


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


JOINED = pa.schema([("values", pa.list_(pa.int64())), ("key", pa.string()), ("value", pa.int64())])
KEYS = st.sampled_from(["aa", "ab", "ac", "ba", "bb", "ca"])
TABLE = st.lists(st.lists(st.tuples(KEYS, st.integers(0, 9)), max_size=6), max_size=4)


def written(folder, parts, *, rows_a_group=2):
    paths = []
    for number, part in enumerate(parts):
        rows = [{"key": key, "value": value, "values": [value]} for key, value in sorted(part, key=lambda row: row[0])]
        path = Path(folder) / f"{len(list(Path(folder).iterdir()))}-{number}.parquet"
        batches = [pa.Table.from_pylist(rows[at : at + rows_a_group], JOINED) for at in range(0, len(rows), 2)]
        with open(path, "wb") as stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr("lexbeam.transforms.common.store.tables.GROUP_ROWS", rows_a_group)
            write_rows(stream, JOINED, batches)
        paths.append(str(path))
    return paths


def by_key(parts, digits=None, wanted=lambda value: True):
    """Return values by key, in the order of keys, then parts, then rows."""
    found = {}
    rows = [(key, number, value) for number, part in enumerate(parts) for key, value in part if wanted(value)]
    for key, _, value in sorted(rows, key=lambda row: row[:2]):
        found.setdefault(key[:digits], []).append(value)
    return found


def values(rows):
    return [row["value"] for row in rows]


@given(TABLE, st.sampled_from([None, 1]), st.booleans())
def test_all_rows_come_once_by_key(parts, digits, odd):
    keep = (lambda rows: pc.equal(pc.bit_wise_and(rows["value"], 1), 1)) if odd else None
    with tempfile.TemporaryDirectory() as folder:
        rows = RowsByKey(written(folder, parts), ["key", "value"], "key", digits=digits, keep=keep)
        found = [(key, values(some)) for key, some in rows]
    assert found == list(by_key(parts, digits, lambda value: not odd or value % 2).items())


@given(TABLE, st.lists(KEYS, unique=True).map(sorted), st.sampled_from([None, 1]))
def test_rows_of_a_key_are_found_whatever_is_passed_over(parts, asked, digits):
    expected = by_key(parts, digits)
    asked = [key[:digits] for key in asked]
    with tempfile.TemporaryDirectory() as folder:
        rows = RowsByKey(written(folder, parts), ["key", "value"], "key", digits=digits)
        assert [values(rows.of(key)) for key in asked] == [expected.get(key, []) for key in asked]


@given(TABLE, TABLE, st.lists(KEYS, unique=True))
def test_tables_are_joined_as_dictionaries_are(left, right, wanted):
    with tempfile.TemporaryDirectory() as folder:
        tables = {"left": written(folder, left), "right": written(folder, right)}
        found = [
            (key, {name: values(rows) for name, rows in some.items()})
            for key, some in joined(tables, dict.fromkeys(tables, ("value",)), "key", wanted)
        ]
    assert found == [
        (key, {"left": by_key(left).get(key, []), "right": by_key(right).get(key, [])}) for key in sorted(wanted)
    ]


@pytest.mark.parametrize(("parts", "most"), [([["aa"], ["ab", "ac"], ["ba"]], 1), ([["aa", "ba"], ["ab"], ["ca"]], 2)])
def test_parts_whose_keys_follow_each_other_are_open_one_at_a_time(tmp_path, monkeypatch, parts, most):
    read, opened = tables.read_rows, []

    def counted(paths, columns):
        opened.append(paths)
        yield from read(paths, columns)
        opened.remove(paths)

    monkeypatch.setattr(tables, "read_rows", counted)
    paths = written(tmp_path, [[(key, 1) for key in part] for part in parts])
    open_at = [len(opened) for _ in RowsByKey(paths[::-1], ["key", "value"], "key")]
    assert max(open_at) == most
