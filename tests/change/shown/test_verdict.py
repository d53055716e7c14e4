"""What a pair of slices is said to have shown, to be able to show, and to need."""

import doctest

import pyarrow as pa
import pytest

from lexbeam.transforms.change.scores import null_evidence
from lexbeam.transforms.change.scores.null_evidence import TRIALS, PowerTrial, uses_needed
from lexbeam.transforms.change.shown import verdict as module
from lexbeam.transforms.change.shown.verdict import verdict

FACTS = {"null_runs": 5, "null_unit": "document", "clusters_from": 20, "clusters_to": 30, "measure": "cosine"}
SPEECHES = PowerTrial("speeches", {1.0: {50: (9, 9), 100: (9, 9)}, 0.5: {50: (0, 9), 100: (5, 9)}})
NOVELS = PowerTrial("novels", {1.0: {50: (1, 9), 100: (6, 9)}, 0.5: {50: (0, 9), 100: (1, 9)}})


def words(uses, *, ranked=50, q=0.6, targets=0):
    number = len(uses)
    return pa.table(
        {
            "count_from": pa.array(uses, pa.int64()),
            "count_to": pa.array([use + 9 for use in uses], pa.int64()),
            "ranked": [use >= ranked for use in uses],
            "target": [place < targets for place in range(number)],
            "score": pa.array([0.5] * number, pa.float64()),
            "q_value": pa.array([q] * number, pa.float64()),
            "q_relative": pa.array([q / 2] * number, pa.float64()),
            "significant": [q <= 0.05] * number,
        }
    )


@pytest.fixture
def trials(monkeypatch):
    monkeypatch.setattr(module, "TRIALS", (SPEECHES, NOVELS))


def test_nothing_found_is_told_with_what_could_have_been(trials):
    uses = [400] * 10 + [100] * 20 + [60] * 90
    first, whole, half, more = verdict({**FACTS, "share_differs": 0.0}, words(uses, targets=15))
    assert first.startswith("none of 120 ranked words is told from chance")
    assert first.endswith(": the least q is 0.600")
    assert whole.startswith(
        "of words that changed in all of their uses, about half are found if they have 50 to 100 uses in"
    )
    assert whole.endswith("; 30 to 120 of 120 ranked words and 15 of 15 targets have that many")
    assert half.startswith(
        "of words that changed in half of their uses, about half are found if they have 100 uses or more"
    )
    assert half.endswith("; 0 to 30 of 120 ranked words and 0 to 15 of 15 targets have that many")
    assert "needs up to 1.7 times as much text for a change of all uses, about 1.7 times as much text or more" in more
    assert "of corpora like speeches and novels. A word that is not found may have changed" in more


def test_what_no_trial_found_needs_more_than_was_tried(monkeypatch):
    monkeypatch.setattr(module, "TRIALS", (NOVELS,))
    monkeypatch.setattr(null_evidence, "TRIALS", (NOVELS,))
    *_, half, more = verdict(FACTS, words([100] * 120))
    assert "if they have 100 uses or more in the smaller slice" in half
    assert half.endswith("; 0 to 120 of 120 ranked words have that many")
    assert "needs no more text for a change of all uses" in more


@pytest.mark.parametrize(
    ("uses", "told"), [(900, "no more text"), (70, "up to 1.4 times"), (20, "about 2.5 to 5 times")]
)
def test_how_much_more_text_half_of_the_words_need(trials, uses, told):
    *_, more = verdict(FACTS, words([uses] * 120, ranked=1))
    assert f"needs {told}" in more


@pytest.mark.parametrize(
    ("facts", "q", "told"),
    [
        ({}, 0.01, "120 of 120 ranked words differ in usage by more than chance"),
        ({"share_differs": 0.25, "ranked": 120}, 0.2, "usage of 30 differs, but of none by more than that of the voc"),
    ],
)
def test_what_is_found(trials, facts, q, told):
    assert told in verdict({**FACTS, **facts}, words([60] * 120, q=q))[0]


def test_few_authors_find_less_than_trials_did(trials):
    few = verdict({**FACTS, "null_unit": "author", "clusters_from": 12, "low_power": True}, words([60] * 120))
    assert few[-1] == "less is found than that with 12 and 30 authors: trials had 20 and more on either side"


def test_where_nothing_can_be_found_it_says_what_is_needed():
    (few,) = verdict({**FACTS, "finding": "too_few_clusters", "clusters_from": 4}, words([60] * 120))
    assert "the slices have 4 and 30 documents; 10 on either side are needed" in few
    assert "Parts of one text are no documents" in few
    (small,) = verdict({**FACTS, "finding": "too_few_words"}, words([60] * 40 + [20] * 70))
    assert small == (
        "nothing can be found: 40 words are ranked, 100 are needed; about 3 times as much text in each slice would "
        "rank as many"
    )
    (tiny,) = verdict({**FACTS, "finding": "too_few_words"}, words([60] * 40))
    assert tiny.endswith("100 are needed")


@pytest.mark.parametrize("facts", [{}, {"null_runs": 0}, {"null_unit": "sentence"}, {"measure": "frequency"}])
def test_without_chance_by_document_there_is_no_verdict(facts):
    assert verdict({**FACTS, **facts} if facts else {}, words([60] * 120)) == []


def test_trials_are_what_the_page_shows(trials):
    for module_ in (null_evidence, module):
        assert doctest.testmod(module_).failed == 0
    for trial in TRIALS:
        whole = uses_needed(trial, 1.0)
        assert whole is not None
        assert whole <= (uses_needed(trial, 0.5) or whole)
