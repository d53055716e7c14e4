"""Thresholds of predicted concreteness, against every threshold tried."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.cloze.abstractness.concreteness_model import calibrated, cut_at, youden

SHARES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=30).map(
    lambda rows: np.array(rows) / 20
)


@given(SHARES)
def test_no_threshold_does_better(rows):
    gold, predicted = rows.T
    cut = youden(gold, predicted, 0.35)
    abstract = gold < 0.35
    if abstract.all() or not abstract.any():
        assert cut.threshold == 0.35
        return
    index = cut.sensitivity + cut.specificity
    for threshold in np.arange(-0.5, 21) / 20 + 0.001:
        hit = np.mean([p < threshold for p in predicted[abstract]])
        specificity = np.mean([p >= threshold for p in predicted[~abstract]])
        assert hit + specificity <= max(index, 1.0) + 1e-9  # 1: what says nothing
    assert index > 1 or cut.threshold == 0.35


def test_a_threshold_says_what_it_does():
    cut = cut_at(np.array([0.1, 0.2, 0.5, 0.9]), np.array([0.3, 0.6, 0.4, 0.8]), 0.35, 0.5)
    assert cut == (0.5, 0.5, 0.5)


def test_of_equally_good_thresholds_the_nearest_counts():
    gold, predicted = np.array([0.1, 0.9]), np.array([0.2, 0.4])
    assert np.isclose(youden(gold, predicted, 0.35).threshold, 0.3)


@given(SHARES, st.floats(0.05, 0.95))
def test_calibrated_predictions_are_cut_where_ratings_are(rows, threshold):
    predicted = np.sort(rows[:, 1])
    scaled = calibrated(predicted, threshold, 0.35)
    assert (np.diff(scaled) >= 0).all()
    assert ((scaled >= 0) & (scaled <= 1)).all()
    apart = np.abs(predicted - threshold) > 1e-9
    assert ((scaled < 0.35) == (predicted < threshold))[apart].all()
