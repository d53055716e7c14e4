"""Places among reference scores, beside scipy and loops over words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lexbeam.transforms.change.scores.ranking import ecdf, joined, ranks, z_scores

SCORES = st.lists(st.sampled_from([0.1, 0.25, 0.4, 0.9, 1.5]), min_size=1, max_size=12).map(np.array)


@given(SCORES, SCORES)
def test_places_are_shares_of_reference_words(scores, among):
    assert ecdf(scores, among) == pytest.approx([np.mean(among <= score) for score in scores])
    middle = [np.mean(among < score) + np.mean(among == score) / 2 for score in scores]
    assert ranks(scores, among) == pytest.approx(middle)
    assert ecdf(scores, among) == pytest.approx(stats.ecdf(among).cdf.evaluate(scores))


@given(SCORES)
def test_of_reference_words_themselves_places_are_ranks(scores):
    assert ranks(scores, scores) == pytest.approx((stats.rankdata(scores) - 0.5) / len(scores))


def test_z_scores_are_those_of_scipy_and_none_without_variance():
    scores = np.array([0.2, 0.5, 0.9, 0.1])
    assert z_scores(scores, scores) == pytest.approx(stats.zscore(scores, ddof=1))
    assert np.isnan(z_scores(scores, scores[:1])).all()
    assert np.isnan(z_scores(scores, np.full(3, 0.1))).all()


@pytest.mark.parametrize("place", [ecdf, ranks, z_scores])
def test_places_are_averaged_where_all_scores_are_there(place):
    scores = np.array([[0.1, 0.4, 0.2, np.nan, 0.9], [3.0, 2.0, 9.0, 4.0, 1.0]])
    reference = np.array([True, True, True, True, False])
    found = joined(scores, reference, place)
    assert np.isnan(found[3])
    among = [row[[0, 1, 2]] for row in scores]
    for word in (0, 1, 2, 4):
        wanted = np.mean([place(row[[word]], some)[0] for row, some in zip(scores, among, strict=True)])
        assert found[word] == pytest.approx(wanted)
    assert np.isnan(joined(scores, np.array([False, False, False, True, False]), place)).all()
