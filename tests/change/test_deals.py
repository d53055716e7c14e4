import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.change.deals import LEAST_CLUSTERS, clusters_of, deal
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
