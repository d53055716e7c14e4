"""The reference scorers against scikit-learn and brute force."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.draws.folds import fold_of
from lexbeam.transforms.common.endable import LONG
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.learning.models.formats import read_safetensors, write_safetensors
from lexbeam.transforms.learning.scorer import ScorerOptions, ScorerTraining, fit_endable
from lexbeam.transforms.learning.scorers import SCORERS, weigh

SMALL = ScorerOptions(trees=8, rounds=20, leaves=8, boosting_leaves=4, inner_folds=3)


def made(rows=120, columns=6, seed=1):
    random = np.random.default_rng(seed)
    values = random.normal(3, 2, (rows, columns))
    labels = 1 / (1 + np.exp(values[:, 0] - 3 + 0.3 * values[:, 1]))
    values[random.random(values.shape) < 0.1] = np.nan
    names = ["zipf", *(f"column{place}" for place in range(1, columns))]
    groups = [f"g{number}" for number in random.integers(0, rows // 3, rows)]
    return ScorerTraining(values, names, labels, groups)


@pytest.mark.parametrize("name", SCORERS)
def test_each_learns_and_says_the_same_of_each_row_by_itself(name):
    training, other = made(), made(seed=2)
    fitted = SCORERS[name].fit(training, SMALL)
    predicted = SCORERS[name].predict(fitted, other.values)
    assert np.corrcoef(predicted, other.labels)[0, 1] > 0.6
    again = SCORERS[name].predict(SCORERS[name].fit(training, SMALL), other.values)
    np.testing.assert_array_equal(predicted, again)
    order = np.random.default_rng(3).permutation(len(predicted))
    for size in (1, 7, 64, len(order)):
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        alone = np.concatenate([SCORERS[name].predict(fitted, other.values[batch]) for batch in batches])
        np.testing.assert_array_equal(alone, predicted[order])


def test_a_process_of_its_own_fits_the_same():
    training = made(LONG, 4)
    with one_thread():
        here = SCORERS["svr"].fit(training, SMALL)
    there = fit_endable(SCORERS["svr"], training, SMALL)
    assert here.keys() == there.keys()
    for key, array in here.items():
        np.testing.assert_array_equal(there[key], array)


@pytest.mark.parametrize("name", SCORERS)
def test_what_is_fitted_is_arrays_that_come_back(name):
    training = made()
    fitted = SCORERS[name].fit(training, SMALL)
    back = read_safetensors(write_safetensors(fitted))
    np.testing.assert_array_equal(
        SCORERS[name].predict(fitted, training.values), SCORERS[name].predict(back, training.values)
    )


@pytest.mark.parametrize("name", SCORERS)
def test_each_stands_columns_that_say_nothing(name):
    training = made(rows=40, columns=3)
    values = training.values.copy()
    values[:, 0], values[:, 1], values[:, 2] = np.nan, 7.0, np.nan
    fitted = SCORERS[name].fit(training._replace(values=values), SMALL)
    found = SCORERS[name].predict(fitted, values[:4])
    np.testing.assert_allclose(found, training.labels.mean(), atol=0.1)
    assert np.isfinite(SCORERS[name].predict(fitted, training.values[:4])).all()


def test_frequency_is_least_squares_on_one_column():
    training = made()
    own = training.values[:, [0]]
    plain = make_pipeline(SimpleImputer(strategy="median"), LinearRegression())
    expected = plain.fit(own, training.labels).predict(own)
    fitted = SCORERS["frequency"].fit(training, SMALL)
    np.testing.assert_allclose(SCORERS["frequency"].predict(fitted, training.values), expected)


def test_frequency_has_an_intercept_for_each_kind():
    training = made()
    kinds = np.arange(len(training.labels)) % 3 == 0
    both = training._replace(
        values=np.column_stack([np.nan_to_num(training.values, nan=3.0), kinds]),
        names=[*training.names, "is_single"],
        labels=training.labels - 0.2 * kinds,
    )
    own = both.values[:, [0, -1]]
    expected = LinearRegression().fit(own, both.labels).predict(own)
    fitted = SCORERS["frequency"].fit(both, SMALL)
    np.testing.assert_allclose(SCORERS["frequency"].predict(fitted, both.values), expected)


def test_a_baseline_column_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="'zip'; did you mean 'zipf'"):
        SCORERS["frequency"].fit(made(), replace(SMALL, baseline_column="zip"))


def of_scikit_learn(estimator):
    return make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler(), estimator)


def test_boosting_finds_splits_among_few_rows():
    training, other = made(rows=30), made(seed=2)
    fitted = SCORERS["gradient-boosting"].fit(training, ScorerOptions())
    predicted = SCORERS["gradient-boosting"].predict(fitted, other.values)
    assert np.corrcoef(predicted, other.labels)[0, 1] > 0.6


def test_ridge_is_that_of_scikit_learn():
    training, other = made(), made(seed=2)
    options = replace(SMALL, clip=0, ridge_alpha=7.0)
    fitted = SCORERS["ridge"].fit(training, options)
    expected = of_scikit_learn(Ridge(alpha=7.0)).fit(training.values, training.labels)
    np.testing.assert_allclose(
        SCORERS["ridge"].predict(fitted, other.values), expected.predict(other.values), rtol=1e-9
    )


def test_svr_is_that_of_scikit_learn():
    training, other = made(), made(seed=2)
    options = replace(SMALL, clip=0, svr_weighting=0, svr_c=0.7, svr_gamma=0.4, svr_epsilon=0.02)
    fitted = SCORERS["svr"].fit(training, options)
    columns = 2 * training.values.shape[1]  # a flag for each
    expected = of_scikit_learn(SVR(C=0.7, gamma=0.4 / columns, epsilon=0.02))
    expected.fit(training.values, training.labels)
    np.testing.assert_allclose(SCORERS["svr"].predict(fitted, other.values), expected.predict(other.values), rtol=1e-9)


def test_weights_of_columns_are_by_correlation():
    training = made()
    values = np.nan_to_num(training.values, nan=3.0)
    fitted = SCORERS["svr"].fit(training._replace(values=values), replace(SMALL, clip=0))
    r = [abs(np.corrcoef(column, training.labels)[0, 1]) for column in values.T]
    expected = np.sqrt(np.maximum(r, 0.02))
    expected /= np.sqrt((expected**2).mean())
    np.testing.assert_allclose(fitted["weights"], expected)


def test_values_are_cut_off():
    training = made()
    fitted = SCORERS["ridge"].fit(training, replace(SMALL, clip=2.0))
    far = np.full((1, 6), 1e9)
    at = np.nanmean(training.values, axis=0) + 100
    np.testing.assert_allclose(SCORERS["ridge"].predict(fitted, far), SCORERS["ridge"].predict(fitted, at[None]))


@pytest.mark.parametrize("how", ["nonnegative", "ridge"])
def test_weights_of_a_stack(how):
    random = np.random.default_rng(3)
    truth = random.random(200)
    predictions = np.column_stack([truth + random.normal(0, 0.1, 200), truth + random.normal(0, 0.2, 200), -truth])
    weights, intercept = weigh(predictions[:, :2] if how == "ridge" else predictions, truth, how)
    if how == "nonnegative":
        own = np.column_stack([predictions, np.ones(200)])
        least = [0, 0, 0, -np.inf]
        expected = lsq_linear(own, truth, (least, np.inf)).x
        np.testing.assert_allclose([*weights, intercept], expected, atol=1e-5)
    else:
        expected = LinearRegression().fit(predictions[:, :2], truth)
        np.testing.assert_allclose(weights, expected.coef_, atol=0.01)


def test_a_stack_is_weighed_by_predictions_of_other_groups():
    training = made()
    options = replace(SMALL, members=("frequency", "ridge"))
    fitted = SCORERS["stack"].fit(training, options)
    fold = fold_of(training.groups, 3, seed=0, label="inner")
    inner = np.zeros((len(fold), 2))
    for one in range(3):
        out = fold == one
        rest = ScorerTraining(
            training.values[~out],
            training.names,
            training.labels[~out],
            [g for g, o in zip(training.groups, out, strict=True) if not o],
        )
        for place, name in enumerate(options.members):
            scorer = SCORERS[name]
            inner[out, place] = scorer.predict(scorer.fit(rest, options), training.values[out])
    weights, intercept = weigh(inner, training.labels, "nonnegative")
    whole = [SCORERS[name].predict(SCORERS[name].fit(training, options), training.values) for name in options.members]
    np.testing.assert_allclose(
        SCORERS["stack"].predict(fitted, training.values), weights[0] * whole[0] + weights[1] * whole[1] + intercept
    )
