import math
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lexbeam.transforms.common.draws.by_content import add, entry_of, merge, smallest_rows, uniform

DRAW = {"seed": 4, "label": "contexts"}
KEYS = st.lists(st.text(st.characters(codec="utf-8"), max_size=3), max_size=30)
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.text("xyz", max_size=3)), max_size=40)


def kept_of(items, k):
    kept = []
    for item in items:
        add(kept, entry_of(item, **DRAW), k)
    return kept


def reference(keys, k):
    """Return the k keys that draw the least, by sorting them all."""
    numbers = uniform(list(set(keys)), **DRAW)
    return [key for _, key in sorted(zip(numbers.tolist(), set(keys), strict=True))][:k]


@given(KEYS, st.integers(0, 8), st.randoms(use_true_random=False))
def test_the_k_that_draw_the_least_in_any_order(keys, k, random):
    wanted = reference(keys, k)
    random.shuffle(keys)
    assert [entry.item for entry in kept_of(keys, k)] == wanted
    assert [keys[row] for row in smallest_rows(keys, k, **DRAW)] == wanted


@given(KEYS, st.integers(0, 8))
def test_k_are_among_any_k_and_one(keys, k):
    assert kept_of(keys, k + 1)[:k] == kept_of(keys, k)


@given(KEYS, st.text(max_size=2), st.integers(1, 8))
def test_an_item_more_takes_the_place_of_one_at_most(keys, more, k):
    before = {entry.item for entry in kept_of(keys, k)}
    after = {entry.item for entry in kept_of([*keys, more], k)}
    assert after - before <= {more}
    assert len(before - after) <= 1


@given(st.lists(KEYS, min_size=3, max_size=3), st.integers(0, 6), st.permutations(range(3)))
def test_merging_is_associative_and_commutative(pieces, k, order):
    whole = kept_of([key for piece in pieces for key in piece], k)
    a, b, c = [kept_of(pieces[place], k) for place in order]
    assert merge([a, b, c], k) == merge([merge([a, b], k), c], k) == whole
    assert merge([a, merge([b, c], k)], k) == merge([whole, whole], k) == whole
    assert merge([], k) == []


def test_merging_leaves_what_was_merged():
    a, b = kept_of("abc", 2), kept_of("xyz", 2)
    before = list(a), list(b)
    merged = merge([a, b], 2)
    add(merged, entry_of("q", **DRAW), 2)
    assert (a, b) == before


@given(st.lists(st.integers(0, 5), max_size=100), st.integers(0, 3))
def test_no_more_than_k_are_ever_held(items, k):
    kept = []
    for item in items:
        add(kept, entry_of(item, **DRAW), k)
        assert len(kept) <= k


@given(st.lists(st.tuples(st.integers(0, 3), st.text(max_size=2)), max_size=20), st.integers(0, 5))
def test_of_one_key_the_item_of_the_least_content_is_kept(items, k):
    entries = [entry_of(item, key=key_of, **DRAW) for item in items]
    forth, back = [], []
    for entry in entries:
        add(forth, entry, k)
    for entry in reversed(entries):
        add(back, entry, k)
    assert forth == back
    least = {}
    for entry in sorted(entries, key=lambda entry: entry.content):
        least.setdefault(entry.item[0], entry.item)
    assert [entry.item for entry in forth] == [least[key] for key in reference_keys(least, k)]


def key_of(item):
    return item[0]


def reference_keys(keys, k):
    names = {str(key): key for key in keys}
    return [names[name] for name in reference(names, k)]


@given(ROWS, st.integers(0, 4))
def test_groups_are_sampled_apart(rows, k):
    groups, keys = [row[0] for row in rows], [row[1] for row in rows]
    found = [rows[row] for row in smallest_rows(keys, k, groups, **DRAW)]
    wanted = [
        (group, key) for group in sorted(set(groups)) for key in reference([key for g, key in rows if g == group], k)
    ]
    assert found == wanted


@pytest.mark.parametrize(
    "groups",
    [
        pa.array(["b", "a", "b", "a"]),
        pa.chunked_array([["b", "a"], ["b", "a"]]),
        pa.array(["b", "a", "b", "a"]).dictionary_encode(),
        np.array(["b", "a", "b", "a"]),
        [10, 9, 10, 9],
    ],
    ids=str,
)
def test_groups_in_any_form(groups):
    rows = smallest_rows(list("wxyz"), 1, groups, **DRAW).tolist()
    assert [row % 2 for row in rows] == [1, 0]


def test_groups_must_be_there():
    with pytest.raises(ValueError, match="1 groups for 2 keys"):
        smallest_rows(["a", "b"], 1, ["x"], **DRAW)
    with pytest.raises(ValueError, match="a group is null"):
        smallest_rows(["a", "b"], 1, ["x", None], **DRAW)


def test_each_key_and_each_pair_is_as_likely_as_any_other():
    n, k, times = 12, 4, 3000
    single, pairs = np.zeros(n), np.zeros((n, n))
    keys = [f"key {i}" for i in range(n)]
    for seed in range(times):
        rows = np.sort(smallest_rows(keys, k, seed=seed, label="x"))
        single[rows] += 1
        for a, b in combinations(rows, 2):
            pairs[a, b] += 1
    expected = times * k / n
    # Of a sample without replacement the counts vary less than the chi-square's, by this factor.
    statistic = ((single - expected) ** 2 / expected).sum() * (n - 1) / (n - k)
    assert 1e-3 < stats.chi2.sf(statistic, n - 1) < 1 - 1e-3
    found = pairs[np.triu_indices(n, 1)]
    expected = times * math.comb(k, 2) / math.comb(n, 2)
    assert np.abs(found - expected).max() < 4.5 * expected**0.5
