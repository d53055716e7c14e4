import itertools
from collections import Counter
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.ingest.duplicates import (
    Decision,
    RecordOccurrence,
    by_bucket,
    decide,
    document_id,
    repeated,
)

SAME = [
    RecordOccurrence("b", 1, "", "p2", 0),
    RecordOccurrence("a", 2, "4", "p1", 4),
    RecordOccurrence("a", 10, "12", "p1", 9),
]


def test_the_least_source_and_place_is_kept_in_any_order():
    expected = [Decision("p1", 9, 1, "a 4"), Decision("p2", 0, 2, "a 4")]
    for order in itertools.permutations(SAME):
        assert list(decide(order, "reject")) == expected


def test_kept_duplicates_are_numbered_and_get_ids_of_their_own():
    decisions = list(decide(SAME, "keep"))
    assert [decision.same_as for decision in decisions] == ["", ""]
    ids = {document_id("key", number) for number in (0, *(d.number for d in decisions))}
    assert len(ids) == 3
    assert document_id("key", 0) == "key"


def test_a_single_record_needs_no_decision():
    assert list(decide(SAME[:1], "reject")) == []


HASHES = st.integers(0, 15).map(lambda number: number * 0x1111_1111_1111_1111)


@given(st.lists(st.lists(HASHES, min_size=1), min_size=1))
def test_what_stands_twice_anywhere_is_found_bucket_by_bucket(groups):
    arrays = [np.array(group, np.uint64) for group in groups]
    often = {value for value, number in Counter(chain(*groups)).items() if number > 1}
    expected = [sorted(value for value in group if value in often) for group in groups]
    assert [sorted(found.tolist()) for found in repeated(arrays)] == expected
    found = [[] for _ in groups]
    buckets = {}
    for number, array in enumerate(arrays):
        parts = dict(by_bucket(array))
        assert sorted(chain(*(part.tolist() for part in parts.values()))) == sorted(groups[number])
        for bucket, part in parts.items():
            buckets.setdefault(bucket, []).append((number, part))
    for members in buckets.values():
        for (number, _), values in zip(members, repeated([part for _, part in members]), strict=True):
            found[number] += values.tolist()
    assert [sorted(each) for each in found] == expected


def test_no_keys_are_of_no_bucket():
    assert list(by_bucket(np.array([], np.uint64))) == []
