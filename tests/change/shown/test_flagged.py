"""Flagged words are seen, whatever their rank and part of speech."""

import pyarrow as pa
import pytest
from published_making import publish, section

from lexbeam.schemas.change.spaces import VECTORS
from lexbeam.transforms.change.shown.ranking_rows import flagged_words, left_out, ranked_rows, ranked_words
from lexbeam.transforms.change.shown.views import VIEWS
from lexbeam.transforms.common.options.fields import from_mapping
from lexbeam.transforms.common.shown import Grid

# By falling excess, with part of speech and flag.
WORDS = [
    ("limit", "NOUN", False),
    ("the", "DET", True),
    ("want", "VERB", True),
    ("and", "CCONJ", True),
    ("work", "NOUN", True),
    ("care", "NOUN", False),
]


def table(words=WORDS, **more):
    rows = [
        {
            "slice_from": "a",
            "slice_to": "b",
            "word": word,
            "target": word == "t",
            "ranked": word != "t",
            "score_op": 0.9 - number / 10,
            "excess_op": 0.5 - number / 20,
            "q_value_op": 0.01,
            "q_relative_op": 0.01 if flag else 0.5,
            "significant_op": flag,
            "upos": upos,
            "count_from": 99,
            "count_to": 99,
            "documents_from": 9,
            "documents_to": 9,
            **more,
        }
        for number, (word, upos, flag) in enumerate(words)
    ]
    return pa.Table.from_pylist(rows)


def vectors():
    schema = VECTORS.schema(dim=2)
    same = {"variant": "apart", "count": 9, "documents": 2}
    rows = [
        {**same, "slice": name, "seed": seed, "word": word, "vector": [1.0, number]}
        for name in ("a", "b")
        for seed in (1, 2)
        for number, (word, _, _) in enumerate(sorted(WORDS))
    ]
    each = len(WORDS)
    return [pa.Table.from_pylist(rows[start : start + each], schema=schema) for start in range(0, 4 * each, each)]


def made_of(folder, rows, **more):
    change = section(alignments=["op"], **{"options": {"alignment": ["op"]}, **more})
    return publish(folder, change, change__summary=rows, vectors=vectors())


@pytest.fixture
def snapshot(tmp_path):
    return made_of(tmp_path, table(), options={"alignment": ["op"], "rank-pos": ["NOUN", "VERB", "ADJ"]})


def options_of(name, options):
    return from_mapping(VIEWS[name].options, options, "")


def words_of(snapshot, name="significant", **options):
    return VIEWS[name].table(snapshot, options_of(name, options))


def told(snapshot, name="significant", **options):
    blocks = list(VIEWS[name].blocks(snapshot, options_of(name, options)))
    return [b for b in blocks if isinstance(b, str)], [b for b in blocks if isinstance(b, Grid)]


def test_flagged_words_of_any_rank_and_part_of_speech_are_shown(snapshot):
    found = words_of(snapshot)
    assert found["word"].to_pylist() == ["the", "want", "and", "work"]
    assert found["rank"].to_pylist() == [2, 3, 4, 5]
    lines, grids = told(snapshot)
    assert [row[:2] for row in grids[0].rows] == [("2", "the"), ("3", "want"), ("4", "and"), ("5", "work")]
    assert not any("not among these" in line for line in lines)
    assert words_of(snapshot, significant=False)["word"].to_pylist() == ["limit", "care"]


def test_parts_of_speech_that_are_asked_for_count(snapshot):
    found = words_of(snapshot, pos=["DET", "NOUN"])
    assert found["word"].to_pylist() == ["the", "work"]


def test_targets_that_are_not_ranked_are_flagged_too(tmp_path):
    rows = table([*WORDS, ("t", "NOUN", True)])
    made = made_of(tmp_path, rows, targets=["t"])
    found = words_of(made)
    assert dict(zip(found["word"].to_pylist(), found["rank"].to_pylist(), strict=True))["t"] is None
    only = words_of(made, targets=True)
    assert only["word"].to_pylist() == ["t"]


def test_a_ranking_says_which_flagged_words_it_leaves_out(snapshot):
    lines, _ = told(snapshot, "top", top=2)
    (line,) = [line for line in lines if "not among these" in line]
    # Of the four limit and want are shown; the and and are of other parts of speech, and work is third.
    assert line.startswith("3 flagged words are not among these: 2 by part of speech, 1 by rank")
    assert "`significant`" in line
    lines, _ = told(snapshot, "top", top=9, pos=["all"])
    assert not any("not among these" in line for line in lines)


def test_targets_are_shown_whatever_their_rank(tmp_path):
    made = made_of(tmp_path, table([*WORDS, ("t", "NOUN", True)]), targets=["t"])
    rows = ranked_rows(made, ("a", "b"), "op")
    words = ranked_words(rows, ("NOUN",))["word"].to_pylist()
    assert words == ["limit", "work", "care"]
    assert "4 flagged" in next(left_out(rows, words, 1))
    assert "3 flagged" in next(left_out(rows, words, 2))


def test_without_evidence_nothing_is_flagged_and_that_is_said(tmp_path):
    rows = table().drop_columns(["significant_op"])
    made = made_of(tmp_path, rows)
    assert flagged_words(ranked_rows(made, ("a", "b"), "op")).num_rows == 0
    lines, grids = told(made)
    assert "no word has both q-values up to .05" in lines
    assert not grids
