import math
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from published import scores
from scipy.stats import pearsonr, rankdata

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.scores.evaluation import EvaluationOptions, evaluate, of_gold
from lexbeam.transforms.change.scores.gold import Gold, ScoredWords
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions

GOLD = Gold({"a": True, "b": True, "c": False, "d": False}, {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.1})
OP = "old:new/op/cosine/mean"
# The higher score means more change; b and c are tied, d is thought to have changed.
ROWS = [
    scores("a", 0.8, changed=True),
    scores("b", 0.3, changed=False),
    scores("c", 0.3, changed=False),
    scores("d", 0.6, changed=True),
    scores("e", 0.9, changed=True),
]


BASIC = ("spearman", "average_precision", "accuracy", "precision", "recall", "f1")


def evaluated(rows, gold=GOLD, resamples=0, metric=BASIC, **other):
    table = pa.Table.from_pylist(rows, schema=SCORES.schema())
    options = EvaluationOptions(bootstrap=BootstrapOptions(resamples=resamples), metric=metric, **other)
    found, missing = evaluate(of_gold([table], gold.words), gold, options)
    return {(r["system"], r["subset"], r["metric"]): r for r in found.to_pylist()}, missing


def values(rows, *more, **other):
    """The values of the means with `op`, by metric."""
    found, _ = evaluated(rows, *more, **other)
    return {m: row["value"] for (name, part, m), row in found.items() if (name, part) == (OP, "all")}


def test_figures_by_hand():
    # Ranks of gold: c, d 1.5, b 3, a 4; of scores: b, c 1.5, d 3, a 4. Centred: gold (a b c d) 1.5,
    # .5, -1, -1, scores 1.5, -1, -1, .5; products 2.25 - .5 + 1 - .5 = 2.25, squares 4.5 each: .5.
    # Order: a, d, then b and c in either order. b third: (1 + 2/3) / 2; fourth: (1 + 2/4) / 2.
    # Changed: a rightly, d wrongly, b not though it has: 2 of 4 right, precision 1/2, recall 1/2.
    assert values(ROWS) == pytest.approx(
        {
            "spearman": 0.5,
            "average_precision": (5 / 6 + 3 / 4) / 2,
            "accuracy": 0.5,
            "precision": 0.5,
            "recall": 0.5,
            "f1": 0.5,
        }
    )


def test_single_seeds_have_no_classes_unless_by_a_threshold():
    seeds = [scores(row["word"], row["score"], seed=2) for row in ROWS]
    found, _ = evaluated(ROWS + seeds)
    single = {metric: row for (name, _, metric), row in found.items() if name.endswith("/seed 2")}
    assert set(single) == {"spearman", "average_precision"}
    # The mean of .8, .3, .3, .6 is .5: a and d have changed.
    found, _ = evaluated(ROWS + seeds, class_threshold="mean")
    assert found["old:new/op/cosine/seed 2", "all", "accuracy"]["value"] == 0.5


def test_every_pair_alignment_and_measure_is_a_system():
    more = [
        scores(word, 0.1 * i, alignment=alignment, measure=measure, slice_to=to)
        for i, word in enumerate("abcd")
        for alignment, measure, to in (("none", "frequency", "new"), ("cca", "cosine", "newer"))
    ]
    found, _ = evaluated(ROWS + more, metric=("spearman",))
    assert [name for name, _, _ in found] == ["old:new/none/frequency/mean", OP, "old:newer/cca/cosine/mean"]
    # Scores that fall with gold: ranks 4 3 1.5 1.5 against 1 2 3 4.
    assert found["old:new/none/frequency/mean", "all", "spearman"]["value"] == pytest.approx(-4.5 / math.sqrt(4.5 * 5))


MISSING = [scores("a", 0.8, changed=True), scores("b", None, reason="absent_from"), scores("c", 0.3, changed=False)]


def test_words_without_a_score_are_named_and_left_out():
    found, missing = evaluated(MISSING, missing="leave-out")
    assert missing == [(OP, {"b": "absent_from", "d": "not_scored"})]
    assert {row["n"] for row in found.values()} == {2}
    assert found[OP, "all", "spearman"]["value"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("missing", "spearman", "precision"),
    [
        # b and d below c: ranks of a b c d are 4 1.5 3 1.5, of gold 4 3 1.5 1.5: 2.25 / 4.5.
        ("least", 0.5, (1 + (2 / 3 + 2 / 4) / 2) / 2),
        # b and d at .55: 4 2.5 1 2.5; products 1.5*1.5 + .5*0 + 1*1.5 + 0 = 3.75 / 4.5.
        ("median", 3.75 / 4.5, (1 + (2 / 2 + 2 / 3) / 2) / 2),
    ],
)
def test_words_without_a_score_may_be_given_one(missing, spearman, precision):
    found, named = evaluated(MISSING, missing=missing)
    assert found[OP, "all", "spearman"]["value"] == pytest.approx(spearman)
    assert found[OP, "all", "average_precision"]["value"] == pytest.approx(precision)
    # They count as unchanged: a, c and d are right.
    assert found[OP, "all", "accuracy"]["numerator"] == 3
    assert {row["n"] for row in found.values()} == {4}
    assert len(named) == 1


def test_the_threshold_is_that_of_scores_that_are_there():
    # Of .6, .1 and .2 the mean is .3: a alone has changed. With d's -.9 it would be 0.
    rows = [scores("a", 0.6), scores("b", 0.1), scores("c", 0.2)]
    gold = Gold({"a": True, "b": False, "c": False, "d": False}, {})
    found, _ = evaluated(rows, gold, missing="least", class_threshold="mean")
    assert found[OP, "all", "accuracy"]["numerator"] == 4


def test_metrics_that_gold_is_not_for():
    only = Gold({}, GOLD.graded)
    assert set(values(ROWS, only)) == {"spearman"}
    with pytest.raises(UsageError, match=r"accuracy, f1 cannot be computed, .* no classes"):
        evaluated(ROWS, only, metric=("accuracy", "f1"))
    with pytest.raises(UsageError, match="mae cannot be computed, for gold has no graded change"):
        evaluated(ROWS, Gold(GOLD.binary, {}), metric=("mae",))


def test_parts_of_speech_are_subsets_where_words_tell_them():
    gold = Gold({}, {"a_nn": 1, "b_nn": 2, "c_vb": 3, "d_vb": 4})
    rows = [scores(word, value) for word, value in zip(gold.words, (1, 2, 4, 3), strict=True)]
    found, _ = evaluated(rows, gold, metric=("spearman", "accuracy"))
    assert {part: row["value"] for (_, part, _), row in found.items()} == pytest.approx({"all": 0.8, "nn": 1, "vb": -1})
    nouns = Gold({}, {"a_nn": 1, "b_nn": 2})
    assert {part for _, part, _ in evaluated(rows, nouns)[0]} == {"all"}


def test_a_baseline_gives_differences_on_the_same_words():
    base = [
        scores(word, 1 - value, alignment="none", measure="frequency", changed=word == "a")
        for word, value in {"a": 0.8, "b": 0.3, "d": 0.6}.items()
    ]
    found, _ = evaluated(ROWS + base, baseline="none/frequency", resamples=50)
    name = f"{OP} minus none/frequency"
    own = {metric: row for (system, _, metric), row in found.items() if system == name}
    # On a, b, d: gold ranks 3 2 1; scores 3 1 2: rho .5; the baseline has them reversed.
    assert own["spearman"]["value"] == pytest.approx(1)
    assert own["spearman"]["n"] == 3
    # Classes of the baseline: a right, b wrong, d right; of the system: a right, b and d wrong.
    assert own["accuracy"]["value"] == pytest.approx(-1 / 3)
    assert own["accuracy"]["low"] <= -1 / 3 <= own["accuracy"]["high"] <= 0
    with pytest.raises(UsageError, match="did you mean 'none/frequency'"):
        evaluated(ROWS + base, baseline="non/frequency")


def test_intervals_are_over_words_and_do_not_depend_on_the_order_of_rows():
    first, _ = evaluated(ROWS, resamples=100)
    again, _ = evaluated(ROWS[::-1], resamples=100)
    assert first == again
    row = first[OP, "all", "accuracy"]
    assert row["low"] < row["value"] < row["high"]
    assert (row["numerator"], row["denominator"]) == (2, 4)


def test_what_cannot_be_evaluated_is_an_error():
    with pytest.raises(LexbeamError, match="none of 4 gold words has a row"):
        evaluated([scores("x", 1.0)], missing="leave-out")
    with pytest.raises(LexbeamError, match="1 of 4 gold words are not in table scores: d; make"):
        evaluated(MISSING)
    with pytest.raises(LexbeamError, match="'a' twice for old:new/op/cosine"):
        evaluated([scores("a", 1.0), scores("a", 2.0)], missing="leave-out")
    with pytest.raises(UsageError, match="no metric 'mrr' of pairs"):
        evaluated(ROWS, metric=("mrr",))


def test_a_metric_that_is_named_twice_has_one_row():
    table = pa.Table.from_pylist(ROWS, schema=SCORES.schema())
    found, _ = evaluate(table, GOLD, EvaluationOptions(metric=("spearman", "spearman")))
    assert found.num_rows == 1


def test_a_constant_system_has_a_reason():
    found, _ = evaluated([scores(word, 0.5) for word in "abcd"], resamples=20)
    row = found[OP, "all", "spearman"]
    assert (row["value"], row["low"], row["reason"]) == (None, None, "constant_predicted")
    # In random order the two gold words stand at ranks i < j: the mean of (1 / i + 2 / j) / 2.
    pairs = list(combinations(range(1, 5), 2))
    chance = sum((1 / i + 2 / j) / 2 for i, j in pairs) / len(pairs)
    assert found[OP, "all", "average_precision"]["value"] == pytest.approx(chance)


def of_some(size=30):
    """Words with gold, scores and frequencies that hang together, and rows of two pairs of slices."""
    random = np.random.default_rng(4)
    shares = random.integers(1, 90, (size, 2)) / 1000
    shares[0, 0] = 0  # absent from the earlier slice
    gold, score = (np.log(shares[:, 1] + 0.001) + random.normal(0, 0.7, size) for _ in range(2))
    words = [f"w{place}" for place in range(size)]
    rows = [
        scores(word, float(value), relative_from=float(before), relative_to=float(after))
        for word, value, (before, after) in zip(words, score, shares, strict=True)
    ]
    return words, Gold({}, dict(zip(words, gold.tolist(), strict=True))), rows, score, shares


def by_regression(gold, score, shares):
    """Partial Spearman correlation by scipy and numpy, of numbers in the order of words."""
    filled = np.where(shares > 0, shares, shares[shares > 0].min() / 2)
    change = np.abs(np.diff(np.log(filled), axis=1))
    ranks = np.apply_along_axis(rankdata, 0, np.column_stack([filled, change, gold, score]))
    design = np.column_stack([np.ones(len(gold)), ranks[:, :3]])
    left = [ranks[:, place] - design @ np.linalg.lstsq(design, ranks[:, place], rcond=None)[0] for place in (3, 4)]
    return pearsonr(*left).statistic


def test_what_frequency_says_of_both_is_taken_away():
    words, gold, rows, score, shares = of_some()
    found, _ = evaluated(rows, gold, resamples=200, metric=("spearman", "partial_spearman"), baseline=None)
    row = found[OP, "all", "partial_spearman"]
    wanted = by_regression(np.array([gold.graded[word] for word in words]), score, shares)
    assert row["value"] == pytest.approx(wanted)
    assert row["value"] < found[OP, "all", "spearman"]["value"] - 0.1
    assert row["low"] < row["value"] < row["high"]
    assert row["n"] == len(words)


def test_a_system_that_scores_no_word_of_gold_has_no_correlation():
    _, gold, rows, _, _ = of_some()
    unscored = [row | {"score": None, "reason": "no_map"} for row in rows]
    found, _ = evaluated(unscored, gold, metric=("spearman", "partial_spearman"))
    for metric in ("spearman", "partial_spearman"):
        row = found[OP, "all", metric]
        assert (row["value"], row["n"], row["reason"]) == (None, 0, "empty")


def test_files_are_about_the_one_pair_of_slices_that_there_is():
    words, gold, rows, score, _ = of_some()
    file = ScoredWords("mine", dict(zip(words, score.tolist(), strict=True)))
    options = EvaluationOptions(metric=("partial_spearman", "spearman"), bootstrap=BootstrapOptions(resamples=0))
    newer = [scores(row["word"], row["score"], slice_to="newer") for row in rows]
    told = []
    for some in (rows, rows + newer, None):
        table = None if some is None else pa.Table.from_pylist(some, schema=SCORES.schema())
        found = evaluate(table, gold, options, [file])[0].to_pylist()
        told.append({row["metric"]: row["value"] for row in found if row["system"] == "mine"})
    assert told[0]["partial_spearman"] == values(rows, gold, metric=("partial_spearman",))["partial_spearman"]
    assert told[1] == told[2] == {"spearman": told[0]["spearman"]}
