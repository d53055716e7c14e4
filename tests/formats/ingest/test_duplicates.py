import itertools

from transforms.formats.ingest.duplicates import Decision, RecordOccurrence, decide, document_id

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
