"""Tables joined by a key: what a dictionary of all rows would say, in the memory of a few parts."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.store import tables
from lexbeam.transforms.common.store.tables import RowsByKey, joined, write_rows

SCHEMA = pa.schema([("values", pa.list_(pa.int64())), ("key", pa.string()), ("value", pa.int64())])
KEYS = st.sampled_from(["aa", "ab", "ac", "ba", "bb", "ca"])
TABLE = st.lists(st.lists(st.tuples(KEYS, st.integers(0, 9)), max_size=6), max_size=4)


def written(folder, parts, *, rows_a_group=2):
    paths = []
    for number, part in enumerate(parts):
        rows = [{"key": key, "value": value, "values": [value]} for key, value in sorted(part, key=lambda row: row[0])]
        path = Path(folder) / f"{len(list(Path(folder).iterdir()))}-{number}.parquet"
        batches = [pa.Table.from_pylist(rows[at : at + rows_a_group], SCHEMA) for at in range(0, len(rows), 2)]
        with open(path, "wb") as stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr("lexbeam.transforms.common.store.tables.GROUP_ROWS", rows_a_group)
            write_rows(stream, SCHEMA, batches)
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
