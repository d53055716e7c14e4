import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.complexity.labels.aggregation import (
    AggregationOptions,
    ComplexityJudgment,
    figures_of,
    judgment_rows,
    label_of,
    label_rows,
    settle_judgments,
)

KNOWN = {"i", "j", "k"}


def judgment(instance="i", annotator="a", value=0.5, group=None):
    return ComplexityJudgment(instance, annotator, group, value, "f.tsv", 1)


def settle(judgments, **options):
    return settle_judgments(judgments, KNOWN, AggregationOptions(min_annotations=1, **options))


def label(judgments, least=1, **options):
    how = AggregationOptions(min_annotations=least, **options)
    return label_of(settle_judgments(judgments, KNOWN, how), how)


VALUES = st.sampled_from([0, 0.25, 0.5, 0.75, 1])


@given(st.lists(VALUES, min_size=1, max_size=9))
def test_a_label_is_mean_number_and_spread(values):
    found = label([judgment(annotator=f"p{n}", value=v) for n, v in enumerate(values)])
    assert found.complexity == pytest.approx(statistics.mean(values))
    assert found.annotations == len(values)
    spread = statistics.stdev(values) if len(values) > 1 else None
    assert found.spread == (spread if spread is None else pytest.approx(spread))


def test_too_few_annotations_are_told():
    three = [judgment(annotator=name) for name in "abc"]
    assert label(three, least=4)[:2] == (None, 3)
    assert label(three, least=4).reason == "too_few"
    assert label(three, least=3).complexity == 0.5
    assert label([], least=1) == (None, 0, None, "too_few")


TWICE = [judgment(value=0), judgment(value=1), judgment(value=1), judgment(annotator="b", value=0)]


@pytest.mark.parametrize(
    ("repeated", "kept", "complexity", "annotations"),
    [
        ("mean", [True, True, True, True], (2 / 3 + 0) / 2, 2),
        ("first", [True, False, False, True], 0, 2),
        ("last", [False, False, True, True], 0.5, 2),
        ("all", [True, True, True, True], 0.5, 4),
    ],
)
def test_repeated_judgments(repeated, kept, complexity, annotations):
    judged = settle(TWICE, repeated=repeated)
    assert [one.counts for one in judged] == kept
    assert [one.number for one in judged] == [0, 1, 2, 0]
    assert {one.reason for one in judged if not one.counts} <= {"repeated"}
    found = label(TWICE, repeated=repeated)
    assert found.complexity == pytest.approx(complexity)
    assert found.annotations == annotations
    if repeated != "all":
        assert sum(one.weight for one in judged[:3]) == pytest.approx(1)


def test_unknown_annotators_are_each_another_or_dropped():
    two = [judgment(annotator="", value=0), judgment(annotator="", value=1)]
    assert label(two)[:2] == (0.5, 2)
    assert [one.reason for one in settle(two, unknown="dropped")] == ["unknown_annotator"] * 2


def test_what_does_not_count_keeps_its_row_and_reason():
    judged = settle([judgment("x"), judgment(value=None), judgment()])
    assert [(one.counts, one.reason, one.weight) for one in judged] == [
        (False, "unknown_instance", 0),
        (False, "undecided", 0),
        (True, None, 1),
    ]


def crowd():
    """Five who mostly agree, one who answers the contrary, on eight instances."""
    random = np.random.default_rng(2)
    rows = []
    for n in range(8):
        for name in "abcde":
            value = (n // 2 + int(random.random() < 0.3)) / 4
            rows.append(ComplexityJudgment(f"i{n}", name, None, value, "f", 0))
        rows.append(ComplexityJudgment(f"i{n}", "z", None, 1 - n // 2 / 4, "f", 0))
    return rows


def test_weights_by_agreement_silence_who_contradicts_all():
    how = AggregationOptions(min_annotations=1, weights="agreement")
    judged = settle_judgments(crowd(), {f"i{n}" for n in range(8)}, how)
    weights = {one.judgment.annotator: one.weight for one in judged}
    assert weights["z"] == 0
    assert all(0 < weights[name] < 1 for name in "abcde")
    assert {one.reason for one in judged if one.judgment.annotator == "z"} == {"no_weight"}
    mine = [one for one in judged if one.judgment.instance_id == "i3"]
    expected = np.average([one.judgment.value for one in mine[:5]], weights=[weights[name] for name in "abcde"])
    assert label_of(mine, how).complexity == pytest.approx(expected)
    assert label_of(mine, how).annotations == 5


@settings(max_examples=5)
@given(st.permutations(crowd()))
def test_labels_do_not_depend_on_the_order(judgments):
    names = [f"i{n}" for n in range(8)]
    tables = []
    for rows in (crowd(), judgments):
        how = AggregationOptions(weights="agreement", min_annotations=1)
        judged = settle_judgments(rows, set(names), how)
        labels = label_rows(judged, names, how)
        own = judgment_rows(judged).sort_by([("instance_id", "ascending"), ("annotator", "ascending")])
        tables.append((labels, own.select(["weight", "kept"]), figures_of(own, labels, how)))
    assert tables[0][0].select(["instance_id", "annotations", "reason"]) == tables[1][0].select(
        ["instance_id", "annotations", "reason"]
    )
    for before, after in zip(*(t[0]["complexity"].to_pylist() for t in tables), strict=True):
        assert before == pytest.approx(after, abs=1e-12)
    assert tables[0][2]["kept"] == tables[1][2]["kept"]


def test_labels_of_groups_and_of_instances_without_judgments():
    how = AggregationOptions(min_annotations=2)
    rows = [
        judgment(annotator=a, group=g, value=v)
        for a, g, v in [("a", "x", 0), ("b", "x", 0.5), ("c", "y", 1), ("d", None, 1)]
    ]
    judged = settle_judgments(rows, KNOWN, how)
    found = label_rows(judged, ["j", "i"], how).to_pylist()
    assert [(r["instance_id"], r["group"], r["complexity"], r["reason"]) for r in found] == [
        ("i", "", 0.625, None),
        ("i", "x", 0.25, None),
        ("i", "y", None, "too_few"),
        ("j", "", None, "too_few"),
    ]


def test_figures_are_counted_by_hand():
    how = AggregationOptions(min_annotations=2)
    rows = [
        judgment("i", "a", 0, "x"),
        judgment("i", "b", 0.25),
        judgment("j", "a", 1, "x"),
        judgment("j", "b", 0.75),
        judgment("j", "b", 0.75),
        judgment("k", "", 0.5),
        judgment("none", "a", 1),
        judgment("k", "a", None),
    ]
    judged = settle_judgments(rows, KNOWN, how)
    labels = label_rows(judged, sorted(KNOWN), how)
    found = figures_of(judgment_rows(judged), labels, how)
    assert found["judgments"] == 8
    assert found["kept"] == 6
    assert found["reasons"] == {"undecided": 1, "unknown_instance": 1}
    assert (found["annotators"], found["unknown_annotator"]) == (2, 1)
    whole, group = found["groups"]
    assert (whole["instances"], whole["labelled"], whole["halves_of"]) == (3, 2, 2)
    # b's two judgments of j count as one: 0, .25 | .75, 1.
    observed = (2 * 0.25**2 + 2 * 0.25**2) / 4
    pairs = [(a - b) ** 2 for a in (0, 0.25, 0.75, 1) for b in (0, 0.25, 0.75, 1)]
    assert whole["alpha"] == pytest.approx(1 - observed / (sum(pairs) / 12))
    assert (group["group"], group["judgments"], group["alpha"]) == ("x", 2, None)
