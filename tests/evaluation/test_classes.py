from itertools import product

import numpy as np
import pytest
from evaluation_making import FEW, two_columns
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from transforms.evaluation.classes import accuracy, expected_accuracy, f1, precision, recall

REFERENCES = {accuracy: sk.accuracy_score, precision: sk.precision_score, recall: sk.recall_score, f1: sk.f1_score}


@pytest.mark.parametrize("function", REFERENCES)
@FEW
@given(columns=two_columns(st.booleans(), st.booleans(), least=1), numbers=st.booleans())
def test_they_are_those_of_scikit_learn(function, columns, numbers):
    gold, predicted = (column.astype(int) if numbers else column for column in columns)
    terms = function(gold, predicted)
    below = terms.denominator.sum()
    if below:
        expected = REFERENCES[function](gold, predicted)
        assert terms.numerator.sum() / below == pytest.approx(expected)
    else:  # where scikit-learn warns and gives 0
        counts = {precision: predicted.sum(), recall: gold.sum(), f1: gold.sum() + predicted.sum()}
        assert counts[function] == 0
        assert terms.undefined.startswith("no_positive")


@FEW
@given(st.lists(st.tuples(st.integers(0, 2), st.sets(st.integers(0, 2), min_size=1)), min_size=1, max_size=5))
def test_ties_are_worth_the_mean_over_all_draws(rows):
    gold = np.array([label for label, _ in rows])
    draws = list(product(*(sorted(tied) for _, tied in rows)))
    expected = np.mean([sk.accuracy_score(gold, drawn) for drawn in draws])
    chances = np.array([[(at in tied) / len(tied) for at in range(3)] for _, tied in rows])
    terms = expected_accuracy(gold, chances)
    assert terms.numerator.sum() / terms.denominator.sum() == pytest.approx(expected)
