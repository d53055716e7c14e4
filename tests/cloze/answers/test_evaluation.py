"""Systems evaluated: accuracies by brute force, subsets, and answers that do not fit."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.cloze.answers.evaluation import baselines_of, evaluated, systems_of
from lexbeam.transforms.cloze.answers.five_way import Key, SystemAnswer
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions

NO_INTERVAL = BootstrapOptions(resamples=0)
A, B = "imperceptibility", "nonspecificity"


def key(labels, kinds=None, articles=None, standing=None, ids=None):
    count = len(labels)
    return Key(
        ids or [f"q{n}" for n in range(count)],
        kinds or [""] * count,
        articles or [f"a{n}" for n in range(count)],
        [tuple("abcde")] * count,
        np.array(labels),
        np.array(standing if standing is not None else [[False] * 5] * count),
    )


def answers(labels, by_index=True, **more):
    return [
        SystemAnswer(str(n) if by_index else f"q{n}", by_index, np.eye(5)[label], **more)
        for n, label in enumerate(labels)
    ]


def accuracies(questions, systems, options=NO_INTERVAL):
    rows = evaluated(questions, systems, options)
    return {(row["system"], row["subset"]): (row["value"], row["n"]) for row in rows}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_accuracy_is_the_share_of_right_answers(both):
    questions = key([gold for gold, _ in both])
    systems = systems_of(questions, answers([own for _, own in both]), "here", "mine")
    expected = sum(gold == own for gold, own in both) / len(both)
    assert accuracies(questions, systems) == {("mine", "all"): (pytest.approx(expected), len(both))}


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.lists(st.booleans(), min_size=5, max_size=5),
            st.lists(st.sampled_from([1.0, 2.0, np.nan]), min_size=5, max_size=5),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_baselines_are_the_means_over_all_their_draws(rows):
    labels = [label for label, _, _ in rows]
    questions = key(labels, standing=[standing for _, standing, _ in rows])
    frequencies = np.array([values for *_, values in rows])
    figures = accuracies(questions, baselines_of(questions, frequencies))

    def mean(choices):
        draws = list(product(*choices))
        return np.mean([np.mean(np.array(answer) == labels) for answer in draws])

    everything = range(5)
    outside = [[at for at in everything if not own[at]] or everything for _, own, _ in rows]
    frequent, rare = [], []
    for *_, values in rows:
        ranks = [-1 if value != value else value for value in values]
        frequent.append([at for at in everything if ranks[at] == max(ranks)])
        rare.append([at for at in everything if ranks[at] == min(ranks)])
    expected = {
        "chance": mean([everything] * len(rows)),
        "frequency": mean(frequent),
        "rarest": mean(rare),
        "not-in-passage": mean(outside),
    }
    assert figures == {(name, "all"): (pytest.approx(value), len(rows)) for name, value in expected.items()}


def test_a_hand_worked_table_of_ties():
    questions = key([0, 1, 2], standing=[[False, True, True, True, False], [True] * 5, [True] * 4 + [False]])
    frequencies = np.array([[3, 3, 1, 1, 1], [9, 1, 1, 1, 1], [np.nan, 1, 1, 1, np.nan]])
    # 1/2 + 0 + 1/3; 1/2 + 1/5 + 0
    assert accuracies(questions, baselines_of(questions, frequencies)) == {
        ("chance", "all"): (pytest.approx(0.2), 3),
        ("frequency", "all"): (pytest.approx((1 / 2 + 1 / 3) / 3), 3),
        ("rarest", "all"): (pytest.approx(1 / 4 / 3), 3),
        ("not-in-passage", "all"): (pytest.approx((1 / 2 + 1 / 5) / 3), 3),
    }
    assert ("frequency", "all") not in accuracies(questions, baselines_of(questions, None))


def test_kinds_and_training_are_subsets():
    questions = key([0, 1, 2, 3], [A, A, B, B])
    rows = [
        *answers([0, 1, 2, 0], system="x", trained_on=A),
        *answers([0, 1, 0, 0], system="x", trained_on=B),
        *answers([0, 0, 0, 3], system="y"),
    ]
    figures = accuracies(questions, systems_of(questions, rows, "here", "mine"))
    assert figures == {
        ("x", A): (1, 2),
        ("x", f"{B} from {A}"): (0.5, 2),
        ("x", f"{A} from {B}"): (1, 2),
        ("x", B): (0, 2),
        ("y", A): (0.5, 2),
        ("y", B): (0.5, 2),
        ("y", "all"): (0.5, 4),
    }


def test_a_system_trained_on_a_kind_may_answer_one_kind_alone():
    questions = key([0, 1, 2], [A, B, B])
    own = [
        *(answer._replace(trained_on=A) for answer in answers([0, 1, 2])[:1]),
        *(answer._replace(trained_on=B) for answer in answers([0, 1, 0])[1:]),
    ]
    figures = accuracies(questions, systems_of(questions, own, "here", "mine"))
    assert figures == {("mine", A): (1, 1), ("mine", B): (0.5, 2)}
    with pytest.raises(LexbeamError, match=f"mine: no question of {B} is answered"):
        systems_of(questions, own[:1], "here", "mine")
    with pytest.raises(LexbeamError, match=r"predictions lack 1 ids \('2'\)"):
        systems_of(questions, own[:2], "here", "mine")


def test_order_says_nothing():
    questions = key([0, 1, 2, 3], [A, A, B, B])
    rows = answers([0, 3, 2, 3], by_index=False)
    forward, backward = (systems_of(questions, order, "here", "x") for order in (rows, rows[::-1]))
    assert forward[0].places.tolist() == backward[0].places.tolist() == [0, 1, 2, 3]
    assert np.array_equal(forward[0].chances, backward[0].chances)


def test_a_word_may_be_a_question_of_two_kinds():
    questions = key([0, 1], [A, B], ids=["q0", "q0"])
    own = [SystemAnswer("q0", False, np.eye(5)[0], kind=A), SystemAnswer("q0", False, np.eye(5)[0], kind=B)]
    figures = accuracies(questions, systems_of(questions, own, "here", "x"))
    assert figures[("x", A)] == (1, 1)
    assert figures[("x", B)] == (0, 1)
    with pytest.raises(LexbeamError, match=r"gold: 1 ids \('q0'\) more than once"):
        systems_of(questions, [answer._replace(kind="") for answer in own[:1]], "here", "x")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (answers([0, 1]), r"here: predictions lack 1 ids \('2'\)"),
        (answers([0, 1, 2, 3]), r"here: gold lacks 1 ids \('3'\)"),
        ([*answers([0, 1, 2]), *answers([0])], r"here: predictions: 1 ids \('0'\) more than once"),
        (answers([0, 1, 2, 3])[1:], "index runs from 1 to 3: the first question has index 0"),
        ([*answers([0, 1]), SystemAnswer("q2", False, np.eye(5)[0])], "some answers have an index"),
        ([*answers([0, 1, 2], system="x"), *answers([0, 1], system="y")], "here, y: .*lack 1 ids"),
    ],
)
def test_ids_that_do_not_fit_are_named(rows, message):
    with pytest.raises(LexbeamError, match=message):
        systems_of(key([0, 1, 2]), rows, "here", "mine")


def test_answers_by_id_need_ids_in_gold():
    with pytest.raises(LexbeamError, match="give `index`"):
        systems_of(key([0], ids=[""]), answers([0], by_index=False), "here", "mine")


def test_intervals_resample_articles():
    generator = np.random.default_rng(1)
    right = np.repeat(generator.integers(0, 2, 40), 10)
    articles = [f"a{n // 10}" for n in range(400)]
    rows = answers(1 - right)
    options = BootstrapOptions(resamples=500)
    widths = []
    for clusters in (articles, [f"b{n}" for n in range(400)]):
        questions = key([0] * 400, articles=clusters)
        systems = systems_of(questions, rows, "here", "mine")
        (row,) = evaluated(questions, systems, options)
        assert row["value"] == pytest.approx(right.mean())
        assert row["low"] < row["value"] < row["high"]
        widths.append(row["high"] - row["low"])
    # Ten answers of an article are one: intervals are about the root of ten times as wide.
    assert 2.5 < widths[0] / widths[1] < 4
