"""Scores as text, and why something is missing."""

import pyarrow as pa
from published_making import publish, section

from lexbeam.transforms.change.shown.ranking_rows import null_band, why_no_score, why_unknown


def test_null_bands():
    assert null_band({"null_mean": 0.5, "null_sd": 0.1, "null_high": 0.6}) == "up to 0.600"
    assert null_band({"null_mean": 0.5, "null_high": None}) == "mean 0.500"
    assert null_band({}) == ""


def test_a_missing_score_has_the_reason_that_holds():
    assert why_no_score("absent_from", 0) == "the word occurs in neither slice"
    assert why_no_score("absent_from", 3) == "the word does not occur in the earlier slice"
    assert why_no_score("absent_to", 0) == "the word does not occur in the later slice"
    assert why_no_score(None) == ""


def test_why_a_word_is_missing_names_what_the_run_left_out(tmp_path):
    table = pa.table(
        {"slice": ["a", "b"], "min_count": [7, 7], "sentences_short": [0, 0], "sentences_sampled_out": [5, 2000]}
    )
    view = {"unit": "form", "min_sentence": 1}
    made = publish(tmp_path, section(view=view, targets=["ship"]), slices=table)
    assert why_unknown(made) == (
        "the tables have targets, and forms with at least 7 uses in a slice (`min_count`); words "
        "of 2,005 sentences that `max_tokens` leaves out are not counted"
    )
