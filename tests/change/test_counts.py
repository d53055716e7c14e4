from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.change import counts as module
from transforms.change.counts import COUNTS, count_view, look_up, merge_counts

SENTENCES = st.lists(
    st.tuples(
        st.sampled_from(["d1", "d2", "d3"]),
        st.lists(st.tuples(st.sampled_from(["b", "a", "\u00e9", "zz"]), st.booleans()), max_size=5),
    ),
    max_size=12,
)


def batch(rows, tagged=True):
    words = pa.array([[word for word, _ in tokens] for _, tokens in rows], pa.list_(pa.string()))
    flags = np.array([flag for _, tokens in rows for _, flag in tokens], bool)
    return (
        words,
        pa.array([document for document, _ in rows], pa.string()),
        (flags if tagged else None),
    )


def reference(rows):
    uses, spread, proper = Counter(), {}, Counter()
    for document, tokens in rows:
        for word, flag in tokens:
            uses[word] += 1
            spread.setdefault(word, set()).add(document)
            proper[word] += flag
    return [
        {"word": w, "count": uses[w], "documents": len(spread[w]), "proper_nouns": proper[w]}
        for w in sorted(uses)
    ]


@settings(deadline=None)
@given(SENTENCES, st.integers(0, 12), st.integers(1, 4))
def test_agrees_with_counting_one_by_one_whatever_the_batches(rows, border, compact_at):
    old, module.COMPACT_AT = module.COMPACT_AT, compact_at
    try:
        got = count_view([batch(rows[:border]), batch(rows[border:])])
    finally:
        module.COMPACT_AT = old
    assert got.words.to_pylist() == reference(rows)
    lengths = Counter()
    for document, tokens in rows:
        lengths[document] += len(tokens)
    assert got.tokens == lengths.total()
    assert got.documents == sum(length > 0 for length in lengths.values())
    assert got.largest_document == max(lengths.values(), default=0)
    assert got.sentences == len(rows)


@settings(deadline=None)
@given(SENTENCES)
def test_parts_with_documents_of_their_own_merge_to_the_whole(rows):
    parts = [
        count_view([batch([row for row in rows if row[0] == document])])
        for document in ("d3", "d1", "d2")
    ]
    assert merge_counts(parts) == count_view([batch(rows)])
    assert merge_counts(parts[::-1]) == merge_counts(parts)


def test_without_tags_proper_nouns_are_null_and_partly_tagged_ones_count():
    rows = [("d1", [("a", True), ("b", False)])]
    untagged, tagged = count_view([batch(rows, tagged=False)]), count_view([batch(rows)])
    assert untagged.words["proper_nouns"].to_pylist() == [None, None]
    merged = merge_counts([untagged, tagged]).words
    assert merged["proper_nouns"].to_pylist() == [1, 0]
    assert merged["count"].to_pylist() == [2, 2]


def test_nothing_counts_nothing():
    assert merge_counts([]) == count_view([])
    assert count_view([]).words.schema == COUNTS


def test_look_up_fills_words_that_are_not_there_with_zeros():
    found = look_up(count_view([batch([("d1", [("a", True)])])]).words, pa.array(["x", "a"]))
    assert found.to_pylist() == [
        {"word": "x", "count": 0, "documents": 0, "proper_nouns": 0},
        {"word": "a", "count": 1, "documents": 1, "proper_nouns": 1},
    ]
    untagged = count_view([batch([("d1", [("a", True)])], tagged=False)]).words
    assert look_up(untagged, pa.array(["x"]))["proper_nouns"].to_pylist() == [None]
