import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.change.deals import (
    LEAST_CLUSTERS,
    clusters_of,
    deal,
    deal_series,
    series_clusters,
)
from transforms.common.draws import content_hashes


def keys(names):
    return content_hashes([str(name) for name in names])


def made(authors, later):
    """Clusters of documents by their authors (None: unknown)."""
    known = np.array([author is not None for author in authors])
    return clusters_of(
        keys(range(len(authors))), keys(a or "" for a in authors), known, np.array(later)
    )


def test_authors_are_dealt_where_all_are_known_and_enough_and_none_is_in_both_slices():
    early = [f"e{n % LEAST_CLUSTERS}" for n in range(25)]
    late = [f"l{n % 12}" for n in range(30)]
    later = [False] * 25 + [True] * 30
    assert made(early + late, later)[::2] == ("author", LEAST_CLUSTERS)
    assert made(early + late, later).later == 12
    for changed in (
        [*early[:-1], None, *late],  # one unknown
        [*early, *late[:-1], "e3"],  # one in both
        [*early[:-1], "e0", *late[:-30], *(["l1"] * 30)],  # too few
    ):
        found = made(changed, later)
        assert (found.unit, found.earlier, found.later) == ("document", 25, 30)


def test_single_documents_are_clusters_of_their_own():
    found = made([None] * 4, [False, True, True, True])
    assert (found.unit, found.earlier, found.later) == ("document", 1, 3)
    assert len(set(found.keys.tolist())) == 4


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 1000)), min_size=2, max_size=60),
    st.floats(0.1, 0.9), st.integers(0, 5),
)  # fmt: skip
def test_a_deal_keeps_clusters_whole_and_both_sides_filled(rows, share, number):
    clusters, tokens = keys(c for c, _ in rows), np.array([size for _, size in rows])
    found = deal(clusters, tokens, share, seed=1, number=number)
    names = np.array([c for c, _ in rows])
    for name in set(names.tolist()):
        assert len(set(found[names == name].tolist())) == 1
    if len(set(names.tolist())) > 1:
        assert 0 < found.sum() < len(rows)


def test_token_shares_are_kept_within_three_per_cent():
    tokens = np.random.default_rng(1).integers(100, 5000, 60)
    clusters = keys(range(60))
    for share in (0.2, 0.5, 0.73):
        for number in range(20):
            found = deal(clusters, tokens, share, seed=3, number=number)
            assert abs(tokens[found].sum() / tokens.sum() - share) <= 0.03


def test_large_clusters_are_dealt_as_near_as_any_order_tried_comes():
    # Of 4 clusters with 40, 30, 20 and 10 % only {40, 10} and {30, 20} make a half.
    tokens, clusters = np.array([40, 30, 20, 10]), keys("abcd")
    for number in range(20):
        assert tokens[deal(clusters, tokens, 0.5, seed=1, number=number)].sum() == 50


def test_a_deal_depends_on_content_seed_and_number_alone():
    clusters, tokens = keys(range(40)), np.arange(40) + 10
    first = deal(clusters, tokens, 0.5, seed=1, number=0)
    order = np.random.default_rng(0).permutation(40)
    assert (deal(clusters[order], tokens[order], 0.5, seed=1, number=0) == first[order]).all()
    others = [deal(clusters, tokens, 0.5, seed=s, number=n) for s, n in ((1, 1), (2, 0))]
    assert all((other != first).any() for other in others)


def test_every_cluster_comes_to_either_side_as_often_as_its_share():
    clusters, tokens = keys(range(30)), np.full(30, 100)
    dealt = [deal(clusters, tokens, 0.4, seed=5, number=n) for n in range(2000)]
    assert np.mean(dealt, axis=0) == pytest.approx(np.full(30, 0.4), abs=0.05)


def test_one_document_and_none():
    assert deal(keys("a"), np.array([5]), 0.5, seed=1, number=0).tolist() == [True]
    assert deal(keys([]), np.array([], np.int64), 0.5, seed=1, number=0).tolist() == []


def test_deals_of_two_slices_are_those_of_the_first_version():
    # Null pairs of earlier runs are taken up: which documents they have must not change.
    found = [deal(keys(range(12)), np.arange(12) + 1, 0.4, seed=3, number=n) for n in (0, 1)]
    assert [np.flatnonzero(one).tolist() for one in found] == [[0, 1, 3, 4, 7, 8], [2, 6, 9, 11]]


SHARES = [0.1, 0.35, 0.25, 0.3]


def test_a_series_is_dealt_by_the_shares_of_its_slices():
    tokens = np.random.default_rng(2).integers(100, 5000, 160)
    for number in range(20):
        found = deal_series(keys(range(160)), tokens, SHARES, seed=3, number=number)
        shares = np.bincount(found, tokens, minlength=4) / tokens.sum()
        assert np.abs(np.cumsum(shares) - np.cumsum(SHARES)).max() <= 0.015
        assert np.abs(shares - SHARES).max() <= 0.03


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 1000)), min_size=2, max_size=60),
    st.lists(st.floats(0.05, 1), min_size=2, max_size=5), st.integers(0, 5),
)  # fmt: skip
def test_a_series_keeps_clusters_whole_and_fills_its_slices(rows, weights, number):
    clusters, tokens = keys(c for c, _ in rows), np.array([size for _, size in rows])
    shares = np.array(weights) / sum(weights)
    found = deal_series(clusters, tokens, shares.tolist(), seed=1, number=number)
    names = np.array([c for c, _ in rows])
    for name in set(names.tolist()):
        assert len(set(found[names == name].tolist())) == 1
    expected = min(len(weights), len(set(names.tolist())))
    assert set(found.tolist()) == set(range(expected))


def test_a_deal_of_a_series_depends_on_content_seed_and_number_alone():
    clusters, tokens = keys(range(60)), np.arange(60) + 10
    first = deal_series(clusters, tokens, SHARES, seed=1, number=0)
    order = np.random.default_rng(0).permutation(60)
    again = deal_series(clusters[order], tokens[order], SHARES, seed=1, number=0)
    assert (again == first[order]).all()
    for seed, number in ((1, 1), (2, 0)):
        other = deal_series(clusters, tokens, SHARES, seed=seed, number=number)
        assert (other != first).any()


def test_every_cluster_comes_to_each_slice_as_often_as_its_share():
    clusters, tokens = keys(range(40)), np.full(40, 100)
    dealt = [deal_series(clusters, tokens, SHARES, seed=5, number=n) for n in range(1500)]
    for place, share in enumerate(SHARES):
        often = (np.array(dealt) == place).mean(axis=0)
        assert often == pytest.approx(np.full(40, share), abs=0.05)


def test_a_series_without_tokens_or_documents():
    assert deal_series(keys([]), np.array([], np.int64), SHARES, seed=1, number=0).tolist() == []
    assert deal_series(keys("ab"), np.array([0, 0]), SHARES, seed=1, number=0).tolist() == [0, 0]


def of_series(authors, places):
    known = np.array([author is not None for author in authors])
    return series_clusters(
        keys(range(len(authors))), keys(a or "" for a in authors), known, np.array(places), 3
    )


def test_authors_of_a_series_are_dealt_where_none_is_in_two_slices():
    authors = [f"{place}-{n % (10 + place)}" for place in range(3) for n in range(25)]
    places = [place for place in range(3) for _ in range(25)]
    assert of_series(authors, places)[::2] == ("author", (10, 11, 12))
    for changed in (
        [None, *authors[1:]],  # one unknown
        [*authors[:-1], "0-3"],  # one in the first slice and the last
        [*authors[:25], *(["1-0"] * 25), *authors[50:]],  # too few in the middle
    ):
        found = of_series(changed, places)
        assert (found.unit, found.sizes) == ("document", (25, 25, 25))
        assert len(set(found.keys.tolist())) == 75
