"""Entries of several runs come in one order, as sorting all of them would put them; of a run little is held."""

import numpy as np
import pyarrow as pa
import pytest
from entries_reading import by_entry
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.store import entries as module
from lexbeam.transforms.common.store.entries import Entries, in_order

SCHEMA = pa.schema([("run", pa.int64()), ("nth", pa.int64())])
Entry = st.tuples(st.integers(0, 3), st.sampled_from(["", "a", "a\0b", "ab", "ü", "\U0001f600"]), st.integers(0, 2))


def piece(entries, run, first):
    """Return entries of (place, key, number), with so many rows as the place says, and one."""
    rows = [{"run": run, "nth": first + nth} for nth, (place, *_) in enumerate(entries) for _ in range(place + 1)]
    places, keys, numbers = zip(*entries, strict=True) if entries else ((), (), ())
    counts = [place + 1 for place in places]
    zeros = [0] * len(entries)
    batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
    return Entries.of(zeros, keys, numbers, counts, zeros, np.array(places, np.uint32), batch)


def pieces(entries, size, run):
    return [piece(entries[start : start + size], run, start) for start in range(0, len(entries), size)]


@given(
    st.sampled_from([1, 2000, 1 << 20]),
    st.lists(st.lists(Entry, max_size=20).map(sorted), max_size=4),
    st.integers(1, 6),
)
def test_runs_are_put_in_one_order_equal_entries_as_they_came(held, runs, size):
    wanted = sorted(
        (entry, run, nth) for run, entries in enumerate(runs) for nth, entry in enumerate(entries)
    )  # by hand: entry by entry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "HELD_BYTES", held)
        found = list(in_order([pieces(entries, size, run) for run, entries in enumerate(runs)]))
    assert list(by_entry(found)) == [
        (key, [{"run": run, "nth": nth}] * (place + 1)) for (place, key, _), run, nth in wanted
    ]
    assert all(map(len, found))


def test_no_more_of_a_run_is_read_than_its_share_and_a_piece():
    read = [0, 0]

    def run(number):
        for start in range(0, 10_000, 100):
            read[number] += 1
            yield piece([(0, f"{start + nth:06d}", number) for nth in range(100)], number, start)

    taken = 0
    for some in in_order([run(0), run(1)]):
        taken += len(some)
        share = module.HELD_BYTES // 2 // module._ENTRY
        assert max(read) * 100 <= taken / 2 + share + 200
    assert taken == 20_000
