"""What a pair of slices is said to have shown, to be able to show, and to need."""

import doctest
from math import nan

import pyarrow as pa
import pytest

from lexbeam.transforms.change.scores import null_evidence
from lexbeam.transforms.change.scores.null_evidence import TRIALS, PowerTrial, uses_needed
from lexbeam.transforms.change.shown import verdict as module
from lexbeam.transforms.change.shown.verdict import (
    comparability_warnings,
    frequency_warning,
    overlap_warnings,
    shift_warnings,
    short_text,
    size_warnings,
    slice_warnings,
    verdict,
)

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


def row(tokens, share=0.1, name="s"):
    return {"slice": name, "tokens": tokens, "largest_document_share": share}


def test_like_slices_raise_no_warning():
    assert slice_warnings([row(100), row(500, 0.2)], 0) == []


def test_a_slice_that_one_document_rules_is_named():
    (warning,) = slice_warnings([row(100, 0.21, "old"), row(100)], 0)
    assert warning == "slice old: one document has 21 % of the tokens"


def test_slices_of_unlike_sizes():
    (warning,) = slice_warnings([row(100), row(501)], 0)
    assert "fivefold" in warning
    assert "100 to 501 tokens" in warning
    assert warning.endswith("to the smallest slice evens them out (`max_tokens`)")


def test_an_empty_slice_is_unlike_any_other():
    assert len(slice_warnings([row(0), row(1)], 0)) == 1


@pytest.mark.parametrize(
    ("sentences", "tokens", "warned"), [(19, 99, False), (20, 10, True), (10, 100, True), (33, 210, True)]
)
def test_what_short_sentences_took_of_a_slice(sentences, tokens, warned):
    took = {"sentences": 100 - sentences, "sentences_short": sentences, "tokens_before": 1000, "tokens_short": tokens}
    told = f"{sentences} % of the sentences, {tokens / 10:.0f} % of the tokens"
    assert short_text(took).endswith(told)
    found = slice_warnings([{**row(700, name="old"), **took}], 0)
    assert [line.startswith("slice old: ") and told in line and "`min_sentence`" in line for line in found] == (
        [True] if warned else []
    )


def test_documents_outside():
    assert slice_warnings([row(1)], 3) == ["3 documents lie outside all slices"]


def test_doctests():
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [(-0.35, 0.9, None), (-0.36, 0.9, "-0.36"), (0.1, -0.5, "-0.50"), (nan, -0.5, "-0.50"), (nan, nan, None)],
)
def test_scores_that_fall_with_frequency(earlier, later, told):
    found = frequency_warning("a to b", "score", earlier, later)
    assert len(found) == (told is not None)
    assert all(f"log count {told})" in line for line in found)


@pytest.mark.parametrize(("common", "warned"), [(24, True), (25, False)])
def test_alignments_whose_first_fifty_overlap_by_less_than_half(common, warned):
    one = [f"w{n}" for n in range(80)]
    other = [*one[50 - common : 50], *(f"v{n}" for n in range(80))]
    found = overlap_warnings("a to b", {"op": one, "cca": other})
    assert len(found) == warned
    assert all(f"{common} of their first 50" in line for line in found)
    assert overlap_warnings("a to b", {"op": one}) == []
    assert overlap_warnings("a to b", {"op": one, "cca": []}) == []


def test_pairs_too_small_for_findings():
    facts = {"null_unit": "author", "clusters_from": 4, "clusters_to": 30, "ranked": 500}
    assert size_warnings("a to b", {}) == size_warnings("a to b", facts) == []
    assert size_warnings("a to b", {"finding": "no_null", "ranked": 400}) == []
    (few,) = size_warnings("a to b", {**facts, "finding": "too_few_clusters", "low_power": True})
    assert few.startswith("a to b: no finding possible at this size: the slices have 4 and 30 auth")
    (low,) = size_warnings("a to b", {**facts, "null_unit": "document", "low_power": True})
    assert low.startswith("a to b: low power: with 4 and 30 documents")


@pytest.mark.parametrize(
    ("facts", "warned"),
    [
        ({}, False),
        ({"shift": None, "share_differs": None}, False),
        ({"shift": 0.6, "share_differs": 0.003}, False),  # as random dates give
        ({"shift": 0.8, "share_differs": 0.003}, True),
        ({"shift": -0.8, "share_differs": 0.0}, False),  # nulls differ more than the slices
        ({"shift": 0.3, "share_differs": 0.2}, True),
        ({"shift": 2.0, "share_differs": None, "finding": "too_few_clusters"}, True),
        ({"shift": 2.0, "share_differs": 0.9, "measure": "frequency"}, False),
    ],
)
def test_slices_that_differ_as_wholes(facts, warned):
    assert bool(shift_warnings("a to b", facts)) == warned


def test_the_figures_of_a_shift_are_told():
    (warning,) = shift_warnings("a to b, op", {"shift": 1.49, "share_differs": 0.594})
    assert warning.startswith("a to b, op: the slices differ as wholes: usage of 59 % of the ranked words differs")
    assert "by 1.49 standard deviations of chance" in warning


def test_like_metadata_raise_no_warning():
    facts = {
        "genre_distance": 0.1,
        "genre": "law",
        "source_distance": None,
        "author_share_from": 0.1,
        "author_share_to": 0.2,
        "length_from": 500.0,
        "length_to": 900.0,
        "null_unit": "author",
        "authors_from": 20,
        "authors_to": 20,
    }
    assert comparability_warnings("a to b", facts) == []
    assert comparability_warnings("a to b", {}) == []


def test_metadata_that_differ_are_told_with_figures():
    facts = {
        "genre_distance": 0.6,
        "genre": "",
        "genre_from": 0.7,
        "genre_to": 0.1,
        "source_distance": 1.0,
        "source": "sport/#",
        "source_from": 0.0,
        "source_to": 1.0,
        "author_share_to": 0.31,
        "length_from": 2530.0,
        "length_to": 800.0,
    }
    assert comparability_warnings("a to b", facts) == [
        "a to b: 60 % of the tokens are of another genre, above all documents without a genre: 70 % of the earlier "
        "slice, 10 % of the later one",
        "a to b: 100 % of the tokens are of another source (the folder or file of the texts, # for digits), above all "
        "'sport/#': 0 % of the earlier slice, 100 % of the later one",
        "a to b: one author has 31 % of the tokens of the later slice",
        "a to b: documents of the earlier slice are 3.2 times as long (medians of 2530 and 800 tokens)",
    ]


def test_authors_of_one_slice_alone_are_told_unless_nulls_deal_authors():
    facts = {"authors_from": 30, "authors_to": 41, "authors_both": 6}
    facts |= {"author_both_from": 0.6, "author_both_to": 0.12}
    (warning,) = comparability_warnings("a to b", facts)
    assert warning == (
        "a to b: the authors differ: of 30 and 41, 6 wrote in both slices: 60 % of the earlier slice, "
        "12 % of the later one"
    )
    assert len(comparability_warnings("a to b", {"null_unit": "document", **facts})) == 2
    assert comparability_warnings("a to b", {"null_unit": "author", **facts}) == []
    assert comparability_warnings("a to b", {**facts, "author_both_to": 0.5}) == []
    # Nobody knows who wrote the later slice.
    assert comparability_warnings("a to b", {**facts, "author_both_to": None}) == []


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (
            {"authors_from": 4, "authors_to": 17, "authors_both": 0, "unsigned": 0},
            "4 and 17 authors are too few (10 on",
        ),
        ({"authors_from": 40, "authors_to": 40, "authors_both": 2, "unsigned": 0}, "2 authors wrote in both slices"),
        ({"authors_from": 40, "authors_to": 40, "authors_both": 2, "unsigned": 3}, "3 documents have no author"),
    ],
)
def test_where_documents_are_dealt_and_not_authors_the_error_rate_is_told(facts, why):
    (warning,) = comparability_warnings("a to b", {"null_unit": "document", **facts})
    assert f"not authors, since {why}" in warning
    assert "2 % of the words on average, and up to 12 %" in warning
    assert comparability_warnings("a to b", {"null_unit": "author", **facts}) == []


def test_where_sentences_are_dealt_it_is_told_that_they_cluster():
    (warning,) = comparability_warnings("a to b", {"null_unit": "sentence", "authors_from": 0, "authors_to": 0})
    assert "null pairs deal single sentences" in warning
    facts = {"null_unit": "sentence", "clusters_from": 9, "clusters_to": 8, "low_power": True}
    assert size_warnings("a to b", facts)[0].startswith("a to b: low power: with 9 and 8 sentences in the slices")


def test_without_any_author_documents_are_dealt_as_a_matter_of_course():
    facts = {"null_unit": "document", "authors_from": 0, "authors_to": 0, "unsigned": 60}
    assert comparability_warnings("a to b", facts) == []
