"""Rules of annotated questions against a plain reading of them, and the paper's one by one."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import calls

from lexbeam.transforms.cloze.questions.quality import (
    Annotation,
    QualityOptions,
    agreement_of,
    by_annotator,
    settle_annotations,
    verdict_of,
)

KEY = ("q1", "nonspecificity")
RIGHT = 2


def annotation(annotator="anna", answer=RIGHT, *, key=KEY, difficulty="hard", spans=("p", "s"), approval=0.95):
    return Annotation(key, annotator, answer, answer == RIGHT, difficulty, spans, None, approval, "f.csv", "2")


def verdict(*given, **options):
    how = QualityOptions(**options)
    return verdict_of(settle_annotations(given, how), how)


def wrong(annotator="bob", **more):
    return annotation(annotator, 0, **more)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "not_annotated"),
        ([annotation()], None),
        ([annotation(), wrong()], None),  # .5 is above .4
        ([annotation(), wrong(), wrong("cyd")], "low_accuracy"),
        ([annotation("a"), annotation("b"), *map(wrong, "cde")], "low_accuracy"),  # just .4
        ([annotation(spans=("p", " "))], "no_evidence"),
        ([annotation(), annotation("bob", spans=("", "s"))], "no_evidence"),
        ([annotation(), annotation("cyd"), wrong(difficulty="Easy")], "easy_but_wrong"),
        ([annotation(difficulty="easy")], None),
        ([annotation(), wrong(difficulty=None)], None),
        ([wrong(approval=0.9), annotation()], None),  # just .9 does not count
        ([annotation(approval=0.9)], "too_few"),
        ([annotation(approval=None)], None),
    ],
)
def test_the_papers_rules(given, reason):
    assert verdict(*given).reason == reason


def test_every_threshold_is_an_option():
    answers = [annotation(spans=("", "")), wrong(difficulty="easy"), wrong("cyd", approval=0.1)]
    assert verdict(*answers).reason == "no_evidence"
    assert verdict(*answers, evidence=False).reason == "easy_but_wrong"
    assert verdict(*answers, evidence=False, easy=False).reason is None
    assert verdict(*answers, evidence=False, easy=False, min_answers=3).reason == "too_few"
    assert verdict(*answers, evidence=False, easy=False, min_accuracy=0.5).reason == "low_accuracy"
    result = verdict(*answers, evidence=False, easy=False, min_approval=0, min_accuracy=0.3)
    assert (result.answers, result.right, result.reason) == (3, 1, None)
    assert verdict(annotation(approval=None), unknown_approval="dropped").reason == "too_few"
    assert verdict(wrong(difficulty="very  Easy"), annotation()).reason == "easy_but_wrong"
    assert verdict(wrong(difficulty="leicht"), annotation(), easy_words=("leicht",)).reason == ("easy_but_wrong")


def test_rules_of_answers_leave_the_question_to_the_others():
    how = QualityOptions(rules_of="answer")
    given = [annotation(), annotation("bob", spans=("", "s")), wrong("cyd", difficulty="easy")]
    judged = settle_annotations(given, how)
    assert [one.reason for one in judged] == [None, "no_evidence", "easy_but_wrong"]
    assert verdict_of(judged, how)[:3] == (1, 1, 1.0)
    assert verdict_of(judged, how).reason is None


def test_accuracy_of_annotators():
    how = QualityOptions(accuracy_of="annotator")
    keys = [(f"q{place}", "nonspecificity") for place in range(5)]
    good = [annotation("anna", key=key) for key in keys]
    poor = [annotation("bob", RIGHT if place < 2 else 0, key=key) for place, key in enumerate(keys)]
    judged = settle_annotations([*good, *poor], how)
    assert [answer.reason for answer in judged] == [None] * 5 + ["low_accuracy"] * 5  # just .4
    assert settle_annotations(poor[:3], how)[0].reason is None
    # That of a question is then not asked.
    alone = [wrong(key=keys[0]), annotation("bob", key=keys[1])]
    settled = settle_annotations(alone, how)
    assert verdict_of(settled[:1], how).reason is None


def test_the_majority():
    result = verdict(annotation("a"), annotation("b"), wrong("c"), annotation("d", None))
    assert (result.majority, result.majority_share, result.accuracy) == (RIGHT, 0.5, 0.5)
    assert verdict(annotation("a"), wrong("b")).majority is None
    assert verdict(annotation("a", None)).majority is None


ANNOTATIONS = st.lists(
    st.builds(
        annotation,
        st.sampled_from("abc"),
        st.one_of(st.none(), st.integers(0, 4)),
        key=st.sampled_from([("q1", "k"), ("q2", "k")]),
        difficulty=st.sampled_from([None, "easy", "hard"]),
        spans=st.sampled_from([("p", "s"), ("p", ""), ("", "")]),
        approval=st.sampled_from([None, 0.9, 0.95]),
    ),
    max_size=12,
)
OPTIONS = st.builds(
    QualityOptions,
    min_accuracy=st.sampled_from([0.0, 0.4, 0.5]),
    accuracy_of=st.sampled_from(["question", "annotator"]),
    unknown_approval=st.sampled_from(["kept", "dropped"]),
    min_answers=st.integers(1, 3),
    evidence=st.booleans(),
    easy=st.booleans(),
    rules_of=st.sampled_from(["question", "answer"]),
)


def plainly_kept(given, key, how):
    """Whether a question is kept, read off the rules anew."""
    counted = [
        answer
        for answer in given
        if (how.unknown_approval == "kept" if answer.approval is None else answer.approval > 0.9)
    ]

    def empty(answer):
        return how.evidence and "" in answer.spans

    def slip(answer):
        return how.easy and answer.difficulty == "easy" and answer.answer != RIGHT

    if how.rules_of == "answer":
        counted = [answer for answer in counted if not empty(answer) and not slip(answer)]

    def share(answers):
        return Fraction(sum(answer.answer == RIGHT for answer in answers), len(answers))

    limit = Fraction(str(how.min_accuracy))
    if how.accuracy_of == "annotator":
        counted = [
            answer
            for answer in counted
            if share([other for other in counted if other.annotator == answer.annotator]) > limit
        ]
    own = [answer for answer in counted if answer.key == key]
    if len(own) < how.min_answers:
        return False
    if how.accuracy_of == "question" and share(own) <= limit:
        return False
    return how.rules_of == "answer" or not any(empty(answer) or slip(answer) for answer in own)


@given(ANNOTATIONS, OPTIONS)
def test_what_is_kept_is_what_the_rules_say(given, how):
    judged = settle_annotations(given, how)
    assert [answer.annotation for answer in judged] == given
    for key in (("q1", "k"), ("q2", "k")):
        of_question = [answer for answer in judged if answer.annotation.key == key]
        assert (verdict_of(of_question, how).reason is None) == plainly_kept(given, key, how)


def row(question, annotator, answer, *, kept=True):
    return {
        "question_id": question,
        "kind": "k",
        "annotator_id": annotator,
        "answer": answer,
        "correct": answer == RIGHT,
        "kept": kept,
    }


def test_agreement_by_hand():
    rows = [
        row("q1", "a", 2),
        row("q1", "b", 2),
        row("q1", "c", 1),
        row("q2", "a", 0),
        row("q2", "b", 0),
        row("q3", "a", 2),
        row("q3", "b", None),
        row("q4", "a", 3, kept=False),
    ]
    agreement = agreement_of(rows)
    # Pairs of q1: 2 of 3 unlike, weight 3; of q2: none. Values 2 2 1 0 0: 16 of 20 pairs unlike.
    assert agreement["alpha"] == pytest.approx(1 - (4 / 2 / 5) / (16 / 20))
    assert agreement["majority"] == pytest.approx((2 / 3 + 1) / 2)
    assert agreement["accuracy"] == pytest.approx(3 / 7)
    assert (agreement["answers"], agreement["annotators"], agreement["questions"]) == (7, 3, 3)
    assert agreement["several"] == 2
    assert agreement_of([])["alpha"] is agreement_of([])["accuracy"] is None


def test_figures_of_each_annotator_by_hand():
    rows = [
        row("q1", "a", 2),
        row("q1", "b", 2),
        row("q1", "c", 1),
        row("q2", "a", 0),
        row("q2", "b", None),
        row("q3", "c", 2, kept=False),
    ]
    # Of a's answers the two others to q1, of which one is the same; b's answer to q2 is none.
    expected = [("a", 2, 2, 0, 1 / 2, 1 / 2), ("b", 2, 2, 1, 1 / 2, 1 / 2), ("c", 2, 1, 0, 0, 0)]
    assert [tuple(figures.values()) for figures in by_annotator(rows)] == expected
    assert by_annotator([row("q1", "a", 1, kept=False)])[0]["accuracy"] is None


def test_figures_of_annotators_grow_with_the_answers_alone():
    def work(annotators):
        rows = [row(f"q{number % 50}", f"a{number % annotators}", number % 5) for number in range(4 * annotators)]
        return calls(lambda: by_annotator(rows))

    assert work(200) < 4.4 * work(50)
