import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.scores.null_deals import LEAST_CLUSTERS, clusters_of, deal
from lexbeam.transforms.common.draws.by_content import content_hashes

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
