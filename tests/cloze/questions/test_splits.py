"""Splits of questions: what hangs together stays together, shares and scores are alike."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from lexbeam.transforms.cloze.questions.splits import COLUMNS, distances_of, place_questions, strata_of
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.draws.splits import parse_shares

SHARES = parse_shares(["train=.53", "dev=.14", "test=.33"])
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in COLUMNS[:4]),
        ("concreteness", pa.float64()),
        ("depth", pa.float64()),
        *((name, pa.uint64()) for name in COLUMNS[6:]),
    ]
)
ROW = st.tuples(
    st.sampled_from(["imperceptibility", "nonspecificity", "intersection"]),
    st.integers(0, 8),
    st.integers(0, 8),
    st.integers(0, 8),
    st.sampled_from(["NOUN", "VERB", None]),
    st.one_of(st.none(), st.integers(0, 9)),
)


def rows_of(rows):
    """Rows of (kind, passage, summary, question, tag, score)."""
    return pa.Table.from_pylist(
        [
            {
                "question_id": f"{place:04d}",
                "kind": kind,
                "article_id": f"a{passage}",
                "upos": upos,
                "concreteness": None if score is None else score / 30,
                "depth": None if score is None else float(score),
                "passage_key": hash_of(f"p{passage}"),
                "summary_key": hash_of(f"s{summary}"),
                "question_key": hash_of(f"q{question}"),
            }
            for place, (kind, passage, summary, question, upos, score) in enumerate(rows)
        ],
        SCHEMA,
    )


def many(number, seed=1):
    """Questions of both kinds, two for each article, whose scores depend on their tag."""
    draw = np.random.default_rng(seed)
    rows = []
    for place in range(number):
        upos = str(draw.choice(["NOUN", "NOUN", "VERB", "ADJ"]))
        score = int(draw.binomial(9, 0.6 if upos == "NOUN" else 0.3))
        kind = ("imperceptibility", "nonspecificity")[place % 2]
        rows.append((kind, place // 2, place // 2, place, upos, score))
    return rows_of(rows)


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(st.lists(ROW, max_size=30), st.integers(0, 2))
def test_what_shares_a_text_is_in_one_split(rows, seed):
    table = rows_of(rows)
    placed = place_questions(table, SHARES, seed=seed)
    assert len(placed.split) == len(rows)
    for key in (1, 2, 3):
        for value in {row[key] for row in rows}:
            sharing = [place for place, row in enumerate(rows) if row[key] == value]
            assert len(set(placed.split[sharing].tolist())) == len(set(placed.group[sharing].tolist())) == 1
    turned = place_questions(table.take(pa.array(range(len(rows))[::-1], pa.int64())), SHARES, seed=seed)
    assert turned.split[::-1].tolist() == placed.split.tolist()


@pytest.mark.slow
def test_shares_tags_and_scores_are_alike():
    table = many(3000)
    placed = place_questions(table, SHARES, seed=1)
    strata = strata_of(table, placed.split, SHARES, 0.02)
    assert not any(distance.off for distance in strata)
    assert max(abs(distance.share - distance.wanted) for distance in strata if not distance.upos) < 0.005
    assert sum(distance.questions for distance in strata if not distance.kind) == 3000
    for distance in distances_of(table, placed.split, SHARES, 0.02):
        scores = np.array(
            [
                value
                for value, kind in zip(table[distance.score].to_pylist(), table["kind"].to_pylist(), strict=True)
                if kind == distance.kind
            ]
        )
        split = placed.split[np.array(table["kind"].to_pylist()) == distance.kind]
        apart = [ks_2samp(scores[split == a], scores[split == b]).statistic for a in range(3) for b in range(a)]
        assert distance.distance == pytest.approx(max(apart))
        assert distance.distance < 0.02
        assert not distance.off
    # Hashes alone come nowhere near that.
    drawn = np.random.default_rng(1).choice(3, 1500, p=SHARES.values).repeat(2)
    assert any(distance.off for distance in distances_of(table, drawn, SHARES, 0.02))
    assert any(distance.off for distance in strata_of(table, drawn, SHARES, 0.02))
    assert place_questions(table, SHARES, seed=2).split.tolist() != placed.split.tolist()


def test_a_group_that_is_too_large_is_told():
    rows = [("nonspecificity", 0, place, place, "NOUN", 1) for place in range(40)]
    rows += [("nonspecificity", place, place, place, "NOUN", 1) for place in range(40, 100)]
    placed = place_questions(rows_of(rows), SHARES, seed=1)
    assert [int((placed.group == group).sum()) for group in placed.too_large] == [40]
    assert set(placed.split[:40].tolist()) == {0}


def test_what_is_kept_stays_and_articles_follow_it():
    rows = many(200)
    first = place_questions(rows.slice(0, 150), SHARES, seed=1).split
    kept = np.concatenate([first, np.full(50, -1)])
    kept[1] = -1  # the other question of the first article
    found = place_questions(rows, SHARES, seed=2, kept=kept).split
    assert found[:150].tolist() == first.tolist()
    shares = np.bincount(found, minlength=3) / len(found)
    assert np.abs(shares - SHARES.values).max() < 0.02
    # What was torn apart before stays so, and what is new goes where most of its article is.
    torn = rows_of([("imperceptibility", 0, place, place, "NOUN", 1) for place in range(4)])
    assert place_questions(torn, SHARES, seed=1, kept=np.array([1, 2, 2, -1])).split.tolist() == [1, 2, 2, 2]
