import tracemalloc
from collections import Counter, defaultdict
from itertools import compress
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from view_making import SPEC, corpus, prepare, shuffled, spec_of

from lexbeam.schemas.corpus_tables import DOCUMENTS
from lexbeam.transforms.change.graph.comparisons import Comparisons, SliceReady
from lexbeam.transforms.change.graph.pair_tasks import (
    deal_tasks,
    dealt_tasks,
    first_place,
    group_of,
    groups_of,
    null_ready,
    null_slices,
)
from lexbeam.transforms.change.scores.null_deals import (
    LEAST_CLUSTERS,
    CountDealt,
    Deal,
    DealDocuments,
    DealOptions,
    DealtTask,
    SizeDocuments,
    SizesTask,
    clusters_of,
    comparability,
    deal,
    mixture,
    source_group,
)
from lexbeam.transforms.change.view.counts import look_up
from lexbeam.transforms.change.view.feeds import read_counts, read_dealt, read_held
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make, make_all
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.tables import Part, write_part

SHARES = ([0.4, 0.6], [0.1, 0.35, 0.25, 0.3])  # of a pair, of a series
shares_of_slices = pytest.mark.parametrize("shares", SHARES, ids=["pair", "series"])


def keys(names):
    return content_hashes([str(name) for name in names])


def made(authors, places, slices):
    """Clusters of documents by their authors (None: unknown)."""
    known = np.array([author is not None for author in authors])
    return clusters_of(keys(range(len(authors))), keys(a or "" for a in authors), known, np.array(places), slices)


@pytest.mark.parametrize("slices", [2, 3])
def test_authors_are_dealt_where_all_are_known_and_enough_and_none_is_in_two_slices(slices):
    sizes = tuple(LEAST_CLUSTERS + place for place in range(slices))
    authors = [f"{place}-{n % size}" for place, size in enumerate(sizes) for n in range(25)]
    places = [place for place in range(slices) for _ in range(25)]
    assert made(authors, places, slices)[::2] == ("author", sizes)
    for changed in (
        [None, *authors[1:]],  # one unknown
        [*authors[:-1], "0-3"],  # one in the first slice and the last
        [*authors[:25], *(["1-0"] * 25), *authors[50:]],  # too few in one
    ):
        found = made(changed, places, slices)
        assert (found.unit, found.sizes) == ("document", (25,) * slices)
        assert len(set(found.keys.tolist())) == 25 * slices


def test_single_documents_are_clusters_of_their_own():
    found = made([None] * 4, [0, 1, 1, 1], 2)
    assert (found.unit, found.sizes) == ("document", (1, 3))
    assert len(set(found.keys.tolist())) == 4


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 1000)), min_size=2, max_size=60),
    st.lists(st.floats(0.05, 1), min_size=2, max_size=5),
    st.integers(0, 5),
)
def test_a_deal_keeps_clusters_whole_and_all_slices_filled(rows, weights, number):
    clusters, tokens = keys(c for c, _ in rows), np.array([size for _, size in rows])
    shares = np.array(weights) / sum(weights)
    found = deal(clusters, tokens, shares.tolist(), seed=1, number=number)
    names = np.array([c for c, _ in rows])
    for name in set(names.tolist()):
        assert len(set(found[names == name].tolist())) == 1
    expected = min(len(weights), len(set(names.tolist())))
    assert set(found.tolist()) == set(range(expected))


@pytest.mark.parametrize("shares", [[0.2, 0.8], [0.5, 0.5], [0.73, 0.27], SHARES[1]])
def test_token_shares_are_kept_within_three_per_cent(shares):
    tokens = np.random.default_rng(2).integers(100, 5000, 160)
    for number in range(20):
        found = deal(keys(range(160)), tokens, shares, seed=3, number=number)
        got = np.bincount(found, tokens, minlength=len(shares)) / tokens.sum()
        assert np.abs(np.cumsum(got) - np.cumsum(shares)).max() <= 0.06 / len(shares)
        assert np.abs(got - shares).max() <= 0.03


def test_large_clusters_are_dealt_as_near_as_any_order_tried_comes():
    # Of 4 clusters with 40, 30, 20 and 10 % only {40, 10} and {30, 20} make a half.
    tokens, clusters = np.array([40, 30, 20, 10]), keys("abcd")
    for number in range(20):
        found = deal(clusters, tokens, [0.5, 0.5], seed=1, number=number)
        assert np.bincount(found, tokens).tolist() == [50, 50]


@shares_of_slices
def test_a_deal_depends_on_content_seed_and_number_alone(shares):
    clusters, tokens = keys(range(60)), np.arange(60) + 10
    first = deal(clusters, tokens, shares, seed=1, number=0)
    order = np.random.default_rng(0).permutation(60)
    assert (deal(clusters[order], tokens[order], shares, seed=1, number=0) == first[order]).all()
    others = [deal(clusters, tokens, shares, seed=s, number=n) for s, n in ((1, 1), (2, 0))]
    assert all((other != first).any() for other in others)


@shares_of_slices
def test_every_cluster_comes_to_each_slice_as_often_as_its_share(shares):
    clusters, tokens = keys(range(40)), np.full(40, 100)
    dealt = [deal(clusters, tokens, shares, seed=5, number=n) for n in range(1500)]
    for place, share in enumerate(shares):
        often = (np.array(dealt) == place).mean(axis=0)
        assert often == pytest.approx(np.full(40, share), abs=0.05)


@shares_of_slices
def test_few_documents_and_none(shares):
    nothing = np.array([], np.int64)
    assert deal(keys([]), nothing, shares, seed=1, number=0).tolist() == []
    assert deal(keys("a"), np.array([5]), shares, seed=1, number=0).tolist() == [0]
    assert deal(keys("ab"), np.array([0, 0]), shares, seed=1, number=0).tolist() == [0, 0]


def test_deals_of_two_slices_are_those_of_the_first_version():
    # Null pairs of earlier runs are taken up: which documents they have must not change.
    found = [deal(keys(range(12)), np.arange(12) + 1, SHARES[0], seed=3, number=n) for n in (0, 1)]
    assert [np.flatnonzero(one == 0).tolist() for one in found] == [[0, 1, 3, 4, 7, 8], [2, 6, 9, 11]]


PLACES = np.array([0, 0, 0, 1, 1])
TOKENS = np.array([10, 20, 70, 50, 50])


@pytest.mark.parametrize(
    ("source", "position", "group"),
    [
        ("politics/2004/a1.txt", "", "politics/#"),
        ("a.txt", "", ""),
        ("sport.csv", "row 7", "sport.csv"),
        ("news.zip!sport/b1.txt", "", "news.zip!sport"),
        ("news.zip!b1.txt", "", "news.zip!"),
        ("news2004.tar.gz!x/all.jsonl", "9", "news#.tar.gz!x/all.jsonl"),
    ],
)
def test_documents_of_a_folder_or_a_file_are_of_one_source(source, position, group):
    assert source_group(source, position) == group


def test_mixtures_are_compared_by_tokens():
    found = mixture(["law", "", "news", "news", "letter"], PLACES, TOKENS)
    # law .1 and 0, none .2 and 0, news .7 and .5, letter 0 and .5
    assert found.distance == pytest.approx((0.1 + 0.2 + 0.2 + 0.5) / 2)
    assert (found.value, found.shares) == ("letter", (0.0, 0.5))
    assert mixture(["x"] * 5, PLACES, TOKENS).distance == 0
    assert mixture([""] * 5, PLACES, TOKENS) is None


def test_one_long_value_does_not_cost_its_length_for_every_document():
    values = ["x" * 20_000, *(f"news/{number % 50}" for number in range(1999))]
    tracemalloc.start()
    found = mixture(values, np.arange(2000) % 2, np.ones(2000, np.int64))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Odd numbers of news stand in one slice, even ones in the other.
    assert found.distance == pytest.approx(1)
    assert peak < 1_000_000


def test_authors_and_lengths_are_told():
    found = comparability(
        genres=[""] * 5,
        sources=["a", "a", "a", "b", "b"],
        authors=np.array([1, 2, 0, 2, 3], np.uint64),
        known=np.array([True, True, False, True, True]),
        places=PLACES,
        tokens=TOKENS,
    )
    assert found.genre is None
    assert (found.source.distance, found.source.value, found.source.shares) == (1.0, "a", (1.0, 0.0))
    assert (found.authors, found.authors_both, found.unsigned) == ((2, 2), 1, 1)
    # Author 2 has 20 of the 30 tokens that have an author, and 50 of 100.
    assert found.shares_both == (pytest.approx(2 / 3), 0.5)
    assert found.author_shares == (pytest.approx(0.2), pytest.approx(0.5))
    assert found.lengths == (20.0, 50.0)


def test_slices_of_nobody_are_no_error():
    none = np.zeros(0, np.int64)
    found = comparability(
        genres=[], sources=[], authors=none.astype(np.uint64), known=none.astype(bool), places=none, tokens=none
    )
    assert (found.authors, found.author_shares, found.lengths) == ((0, 0), (0.0, 0.0), (0.0, 0.0))
    assert found.shares_both == (None, None)


SCHEMA = DOCUMENTS.schema()


def documents_part(folder, rows, number, parts, author):
    """The part of `documents` beside a part of `sentences`."""
    ids = sorted({row["document_id"] for row in rows if int(row["document_id"], 16) % parts == number})
    made = [
        {
            **dict.fromkeys(SCHEMA.names),
            "document_id": name,
            "source": f"folder{int(name, 16) % 3}/{name}.txt",
            "genre": f" genre {int(name, 16) % 2} ",
            "position": "",
            "author": author(int(name, 16)),
        }
        for name in ids
    ]
    artefact = Artefact(str(folder / f"documents{number}"))
    return Part.of("documents", number, write_part(artefact, SCHEMA, [pa.Table.from_pylist(made, schema=SCHEMA)]))


PAIR = "1800-1840,1850-1890"
THREE = "1800-1818,1819-1852,1853-1890"


class Dealt:
    """A corpus in parts, its view, and what three null pairs, or null series, make of it."""

    def __init__(self, folder, *, slices=PAIR, parts=2, ranges=1, author=lambda _: None, seed=1, by="document"):
        self.rows = corpus()
        self.spec = spec_of(slices, ranges=ranges)
        self.slices = len(self.spec.ranges)
        self.space = Workspace(str(folder / "work"))
        self.real = prepare(folder, self.rows, parts=parts, spec=self.spec)
        beside = [documents_part(folder, self.rows, n, parts, author) for n in range(parts)]
        found = [
            (place, make(self.space, SizeDocuments(), SizesTask(view.staged, part, by == "sentence")))
            for views, part in zip(self.real.viewed, beside, strict=True)
            for place, view in enumerate(views)
        ]
        groups = (tuple(range(self.slices)),)
        ((_, task),) = deal_tasks(0, found, groups)
        self.deal = make(self.space, DealDocuments(DealOptions(nulls=3, seed=seed, by=by)), task)
        self.counted = defaultdict(list)
        for views in self.real.viewed:
            tasks = list(dealt_tasks(("part", views), groups, {0: self.deal}))
            made = make_all(self.space, CountDealt(), [task for _, task in tasks])
            for (place, _), counted in zip(tasks, made, strict=True):
                self.counted[place].append(counted)

    def documents(self):
        """Documents of the real slices."""
        return tuple(sum(view[place].documents for view in self.real.viewed) for place in range(self.slices))

    def digests(self):
        """Digests of the deals."""
        return [[file.sha256 for file in null] for null in self.deal.nulls]

    def sentences(self, place):
        """Sentences of a null slice by the deal: document, ordinal and words, in the order of training."""
        number, index = divmod(place, self.slices)
        held = read_held(self.deal.nulls[number][index])
        with BatchReader() as reader:
            found = [
                (row["key"], row["document_id"], row["sentence"], tuple(row["words"]))
                for views in self.real.viewed
                for view in views
                for ordinal in range(reader.count(view.staged))
                for row in reader.read(view.staged, ordinal).to_pylist()
            ]
        keys = {"document": content_hashes([row[1] for row in found]), "key": np.array([row[0] for row in found])}
        inside = np.isin(keys[held.column], held.hashes)
        return [row for _, *row in sorted(compress(found, inside))]

    def ready(self, place):
        """A null slice as it is trained."""
        groups = (tuple(range(self.slices)),)
        ready = {}
        for real in range(self.slices):
            feed = shuffled(self.space, [views[real] for views in self.real.viewed], self.spec.ranges[real])
            ready[real] = SliceReady(real, "counts", (feed,))
        return null_ready((place, "counts"), groups, {0: self.deal}, ready)


@pytest.fixture(scope="module", params=[PAIR, THREE], ids=["pair", "series"])
def dealt(request, tmp_path_factory):
    return Dealt(tmp_path_factory.mktemp("dealt"), slices=request.param)


def in_view(rows, slices=SPEC.slices):
    """Sentences of all slices as the view has them."""
    return Counter(
        (row["document_id"], row["sentence"], tuple(row["lemmas"][:-1]))
        for row in rows
        if any(s.start <= row["year"] <= s.end for s in slices) and len(row["lemmas"]) >= 3
    )


@pytest.fixture(scope="module")
def sentences_dealt(tmp_path_factory):
    return Dealt(
        tmp_path_factory.mktemp("sentences"), parts=2, ranges=2, by="sentence", author=lambda number: f"A{number}"
    )


def test_sentences_are_dealt_one_by_one_though_authors_could_be(sentences_dealt, tmp_path):
    dealt = sentences_dealt
    expected = in_view(dealt.rows)
    views = dealt.real.viewed
    sizes = tuple(sum(view[place].sentences for view in views) for place in (0, 1))
    tokens = sum(view[0].tokens for view in views)
    assert (dealt.deal.unit, dealt.deal.sizes) == ("sentence", sizes)
    for number in range(3):
        sides = [list(map(tuple, dealt.sentences(2 * number + place))) for place in (0, 1)]
        assert Counter(sides[0]) + Counter(sides[1]) == expected
        documents = [{document for document, *_ in side} for side in sides]
        assert len(documents[0] & documents[1]) > 0.8 * len(documents[0] | documents[1])
        assert abs(sum(len(words) for *_, words in sides[0]) - tokens) <= 10  # the longest sentence
    assert Dealt(tmp_path, parts=3, by="sentence").digests() == dealt.digests()
    assert Dealt(tmp_path / "b", seed=2, by="sentence").digests() != dealt.digests()


def test_nulls_of_sentences_are_counted_and_trained_on_as_dealt(sentences_dealt):
    for place in range(6):
        ready = sentences_dealt.ready(place)
        wanted = sentences_dealt.sentences(place)
        read = read_dealt(ready.feeds, read_held(ready.documents))
        assert [tuple(words) for lists in read for words in lists.to_pylist()] == [words for *_, words in wanted]
        counted = sentences_dealt.counted[place]
        assert sum(view.sentences for view in counted) == len(wanted)
        uses = Counter()
        for view in counted:
            table = read_counts(view.counts)
            uses.update(dict(zip(table["word"].to_pylist(), table["count"].to_pylist(), strict=True)))
        assert uses == Counter(word for *_, words in wanted for word in words)


def test_a_null_holds_every_sentence_of_its_slices_once(dealt):
    expected = in_view(dealt.rows, dealt.spec.slices)
    views = dealt.real.viewed
    tokens = np.array([sum(v[place].tokens for v in views) for place in range(dealt.slices)])
    assert (dealt.deal.unit, dealt.deal.sizes) == ("document", dealt.documents())
    seen = set()
    for number in range(3):
        sides = [list(map(tuple, dealt.sentences(dealt.slices * number + place))) for place in range(dealt.slices)]
        assert sum(map(Counter, sides), Counter()) == expected
        documents = tuple(frozenset(document for document, *_ in side) for side in sides)
        assert sum(map(len, documents)) == len(frozenset.union(*documents))
        found = np.array([sum(len(words) for *_, words in side) for side in sides])
        assert np.abs(found - tokens).max() <= 0.04 * tokens.sum()
        seen.add(documents)
    assert len(seen) == 3, "deals are alike"


def test_counts_of_a_null_slice_are_those_of_its_sentences(dealt):
    for place in range(3 * dealt.slices):
        counts, documents = Counter(), Counter()
        for document, _, words in dealt.sentences(place):
            counts.update(words)
            documents.update({(document, word): 1 for word in words})
        got = Counter(), Counter(), Counter()
        for view in dealt.counted[place]:
            table = read_counts(view.counts)
            rows = look_up(table, table["word"].combine_chunks())
            for row in rows.to_pylist():
                for total, name in zip(got, ("count", "documents", "proper_nouns"), strict=True):
                    total[row["word"]] += row[name]
        assert got[0] == counts
        assert got[1] == Counter(word for _, word in documents)
        assert +got[2] == Counter(w3=counts["w3"])
        assert sum(view.tokens for view in dealt.counted[place]) == counts.total()
        assert sum(view.sentences for view in dealt.counted[place]) == len(dealt.sentences(place))


@pytest.mark.parametrize("ranges", [1, 3])
def test_training_reads_the_sentences_of_a_null_slice_in_their_order(tmp_path, monkeypatch, ranges):
    monkeypatch.setattr("lexbeam.transforms.change.view.counts.FEED_ROWS", 7)
    made = Dealt(tmp_path, slices=THREE, ranges=ranges)
    for place in range(9):
        ready = made.ready(place)
        assert (ready.place, len(ready.feeds)) == (place, 3)
        found = [
            tuple(words) for lists in read_dealt(ready.feeds, read_held(ready.documents)) for words in lists.to_pylist()
        ]
        assert found == [words for *_, words in made.sentences(place)]


def test_neither_parts_nor_ranges_decide_a_deal(dealt, tmp_path):
    slices = PAIR if dealt.slices == 2 else THREE
    assert Dealt(tmp_path, slices=slices, parts=3, ranges=2).digests() == dealt.digests()
    assert Dealt(tmp_path / "b", slices=slices, seed=2).digests() != dealt.digests()


def test_authors_of_a_pair_are_dealt_whole(tmp_path):
    made = Dealt(tmp_path, author=lambda number: f"A{' ' * (number % 2 + 1)}{number * 2 // 3}")
    assert made.deal.unit == "author"
    assert made.deal.sizes[0] >= 10
    for number in range(3):
        sides = [{int(document, 16) * 2 // 3 for document, *_ in made.sentences(2 * number + side)} for side in (0, 1)]
        assert not sides[0] & sides[1]


def test_authors_of_a_series_are_dealt_whole(tmp_path):
    made = Dealt(tmp_path, slices=THREE, author=lambda number: f"A{number}")
    assert made.deal.unit == "author"
    # Document 9 is in the first slice, document 10 in the second.
    made = Dealt(tmp_path / "b", slices=THREE, author=lambda number: f"A{(number + 1) // 2}")
    assert made.deal.unit == "document"


THREE_SLICES = Comparisons(("a", "b", "c"), (2, 3, 4), ((0, 1), (0, 2)), (7, 9))


def test_nulls_are_slices_and_pairs_of_their_own():
    groups = groups_of(THREE_SLICES, series=True)
    assert groups == ((0, 1), (0, 2), (0, 1, 2))
    assert groups_of(THREE_SLICES, series=False) == groups[:2]
    found = null_slices(THREE_SLICES, groups, 3)
    assert len(set(found.names)) == len(found.names) == 12 + 9
    assert found.pairs == tuple((2 * n, 2 * n + 1) for n in range(6))
    assert found.min_counts == (2, 3) * 3 + (2, 4) * 3 + (2, 3, 4) * 3
    assert found.seeds == (7,)
    assert [first_place(groups, group, 3) for group in range(3)] == [0, 6, 12]


def test_null_pairs_are_the_same_with_a_series_and_without():
    with_series, without = (null_slices(THREE_SLICES, groups_of(THREE_SLICES, series=on), 3) for on in (True, False))
    assert with_series.names[:12] == without.names
    assert with_series.pairs == without.pairs


def test_a_part_becomes_the_null_slices_of_its_group_from_the_views_of_that_group():
    groups = groups_of(THREE_SLICES, series=True)
    deal = Deal(unit="document", sizes=(1, 1), nulls=(("n0a", "n0c"), ("n1a", "n1c")))
    views = [SimpleNamespace(staged=name) for name in "ABC"]
    assert list(dealt_tasks(("part", views), groups, {1: deal})) == [
        (4, DealtTask(("A", "C"), "n0a")),
        (5, DealtTask(("A", "C"), "n0c")),
        (6, DealtTask(("A", "C"), "n1a")),
        (7, DealtTask(("A", "C"), "n1c")),
    ]
    real = {place: SliceReady(place, "counts", ((f"feed {place}",),)) for place in range(3)}
    ready = null_ready((6, "counts"), groups, {1: deal}, real)
    assert ready == SliceReady(6, "counts", (("feed 0",), ("feed 2",)), "n1a")
    assert [group_of(groups, place, 2) for place in range(14)] == [0] * 4 + [1] * 4 + [2] * 6


def test_the_documents_of_a_pair_are_compared(tmp_path):
    made = Dealt(tmp_path, author=lambda number: f"author {number % 5}")
    held = [{}, {}]
    lengths = [defaultdict(int), defaultdict(int)]
    for row in made.rows:
        place = next((n for n, s in enumerate(made.spec.slices) if s.start <= row["year"] <= s.end), None)
        if place is not None and len(row["lemmas"]) >= 3:
            number = int(row["document_id"], 16)
            held[place][number] = (f"genre {number % 2}", "folder#", f"author {number % 5}")
            lengths[place][number] += len(row["lemmas"]) - 1
    found = made.deal.slices
    shares = [
        sum(size for number, size in lengths[place].items() if number % 2) / sum(lengths[place].values())
        for place in (0, 1)
    ]
    assert found.genre.distance == pytest.approx(abs(shares[0] - shares[1]))
    assert (found.source.distance, found.source.value) == (0.0, "folder#")
    authors = [{author for *_, author in of.values()} for of in held]
    assert found.authors == (len(authors[0]), len(authors[1]))
    assert found.authors_both == len(authors[0] & authors[1])
    assert found.unsigned == 0
    assert found.lengths == tuple(float(np.median(list(of.values()))) for of in lengths)


def test_the_slices_of_a_series_are_not_compared(tmp_path):
    assert Dealt(tmp_path, slices=THREE).deal.slices is None
