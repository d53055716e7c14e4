"""Tables of two snapshots compared by key, beside a comparison row by row."""

import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import made_section, put

from lexbeam.transforms.common.publish.differences import compare_rows, differences
from lexbeam.transforms.common.publish.layout import locked, snapshot_name
from lexbeam.transforms.common.publish.publication import publish
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import find_snapshot, open_kept
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

SCHEMA = pa.schema(
    [
        ("word", pa.string()),
        ("seed", pa.int32()),
        ("score", pa.float64()),
        ("tags", pa.list_(pa.string())),
        ("spans", pa.list_(pa.struct([("start", pa.int32()), ("words", pa.list_(pa.int8()))]))),
        ("flag", pa.bool_()),
        ("content", pa.binary()),
    ]
)
ROWS = st.fixed_dictionaries(
    {
        "word": st.sampled_from(["a", "b", "", "é"]) | st.none(),
        "seed": st.integers(0, 2) | st.none(),
        "score": st.sampled_from([0.0, 1.5, math.nan, math.inf]) | st.none(),
        "tags": st.lists(st.sampled_from(["x", "y", None]), max_size=2) | st.none(),
        "spans": st.lists(
            st.fixed_dictionaries(
                {"start": st.integers(0, 1) | st.none(), "words": st.lists(st.integers(0, 1), max_size=2) | st.none()}
            )
            | st.none(),
            max_size=2,
        )
        | st.none(),
        "flag": st.booleans() | st.none(),
        "content": st.sampled_from([b"", b"\0"]) | st.none(),
    }
)
KEY = ("word", "seed")
TABLES = st.lists(ROWS, unique_by=lambda row: (row["word"], row["seed"]), max_size=8)


def row_by_row(before, after):
    old = {(row["word"], row["seed"]): row for row in before}
    places = {"added": [], "changed": []}
    columns = {}
    for place, row in enumerate(after):
        other = old.pop((row["word"], row["seed"]), None)
        if other is None:
            places["added"].append(place)
        # By their text: NaN is itself there.
        elif differing := [name for name in row if repr(row[name]) != repr(other[name])]:
            places["changed"].append(place)
            for name in differing:
                columns[name] = columns.get(name, 0) + 1
    removed = [place for place, row in enumerate(before) if (row["word"], row["seed"]) in old]
    return places["added"], removed, places["changed"], columns


@settings(max_examples=50)
@given(TABLES, TABLES)
def test_rows_are_compared_as_one_by_one(before, after):
    tables = [pa.Table.from_pylist(rows, SCHEMA) for rows in (before, after)]
    found = compare_rows(*tables, KEY)
    assert (found.added.tolist(), found.removed.tolist(), found.changed.tolist(), found.columns) == row_by_row(
        before, after
    )


def published(out, rows, schema, parts=1, version="1", key="word"):
    """Publish rows, dealt out by their words."""
    keyed = schema.with_metadata({"lexbeam.key": key})
    made = []
    for number in range(parts):
        own = pa.Table.from_pylist([row for row in rows if ord(row["word"]) % parts == number], keyed)
        path = out.parent / f"{len(list(out.parent.iterdir()))}-{number}"
        made.append(Part.of("words", number, write_part(Artefact(str(path)), keyed, [own])))
    section = Made(name="corpus", parts=tuple(made), entry={"options": {}, "inputs": []})
    with locked(str(out), ["words"]):
        publish(str(out), [section], old=find_snapshot(str(out)), versions={"words": version})
    return open_kept(str(out), snapshot_name(str(out)))


NUMBERS = pa.schema([("word", pa.string()), ("number", pa.int64())])


@pytest.mark.parametrize("parts", [(1, 1), (4, 4), (2, 4)])
def test_tables_of_two_snapshots(tmp_path, parts):
    out = tmp_path / "out"
    before = published(out, [{"word": chr(97 + n), "number": n} for n in range(10)], NUMBERS, parts[0])
    after = published(out, [{"word": chr(97 + n), "number": n * (n != 4)} for n in range(1, 13)], NUMBERS, parts[1])
    (found,) = differences(before, after)
    assert found.name == "words"
    assert (found.rows, found.added, found.removed, found.changed) == ((10, 12), 3, 1, 1)
    assert found.columns == {"number": 1}
    assert found.examples == {"added": (("k",), ("l",), ("m",)), "removed": (("a",),), "changed": (("e",),)}
    assert not list(differences(after, after))


def test_columns_and_versions_that_differ(tmp_path):
    out = tmp_path / "out"
    before = published(out, [{"word": "a", "number": 1}], NUMBERS)
    wider = pa.schema([("word", pa.string()), ("number", pa.string()), ("more", pa.int8())])
    after = published(out, [{"word": "a", "number": "1", "more": 2}], wider, version="2")
    (found,) = differences(before, after)
    assert found.versions == ("1", "2")
    assert (found.columns_added, found.columns_removed) == (("number", "more"), ("number",))
    assert (found.added, found.removed, found.changed) == (0, 0, 0)


@pytest.mark.parametrize("kind", [None, pa.int64()])
def test_where_the_key_is_another_no_row_is_the_same(tmp_path, kind):
    out, seeds = tmp_path / "out", [("seed", kind)] * (kind is not None)
    before = published(out, [{"word": "a", "seed": 1}], pa.schema([("word", pa.string()), *seeds]))
    rows = [{"word": "a", "seed": n} for n in range(2)]
    schema = pa.schema([("word", pa.string()), ("seed", pa.int32())])
    (found,) = differences(before, published(out, rows, schema, version="2", key="word,seed"))
    assert found.columns_added == ("seed",)
    assert (found.rows, found.added, found.removed, found.changed) == ((1, 2), 2, 1, 0)


def test_tables_that_come_and_go(tmp_path):
    out = tmp_path / "out"
    put(out, made_section(tmp_path / "w", "corpus", {"documents": [["a"]]}))
    before = open_kept(str(out), snapshot_name(str(out)))
    put(out, made_section(tmp_path / "w", "corpus", {"sentences": [["a", "b"]]}))
    gone, new = differences(before, open_kept(str(out), snapshot_name(str(out))))
    assert (gone.name, gone.versions, gone.rows, gone.removed) == ("documents", ("1", None), (1, 0), 1)
    assert (new.name, new.versions, new.rows, new.added) == ("sentences", (None, "1"), (0, 2), 2)
