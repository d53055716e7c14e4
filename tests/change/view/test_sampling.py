import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

from lexbeam.transforms.change.view.training_view import BINS, keep_mask, threshold, token_histogram


def corpus(seed, sentences=3_000, share=0.1):
    generator = np.random.default_rng(seed)
    keys = generator.integers(0, 2**64, sentences, dtype=np.uint64)
    lengths = generator.integers(1, 40, sentences)
    return keys, lengths, generator.random(sentences) < share


@given(st.integers(0, 50), st.integers(0, 80_000))
def test_keeps_targets_and_as_much_of_the_rest_as_the_budget_allows(seed, budget):
    keys, lengths, targets = corpus(seed)
    histogram, held = token_histogram(keys, lengths, targets)
    assert histogram.sum() + held == lengths.sum()
    limit = threshold(histogram, held, budget)
    take = keep_mask(keys, targets, limit)
    assert take[targets].all()
    tokens = lengths[take].sum()
    assert tokens <= max(budget, held)
    if limit < BINS:
        assert tokens + histogram[limit] > budget  # one bin more would be too much


def test_without_a_budget_all_is_kept():
    keys, lengths, targets = corpus(1)
    histogram, held = token_histogram(keys, lengths, targets)
    assert threshold(histogram, held, None) == BINS
    assert threshold(histogram, held, int(lengths.sum())) == BINS
    assert keep_mask(keys, targets, BINS).all()


def test_what_is_kept_is_spread_over_the_order_of_training():
    keys, lengths, targets = corpus(2)
    histogram, held = token_histogram(keys, lengths, targets)
    take = keep_mask(keys, targets, threshold(histogram, held, int(lengths.sum() // 3)))
    free = take & ~targets
    assert kstest(keys[free] / 2**64, "uniform").pvalue > 0.001
    assert abs(spearmanr(keys[take], targets[take]).statistic) < 0.1


def test_parts_add_up():
    keys, lengths, targets = corpus(3)
    whole, held = token_histogram(keys, lengths, targets)
    parts = [token_histogram(keys[c], lengths[c], targets[c]) for c in (slice(9), slice(9, None))]
    assert (whole == parts[0][0] + parts[1][0]).all()
    assert held == parts[0][1] + parts[1][1]
