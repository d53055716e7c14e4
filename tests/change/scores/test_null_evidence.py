"""Evidence against a second computation, word by word in plain Python, and against simulation."""

import math
import statistics

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.change.scores.null_evidence import (
    PairScores,
    Standard,
    benjamini_hochberg,
    evidence_of,
    upper_end,
)

WORDS = 400


def simulated(seed, nulls=4, words=WORDS, moved=(), shift=0.0):
    """Return a real and null runs: a level by frequency and by word, noise, some words moved."""
    draw = np.random.default_rng(seed)
    level = draw.normal(0, 0.25, words)
    frequency = np.exp(draw.uniform(3, 8, words))
    runs = []
    for number in range(nulls + 1):
        uses = np.maximum(1, (frequency * np.exp(draw.normal(0, 0.2, words))).astype(int))
        documents = np.maximum(1, np.minimum(uses, 70) * draw.uniform(0.3, 1, words)).astype(int)
        x = np.log(uses)
        noise = draw.normal(0, 0.2 + 0.02 * (8 - x))
        log = -1.0 - 0.2 * x + 0.01 * x * x + level + noise
        if number == 0:
            log += shift
            log[list(moved)] += 2.0
        ranked = (uses >= 50) & (documents >= 5)
        scores = np.where(uses >= 25, np.minimum(np.exp(log), 2.0), np.nan)
        runs.append(PairScores(scores, uses, documents, ranked, 72))
    return runs[0], runs[1:]


def reference(real, nulls, tested):
    """Compute the same from the text of the definition, without arrays over words."""

    def x_of(run, w):
        least = min(max(int(run.uses[w]), 1), run.slice_documents)
        return math.log(run.uses[w]), math.log(run.documents[w] / least)

    def terms(x):
        return [1.0, x[0], x[1], x[0] ** 2, x[1] ** 2, x[0] * x[1]]

    def regress(rows, values):
        a = np.array([terms(x) for x in rows])
        return np.linalg.solve(a.T @ a, a.T @ np.array(values))

    fit = [(run, w) for run in nulls for w in range(len(run.uses)) if run.ranked[w] and not math.isnan(run.scores[w])]
    rows = [x_of(run, w) for run, w in fit]
    values = [math.log(run.scores[w]) for run, w in fit]
    level = regress(rows, values)
    misses = [abs(y - np.dot(terms(x), level)) for x, y in zip(rows, values, strict=True)]
    scale = regress(rows, [math.log(miss) for miss in misses])
    low = [min(x[i] for x in rows) for i in (0, 1)]
    high = [max(x[i] for x in rows) for i in (0, 1)]

    def r_of(run, w):
        if math.isnan(run.scores[w]):
            return None
        x = [min(max(v, a), b) for v, a, b in zip(x_of(run, w), low, high, strict=True)]
        found = math.log(run.scores[w]) - np.dot(terms(x), level)
        return found / math.exp(np.dot(terms(x), scale))

    def components(runs, held):
        groups = []
        for w in range(WORDS):
            own = [run[w] for run, hold in zip(runs, held, strict=True) if hold[w]]
            if len(own) > 1:
                groups.append(own)
        total = sum(len(group) for group in groups)
        s2 = sum((v - statistics.fmean(g)) ** 2 for g in groups for v in g) / (total - len(groups))
        grand = sum(sum(g) for g in groups) / total
        between = sum(len(g) * (statistics.fmean(g) - grand) ** 2 for g in groups)
        n0 = (total - sum(len(g) ** 2 for g in groups) / total) / (len(groups) - 1)
        return s2, max(0.0, (between / (len(groups) - 1) - s2) / n0)

    def z_of(own, others, spread):
        s2, t2 = spread
        known = [v for v in others if v is not None]
        n = len(known)
        if not n:
            return own / math.sqrt(s2 + t2)
        m = t2 / (t2 + s2 / n) * statistics.fmean(known)
        return (own - m) / math.sqrt(s2 + t2 * s2 / (n * t2 + s2))

    def less(values, by):
        return [None if v is None else v - by for v in values]

    everyone = range(WORDS)
    r = [r_of(real, w) for w in everyone]
    null_r = [[r_of(run, w) for w in everyone] for run in nulls]
    held = [
        [bool(k) and v is not None for k, v in zip(run.ranked, own, strict=True)]
        for run, own in zip(nulls, null_r, strict=True)
    ]
    spread = components(null_r, held)
    p = {
        w: scipy.stats.norm.sf(z_of(r[w], [run[w] for run in null_r], spread))
        for w in everyone
        if tested[w] and r[w] is not None
    }
    ranked = [w for w in p if real.ranked[w]]
    shift = statistics.median(r[w] for w in ranked) / math.sqrt(sum(spread))

    own = less(r, statistics.median(r[w] for w in ranked))
    others = [
        less(run, statistics.median(run[w] for w in everyone if hold[w]))
        for run, hold in zip(null_r, held, strict=True)
    ]

    def u_of(z, among):
        some = [z[w] for w in among]
        middle, lower = np.quantile(some, 0.5), np.quantile(some, scipy.stats.norm.cdf(-1))
        return {w: (value - middle) / (middle - lower) for w, value in z.items()}

    chance = []
    for j, run in enumerate(others):
        rest = [other for i, other in enumerate(others) if i != j]
        own_spread = components(rest, [hold for i, hold in enumerate(held) if i != j])
        mine = [w for w in everyone if held[j][w]]
        z = {w: z_of(run[w], [other[w] for other in rest], own_spread) for w in mine}
        chance += u_of(z, mine).values()
    spread = components(others, held)
    u = u_of({w: z_of(own[w], [other[w] for other in others], spread) for w in p}, ranked)
    mean, sd = statistics.fmean(chance), statistics.stdev(chance)
    relative = {w: scipy.stats.norm.sf((value - mean) / sd) for w, value in u.items()}
    return p, relative, shift


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_a_second_computation(seed):
    real, nulls = simulated(seed, moved=range(20), shift=0.3)
    tested = real.ranked | (np.arange(WORDS) < 30)
    found = evidence_of(real, nulls, tested)
    p, relative, shift = reference(real, nulls, tested)
    known = np.flatnonzero(~np.isnan(found.p_value)).tolist()
    assert known == sorted(p)
    np.testing.assert_allclose(found.p_value[known], [p[w] for w in known], rtol=1e-6)
    np.testing.assert_allclose(found.p_relative[known], [relative[w] for w in known], rtol=1e-6)
    assert found.shift == pytest.approx(shift)
    for name in ("value", "relative"):
        values = getattr(found, f"p_{name}")[known]
        expected = scipy.stats.false_discovery_control(values)
        np.testing.assert_allclose(getattr(found, f"q_{name}")[known], expected)


def test_null_scores_are_told_of_every_word():
    real, nulls = simulated(1)
    found = evidence_of(real, nulls, real.ranked)
    for word in range(WORDS):
        own = [run.scores[word] for run in nulls if not np.isnan(run.scores[word])]
        assert found.null_runs[word] == len(own)
        if own:
            assert found.null_mean[word] == pytest.approx(statistics.fmean(own))
        if len(own) > 1:
            assert found.null_sd[word] == pytest.approx(statistics.stdev(own))
    assert np.isnan(found.null_mean[found.null_runs == 0]).all()
    assert np.isnan(found.null_sd[found.null_runs < 2]).all()


def test_where_nothing_has_changed_p_values_are_uniform():
    p, relative, flagged = [], [], 0
    for seed in range(20):
        real, nulls = simulated(seed, nulls=5)
        found = evidence_of(real, nulls, real.ranked)
        p.append(found.p_value[real.ranked])
        relative.append(found.p_relative[real.ranked])
        flagged += int((found.q_value <= 0.05).sum())
    for values in (np.concatenate(p), np.concatenate(relative)):
        assert np.mean(values <= 0.05) == pytest.approx(0.05, abs=0.012)
        assert scipy.stats.kstest(values, "uniform").statistic < 0.03
    assert flagged <= 5


def test_words_that_moved_are_found_and_a_common_shift_counts_only_absolutely():
    real, nulls = simulated(3, nulls=5, moved=range(20), shift=1.0)
    found = evidence_of(real, nulls, real.ranked)
    moved = real.ranked & (np.arange(WORDS) < 20)
    others = real.ranked & ~moved
    assert (found.q_relative[moved] <= 0.05).mean() > 0.9
    assert (found.q_relative[others] <= 0.05).mean() < 0.02
    assert (found.q_value[others] <= 0.05).mean() > 0.5
    assert found.shift > 1
    still = evidence_of(*simulated(3, nulls=5), real.ranked)
    assert abs(still.shift) < 0.3


def test_the_order_of_nulls_and_words_is_of_no_consequence():
    real, nulls = simulated(5)
    found = evidence_of(real, nulls, real.ranked)
    order = np.random.default_rng(0).permutation(WORDS)

    def permuted(run):
        return PairScores(*(values[order] for values in run[:4]), run.slice_documents)

    other = evidence_of(permuted(real), [permuted(null) for null in nulls[::-1]], real.ranked[order])
    np.testing.assert_allclose(other.p_relative, found.p_relative[order], rtol=1e-9)
    np.testing.assert_allclose(other.p_value, found.p_value[order], rtol=1e-9)


def test_scores_of_zero_and_words_that_no_null_has_are_judged_too():
    real, nulls = simulated(2)
    nulls[0].scores[:5] = 0.0
    for null in nulls:
        null.scores[10] = np.nan
    found = evidence_of(real, nulls, real.ranked | (np.arange(WORDS) == 10))
    assert np.isfinite(found.p_value[real.ranked]).all()
    assert found.null_runs[10] == 0
    assert np.isfinite(found.p_value[10]) == np.isfinite(real.scores[10])


def test_nothing_to_learn_from_gives_no_p_values():
    real, nulls = simulated(1)
    nobody = [null._replace(ranked=np.zeros(WORDS, bool)) for null in nulls]
    for found in (evidence_of(real, nobody, real.ranked), evidence_of(real, nulls, np.zeros(WORDS, bool))):
        assert np.isnan(found.p_value).all()
        assert math.isnan(found.shift)
        assert (found.null_runs > 0).any()
    with pytest.raises(ValueError, match="at least 3"):
        evidence_of(real, nulls[:2], real.ranked)


@given(st.lists(st.floats(0, 1) | st.just(math.nan), max_size=30))
def test_q_values_agree_with_scipy(values):
    p = np.array(values, float)
    known = ~np.isnan(p)
    q = benjamini_hochberg(p)
    assert (np.isnan(q) == ~known).all()
    if known.any():
        np.testing.assert_allclose(q[known], scipy.stats.false_discovery_control(p[known]))


def test_the_upper_end_of_chance_is_the_score_whose_p_is_a_twentieth():
    real, nulls = simulated(4, nulls=5, moved=range(20), shift=0.4)
    found = evidence_of(real, nulls, real.ranked)
    known = ~np.isnan(found.p_value)
    assert (np.isnan(found.null_high) == ~known).all()
    above = real.scores > found.null_high
    assert (above[known] == (found.p_value[known] < 0.05)).all()
    assert 0 < above[known].sum() < known.sum()
    at = real._replace(scores=found.null_high)
    np.testing.assert_allclose(evidence_of(at, nulls, real.ranked).p_value[known], 0.05, rtol=1e-6)


def test_where_nothing_has_changed_a_twentieth_of_the_words_lies_above_the_upper_end():
    above = []
    for seed in range(20):
        real, nulls = simulated(seed, nulls=3)
        found = evidence_of(real, nulls, real.ranked)
        above += (real.scores > found.null_high)[real.ranked & ~np.isnan(real.scores)].tolist()
    assert 0.03 < np.mean(above) < 0.07


def test_an_upper_end_beyond_all_numbers_is_none():
    nothing = np.zeros(6)
    standard = Standard(np.zeros(2), np.full(2, 9.0), 0.1, nothing, np.array([7.0, 0, 0, 0, 0, 0]))
    uses = np.full(2, 60)
    run = PairScores(np.ones(2), uses, uses, np.ones(2, bool), 60)
    r = np.array([1e-4, 5.0])
    np.testing.assert_allclose(standard.scores(run, r), [np.exp(1e-4 * np.exp(7)), np.nan])
    np.testing.assert_allclose(standard.scores(run, r, 2.0), [np.exp(1e-4 * np.exp(7)), 2.0])


def test_no_upper_end_is_beyond_the_greatest_score():
    real, nulls = simulated(4, nulls=3, moved=range(20), shift=0.4)
    free = evidence_of(real, nulls, real.ranked)
    most = float(np.nanquantile(free.null_high, 0.5))
    bound = evidence_of(real, nulls, real.ranked, most)
    np.testing.assert_array_equal(bound.null_high, np.minimum(free.null_high, most))
    for name in ("p_value", "q_value", "p_relative", "null_mean"):
        np.testing.assert_array_equal(getattr(bound, name), getattr(free, name))
    np.testing.assert_array_equal(upper_end(real, nulls, most)[real.ranked], bound.null_high[real.ranked])
