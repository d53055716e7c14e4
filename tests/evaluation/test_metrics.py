import math
from itertools import product

import numpy as np
import pytest
from evaluation_making import FEW, repeated, two_columns
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from transforms.evaluation.metrics import (
    accuracy,
    expected_accuracy,
    f1,
    macro_f1,
    mae,
    mse,
    pearson,
    pearsons,
    precision,
    r2,
    recall,
    spearman,
    spearmans,
)
from transforms.evaluation.outcomes import Undefined

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
