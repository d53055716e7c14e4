import numpy as np
import pyarrow as pa
import pytest

from lexbeam.schemas.common_tables import CHANGE_METRICS, METRIC_REASONS, metrics_table
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.candidate_metrics import candidates_of
from lexbeam.transforms.evaluation.evaluating import matched, measure, measure_difference, row
from lexbeam.transforms.evaluation.metrics import METRICS, TAKES, Metric, metric_of
from lexbeam.transforms.evaluation.outcomes import Terms

NONE = BootstrapOptions(resamples=0)
SOME = BootstrapOptions(resamples=50)
GOLD, PREDICTED = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 6])
IDS = ["a", "b", "c", "d"]


def test_instances_are_matched_by_id():
    order = matched(["b", "a", "c"], ["c", "b", "a"])
    assert order.gold.tolist() == [1, 0, 2]
    assert order.predicted.tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("aab", "ab", r"gold: 1 ids \('a'\) more than once"),
        ("ab", "bba", r"predictions: 1 ids \('b'\) more than once"),
        ("abcdefg", "g", r"predictions lack 6 ids \('a', 'b', 'c', 'd', 'e', \.\.\.\)"),
        ("a", "ab", r"gold lacks 1 ids \('b'\), which predictions have"),
    ],
)
def test_doubled_and_missing_ids_are_named(gold, predicted, message):
    with pytest.raises(LexbeamError, match=message):
        matched(list(gold), list(predicted))


def test_a_ratio_tells_its_sums():
    found = measure("mae", (GOLD, PREDICTED), clusters=IDS, options=SOME)
    assert found[:1] + found[3:7] == (0.5, 4, 2.0, 4.0, None)
    assert 0 <= found.low <= 0.5 <= found.high
    found = measure("pearson", (GOLD, PREDICTED), clusters=IDS, options=NONE)
    assert found[1:] == (None, None, 4, None, None, None, 0, None)


@pytest.mark.parametrize(
    ("name", "gold", "predicted", "reason"),
    [
        ("spearman", [], [], "empty"),
        ("mae", [], [], "empty"),
        ("spearman", [1, 1], [1, 2], "constant_gold"),
        ("pearson", [1, 2], [2, 2], "constant_predicted"),
        ("r2", [1], [1], "too_few"),
        ("precision", [True, False], [False, False], "no_positive_predicted"),
        ("recall", [False, False], [True, False], "no_positive_gold"),
        ("f1", [False, False], [False, False], "no_positive"),
        ("average_precision", [False, False], [0.1, 0.2], "no_positive_gold"),
        ("mae", [1.0, np.inf], [1, 2], "not_finite"),
        ("spearman", [1, 2, 3], [1, 2, np.nan], "not_a_number"),
        ("r2", [1, np.nan, 3], [1, 2, 3], "not_a_number"),
        ("average_precision", [True, False, True], [0.1, np.nan, 0.2], "not_a_number"),
    ],
)
def test_what_is_undefined_is_null_with_a_reason(name, gold, predicted, reason):
    given = np.array(gold), np.array(predicted)
    found = measure(name, given, clusters=["x"] * len(gold), options=SOME)
    assert (found.value, found.low, found.high, found.reason) == (None, None, None, reason)
    assert found.n == len(gold)
    assert reason in METRIC_REASONS
    both = measure_difference(name, given, given, clusters=["x"] * len(gold), options=SOME)
    assert (both.value, both.reason) == (None, reason)


@pytest.mark.parametrize(("name", "value"), [("mae", 1), ("mse", 1), ("spearman", -1), ("r2", -3)])
def test_small_integers_do_not_overflow(name, value):
    given = np.array([1, 2], np.uint8), np.array([2, 1], np.uint8)
    found = measure(name, given, clusters=["a", "b"], options=NONE)
    assert found.value == pytest.approx(value)
    found = measure(name, tuple(map(list, given)), clusters=["a", "b"], options=NONE)
    assert found.value == pytest.approx(value)


def test_rankings_take_scores_of_any_type():
    given = np.array([1, 0, 0]), np.array([2, 1, 0], np.uint8)
    found = measure("average_precision", given, clusters=["a", "b", "c"], options=NONE)
    assert found.value == 1


def test_one_cluster_has_a_value_and_no_interval():
    found = measure("mae", (GOLD, PREDICTED), clusters=["x"] * 4, options=SOME)
    assert (found.value, found.low, found.reason) == (0.5, None, "one_cluster")


def test_lists_take_k_and_are_drawn_by_instance():
    gold = {str(i): {"a": 2, "b": 1} for i in range(20)}
    predicted = {str(i): [("a" if i % 2 else "x", 2.0), ("b", 1.0)] for i in range(20)}
    listed = candidates_of(gold, predicted)
    found = measure("trank_at_k", (listed.candidates,), clusters=listed.ids, options=SOME, k=1)
    assert (found.value, found.n) == (0.5, 20)
    assert found.low < 0.5 < found.high
    found = measure("mrr", (listed.candidates,), clusters=listed.ids, options=NONE)
    assert found.value == (1 + 1 / 2) / 2
    with pytest.raises(TypeError, match="must return Terms"):
        mean = Metric(lambda given: 0.5, "lists", doc="toy")
        measure(mean, (listed.candidates,), clusters=listed.ids, options=SOME)


def test_arrays_of_other_instances_are_refused():
    with pytest.raises(ValueError, match=r"lengths \[3, 4\]"):
        measure("mae", (GOLD, PREDICTED[:3]), clusters=IDS, options=NONE)
    with pytest.raises(ValueError, match="same instances"):
        short = GOLD[:3], PREDICTED[:3]
        measure_difference("mae", (GOLD, PREDICTED), short, clusters=IDS, options=NONE)


def test_a_metric_that_does_not_fit_is_refused():
    with pytest.raises(UsageError, match="did you mean 'spearman'"):
        metric_of("spaerman")
    with pytest.raises(UsageError, match="no metric 'mrr' of pairs or classes"):
        metric_of("mrr", ("pairs", "classes"))


def test_every_metric_says_what_it_needs():
    assert {metric.takes for metric in METRICS.values()} == set(TAKES)
    takes_k = {name for name, metric in METRICS.items() if metric.ks}
    assert takes_k == {name for name in METRICS if "_at_k" in name}


def test_rows_are_those_of_the_table():
    measured = measure("accuracy", (GOLD > 2, PREDICTED > 5), clusters=IDS, options=SOME)
    made = row("system", "all", "accuracy", None, measured)
    table = pa.Table.from_pylist([made], schema=CHANGE_METRICS.schema())
    assert table.to_pylist() == [made]
    assert made["numerator"] == 3
    names = "system subset metric k value low high n numerator denominator p_value reason"
    assert CHANGE_METRICS.schema().names == names.split(" ")
    assert metrics_table("toy").schema().names == names.replace(" p_value", "").split(" ")
    assert metrics_table("toy").name == "toy/metrics"


def test_a_metric_may_be_in_no_registry():
    def within_one(gold, predicted):
        return Terms((np.abs(gold - predicted) <= 1).astype(float), np.ones(len(gold)))

    found = measure(Metric(within_one, "pairs", doc="toy"), (GOLD, PREDICTED), clusters=IDS, options=SOME)
    assert found.value == 0.75
