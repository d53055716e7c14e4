"""Rows of rankings, from either table, against plain Python."""

import math

import pandas as pd
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from published_making import publish, section

from lexbeam.schemas.change.scores import SCORES
from lexbeam.schemas.change.spaces import VECTORS
from lexbeam.transforms.change.shown.ranking_rows import (
    chosen_kind,
    chosen_pairs,
    flagged_words,
    has_null,
    left_out,
    null_band,
    pair_facts,
    ranked_rows,
    ranked_words,
    spearman,
    target_rows,
    why_no_score,
    why_unknown,
)
from lexbeam.transforms.change.shown.views import VIEWS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping
from lexbeam.transforms.common.shown import Grid


def score_row(word, score, *, pair=("a", "b"), seed=None, alignment="op", measure="cosine", count=9, **more):
    return {
        "word": word,
        "target": False,
        "slice_from": pair[0],
        "slice_to": pair[1],
        "seed": seed,
        "alignment": alignment,
        "measure": measure,
        "score": score,
        "score_sd": 0.1,
        "seeds": 2,
        "reason": None if score is not None else "absent_to",
        "threshold": 0.5,
        "changed": None,
        "ranked": score is not None,
        "count_from": count,
        "count_to": count + 1,
        "relative_from": 0.1,
        "relative_to": 0.2,
        "documents_from": 3,
        "documents_to": 4,
        **more,
    }


def scores(*rows):
    extra = {name for row in rows for name in row} - set(SCORES.schema().names)
    schema = SCORES.schema()
    for name in sorted(extra):
        schema = schema.append(pa.field(name, pa.float64()))
    return pa.Table.from_pylist(list(rows), schema=schema)


ROWS = [score_row(w, s) for w, s in [("x", 0.2), ("y", 0.9), ("z", None), ("v", 0.9)]]


@pytest.fixture
def plain(tmp_path):
    """Scores of two pairs, two alignments and single seeds, without a null."""
    others = [
        score_row("x", 0.7, alignment="cca"),
        score_row("x", 0.3, seed=1),
        score_row("x", 0.3, alignment="none", measure="frequency"),
    ]
    late = scores(score_row("x", 0.1, pair=("b", "c")))
    made = section(("a", "b", "c"), ((0, 1), (1, 2)))
    return publish(tmp_path, made, scores=[scores(*ROWS, *others), late])


def test_the_means_of_one_pair_and_alignment_are_taken(plain):
    rows = ranked_rows(plain, ("a", "b"), "op")
    assert rows["word"].to_pylist() == ["v", "x", "y", "z"]
    assert rows["score"].to_pylist() == [0.9, 0.2, 0.9, None]
    assert rows["reason"].to_pylist() == [None, None, None, "absent_to"]
    assert rows["q_value"].null_count == rows["upos"].null_count == 4
    assert ranked_rows(plain, ("a", "b"), "cca")["score"].to_pylist() == [0.7]
    assert ranked_rows(plain, ("b", "c"), "op")["score"].to_pylist() == [0.1]
    assert ranked_rows(plain, ("a", "b"), "op", "frequency")["score"].to_pylist() == [0.3]


def test_words_are_ordered_by_score_and_numbered_ties_by_word(plain):
    words = ranked_words(ranked_rows(plain, ("a", "b"), "op"))
    assert words["word"].to_pylist() == ["v", "y", "x"]
    assert words["rank"].to_pylist() == [1, 2, 3]


def test_where_there_is_a_null_the_excess_orders(tmp_path):
    rows = [
        score_row("x", 0.9, excess=0.1, null_mean=0.8),
        score_row("y", 0.5, excess=0.3),
        score_row("z", 1.9, excess=None),
    ]
    found = ranked_rows(publish(tmp_path, section(), scores=scores(*rows)), ("a", "b"), "op")
    assert has_null(found)
    assert ranked_words(found)["word"].to_pylist() == ["y", "x", "z"]
    assert found["null_mean"].to_pylist() == [0.8, None, None]


def summary(suffix="_op", **columns):
    words = ["x", "y", "z"]
    own = {f"{name}{suffix}": values for name, values in columns.items()}
    return pa.table(
        {
            "slice_from": ["a"] * 3,
            "slice_to": ["b"] * 3,
            "word": words,
            "target": [False, True, True],
            "ranked": [True, True, False],
            "count_from": [5, 6, 7],
            "count_to": [5, 6, 7],
            "upos": ["NOUN", "VERB", None],
            "upos_share": [0.9, 1.0, None],
            **own,
        }
    )


def test_the_summary_is_read_first_by_the_suffix_of_the_alignment(tmp_path):
    table = summary("_op_", score=[0.1, 0.2, 0.3], q_value=[0.5, 0.01, None])
    snapshot = publish(tmp_path, section(), change__summary=table, scores=scores(*ROWS))
    rows = ranked_rows(snapshot, ("a", "b"), "op-")
    assert rows["score"].to_pylist() == [0.1, 0.2, 0.3]
    assert rows["q_value"].to_pylist() == [0.5, 0.01, None]
    assert rows["excess"].null_count == 3
    # What it does not hold is in `scores`.
    assert ranked_rows(snapshot, ("a", "b"), "op")["word"].to_pylist() == ["v", "x", "y", "z"]


def test_parts_of_speech_choose_words_and_nothing_where_none_is_known(tmp_path, plain):
    snapshot = publish(tmp_path / "s", section(), change__summary=summary(score=[0.1, 0.2, 0.3]))
    rows = ranked_rows(snapshot, ("a", "b"), "op")
    assert ranked_words(rows, ["NOUN"])["word"].to_pylist() == ["x"]
    assert ranked_words(rows, ["NOUN", "VERB"])["word"].to_pylist() == ["y", "x"]
    assert ranked_words(rows, ["all"]).num_rows == ranked_words(rows).num_rows == 2
    assert ranked_words(ranked_rows(plain, ("a", "b"), "op"), ["NOUN"]).num_rows == 3


def test_targets_are_all_there_with_their_rank_and_those_without_a_score_last(tmp_path):
    table = summary(score=[0.1, 0.2, None], reason=[None, None, "absent_to"])
    rows = ranked_rows(publish(tmp_path, section(), change__summary=table), ("a", "b"), "op")
    found = target_rows(rows, ranked_words(rows)).to_pylist()
    assert [(row["word"], row["rank"], row["reason"]) for row in found] == [("y", 1, None), ("z", None, "absent_to")]
    # A part of speech is asked of the other words alone.
    found = target_rows(rows, ranked_words(rows, ["NOUN"])).to_pylist()
    assert [(row["word"], row["rank"]) for row in found] == [("y", None), ("z", None)]


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("stuvw"),
            st.none() | st.sampled_from([0.1, 0.2, 0.3]),
            st.booleans(),
            st.none() | st.sampled_from([-0.1, 0.0]),
        ),
        unique_by=lambda row: row[0],
    )
)
def test_orders_agree_with_plain_python(rows):
    made = pa.table(
        {
            "word": pa.array([row[0] for row in rows], pa.string()),
            "score": pa.array([row[1] for row in rows], pa.float64()),
            "ranked": pa.array([row[2] for row in rows], pa.bool_()),
            "excess": pa.array([row[3] for row in rows], pa.float64()),
            "upos": pa.nulls(len(rows), pa.string()),
        }
    )
    kept = [row for row in rows if row[2] and row[1] is not None]
    null = any(row[3] is not None for row in kept)

    def turn(row):
        excess = row[3] if row[3] is not None else -math.inf
        return (-excess if null else 0, -row[1], row[0])

    expected = [row[0] for row in sorted(kept, key=turn)]
    assert ranked_words(made)["word"].to_pylist() == expected


def test_spearman_is_of_what_words_are_ranked_by(tmp_path):
    rows = [
        score_row(f"w{n}", n / 10, count=c, excess=e)
        for n, (c, e) in enumerate([(5, 0.3), (9, 0.1), (7, 0.4), (30, 0.2), (6, 0.9)])
    ]
    found = ranked_rows(publish(tmp_path, section(), scores=scores(*rows)), ("a", "b"), "op")
    frame = pd.DataFrame(rows)
    expected = scipy.stats.spearmanr(frame.excess, frame.count_from).statistic
    assert spearman(found) == pytest.approx((expected, expected))
    assert all(math.isnan(rho) for rho in spearman(found[:1]))


def test_pairs_and_alignments_are_named(plain):
    assert chosen_pairs(plain, None) == [("a", "b"), ("b", "c")]
    assert chosen_pairs(plain, "b:c") == [("b", "c")]
    with pytest.raises(UsageError, match=r"'c:b' was not compared.*there are a:b, b:c"):
        chosen_pairs(plain, "c:b")
    assert chosen_kind(plain, "procrustes") == ("op", "cosine")
    with pytest.raises(UsageError, match="there are op, cca"):
        chosen_kind(plain, "nothing")


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ((None, None), ("op", "cosine")),
        (("cca", None), ("cca", "cosine")),
        ((None, "frequency"), ("none", "frequency")),
        (("none", None), ("none", "frequency")),
        (("op", "frequency"), ("none", "frequency")),
    ],
)
def test_frequency_is_always_measured_and_has_no_alignment(plain, asked, kind):
    assert chosen_kind(plain, *asked) == kind


def test_cosines_without_an_alignment_are_no_frequencies(tmp_path):
    options = {"measure": ["cosine"], "alignment": ["op", "none"]}
    snapshot = publish(tmp_path, section(options=options))
    assert chosen_kind(snapshot, "none", None) == ("none", "cosine")
    with pytest.raises(UsageError, match="did you mean 'frequency'"):
        chosen_kind(snapshot, None, "frequent")
    with pytest.raises(UsageError, match="there are op, none"):
        chosen_kind(snapshot, "cca", "frequency")


def test_measures_of_spaces_have_no_alignment(tmp_path):
    snapshot = publish(tmp_path, section(options={"measure": ["lnd", "euclidean"], "alignment": ["op"]}))
    assert chosen_kind(snapshot) == chosen_kind(snapshot, "op") == chosen_kind(snapshot, "none") == ("none", "lnd")
    assert chosen_kind(snapshot, measure="euclidean") == ("op", "euclidean")


def test_a_measure_beside_cosine_has_its_columns_of_the_summary(tmp_path):
    words = {"slice_from": ["a"], "slice_to": ["b"], "word": ["w"], "upos": ["NOUN"]}
    columns = {"score_op": 0.5, "score_euclidean_op": 0.75, "top50_euclidean_op": 1.0, "score_lnd": 0.25}
    table = pa.table(words | {name: [value] for name, value in columns.items()})
    snapshot = publish(tmp_path, section(), change__summary=table)
    (row,) = ranked_rows(snapshot, ("a", "b"), "op", "euclidean").to_pylist()
    assert (row["score"], row["top50"], row["upos"], row["measure"]) == (0.75, 1.0, "NOUN", "euclidean")
    (row,) = ranked_rows(snapshot, ("a", "b"), "op", "lnd").to_pylist()
    assert (row["score"], row["alignment"]) == (0.25, "none")


def test_frequencies_have_the_parts_of_speech_of_the_summary(tmp_path):
    rows = [score_row(word, 0.1, alignment="none", measure="frequency") for word in ("v", "w")]
    table = pa.table(
        {
            "slice_from": ["a"] * 3,
            "slice_to": ["b"] * 3,
            "word": ["u", "v", "w"],
            "upos": ["ADJ", "NOUN", None],
            "upos_share": [1.0, 0.8, None],
        }
    )
    snapshot = publish(tmp_path, section(), scores=scores(*rows), change__summary=table)
    found = ranked_rows(snapshot, ("a", "b"), "none", "frequency")
    assert found.select(["word", "upos", "upos_share"]).to_pylist() == [
        {"word": "v", "upos": "NOUN", "upos_share": 0.8},
        {"word": "w", "upos": None, "upos_share": None},
    ]


def test_facts_of_a_pair_are_those_of_its_alignment(tmp_path, plain):
    table = pa.table(
        {
            "slice_from": ["a", "a"],
            "slice_to": ["b", "b"],
            "alignment": ["cca", "op"],
            "measure": ["cosine"] * 2,
            "finding": [None, "too_few_words"],
        }
    )
    snapshot = publish(tmp_path / "s", section(), change__pairs=table)
    assert pair_facts(snapshot, ("a", "b"), "op", "cosine")["finding"] == "too_few_words"
    assert pair_facts(snapshot, ("b", "a"), "op", "cosine") == {}
    assert pair_facts(plain, ("a", "b"), "op", "cosine") == {}


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
