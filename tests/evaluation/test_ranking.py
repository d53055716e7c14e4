import math

import numpy as np
import pytest
from evaluation_making import FEW, NUMBERS, expected, repeated, two_columns
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from lexbeam.transforms.evaluation.outcomes import Undefined, average_precision, average_precisions

RANKED = two_columns(st.booleans(), NUMBERS, most=7)


def precisions(gold, order):
    """Mean of the precision at the rank of each gold item."""
    hits, found = 0, []
    for rank, place in enumerate(order, 1):
        if gold[place]:
            hits += 1
            found.append(hits / rank)
    return sum(found) / len(found)


@FEW
@given(columns=RANKED)
def test_it_is_the_mean_over_all_orders_of_ties(columns):
    gold, scores = columns
    found = average_precision(gold.astype(bool), scores)
    if gold.any():
        assert found == pytest.approx(expected(scores, lambda order: precisions(gold, order)))
    else:
        assert found == Undefined("no_positive_gold" if len(gold) else "empty")


@FEW
@given(gold=st.lists(st.booleans(), min_size=1, max_size=40).filter(any), data=st.data())
def test_without_ties_it_is_that_of_scikit_learn(gold, data):
    scores = np.array(data.draw(st.permutations(range(len(gold)))), np.float64)
    found = average_precision(np.array(gold), scores)
    assert found == pytest.approx(average_precision_score(gold, scores))


def test_a_ranker_that_ties_all_gets_no_more_than_chance():
    # Of 4 items 1 is gold: its rank is 1 to 4, so (1 + 1/2 + 1/3 + 1/4) / 4.
    gold = np.array([True, False, False, False])
    assert average_precision(gold, np.zeros(4)) == pytest.approx(25 / 48)


@FEW
@given(columns=RANKED, data=st.data())
def test_many_resamples_at_once_are_what_each_is_by_itself(columns, data):
    gold, scores = columns[0].astype(bool), columns[1]
    if not len(gold):
        return
    times = st.lists(st.integers(0, 3), min_size=len(gold), max_size=len(gold))
    weights = np.array([data.draw(times) for _ in range(3)])
    for found, row in zip(average_precisions(gold, scores, weights), weights, strict=True):
        alone = average_precision(*repeated(row, gold, scores))
        if isinstance(alone, Undefined):
            assert math.isnan(found)
        else:
            assert found == pytest.approx(alone)
