from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view import counts as module
from lexbeam.transforms.change.view.counts import COUNTS, count_view, look_up, majority_tags, merge_counts, tag_uses
from lexbeam.transforms.change.view.tags import tag_codes

TAG = st.sampled_from(["NOUN", "PROPN", "X", None])
SENTENCES = st.lists(
    st.tuples(
        st.sampled_from(["d1", "d2", "d3"]),
        st.lists(st.tuples(st.sampled_from(["b", "a", "\u00e9", "zz"]), TAG), max_size=5),
    ),
    max_size=12,
)


def batch(rows, tagged=True):
    words = pa.array([[word for word, _ in tokens] for _, tokens in rows], pa.list_(pa.string()))
    tags = pa.array([tag for _, tokens in rows for _, tag in tokens], pa.string())
    return (words, pa.array([document for document, _ in rows], pa.string()), (tag_codes(tags) if tagged else None))


def reference(rows):
    uses, spread, tags = Counter(), {}, {}
    for document, tokens in rows:
        for word, tag in tokens:
            uses[word] += 1
            spread.setdefault(word, set()).add(document)
            tags.setdefault(word, Counter())[tag] += 1
    return [
        {
            "word": w,
            "count": uses[w],
            "documents": len(spread[w]),
            "tags": [(UPOS.index(tag), tags[w][tag]) for tag in UPOS if tags[w][tag]],
        }
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
    parts = [count_view([batch([row for row in rows if row[0] == document])]) for document in ("d3", "d1", "d2")]
    assert merge_counts(parts) == count_view([batch(rows)])
    assert merge_counts(parts[::-1]) == merge_counts(parts)


def test_without_tags_they_are_null_and_partly_tagged_ones_count():
    rows = [("d1", [("a", "PROPN"), ("b", "NOUN")])]
    untagged, tagged = count_view([batch(rows, tagged=False)]), count_view([batch(rows)])
    assert untagged.words["tags"].to_pylist() == [None, None]
    assert merge_counts([untagged, untagged]).words["tags"].to_pylist() == [None, None]
    merged = merge_counts([untagged, tagged]).words
    assert merged["tags"].to_pylist() == tagged.words["tags"].to_pylist()
    assert merged["count"].to_pylist() == [2, 2]
    beside = count_view([batch(rows, tagged=False), batch([("d2", [("c", "X")])])]).words
    assert beside["tags"].to_pylist() == [[], [], [(UPOS.index("X"), 1)]]


def test_nothing_counts_nothing():
    assert merge_counts([]) == count_view([])
    assert count_view([]).words.schema == COUNTS


def test_look_up_fills_words_that_are_not_there_with_zeros():
    rows = [("d1", [("a", "PROPN"), ("a", "NOUN")])]
    counts = count_view([batch(rows)]).words
    found = look_up(counts, pa.array(["x", "a"]))
    assert found.to_pylist() == [
        {"word": "x", "count": 0, "documents": 0, "proper_nouns": 0},
        {"word": "a", "count": 2, "documents": 1, "proper_nouns": 1},
    ]
    absent, present = tag_uses(counts, pa.array(["x", "a"]))
    assert absent.tolist() == [0] * len(UPOS)
    assert {UPOS[n]: uses for n, uses in enumerate(present) if uses} == {"PROPN": 1, "NOUN": 1}
    untagged = count_view([batch(rows, tagged=False)]).words
    assert look_up(untagged, pa.array(["x"]))["proper_nouns"].to_pylist() == [None]
    assert tag_uses(untagged, pa.array(["x"])) is None


@settings(max_examples=40, deadline=None)
@given(SENTENCES, SENTENCES, st.booleans())
def test_majority_tags_are_those_of_all_uses_together(early, late, tagged):
    sides = [count_view([batch(early, tagged)]).words, count_view([batch(late)]).words]
    words = ["zz", "nowhere", "a", "b"]
    upos, share = majority_tags(sides, pa.array(words))
    for place, word in enumerate(words):
        tags = Counter(
            tag for _, tokens in ([*early, *late] if tagged else late) for found, tag in tokens if found == word and tag
        )
        best = min(tags, key=lambda tag: (-tags[tag], UPOS.index(tag)), default=None)
        assert upos[place].as_py() == best
        assert share[place].as_py() == (tags[best] / tags.total() if tags else None)
