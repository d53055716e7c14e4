"""Thresholds against scipy, scikit-learn, and what makes them undefined."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from lexbeam.transforms.change.scores.seed_scores import ChangeScoreOptions
from lexbeam.transforms.change.scores.thresholds import RANKED, REGISTRY, TARGETS, THRESHOLDS, CutOff
from lexbeam.transforms.common.options.fields import options_of

SEEDS = st.integers(0, 10_000)
BASES = ("mean", "mean-sd", "quantile", "gamma", "mixture")


def drawn(seed, size=40):
    return np.random.default_rng(seed).gamma(3.0, 0.1, size)


def test_missing_scores_do_not_count():
    assert THRESHOLDS["mean"].cut(np.array([1.0, np.nan, 2.0])) == CutOff(1.5, None)


@given(SEEDS, st.floats(-2, 3), st.floats(0, 1))
def test_moments_and_quantiles(seed, times, share):
    scores = drawn(seed)
    cut = THRESHOLDS["mean-sd"].cut(scores, {"threshold_sd": times, "threshold_quantile": share})
    assert cut.value == pytest.approx(scores.mean() + times * np.sqrt(((scores - scores.mean()) ** 2).sum() / 39))
    cut = THRESHOLDS["quantile"].cut(scores, {"threshold_quantile": share})
    assert cut.value == pytest.approx(scipy.stats.mstats.mquantiles(scores, [share], alphap=1, betap=1)[0])


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.floats(0.05, 0.95), st.integers(2, 60))
def test_gamma_is_the_fit_of_scipy(seed, share, size):
    scores = drawn(seed, size)
    shape, _, scale = scipy.stats.gamma.fit(scores, floc=0)
    found = THRESHOLDS["gamma"].cut(scores, {"threshold_quantile": share}).value
    assert found == pytest.approx(scipy.stats.gamma.ppf(share, shape, scale=scale), rel=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_the_mixture_is_that_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    scores = np.concatenate([random.normal(0.2, 0.05, 60), random.normal(0.6, 0.1, 30)])
    value = THRESHOLDS["mixture"].cut(scores).value
    sides = [scores[scores <= scores.mean()], scores[scores > scores.mean()]]
    reference = GaussianMixture(
        2,
        tol=1e-12,
        max_iter=10_000,
        means_init=[[side.mean()] for side in sides],
        weights_init=[len(side) / len(scores) for side in sides],
        precisions_init=[[[1 / side.var()]] for side in sides],
    ).fit(scores[:, None])
    assert reference.means_[0] < value < reference.means_[1]
    assert reference.predict_proba([[value]])[0] == pytest.approx([0.5, 0.5], abs=1e-3)


@pytest.mark.parametrize("base", BASES)
def test_too_few_equal_and_odd_scores_have_a_reason(base):
    for name in (base, f"{base}-ranked"):
        threshold = THRESHOLDS[name]
        for scores in (np.array([]), np.full(3, np.nan), np.full(threshold.least - 1, 0.3)):
            assert threshold.cut(scores) == CutOff(None, "too_few_words")
        equal = threshold.cut(np.full(9, 0.3))
        assert equal == CutOff(None, "all_equal") if threshold.varied else equal.value == pytest.approx(0.3)
        for scores in (np.array([0.1, 0.1, 0.1, np.nextafter(0.1, 1)]), np.array([0.0, 0.0, 0.0, 2.0])):
            value, reason = threshold.cut(scores)
            assert (value is None) == (reason is not None)
            assert value is None or scores.min() <= value
    assert THRESHOLDS["gamma"].cut(np.array([0.0, 1.0])) == CutOff(None, "undefined")


def test_each_is_over_targets_or_by_name_over_ranked_words():
    assert {name: entry.over for name, entry in THRESHOLDS.items()} == {
        **dict.fromkeys(BASES, TARGETS),
        **{f"{name}-ranked": RANKED for name in BASES},
    }
    for name in BASES:
        assert THRESHOLDS[name].of is THRESHOLDS[f"{name}-ranked"].of


def test_an_option_that_thresholds_use_says_so():
    of = {name: entry.of for name, entry in options_of(ChangeScoreOptions).items() if entry.of.startswith(REGISTRY)}
    for name in {name for entry in THRESHOLDS.values() for name in entry.uses} | of.keys():
        users = [threshold for threshold in THRESHOLDS if name in THRESHOLDS[threshold].uses]
        assert of[name] == f"{REGISTRY}={','.join(users)}"
        default = options_of(ChangeScoreOptions)[name].default
        assert all(THRESHOLDS[user].of.__kwdefaults__[name] == default for user in users)
