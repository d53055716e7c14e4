"""Rankings for a person."""

import re

import numpy as np
import pyarrow as pa
import pytest
from panel_making import known, snapshot_of
from published import rewritten, scores
from published_making import publish, section

from lexbeam.schemas.change.spaces import VECTORS
from lexbeam.transforms.change.shown.ranking_rows import RankingRequest
from lexbeam.transforms.change.shown.rankings import missing_targets, moved_scores, ranking, tell_ranking
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.shown import Grid

ASKED = RankingRequest([("a", "b")], "op", "cosine", (), 2)


def summary(**columns):
    rows = {
        "word": ["gone", "one", "three", "two"],
        "target": [True, True, False, False],
        "ranked": [False, True, True, True],
        "score_op": [None, 0.5, 0.3, 0.4],
        "score_sd_op": [None, 0.01, 0.02, 0.03],
        "reason_op": ["absent_to", None, None, None],
        "score_cca": [None, 0.5, 0.3, 0.4],
        "count_from": [9, 8, 7, 6],
        "count_to": [0, 5, 6, 7],
        "documents_from": [1, 1, 1, 1],
        "documents_to": [0, 2, 2, 2],
        **columns,
    }
    pairs = {"slice_from": ["a"] * 4, "slice_to": ["b"] * 4}
    return pa.table({**pairs, **rows})


def vectors():
    generator = np.random.default_rng(0)
    rows = [
        {
            "slice": name,
            "seed": seed,
            "variant": "apart",
            "word": word,
            "count": 9,
            "documents": 2,
            "proper_nouns": None,
            "vector": generator.normal(size=3),
        }
        for name in ("a", "b")
        for seed in (1, 2)
        for word in ("one", "three", "two")
    ]
    schema = VECTORS.schema(dim=3)
    return [pa.Table.from_pylist(rows[start : start + 3], schema=schema) for start in range(0, 12, 3)]


def told(snapshot, asked=ASKED):
    blocks = list(tell_ranking(snapshot, asked))
    grids = [block for block in blocks if isinstance(block, Grid)]
    return [block for block in blocks if isinstance(block, str)], grids


@pytest.fixture
def plain(tmp_path):
    made = section(targets=["gone", "one"])
    return publish(tmp_path, made, change__summary=summary(), vectors=vectors())


def test_targets_come_first_with_reasons_and_then_words(plain):
    lines, (targets, words) = told(plain)
    assert targets.heads == ("rank", "word", "score", "training noise", "uses", "documents", "no score")
    assert targets.rows == (
        ("1", "one", "0.500", "0.010", "8 / 5", "1 / 2", ""),
        ("", "gone", "", "", "9 / 0", "1 / 0", "the word does not occur in the later slice"),
    )
    assert [row[1] for row in words.rows] == ["one", "two"]
    assert "a to b (op, mean cosine over 2 seeds)" in lines
    assert "the first 2 of 3 words:" in lines
    assert lines.index("targets:") < lines.index("the first 2 of 3 words:")
    assert not any("null" in line for line in lines)


def test_a_target_that_neither_slice_has_is_told_so(tmp_path):
    rows = summary(reason_op=["absent_from", None, None, None], count_from=[0, 8, 7, 6], documents_from=[0, 1, 1, 1])
    made = publish(tmp_path, section(targets=["gone", "one"]), change__summary=rows, vectors=vectors())
    _, (targets, _) = told(made)
    assert targets.rows[1][-1] == "the word occurs in neither slice"


def test_targets_alone(plain):
    lines, grids = told(plain, ASKED._replace(targets_alone=True))
    assert [row[1] for row in grids[0].rows] == ["one", "gone"]
    assert len(grids) == 1
    assert not any("the first" in line for line in lines)


def test_with_a_null_bands_and_q_are_told(tmp_path):
    table = summary(
        excess_op=[None, 0.1, 0.2, 0.15],
        null_mean_op=[None, 0.4, 0.1, 0.25],
        null_sd_op=[None, 0.1, 0.3, 0.01],
        null_high_op=[None, 0.5, 0.7, 0.3],
        q_value_op=[None, 0.5, 0.01, 0.04],
        q_relative_op=[None, 0.9, 0.02, 0.4],
    )
    facts = pa.table(
        {
            "slice_from": ["a"],
            "slice_to": ["b"],
            "alignment": ["op"],
            "measure": ["cosine"],
            "null_unit": ["author"],
            "null_runs": [5],
            "share_differs": [0.61],
            "share_significant": [0.004],
            "finding": ["too_few_words"],
            "ranked": [3],
        }
    )
    snapshot = publish(tmp_path, section(), change__summary=table, change__pairs=facts)
    lines, (_, words) = told(snapshot)
    assert [row[1] for row in words.rows] == ["three", "two"]
    places = [words.heads.index(name) for name in ("null band", "q usage differs")]
    assert [words.rows[0][place] for place in places] == ["up to 0.700", "0.010"]
    assert "q more than the vocabulary at large" in words.heads
    (null,) = [line for line in lines if line.startswith("null:")]
    assert "an author's documents, 5 times" in null
    assert re.search(r"usage differs \(q at most .05\): 61.0 % of \d+ words of any part of speech", null)
    assert re.search(r"; more than the .*, too .*: 0.4 % of \d+ words of any part of speech$", null)
    assert "warning: a to b: no finding possible at this size: 3 words are ranked, 100 are needed" in lines
    assert not any("meaning" in line for line in lines)


def test_frequencies_are_told_per_million_tokens_without_training_noise(tmp_path):
    rows = {
        **{
            name: summary()[name].to_pylist()[1:3]
            for name in (
                "word",
                "slice_from",
                "slice_to",
                "target",
                "ranked",
                "count_from",
                "count_to",
                "documents_from",
                "documents_to",
            )
        },
        "seed": pa.nulls(2, pa.int64()),
        "alignment": ["none"] * 2,
        "measure": ["frequency"] * 2,
        "score": [1.2e-4, 4.5e-5],
        "score_sd": [1e-20, 0.0],
        "excess": [1e-4, 2e-5],
        "null_mean": [2e-5, 2.5e-5],
        "null_sd": [1e-6, 2e-5],
        "null_high": [2.2e-5, None],
    }
    snapshot = publish(tmp_path, section(), scores=pa.table(rows))
    asked = ASKED._replace(alignment="none", measure="frequency")
    lines, (_, words) = told(snapshot, asked)
    assert "a to b (frequency, difference of uses per million tokens)" in lines
    assert "training noise" not in words.heads
    assert not any("training noise" in line for line in lines)
    places = [words.heads.index(name) for name in ("word", "score", "null band")]
    assert [[row[place] for place in places] for row in words.rows] == [
        ["one", "120.0", "up to 22.0"],
        ["three", "45.0", "mean 25.0"],
    ]


def test_the_end_of_a_run_has_neighbours_over_all_seeds(plain):
    blocks = list(ranking(plain))
    (place,) = [n for n, block in enumerate(blocks) if "neighbours" in str(block)][:1]
    assert blocks[place] == "nearest neighbours (mean cosine over 2 seeds):"
    assert blocks[place + 1].heads == ("word", "a", "b")
    assert [row[0] for row in blocks[place + 1].rows] == ["one", "two", "three"]
    spaces = [part["vector"].to_pylist() for part in vectors()][:2]
    cosines = np.mean(
        [np.array(v) @ np.array(v).T / np.outer(*[np.linalg.norm(v, axis=1)] * 2) for v in spaces], axis=0
    )
    nearer = "two, three" if cosines[0, 2] > cosines[0, 1] else "three, two"
    assert blocks[place + 1].rows[0][1] == nearer


def test_of_frequency_alone_no_ranking_is_told(tmp_path):
    assert list(ranking(publish(tmp_path, section(options={"measure": ["frequency"]})))) == []


def test_alignments_that_differ_are_warned_of(tmp_path):
    table = summary(ranked=[False] + [True] * 3)
    lines, _ = told(publish(tmp_path, section(), change__summary=table))
    assert not [line for line in lines if "in common" in line]
    # Three words are all in both lists: only of more is the top another one.
    many = [f"w{n:03}" for n in range(120)]
    wide = pa.table(
        {
            "slice_from": ["a"] * 120,
            "slice_to": ["b"] * 120,
            "word": many,
            "target": [False] * 120,
            "ranked": [True] * 120,
            "score_op": [n / 200 for n in range(120)],
            "score_cca": [1 - n / 200 for n in range(120)],
            "count_from": [50 + n % 7 for n in range(120)],
            "count_to": [50 + n % 7 for n in range(120)],
            "documents_from": [5] * 120,
            "documents_to": [5] * 120,
        }
    )
    lines, _ = told(publish(tmp_path / "wide", section(), change__summary=wide))
    assert [line for line in lines if "op and cca have 0 of their first 50 words" in line]


def test_targets_in_no_slice_are_named_with_near_words(tmp_path):
    rows = pa.table({"word": ["onee", "one"], "target": [True, True], "count_from": [0, 1], "count_to": [0, 0]})
    made = section(targets=["one", "onee"])
    snapshot = publish(tmp_path, made, scores=rows, vectors=pa.table({"word": ["one", "two"]}))
    assert list(missing_targets(snapshot)) == ["target 'onee' was not found in any slice; the corpus has one"]


def test_why_nothing_is_ranked_is_the_true_cause(tmp_path):
    unranked = {"target": [False] * 4, "ranked": [False] * 4, "score_cca": [None] * 4}
    few = summary(**unranked, reason_cca=["too_few_shared"] * 4)
    asked = ASKED._replace(alignment="cca")
    made = section(targets=[])
    lines, _ = told(publish(tmp_path / "few", made, change__summary=few, vectors=vectors()), asked)
    why = "no word has a score by cca (too few shared words to fit the alignment, or for a graph or topics)"
    assert f"{why}: lower `dim`, or ask for another `alignment`" in lines
    small = summary(**unranked, reason_cca=["too_few_neighbours"] * 4)
    lines, _ = told(publish(tmp_path / "small", made, change__summary=small, vectors=vectors()), asked)
    why = "no word has a score by cca (a slice has fewer words than a neighbourhood)"
    assert f"{why}: lower `neighbourhood`" in lines
    rare = summary(**unranked, reason_cca=[None] * 4)
    lines, _ = told(publish(tmp_path / "rare", made, change__summary=rare, vectors=vectors()), asked)
    assert "no word is frequent enough: lower `rank_min_count` or `rank_min_documents`" in lines


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
