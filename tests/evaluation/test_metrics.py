import math
from itertools import product

import numpy as np
import pytest
from evaluation_making import FEW, repeated, two_columns
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk
from sklearn.linear_model import LinearRegression

from lexbeam.transforms.evaluation.metrics import (
    accuracy,
    expected_accuracy,
    f1,
    macro_f1,
    mae,
    mse,
    partial_spearman,
    partial_spearmans,
    pearson,
    pearsons,
    precision,
    r2,
    recall,
    spearman,
    spearmans,
)
from lexbeam.transforms.evaluation.outcomes import Undefined

REFERENCES = {pearson: stats.pearsonr, spearman: stats.spearmanr}
FLOATS = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@pytest.mark.parametrize("function", REFERENCES)
@FEW
@given(columns=two_columns(least=2) | two_columns(FLOATS, FLOATS, least=2, most=30))
def test_correlations_are_those_of_scipy(function, columns):
    found = function(*columns)
    if any(len(set(column.tolist())) == 1 for column in columns):
        assert isinstance(found, Undefined)
    else:
        assert found == pytest.approx(REFERENCES[function](*columns).statistic, abs=1e-9)


def test_spearman_by_hand():
    # Ranks of gold 1 2 3 4 5, of the tied predictions 1.5 1.5 3 5 4: differences .5 .5 0 1 1. With
    # centred ranks: products 2*1.5 + 1*1.5 + 0 + 1*2 + 2*1 = 8.5; squares 10 and
    # 2.25 + 2.25 + 0 + 4 + 1 = 9.5; so rho = 8.5 / sqrt(95).
    gold, predicted = np.array([1.0, 2, 3, 4, 5]), np.array([0.1, 0.1, 0.3, 0.9, 0.5])
    assert spearman(gold, predicted) == pytest.approx(8.5 / math.sqrt(95))


@pytest.mark.parametrize(
    ("gold", "predicted", "reason"),
    [
        ([], [], "empty"),
        ([1.0], [2.0], "too_few"),
        ([1.0, 1], [1.0, 2], "constant_gold"),
        ([1.0, 2], [3.0, 3], "constant_predicted"),
        ([0.1] * 3, [0.1] * 3, "constant_gold"),
    ],
)
@pytest.mark.parametrize("function", REFERENCES)
def test_what_is_constant_or_empty_has_a_reason(function, gold, predicted, reason):
    assert function(np.array(gold), np.array(predicted)) == Undefined(reason)


@pytest.mark.parametrize(("function", "reference"), [(mae, sk.mean_absolute_error), (mse, sk.mean_squared_error)])
@FEW
@given(columns=two_columns(FLOATS, FLOATS, least=1))
def test_errors_are_those_of_scikit_learn(function, reference, columns):
    terms = function(*columns)
    value = terms.numerator.sum() / terms.denominator.sum()
    assert value == pytest.approx(reference(*columns), abs=1e-9)


@FEW
@given(columns=two_columns(FLOATS, FLOATS, least=2))
def test_r2_is_that_of_scikit_learn(columns):
    if len(set(columns[0].tolist())) == 1:
        assert r2(*columns) == Undefined("constant_gold")
    else:
        assert r2(*columns) == pytest.approx(sk.r2_score(*columns), rel=1e-9, abs=1e-9)


def test_r2_is_not_the_square_of_pearson():
    # Squares of errors 1 1 1; of deviations from the mean 2: 1 0 1. So 1 - 3 / 2.
    assert r2(np.array([1.0, 2, 3]), np.array([2.0, 3, 4])) == -0.5
    assert r2(np.array([]), np.array([])) == Undefined("too_few")


@pytest.mark.parametrize(("function", "many"), [(pearson, pearsons), (spearman, spearmans)])
@FEW
@given(columns=two_columns(least=2), data=st.data())
def test_many_resamples_at_once_are_what_each_is_by_itself(function, many, columns, data):
    times = st.lists(st.integers(0, 3), min_size=len(columns[0]), max_size=len(columns[0]))
    weights = np.array([data.draw(times) for _ in range(3)])
    for found, row in zip(many(*columns, weights), weights, strict=True):
        alone = function(*repeated(row, *columns))
        if isinstance(alone, Undefined):
            assert math.isnan(found)
        else:
            assert found == pytest.approx(alone, abs=1e-9)


def test_a_resample_of_one_value_that_is_no_binary_fraction_is_undefined():
    values = np.array([0.1, 0.7, 1e6])
    assert np.isnan(pearsons(values, values, np.array([[3, 0, 0], [0, 7, 0]]))).all()


def residuals(ranks, controls):
    """What ordinary least squares on controls leaves of ranks, by scikit-learn."""
    return ranks - LinearRegression().fit(controls, ranks).predict(controls)


@FEW
@given(seed=st.integers(0, 2**16), size=st.integers(6, 30), steps=st.integers(3, 40), many=st.integers(1, 3))
def test_partial_spearman_is_the_correlation_of_residuals_of_ranks(seed, size, steps, many):
    random = np.random.default_rng(seed)
    gold, predicted, *controls = random.integers(0, steps, (2 + many, size)).astype(float)
    controls = np.column_stack(controls)
    ranks = np.apply_along_axis(stats.rankdata, 0, np.column_stack([gold, predicted, controls]))
    left = [residuals(ranks[:, place], ranks[:, 2:]) for place in (0, 1)]
    found = partial_spearman(gold, predicted, controls)
    if min(np.abs(rest).max() for rest in left) < 1e-6:
        assert isinstance(found, Undefined)
    else:
        assert found == pytest.approx(stats.pearsonr(*left).statistic, abs=1e-7)
    times = random.integers(1, 3, (2, size))
    for many_at_once, row in zip(partial_spearmans(gold, predicted, controls, times), times, strict=True):
        alone = partial_spearman(*repeated(row, gold, predicted, controls))
        assert isinstance(alone, Undefined) if math.isnan(many_at_once) else many_at_once == pytest.approx(alone)


def test_partial_spearman_by_hand():
    # With one control it is (r12 - r13 r23) / sqrt((1 - r13^2) (1 - r23^2)).
    gold, predicted, control = (np.array(v, float) for v in ([1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4]))
    pairs = (gold, predicted), (gold, control), (predicted, control)
    first, second, third = (stats.spearmanr(*pair).statistic for pair in pairs)
    wanted = (first - second * third) / math.sqrt((1 - second**2) * (1 - third**2))
    assert partial_spearman(gold, predicted, control[:, None]) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("gold", "controls", "reason"),
    [
        ([], np.zeros((0, 2)), "empty"),
        ([1.0, 2, 3, 4], np.zeros((4, 2)), "too_few_controlled"),
        ([1.0] * 5, np.zeros((5, 2)), "constant_gold"),
        ([1.0, 2, 3, 4, 6], np.column_stack([[1.0, 2, 3, 4, 5], [9.0, 1, 2, 3, 4]]), "controls_say_all"),
    ],
)
def test_partial_spearman_is_undefined_where_nothing_is_left(gold, controls, reason):
    predicted = np.array([3.0, 1, 4, 1.5, 5])[: len(gold)]
    assert partial_spearman(np.array(gold), predicted, controls) == Undefined(reason)


def test_controls_that_say_nothing_more_change_nothing():
    random = np.random.default_rng(3)
    gold, predicted, control = random.normal(size=(3, 20))
    wanted = partial_spearman(gold, predicted, control[:, None])
    for more in (np.ones(20), np.exp(control)):
        assert partial_spearman(gold, predicted, np.column_stack([control, more])) == pytest.approx(wanted)
    assert partial_spearman(gold, predicted, np.ones((20, 1))) == pytest.approx(spearman(gold, predicted))


CLASS_REFERENCES = {
    accuracy: sk.accuracy_score,
    precision: sk.precision_score,
    recall: sk.recall_score,
    f1: sk.f1_score,
}


@pytest.mark.parametrize("function", CLASS_REFERENCES)
@FEW
@given(columns=two_columns(st.booleans(), st.booleans(), least=1), numbers=st.booleans())
def test_they_are_those_of_scikit_learn(function, columns, numbers):
    gold, predicted = (column.astype(int) if numbers else column for column in columns)
    terms = function(gold, predicted)
    below = terms.denominator.sum()
    if below:
        expected = CLASS_REFERENCES[function](gold, predicted)
        assert terms.numerator.sum() / below == pytest.approx(expected)
    else:  # where scikit-learn warns and gives 0
        counts = {precision: predicted.sum(), recall: gold.sum(), f1: gold.sum() + predicted.sum()}
        assert counts[function] == 0
        assert terms.undefined.startswith("no_positive")


@FEW
@given(two_columns(st.booleans(), st.booleans(), least=1))
def test_macro_f1_is_that_of_scikit_learn_where_both_classes_occur(columns):
    gold, predicted = columns
    found = macro_f1(gold, predicted)
    if (gold | predicted).any() and not (gold & predicted).all():
        assert found == pytest.approx(sk.f1_score(gold, predicted, average="macro"))
    else:
        assert found == Undefined("no_negative" if gold.any() else "no_positive")


@FEW
@given(st.lists(st.tuples(st.integers(0, 2), st.sets(st.integers(0, 2), min_size=1)), min_size=1, max_size=5))
def test_ties_are_worth_the_mean_over_all_draws(rows):
    gold = np.array([label for label, _ in rows])
    draws = list(product(*(sorted(tied) for _, tied in rows)))
    expected = np.mean([sk.accuracy_score(gold, drawn) for drawn in draws])
    chances = np.array([[(at in tied) / len(tied) for at in range(3)] for _, tied in rows])
    terms = expected_accuracy(gold, chances)
    assert terms.numerator.sum() / terms.denominator.sum() == pytest.approx(expected)
