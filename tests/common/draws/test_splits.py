"""Groups dealt to splits that are alike, whatever hangs together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.splits import deal_alike, parse_shares

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
