"""Null pairs as artefacts, against the sentences that they are dealt from."""

from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest
from view_making import SPEC, corpus, prepare, spec_of

from schemas.documents import DOCUMENTS
from transforms.change.comparisons import Comparisons
from transforms.change.counts import look_up
from transforms.change.dealing import (
    DEAL,
    DEAL_SERIES,
    DEALT,
    SIZES,
    DealOptions,
    SizesTask,
)
from transforms.change.feeds import read_counts
from transforms.change.nulls import (
    deal_task,
    dealt_tasks,
    null_comparisons,
    null_series,
    pair_of_null,
    series_deal_task,
    series_dealt_tasks,
)
from transforms.common.artefacts import Artefact, Workspace, make, make_all
from transforms.common.batches import BatchReader
from transforms.common.tables import Part, write_part

COMPARISONS = Comparisons(("early", "late"), (2, 3), ((0, 1),), (7, 9))
SCHEMA = DOCUMENTS.schema()


def documents_part(folder, rows, number, parts, author):
    """The part of `documents` beside a part of `sentences`."""
    ids = sorted(
        {row["document_id"] for row in rows if int(row["document_id"], 16) % parts == number}
    )
    made = [
        {**dict.fromkeys(SCHEMA.names), "document_id": name, "source": "s", "position": "",
         "author": author(int(name, 16))}
        for name in ids
    ]  # fmt: skip
    artefact = Artefact(str(folder / f"documents{number}"))
    return Part.of("documents", number, write_part(
        artefact, SCHEMA, [pa.Table.from_pylist(made, schema=SCHEMA)]
    ))  # fmt: skip


PAIR = "1800-1840,1850-1890"
THREE = "1800-1818,1819-1852,1853-1890"


class Dealt:
    """A corpus in parts, its view, and what three null pairs, or null series, make of it."""

    def __init__(self, folder, *, slices=PAIR, parts=2, ranges=1, author=lambda _: None, seed=1):
        self.rows = corpus()
        self.spec = spec_of(slices, ranges=ranges)
        self.space = Workspace(str(folder / "work"))
        self.real = prepare(folder, self.rows, parts=parts, spec=self.spec)
        beside = [documents_part(folder, self.rows, n, parts, author) for n in range(parts)]
        sides = [
            (side, make(self.space, SIZES, SizesTask(view.sentences, part), None).documents)
            for views, part in zip(self.real.viewed, beside, strict=True)
            for side, view in enumerate(views)
        ]
        options = DealOptions(nulls=3, seed=seed)
        series = slices == THREE
        if series:
            self.deal = make(self.space, DEAL_SERIES, series_deal_task(3, sides), options)
        else:
            self.deal = make(self.space, DEAL, deal_task(sides), options)
        self.views = defaultdict(list)
        for views in self.real.viewed:
            if series:
                found = series_dealt_tasks(self.deal, views, self.spec.ranges)
            else:
                found = dealt_tasks(COMPARISONS, 0, self.deal, views, self.spec.ranges)
            made = make_all(self.space, DEALT, [task for _, task in found], None)
            for (place, _), view in zip(found, made, strict=True):
                self.views[place].append(view)

    def sentences(self, place):
        """Sentences of a null slice: document, ordinal and words."""
        with BatchReader() as reader:
            return [
                (row["document_id"], row["sentence"], tuple(row["words"]))
                for view in self.views[place]
                for ordinal in range(reader.count(view.sentences))
                for row in reader.read(view.sentences, ordinal).to_pylist()
            ]


@pytest.fixture(scope="module")
def dealt(tmp_path_factory):
    return Dealt(tmp_path_factory.mktemp("dealt"))


def in_view(rows, slices=SPEC.slices):
    """Sentences of all slices as the view has them."""
    return Counter(
        (row["document_id"], row["sentence"], tuple(row["lemmas"][:-1]))
        for row in rows
        if any(s.start <= row["year"] <= s.end for s in slices) and len(row["lemmas"]) >= 3
    )


def test_a_null_pair_holds_every_sentence_of_the_pair_once(dealt):
    expected = in_view(dealt.rows)
    seen = set()
    for number in range(3):
        sides = [dealt.sentences(2 * number + side) for side in (0, 1)]
        assert Counter(sides[0]) + Counter(sides[1]) == expected
        documents = [{document for document, *_ in side} for side in sides]
        assert not documents[0] & documents[1]
        tokens = [sum(len(words) for *_, words in side) for side in sides]
        real = [sum(view[side].tokens for view in dealt.real.viewed) for side in (0, 1)]
        assert abs(tokens[0] - real[0]) <= 0.03 * sum(real)
        seen.add(frozenset(documents[0]))
    assert len(seen) == 3, "deals are alike"


def test_counts_of_a_null_slice_are_those_of_its_sentences(dealt):
    for place in range(6):
        counts, documents = Counter(), Counter()
        for document, _, words in dealt.sentences(place):
            counts.update(words)
            documents.update({(document, word): 1 for word in words})
        got = Counter(), Counter(), Counter()
        for view in dealt.views[place]:
            table = read_counts(view.counts)
            rows = look_up(table, table["word"].combine_chunks())
            for row in rows.to_pylist():
                for total, name in zip(got, ("count", "documents", "proper_nouns"), strict=True):
                    total[row["word"]] += row[name]
        assert got[0] == counts
        assert got[1] == Counter(word for _, word in documents)
        assert +got[2] == Counter(w3=counts["w3"])
        assert sum(view.tokens for view in dealt.views[place]) == counts.total()
        assert sum(view.sentences_kept for view in dealt.views[place]) == len(
            dealt.sentences(place)
        )


def test_ranges_hold_the_keys_that_are_theirs(tmp_path):
    made = Dealt(tmp_path, ranges=3)
    for views in made.views.values():
        for view in views:
            with BatchReader() as reader:
                assert reader.count(view.sentences) == len(view.ranges)
                for ordinal, number in enumerate(view.ranges):
                    keys = reader.read(view.sentences, ordinal)["key"].to_pylist()
                    assert {(key >> 32) * 3 >> 32 for key in keys} == {number}


def test_neither_parts_nor_ranges_decide_a_deal(dealt, tmp_path):
    other = Dealt(tmp_path, parts=3, ranges=2)
    assert [f.sha256 for f in other.deal.nulls] == [f.sha256 for f in dealt.deal.nulls]
    again = Dealt(tmp_path / "b", seed=2)
    assert [f.sha256 for f in again.deal.nulls] != [f.sha256 for f in dealt.deal.nulls]


def test_authors_are_dealt_whole(tmp_path, dealt):
    assert (dealt.deal.unit, dealt.deal.earlier, dealt.deal.later) == (
        "document", *(sum(view[side].documents for view in dealt.real.viewed) for side in (0, 1)),
    )  # fmt: skip
    made = Dealt(tmp_path, author=lambda number: f"A{' ' * (number % 2 + 1)}{number * 2 // 3}")
    assert made.deal.unit == "author"
    assert made.deal.earlier >= 10
    for number in range(3):
        sides = [
            {int(document, 16) * 2 // 3 for document, *_ in made.sentences(2 * number + side)}
            for side in (0, 1)
        ]
        assert not sides[0] & sides[1]


def test_null_pairs_are_pairs_of_their_own():
    two = Comparisons(("a", "b", "c"), (2, 3, 4), ((0, 1), (0, 2)), (7, 9))
    found = null_comparisons(two, 3)
    assert len(set(found.names)) == len(found.names) == 12
    assert found.pairs == tuple((2 * n, 2 * n + 1) for n in range(6))
    assert found.min_counts == (2, 3) * 3 + (2, 4) * 3
    assert found.seeds == (7,)
    assert [pair_of_null(n, 3) for n in range(6)] == [0, 0, 0, 1, 1, 1]


def test_a_null_series_holds_every_sentence_of_the_series_once(tmp_path):
    made = Dealt(tmp_path, slices=THREE, ranges=2)
    real = [sum(view[place].documents for view in made.real.viewed) for place in range(3)]
    assert (made.deal.unit, made.deal.sizes) == ("document", tuple(real))
    expected = in_view(made.rows, made.spec.slices)
    tokens = np.array([sum(view[place].tokens for view in made.real.viewed) for place in range(3)])
    seen = set()
    for number in range(3):
        sides = [made.sentences(3 * number + place) for place in range(3)]
        assert sum(map(Counter, sides), Counter()) == expected
        documents = [frozenset(document for document, *_ in side) for side in sides]
        assert sum(map(len, documents)) == len(frozenset.union(*documents))
        found = np.array([sum(len(words) for *_, words in side) for side in sides])
        assert np.abs(found - tokens).max() <= 0.04 * tokens.sum()
        seen.add(tuple(documents))
    assert len(seen) == 3, "deals are alike"


def test_neither_parts_nor_ranges_decide_a_deal_of_a_series(tmp_path):
    one = Dealt(tmp_path / "a", slices=THREE, parts=1)
    other = Dealt(tmp_path / "b", slices=THREE, parts=3, ranges=2)
    digests = [
        [[file.sha256 for file in null] for null in made.deal.nulls] for made in (one, other)
    ]
    assert digests[0] == digests[1]


def test_authors_of_a_series_are_dealt_whole(tmp_path):
    made = Dealt(tmp_path, slices=THREE, author=lambda number: f"A{number}")
    assert made.deal.unit == "author"
    # Document 9 is in the first slice, document 10 in the second.
    made = Dealt(tmp_path / "b", slices=THREE, author=lambda number: f"A{(number + 1) // 2}")
    assert made.deal.unit == "document"


def test_null_series_are_slices_of_their_own():
    three = Comparisons(("a", "b", "c"), (2, 3, 4), ((0, 1), (1, 2)), (7, 9))
    found = null_series(three, 3)
    assert len(set(found.names)) == len(found.names) == 9
    assert found.min_counts == (2, 3, 4) * 3
    assert (found.pairs, found.seeds) == ((), (7,))
    assert not set(found.names) & set(null_comparisons(three, 3).names)
