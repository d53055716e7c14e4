"""The stratification report, against scipy and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from lexbeam.transforms.common.draws.splits import distances, parse_shares
from lexbeam.transforms.complexity.labels.label_splits import PlacedInstances, shared, strata


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 2)), min_size=1).filter(
        lambda rows: len({split for _, split in rows}) == 3
    )
)
def test_distances_are_scipys(rows):
    # Its p-values are not compared; "asymp" would divide by zero for those of two rows.
    values, split = np.array([v / 10 for v, _ in rows]), np.array([s for _, s in rows])
    found = distances(values, split, 3)
    for a in range(3):
        for b in range(3):
            expected = ks_2samp(values[split == a], values[split == b], method="exact").statistic
            assert found[a, b] == pytest.approx(expected, abs=1e-12)


def test_an_empty_split_has_no_distance():
    found = distances(np.array([0.1, 0.2]), np.array([0, 2]), 3)
    assert np.isnan(found[1]).all()
    assert found[0, 2] == 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3))))
def test_shared_keys_by_brute_force(rows):
    keys, split = (np.array([row[n] for row in rows], "u8") for n in (0, 1))
    expected = [len({k for k, s in rows if s == own} & {k for k, s in rows if s != own}) for own in range(4)]
    assert shared(keys, split.astype(np.int64), 4).tolist() == expected


def test_strata_by_hand():
    # Two kinds; genre b has rows of train alone; the last row is in no split.
    shares = parse_shares(["train=.5", "test=.5"])
    placed = PlacedInstances(
        kind=np.array([0, 0, 0, 0, 1, 0]),
        genre=np.array([0, 0, 0, 1, 2, 0]),
        token=np.array([1, 1, 2, 3, 9, 1], "u8"),
        sentence=np.array([5, 6, 7, 5, 6, 5], "u8"),
        complexity=np.array([0.0, 0.2, 0.4, 0.6, 1.0, np.nan]),
        split=np.array([0, 1, 1, 0, 0, -1]),
        kinds=("single", "mwe"),
        genres=("a", "b", None),
    )
    rows = {(row["kind"], row["genre"], row["split"]): row for row in strata(placed, shares, "paper").to_pylist()}
    assert set(rows) == {
        (kind, genre, split)
        for kind, genres in {"": ["", "a", "b", None], "single": ["", "a", "b"], "mwe": [""]}.items()
        for genre in genres
        for split in ("train", "test")
    }
    single = rows["single", "", "train"]
    assert single["rows"] == 2
    assert single["share"] == single["wanted"] == 0.5
    assert single["mean"] == pytest.approx(0.3)
    assert single["sd"] == pytest.approx(0.6 / 2**0.5)
    assert single["quantiles"][::10] == pytest.approx([0, 0.3, 0.6])
    assert (single["distance"], single["farthest"]) == (0.5, "test")
    assert (single["shared_tokens"], single["shared_sentences"]) == (1, 0)
    # The sentence of the expression in train is that of a single word in test.
    assert rows["", "", "train"]["shared_sentences"] == 1
    genre = rows["single", "b", "train"]
    assert (genre["share"], genre["of_split"], genre["of_all"]) == (1, 0.5, 0.25)
    assert rows["single", "b", "test"]["of_split"] == 0
    assert rows["single", "b", "test"]["mean"] is None
    assert rows["single", "b", "test"]["distance"] is None
    assert rows["mwe", "", "train"]["sd"] is None
