"""Groups dealt to splits that are alike, whatever hangs together."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.splits import (
    Oversized,
    components,
    connected_folds,
    deal_alike,
    fold_of,
    parse_shares,
)

KEY = st.one_of(st.none(), st.text("abcdefgh", min_size=1, max_size=2))
ROWS = st.lists(st.tuples(KEY, KEY, KEY).filter(any), max_size=25)
COLUMNS = ("word", "sentence", "author")


def columns_of(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def joined(rows):
    """Return the sets of rows that share keys, by joining until nothing changes."""
    sets = [{i} for i in range(len(rows))]
    changed = True
    while changed:
        changed = False
        for a in sets:
            for b in sets:
                if a is not b and any(
                    x == y and x is not None for i in a for j in b for x, y in zip(rows[i], rows[j], strict=True)
                ):
                    a |= b
                    sets.remove(b)
                    changed = True
                    break
            if changed:
                break
    return sorted(sorted(found) for found in sets)


def name_of(rows, members):
    for i, column in enumerate(COLUMNS):
        keys = [rows[row][i] for row in members if rows[row][i] is not None]
        if keys:
            return f"{column}:{min(keys)}"
    raise AssertionError("a row without a key")


@given(ROWS)
def test_components_are_the_rows_that_share_keys(rows):
    found = components(columns_of(rows))
    sets = [np.flatnonzero(found.of_row == place).tolist() for place in range(len(found.names))]
    assert sorted(sets) == joined(rows)
    assert found.rows.tolist() == [len(members) for members in sets]
    assert found.names == [name_of(rows, members) for members in sets]


@given(ROWS, st.randoms(use_true_random=False), st.integers(1, 6))
def test_the_order_of_rows_does_not_count(rows, random, k):
    order = list(range(len(rows)))
    random.shuffle(order)
    before = connected_folds(columns_of(rows), k, seed=1)
    after = connected_folds(columns_of([rows[row] for row in order]), k, seed=1)
    assert after.fold.tolist() == before.fold[order].tolist()
    assert after.components.names == before.components.names
    assert after.oversized == before.oversized


@given(ROWS, st.integers(1, 6), st.integers(0, 3))
def test_no_key_is_in_two_folds(rows, k, seed):
    folds = connected_folds(columns_of(rows), k, seed=seed).fold.tolist()
    assert set(folds) <= set(range(k))
    for i in range(len(COLUMNS)):
        seen = {}
        for row, fold in zip(rows, folds, strict=True):
            if row[i] is not None:
                assert seen.setdefault(row[i], fold) == fold


@given(ROWS, ROWS, st.integers(1, 6))
def test_rows_of_other_keys_move_nothing(rows, others, k):
    apart = [tuple(key and key.upper() for key in row) for row in others]
    before = connected_folds(columns_of(rows), k, seed=1).fold
    after = connected_folds(columns_of([*rows, *apart]), k, seed=1).fold
    assert after[: len(rows)].tolist() == before.tolist()


def test_a_component_too_large_is_reported():
    rows = [("a", "x", None), ("b", "x", None), ("b", "y", None), ("c", "z", None)]
    assert connected_folds(columns_of(rows), 2, seed=1).oversized == [Oversized("word:a", 3, 0.75)]
    assert connected_folds(columns_of(rows), 2, seed=1, most=0.8).oversized == []
    every = connected_folds(columns_of(rows), 2, seed=1, most=0.1).oversized
    assert [(one.name, one.rows) for one in every] == [("word:a", 3), ("word:c", 1)]


def test_no_rows():
    found = connected_folds({"a": pa.array([], pa.string())}, 3, seed=1)
    assert (found.fold.tolist(), found.components.names, found.oversized) == ([], [], [])


def test_keys_in_any_form_are_the_same():
    texts = ["9", "10", "9", "8"]
    wanted = components({"a": texts})
    for keys in (
        [9, 10, 9, 8],
        pa.chunked_array([texts[:1], texts[1:]]),
        pa.array(texts).dictionary_encode(),
        np.array(texts),
    ):
        found = components({"a": keys})
        assert found.names == wanted.names == ["a:10", "a:8", "a:9"]
        assert found.of_row.tolist() == wanted.of_row.tolist()


def test_a_row_without_a_key_is_an_error():
    with pytest.raises(ValueError, match="row 1 has no key in a, b"):
        components({"a": ["x", None], "b": ["y", None]})
    with pytest.raises(ValueError, match="columns of"):
        components({"a": ["x"], "b": ["y", "z"]})
    with pytest.raises(ValueError, match="k must be"):
        fold_of(["a"], 0, seed=1)


def test_a_fold_is_a_share_of_its_own_label():
    groups = [str(i) for i in range(1000)]
    one, other = fold_of(groups, 5, seed=1), fold_of(groups, 5, seed=1, label="inner")
    table = np.histogram2d(one, other, bins=5)[0]
    assert stats.chi2_contingency(table).pvalue > 1e-3
    assert (one != fold_of(groups, 5, seed=2)).any()


@pytest.mark.parametrize("k", [2, 5, 20, 100])
def test_sizes_of_folds_are_binomial(k):
    groups = [f"document {i}" for i in range(50_000)]
    p_values = []
    for seed in range(40):
        sizes = np.bincount(fold_of(groups[seed::40], k, seed=seed), minlength=k)
        p_values.append(stats.chisquare(sizes).pvalue)
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3  # neither too uneven nor too even


SHARES = parse_shares(["train=.53", "dev=.14", "test=.33"])


def dealt(sizes, levels=1, seed=1):
    """Deal groups of so many rows of one stratum and as many levels."""
    names = np.sort(content_hashes([f"g{place}" for place in range(len(sizes))]))
    of = np.repeat(np.arange(len(sizes)), sizes)
    values = (np.arange(len(of)) % levels).astype(float)
    stratum = np.zeros(len(of), np.int64)
    return of, deal_alike(names, of, stratum, values, SHARES, bands=256, seed=seed)


def test_swaps_end_where_nothing_is_left_to_be_had():
    # All rows are the same, so that sizes alone count, and come out exactly.
    of, found = dealt([40] + [1] * 60)
    assert found.fixed.tolist() == [True] + [False] * 60
    assert np.bincount(found.split[of]).tolist() == [53, 14, 33]


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 4), st.integers(0, 3))
def test_sizes_are_as_asked_within_a_group(sizes, levels, seed):
    of, found = dealt(sizes, levels, seed)
    free = [size for size, fixed in zip(sizes, found.fixed, strict=True) if not fixed]
    assert set(found.split[found.fixed].tolist()) <= {0}
    if not found.fixed.any():
        counts = np.bincount(found.split[of], minlength=3)
        assert (abs(counts - np.array(SHARES.values) * len(of)) <= max(free)).all()
