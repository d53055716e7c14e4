"""Combination: one ranked list of several, against a second way to compute it."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.simplification.generation.candidate_generation import SourceOf, combined, dense_ranks, evidence
from lexbeam.transforms.simplification.generation.target_forms import Formed
from lexbeam.transforms.simplification.records import Proposal


def made(form, score, reason=None, votes=None):
    return Formed(form, None, form, None, None, None, reason, Proposal(form, score, False, votes=votes))


def source(generator, *rows, adds=False):
    return SourceOf(generator, adds, [made(*row) for row in rows])


def ranked_forms(candidates):
    return [candidate.form for candidate in candidates if candidate.reason is None]


def reasons(candidates):
    return {candidate.form: candidate.reason for candidate in candidates}


def test_raw_scores_of_masked_models_are_added():
    first = source("masked_lm", ("a", 0.5), ("b", 0.25), adds=True)
    second = source("masked_lm", ("b", 0.5), ("c", 0.125), adds=True)
    candidates = combined([first, second], combine="union", k=9)
    assert [
        (candidate.form, candidate.score, dict(candidate.scores), candidate.sources) for candidate in candidates
    ] == [("b", 0.75, {"masked_lm": 0.75}, 2), ("a", 0.5, {"masked_lm": 0.5}, 1), ("c", 0.125, {"masked_lm": 0.125}, 1)]


def test_others_by_reciprocal_ranks():
    masked = [source("masked_lm", ("a", 0.5), ("b", 0.3), adds=True), source("masked_lm", ("b", 0.3), adds=True)]
    senses = source("thesaurus", ("b", 3, None, 3), ("c", 3, None, 3), ("a", 1, None, 1))
    candidates = combined([*masked, senses], combine="union", k=9)
    # b is first of the models together, and first of the thesaurus with c.
    assert [(candidate.form, candidate.score) for candidate in candidates] == [("b", 2.0), ("a", 1.0), ("c", 1.0)]
    assert candidates[0].scores == {"masked_lm": 0.6, "thesaurus": 3}
    assert (candidates[0].votes, candidates[0].sources) == (3, 3)


def test_intersection_says_what_one_generator_alone_gives():
    candidates = combined(
        [source("x", ("a", 2), ("b", 1)), source("y", ("b", 9), ("c", 8))], combine="intersection", k=9
    )
    assert reasons(candidates) == {"b": None, "a": "one_generator", "c": "one_generator"}
    assert [candidate.score for candidate in candidates] == [1 / 2 + 1, None, None]
    nothing = combined([source("x", ("a", 2)), source("y")], combine="intersection", k=9)
    assert reasons(nothing) == {"a": "one_generator"}


def test_one_generator_that_scores_it_well_is_enough():
    sources = [source("x", ("a", 10), ("b", 4), ("c", 1), ("d", 1)), source("y", ("c", 0.5), ("b", 0.1))]
    of = source("z", ("d", 9), ("b", 8))._replace(is_evidence=True)
    candidates = combined([*sources, of], combine="union", k=9, least_share=0.5)
    assert reasons(candidates) == {"a": None, "c": None, "b": "low_score", "d": "low_score"}
    assert reasons(combined(sources, combine="intersection", k=9, least_share=0.4)) == {
        "b": None,
        "c": None,
        "a": "one_generator",
        "d": "one_generator",
    }
    far = [source("x", ("a", -0.5), ("b", -0.1))]
    assert reasons(combined(far, combine="union", k=9, least_share=0.5)) == {"a": None, "b": None}
    known = {"a": 1.0, "b": None, "c": 0.0}
    listed = combined(sources, combine="union", k=1, least_share=0.3, only_listed=True, frequencies=known)
    assert reasons(listed) == {"c": None, "a": "beyond_k", "b": "unlisted", "d": "unlisted"}


def test_ties_by_generators_then_frequency_then_code_points():
    sources = [
        source("x", ("a", 2), ("b", 2), ("c", 2), ("d", 2), ("e", 1), ("f", 1)),
        source("y", ("g", 5), ("e", 4), ("h", 3)),
    ]
    # a to d: 1; g: 1; e: 1/2 + 1/2 by two generators.
    known = {"a": None, "b": 2.0, "c": 3.0, "d": 3.0, "g": 9.0}
    candidates = combined(sources, combine="union", k=9, frequencies=known)
    assert ranked_forms(candidates) == ["e", "g", "c", "d", "b", "a", "f", "h"]
    assert ranked_forms(combined(sources, combine="union", k=2)) == ["e", "a"]


def test_frequency_first():
    sources = [source("x", ("a", 2), ("b", 1), ("c", 3))]
    known = {"a": 1.0, "b": 2.0}
    candidates = combined(sources, combine="union", k=2, order="frequency", frequencies=known)
    assert [(candidate.form, candidate.rank, candidate.reason) for candidate in candidates] == [
        ("b", 1, None),
        ("a", 2, None),
        ("c", None, "beyond_k"),
    ]
    assert candidates[2].score == 1.0  # its score is known


def test_average_of_ranks():
    # By generator c 1, a 2, b 3; by frequency b 1, a 2, c behind: 3; by cosine a 1, others 2.
    candidates = combined(
        [source("x", ("a", 2), ("b", 1), ("c", 3))],
        combine="union",
        k=9,
        order="average",
        frequencies={"a": 1.0, "b": 2.0},
        cosines={"a": 0.5, "z": 1.0},
    )
    assert [(candidate.form, candidate.score) for candidate in candidates] == [("a", 3 / 5), ("b", 3 / 6), ("c", 3 / 6)]


def test_what_is_dropped_stays_as_a_row():
    sources = [
        source("x", ("a", 1, "no_form"), ("b", 1, "is_target")),
        source("y", ("a", 5), ("b", 2, "barred"), ("c", 1, "barred")),
    ]
    candidates = combined(sources, combine="union", k=9)
    assert reasons(candidates) == {"a": None, "b": "is_target", "c": "barred"}
    assert [(candidate.rank, candidate.score) for candidate in candidates] == [(1, 1.0), (None, None), (None, None)]
    # What a generator says of a form that it drops is there, too.
    assert candidates[1].scores == {"x": 1, "y": 2}
    assert candidates[1].sources == 2


def test_the_best_of_equal_forms_counts():
    rows = [("a", 1.0, None, 1), ("a", 3.0, None, 3), ("b", 2.0, None, 2)]
    candidates = combined([source("x", *rows)], combine="union", k=9)
    assert [(candidate.form, candidate.scores["x"], candidate.votes) for candidate in candidates] == [
        ("a", 3, 3),
        ("b", 2, 2),
    ]


def brute(sources, combine, k, frequencies):
    """The same from the definitions: sets, sorted lists, one form after the other."""
    adds = all(adds for _, adds, _ in sources)
    by_source = []
    for _, _, rows in sources:
        by_form = defaultdict(list)
        for form, score, reason in rows:
            if reason is None:
                by_form[form].append(score)
        by_source.append({form: max(scores) for form, scores in by_form.items()})
    all_forms = set().union(*by_source) if by_source else set()
    counted = {form: sum(form in source_scores for source_scores in by_source) for form in all_forms}
    in_all = {f for f in all_forms if combine == "union" or counted[f] == len(by_source)}
    groups = []
    masked = defaultdict(float)
    for (_, added, _), by_form in zip(sources, by_source, strict=True):
        if added:
            for form, score in by_form.items():
                masked[form] += score
        else:
            groups.append(by_form)
    if masked:
        groups.append(masked)
    total = {}
    for form in in_all:
        if adds:
            total[form] = masked[form]
        else:
            ranks = [1 + len({v for v in group.values() if v > group[form]}) for group in groups if form in group]
            total[form] = sum(1 / rank for rank in sorted(ranks))
    by_hand = sorted(
        in_all, key=lambda form: (round(-total[form], 9), -counted[form], -frequencies.get(form, -1), form)
    )
    left = {row[0] for _, _, rows in sources for row in rows} - all_forms
    return by_hand[:k], set(by_hand[k:]), all_forms - in_all, left


rows = st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(1, 4), st.sampled_from((None, None, "barred"))))
many = st.lists(st.tuples(st.sampled_from("xyz"), st.booleans(), rows), min_size=1, max_size=4)


@settings(deadline=None, max_examples=300)
@given(
    many,
    st.sampled_from(("union", "intersection")),
    st.integers(1, 5),
    st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3)),
)
def test_as_from_the_definitions(sources, combine, k, frequencies):
    given_ = [source(name, *rows, adds=adds) for name, adds, rows in sources]
    candidates = combined(given_, combine=combine, k=k, frequencies=frequencies)
    first, beyond, alone, left = brute(sources, combine, k, frequencies)
    assert ranked_forms(candidates) == first
    dropped = reasons(candidates)
    assert {form for form, why in dropped.items() if why == "beyond_k"} == beyond
    assert {form for form, why in dropped.items() if why == "one_generator"} == alone
    assert {form for form, why in dropped.items() if why == "barred"} == left
    assert [candidate.rank for candidate in candidates if candidate.rank] == list(range(1, len(first) + 1))
    assert len(dropped) == len(candidates)


def test_dense_ranks_of_nothing():
    assert dense_ranks({}) == {}
    assert combined([source("x")], combine="union", k=3) == []


@pytest.mark.parametrize("order", ["score", "frequency", "average"])
def test_the_order_of_proposals_decides_nothing(order):
    rows = [("a", 1.0), ("b", 2.0), ("c", 2.0)]
    known = {"a": 3.0, "c": 1.0}
    first, second = (
        combined(
            [source("x", *permuted), source("y", ("c", 1.0))],
            combine="union",
            k=2,
            order=order,
            frequencies=known,
            cosines=known,
        )
        for permuted in (rows, rows[::-1])
    )
    assert first == second


@given(many, many, st.sampled_from(("union", "intersection")))
def test_evidence_adds_scores_and_votes_and_no_candidate(sources, additional, combine):
    plain = [source(name, *rows, adds=adds) for name, adds, rows in sources]
    further = [
        source(name + " further", *((form, score, why, score) for form, score, why in rows))
        for name, _, rows in additional
    ]
    without = combined(plain, combine=combine, k=99)
    candidates = combined([*plain, *evidence(plain, further)], combine=combine, k=99)
    assert reasons(candidates) == reasons(without)
    before = {candidate.form: candidate for candidate in without}
    for candidate in candidates:
        best = [
            max((row[1] for row in rows if row[0] == candidate.form and row[2] is None), default=None)
            for _, _, rows in additional
        ]
        best = [score for score in best if score is not None]
        previous = before[candidate.form]
        if previous.reason is not None and previous.reason != "one_generator":
            assert candidate == previous  # what was dropped has no use for evidence
            continue
        assert candidate.sources == previous.sources + len(best)
        assert candidate.votes == max(best, default=None)
        assert candidate.scores.items() >= previous.scores.items()
