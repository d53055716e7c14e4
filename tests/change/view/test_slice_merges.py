"""A slice brought together over parts: counts, and the order of training."""

import pyarrow as pa
import pytest
from view_making import EMPTY, SPEC, corpus, counts_of, prepare, spec_of

from lexbeam.transforms.change.view import counts
from lexbeam.transforms.change.view.counts import COUNT, SHUFFLE
from lexbeam.transforms.change.view.feeds import FEED, StagedView, read_counts
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.batches import BatchReader


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
    monkeypatch.setattr(counts, "_MERGED", merged)
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
    monkeypatch.setattr(counts, "FEED_ROWS", 7)
    _, small, viewed = prepare(tmp_path / "a", rows)
    staged = tuple(StagedView(viewed[0][0].sentences, n) for n in range(len(viewed[0][0].ranges)))
    feed = make(Workspace(str(tmp_path / "a" / "work")), SHUFFLE, staged, None).feed
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
        counts = tuple(map(counts_of, own))
        staged = tuple(StagedView(one.sentences, n) for one in own for n in range(len(one.ranges)))
        found.append((counts, staged))
    (counts, staged), (others, elsewhere) = found
    assert counts[0].counts.path != others[0].counts.path
    assert COUNT.identity(counts, None) == COUNT.identity(others[::-1], None)
    assert SHUFFLE.identity(staged, None) == SHUFFLE.identity(elsewhere[::-1], None)
    assert COUNT.identity(counts, None) != COUNT.identity(counts[:2], None)
    assert SHUFFLE.identity(staged, None) != SHUFFLE.identity(staged[1:], None)
    turned = make(Workspace(str(tmp_path / "w")), COUNT, others[::-1], None)
    straight = make(Workspace(str(tmp_path / "v")), COUNT, counts, None)
    assert turned.counts.sha256 == straight.counts.sha256


def test_a_slice_without_sentences_has_empty_counts_and_an_empty_feed(tmp_path):
    row = {**EMPTY, "document_id": "0" * 32, "sentence": 0, "year": 1800, "lemmas": ["a"] * 5}
    slices, feeds, _ = prepare(tmp_path / "a", [row])
    assert (slices[1].tokens, slices[1].types, slices[1].documents) == (0, 0, 0)
    assert read_counts(slices[1].counts).num_rows == 0
    assert feeds[1] == []


def test_a_feed_holds_words_as_numbers(rows, tmp_path):
    _, _, viewed = prepare(tmp_path / "a", rows)
    staged = (StagedView(viewed[0][0].sentences, 0),)
    feed = make(Workspace(str(tmp_path / "a" / "work")), SHUFFLE, staged, None).feed
    with BatchReader() as reader:
        batch = reader.read(feed, 0)
    assert batch.schema == FEED
    assert pa.types.is_dictionary(batch.column("words").type.value_type)
