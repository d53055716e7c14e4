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
from lexbeam.transforms.change.shown.ranking_rows import (
    chosen_kind,
    chosen_pairs,
    has_null,
    pair_facts,
    ranked_rows,
    ranked_words,
    spearman,
    target_rows,
)
from lexbeam.transforms.common.errors import UsageError


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
