"""List metrics against naive ones, which know one order, over all orders of tied candidates."""

import numpy as np
import pytest
from evaluation_making import FEW, expected
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.evaluation.candidate_metrics import (
    Candidates,
    accuracy_at_k_top1,
    candidates_of,
    f1_at_k,
    map_at_k,
    mrr,
    mrr_expected_rank,
    potential_at_k,
    precision_at_k,
    recall_at_k,
    trank_at_k,
)

WORDS = "abcde"
GOLD = st.dictionaries(st.sampled_from("abcdxy"), st.integers(1, 3), min_size=1, max_size=4)
PREDICTED = st.dictionaries(st.sampled_from(WORDS), st.integers(0, 2), max_size=5)
INSTANCES = st.lists(st.tuples(GOLD, PREDICTED), min_size=1, max_size=3)


def made(instances):
    """Candidates of instances, each gold and predicted."""
    gold = {str(i): own for i, (own, _) in enumerate(instances)}
    predicted = {str(i): list(own.items()) for i, (_, own) in enumerate(instances) if own}
    return candidates_of(gold, predicted).candidates


def ranks(gold):
    """Dense ranks: the most frequent has 1."""
    return {word: sorted(set(gold.values()), reverse=True).index(n) + 1 for word, n in gold.items()}


def hits(words, gold, k):
    return sum(word in gold for word in words[:k])


def reciprocal(words, gold, k):
    return next((1 / rank for rank, word in enumerate(words, 1) if word in gold), 0)


# Numerator of an instance, from its words in order, and denominator.
NAIVE = {
    potential_at_k: (lambda w, g, k: hits(w, g, k) > 0, lambda p, g, k: 1),
    precision_at_k: (hits, lambda p, g, k: min(len(p), k)),
    recall_at_k: (hits, lambda p, g, k: len(g)),
    f1_at_k: (lambda w, g, k: 2 * hits(w, g, k), lambda p, g, k: min(len(p), k) + len(g)),
    map_at_k: (
        lambda w, g, k: sum(hits(w, g, i) / i for i in range(1, k + 1) if i <= len(w) and w[i - 1] in g) / k,
        lambda p, g, k: 1,
    ),
    accuracy_at_k_top1: (lambda w, g, k: any(ranks(g).get(word) == 1 for word in w[:k]), lambda p, g, k: 1),
    trank_at_k: (lambda w, g, k: bool(w) and ranks(g).get(w[0], k + 1) <= k, lambda p, g, k: 1),
}


def naive(instances, numerator, denominator, k):
    above = below = 0.0
    for gold, predicted in instances:
        words, scores = list(predicted), list(predicted.values())

        def value(order, words=words, gold=gold):
            return numerator([words[i] for i in order], gold, k)

        above += expected(scores, value)
        below += denominator(predicted, gold, k)
    return above, below


@pytest.mark.parametrize("function", NAIVE, ids=lambda function: function.__name__)
@FEW
@given(instances=INSTANCES, k=st.integers(1, 6))
def test_they_are_means_over_all_orders_of_ties(function, instances, k):
    terms = function(made(instances), k)
    assert len(terms.numerator) == len(instances)
    found = terms.numerator.sum(), terms.denominator.sum()
    assert found == pytest.approx(naive(instances, *NAIVE[function], k))


@FEW
@given(instances=INSTANCES)
def test_mrr_is_the_mean_over_all_orders_of_ties(instances):
    terms = mrr(made(instances))
    found = terms.numerator.sum(), terms.denominator.sum()
    assert found == pytest.approx(naive(instances, reciprocal, lambda p, g, k: 1, 0))


@FEW
@given(instances=INSTANCES)
def test_mrr_of_the_expected_rank_takes_the_mean_rank(instances):
    total = 0.0
    for gold, predicted in instances:
        if gold.keys() & predicted.keys():
            words, scores = list(predicted), list(predicted.values())
            rank = expected(scores, lambda order, w=words, g=gold: 1 / reciprocal([w[i] for i in order], g, 0))
            total += 1 / rank
    terms = mrr_expected_rank(made(instances))
    assert terms.numerator.sum() == pytest.approx(total)
    assert (terms.numerator <= mrr(made(instances)).numerator + 1e-12).all()


def test_precision_recall_f1_by_hand():
    # Of the first 2: 1 hit of 2 candidates and 3 gold ones, then 1 of 1 and 1; then no candidates.
    listed = candidates_of(
        {"1": {"a": 3, "b": 1, "c": 1}, "2": {"a": 1}, "3": {"a": 2}},
        {"1": [("x", 3), ("a", 2), ("b", 1)], "2": [("a", 1)]},
    )
    found = {f: f(listed.candidates, 2) for f in (potential_at_k, precision_at_k, recall_at_k, f1_at_k)}
    values = [terms.numerator.sum() / terms.denominator.sum() for terms in found.values()]
    assert values == pytest.approx([2 / 3, 2 / 3, 2 / 5, 2 * 2 / (3 + 5)])


def test_dense_ranks_let_no_tie_of_gold_skip_a_rank():
    # a and b were given by 5 people, c by 2, d by 1: ranks 1 1 2 3.
    gold = {"1": {"a": 5, "b": 5, "c": 2, "d": 1}}
    for word, rank in {"a": 1, "b": 1, "c": 2, "d": 3}.items():
        made = candidates_of(gold, {"1": [(word, 1.0)]}).candidates
        found = [trank_at_k(made, k).numerator[0] for k in (1, 2, 3)]
        assert found == [k >= rank for k in (1, 2, 3)]


def test_a_ranker_that_ties_all_gets_its_share():
    # 1 of 4 candidates has gold rank 1: TRank@1 is 1/4, not 1.
    gold = {"1": {"a": 4, "b": 3, "c": 2, "d": 1}}
    made = candidates_of(gold, {"1": [(word, 0.0) for word in "dcba"]}).candidates
    assert trank_at_k(made, 1).numerator[0] == 0.25
    assert potential_at_k(made, 1).numerator[0] == 1


def test_the_target_is_taken_out_and_candidates_count_once():
    listed = candidates_of(
        {"2": {"t": 9, "a": 1}, "1": {"t": 4}},
        {"2": [("a", 0.1), ("x", 0.5), ("a", 0.9), ("t", 1.0)], "1": [("y", 1.0)]},
        {"1": "t", "2": "t"},
    )
    assert listed.ids == ("2",)
    assert listed.without_gold == ("1",)
    assert precision_at_k(listed.candidates, 9).denominator.tolist() == [2]
    assert mrr(listed.candidates).numerator.tolist() == [1]
    assert listed.candidates.gold.tolist() == [1]


def test_what_gold_does_not_know_is_named():
    with pytest.raises(LexbeamError, match="1 instances have candidates and no gold: 7"):
        candidates_of({"1": {"a": 1}}, {"7": [("a", 1.0)]})
    with pytest.raises(LexbeamError, match="instance '1': the score of 'a' is not a number"):
        candidates_of({"1": {"a": 1}}, {"1": [("a", float("nan"))]})


@FEW
@given(instances=INSTANCES)
def test_the_order_of_candidates_does_not_matter(instances):
    first = made(instances)
    turned = Candidates(first.instance[::-1], first.score[::-1], first.rank[::-1], first.gold)
    for function in NAIVE:
        assert np.allclose(function(first, 2).numerator, function(turned, 2).numerator)
