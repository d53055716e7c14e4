import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.store.tables import contents_of, sizes_of

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
SCHEMA = pa.schema([(str(number), kind) for number, kind in enumerate(VALUES)])
ROWS = st.fixed_dictionaries({str(number): values for number, values in enumerate(VALUES.values())})
ENTRIES = st.lists(st.lists(ROWS, max_size=3), min_size=1, max_size=4)


def batch_of(rows):
    return pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


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


@pytest.mark.parametrize("name", SCHEMA.names)
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
    known = [place for place, field in enumerate(SCHEMA) if field.type != pa.large_string()]
    sizes = [batch_of(entry).select(known).nbytes for entry in entries]
    assert sizes_of(batch.select(known), [len(entry) for entry in entries]) == sizes
