"""Words whose score moved between two snapshots."""

import pytest
from panel_making import known, snapshot_of
from published import rewritten, scores

from lexbeam.transforms.change.shown.rankings import moved_scores
from lexbeam.transforms.common.errors import LexbeamError


def test_the_words_that_moved_most_with_noise_and_chance_of_both(tmp_path):
    before = snapshot_of(
        tmp_path / "before",
        [
            scores("a", 0.5, score_sd=0.1, **known(null_mean=0.3)),
            scores("b", 0.5),
            scores("c", 0.5),
            scores("gone", 0.5),
            scores("none", None),
            scores("same", 0.5),
            scores("unranked", 0.1, ranked=False),
            scores("target", 0.125, ranked=False, target=True),
            scores("a", 0.5, alignment="cca"),
            scores("a", 0.9, seed=1),
        ],
    )
    after = snapshot_of(
        tmp_path / "after",
        [
            scores("a", 0.75, score_sd=0.2, **known(null_mean=0.4)),
            scores("b", 0.0),
            scores("c", 1.0),
            scores("new", 0.5),
            scores("none", 0.9),
            scores("same", 0.5),
            scores("unranked", 0.9, ranked=False),
            scores("target", 0.1875, ranked=False, target=True),
            scores("a", 0.625, alignment="cca"),
            scores("a", 0.1, seed=1),
        ],
    )
    rows = moved_scores(before, after, 10).to_pylist()
    assert [(row["word"], row["alignment"], row["moved"]) for row in rows] == [
        ("b", "op", -0.5),
        ("c", "op", 0.5),
        ("a", "op", 0.25),
        ("a", "cca", 0.125),
        ("target", "op", 0.0625),
    ]
    assert (rows[2]["score_sd_before"], rows[2]["score_sd_after"]) == (0.1, 0.2)
    assert (rows[2]["null_mean_before"], rows[2]["null_mean_after"]) == (0.3, 0.4)
    assert (rows[2]["score_before"], rows[2]["score_after"]) == (0.5, 0.75)
    assert moved_scores(before, after, 2).num_rows == 2
    assert moved_scores(before, before, 10).num_rows == 0


def test_slices_that_share_no_word_move_none(tmp_path):
    none, some = snapshot_of(tmp_path / "none", []), snapshot_of(tmp_path / "some", [scores("a", 0.5)])
    for before, after in ((none, none), (none, some), (some, none)):
        assert moved_scores(before, after, 10).num_rows == 0


def test_scores_of_an_earlier_version(tmp_path):
    after = snapshot_of(tmp_path / "after", [scores("a", 0.75, score_sd=0.125), scores("b", 0.5)])
    before = snapshot_of(tmp_path / "before", [scores("a", 0.5, score_sd=0.125), scores("b", 0.25, ranked=False)])
    rewritten(before, "scores", lambda rows: rows.drop_columns(["target", "null_mean", "seed"]))
    (row,) = moved_scores(before, after, 10).to_pylist()
    assert (row["word"], row["moved"], row["score_sd_before"], row["null_mean_before"]) == ("a", 0.25, 0.125, None)
    rewritten(before, "scores", lambda rows: rows.drop_columns("word"))
    with pytest.raises(LexbeamError, match=r"table scores .* without column word of type string: .*before"):
        moved_scores(before, after, 10)
