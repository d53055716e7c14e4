from collections import Counter
from functools import partial

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from view_making import EMPTY, SPEC, corpus, counts_of, prepare, spec_of

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view import counts as module
from lexbeam.transforms.change.view.counts import (
    COUNTS,
    CountSlice,
    ShuffleRange,
    count_view,
    look_up,
    majority_tags,
    merge_counts,
    tag_uses,
)
from lexbeam.transforms.change.view.feeds import FEED, StagedView, read_counts
from lexbeam.transforms.change.view.words import tag_codes
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.identity import canonical

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


@pytest.fixture
def rows():
    return corpus()


def test_neither_parts_nor_ranges_change_the_order_of_training(rows, tmp_path):
    _, one, _ = prepare(tmp_path / "a", rows)
    _, many, _ = prepare(tmp_path / "b", rows[::-1], parts=4, spec=spec_of(ranges=5))
    assert one == many


@pytest.mark.parametrize("merged", [1, 3, 16])
def test_parts_and_ranges_do_not_change_counts(rows, tmp_path, monkeypatch, merged):
    one, _, _ = prepare(tmp_path / "a", rows)
    monkeypatch.setattr(module, "_MERGED", merged)
    many, _, _ = prepare(tmp_path / "b", rows[::-1], parts=4, spec=spec_of(ranges=5))
    for first, other in zip(one, many, strict=True):
        assert first.counts.sha256 == other.counts.sha256
        assert [getattr(first, name) for name in SIZES] == [getattr(other, name) for name in SIZES]


SIZES = (
    "documents",
    "sentences",
    "tokens",
    "largest_document",
    "types",
    "tokens_before",
    "short",
    "short_tokens",
    "split",
    "sampled_out",
)


def test_the_order_of_training_is_not_that_of_the_documents(rows, tmp_path):
    _, feeds, _ = prepare(tmp_path / "a", rows)
    early = SPEC.slices[0]
    plain = [row["lemmas"][:-1] for row in rows if early.start <= row["year"] <= early.end and len(row["lemmas"]) >= 3]
    assert sorted(feeds[0]) == sorted(plain)
    assert feeds[0] != plain


def test_long_sentences_are_split_and_stay_in_order(tmp_path):
    long = {**EMPTY, "document_id": "0" * 32, "sentence": 0, "year": 1800, "lemmas": [f"x{n}" for n in range(25_000)]}
    slices, feeds, _ = prepare(tmp_path / "a", [long, {**long, "year": 1850, "sentence": 1}])
    assert [len(words) for words in feeds[0]] == [10_000, 10_000, 5_000]
    assert [word for words in feeds[0] for word in words] == long["lemmas"]
    assert slices[0].split == 1


def test_batches_of_the_feed_are_bounded(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FEED_ROWS", 7)
    _, small, viewed = prepare(tmp_path / "a", rows)
    staged = tuple(StagedView(viewed[0][0].staged, n) for n in range(len(viewed[0][0].ranges)))
    feed = make(Workspace(str(tmp_path / "a" / "work")), ShuffleRange(), staged)
    with BatchReader() as reader:
        sizes = [reader.read(feed, n).num_rows for n in range(reader.count(feed))]
    assert set(sizes[:-1]) == {7}
    assert 0 < sizes[-1] <= 7
    monkeypatch.undo()
    _, large, _ = prepare(tmp_path / "b", rows)
    assert small == large


def test_neither_the_order_nor_the_place_of_parts_counts(rows, tmp_path):
    found = []
    for name in "ab":
        _, _, viewed = prepare(tmp_path / name, rows, parts=3)
        own = [part[0] for part in viewed]
        counts = list(map(counts_of, own))
        staged = [StagedView(one.staged, n) for one in own for n in range(len(one.ranges))]
        found.append((counts, staged))
    (counts, staged), (others, elsewhere) = found
    assert counts[0].counts.path != others[0].counts.path
    in_order = partial(sorted, key=canonical)  # as `By` gives them
    count, shuffle = CountSlice().identity, ShuffleRange().identity
    assert count(in_order(counts)) == count(in_order(others[::-1]))
    assert shuffle(in_order(staged)) == shuffle(in_order(elsewhere[::-1]))
    assert count(in_order(counts)) != count(in_order(counts[:2]))
    assert shuffle(in_order(staged)) != shuffle(in_order(staged[1:]))
    turned = make(Workspace(str(tmp_path / "w")), CountSlice(), tuple(others[::-1]))
    straight = make(Workspace(str(tmp_path / "v")), CountSlice(), tuple(counts))
    assert turned.counts.sha256 == straight.counts.sha256


def test_a_slice_without_sentences_has_empty_counts_and_an_empty_feed(tmp_path):
    row = {**EMPTY, "document_id": "0" * 32, "sentence": 0, "year": 1800, "lemmas": ["a"] * 5}
    slices, feeds, _ = prepare(tmp_path / "a", [row])
    assert (slices[1].tokens, slices[1].types, slices[1].documents) == (0, 0, 0)
    assert read_counts(slices[1].counts).num_rows == 0
    assert feeds[1] == []


def test_a_feed_holds_words_as_numbers(rows, tmp_path):
    _, _, viewed = prepare(tmp_path / "a", rows)
    staged = (StagedView(viewed[0][0].staged, 0),)
    feed = make(Workspace(str(tmp_path / "a" / "work")), ShuffleRange(), staged)
    with BatchReader() as reader:
        batch = reader.read(feed, 0)
    assert batch.schema == FEED
    assert pa.types.is_dictionary(batch.column("words").type.value_type)
