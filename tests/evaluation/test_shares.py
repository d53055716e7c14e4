"""Intervals of shares against published ones."""

import pytest

from lexbeam.transforms.evaluation.bootstrap import wilson


def test_wilsons_interval():
    # Newcombe (1998), Table I.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
