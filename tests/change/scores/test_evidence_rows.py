"""Evidence in tables: which rows get it, and what the pair says."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from lexbeam.schemas.change.scores import NULLS, PAIRS, SCORES
from lexbeam.transforms.change.scores.evidence_rows import ScoreRows, judge, null_rows
from lexbeam.transforms.change.scores.null_deals import Comparability, Deal, Mixture
from lexbeam.transforms.change.scores.null_evidence import PairScores, evidence_of

WORDS = 150
NAMES = [f"w{number:03d}" for number in range(WORDS)]
DEAL = Deal(unit="author", sizes=(12, 30), nulls=())


def rows(scores, uses, *, seed, names=NAMES, ranked=None, targets=(), alignment="op"):
    """Rows of `scores`, of a seed, or with seed None the means."""
    made = [
        {
            **dict.fromkeys(SCORES.schema().names),
            "word": name,
            "target": name in targets,
            "slice_from": "a",
            "slice_to": "b",
            "seed": seed,
            "alignment": alignment,
            "measure": "cosine",
            "score": None if np.isnan(score) else float(score),
            "seeds": 1,
            "ranked": bool(use >= 50) if ranked is None else name in ranked,
            "count_from": int(use),
            "count_to": int(use) + 5,
            "relative_from": int(use) / 1000,
            "relative_to": (int(use) + 5) / 1000,
            "documents_from": 9,
            "documents_to": 7,
        }
        for name, score, use in zip(names, scores, uses, strict=True)
    ]
    return pa.Table.from_pylist(made, schema=SCORES.schema())


@pytest.fixture(scope="module")
def runs():
    draw = np.random.default_rng(1)
    uses = draw.integers(20, 900, WORDS)
    level = draw.normal(-1, 0.3, WORDS)
    scores = [np.exp(level + draw.normal(0, 0.2, WORDS)) for _ in range(5)]
    scores[0][:5] *= 5
    scores[0][7] = np.nan
    return uses, scores


def judged(runs, deal=DEAL, **changes):
    uses, (real, *others) = runs
    table = pa.concat_tables([rows(real, uses, seed=1, **changes), rows(real, uses, seed=None, **changes)])
    nulls = [ScoreRows(rows(one, uses, seed=1, **changes), 40) for one in others]
    return judge(ScoreRows(table, 40), nulls, deal)


def test_means_have_the_evidence_and_single_seeds_none(runs):
    table, pairs = judged(runs)
    assert table.schema.equals(SCORES.schema(), check_metadata=True)
    assert pairs.schema.equals(PAIRS.schema())
    single, means = table.to_pylist()[:WORDS], table.to_pylist()[WORDS:]
    names = (
        "null_mean",
        "null_sd",
        "null_high",
        "null_runs",
        "null_unit",
        "excess",
        "p_value",
        "q_value",
        "p_relative",
        "q_relative",
        "significant",
    )
    assert all(row[name] is None for row in single for name in names)
    uses, (real, *others) = runs
    nine, ranked = np.full(WORDS, 7), uses >= 50
    expected = evidence_of(
        PairScores(real, uses, nine, ranked, 40), [PairScores(one, uses, nine, ranked, 40) for one in others], ranked
    )
    for place, row in enumerate(means):
        for name in ("null_mean", "null_sd", "null_high", "p_value", "q_value", "p_relative", "q_relative"):
            value = getattr(expected, name)[place]
            assert row[name] == (None if np.isnan(value) else pytest.approx(value)), name
        assert row["null_runs"] == 4
        assert row["null_unit"] == "author"
        if row["score"] is None:
            assert row["excess"] is None
            assert row["significant"] is None
            continue
        assert row["excess"] == pytest.approx(row["score"] - row["null_mean"])
        if row["ranked"]:
            assert row["significant"] == (max(row["q_value"], row["q_relative"]) <= 0.05)
        else:
            assert row["p_value"] is row["significant"] is None
    assert sum(bool(row["significant"]) for row in means) >= 3


def test_the_pair_tells_shift_shares_and_clusters(runs):
    table, pairs = judged(runs)
    (pair,) = pairs.to_pylist()
    means = [row for row in table.to_pylist() if row["seed"] is None]
    ranked = [row for row in means if row["ranked"] and row["score"] is not None]
    assert pair["ranked"] == len(ranked)
    assert pair["share_differs"] == np.mean([row["q_value"] <= 0.05 for row in ranked])
    assert pair["share_relative"] == np.mean([row["q_relative"] <= 0.05 for row in ranked])
    assert pair["share_significant"] == np.mean([row["significant"] for row in ranked])
    assert (pair["null_unit"], pair["clusters_from"], pair["clusters_to"]) == ("author", 12, 30)
    assert (pair["null_runs"], pair["low_power"], pair["finding"]) == (4, True, None)
    scores = [row["score"] for row in ranked]
    log_from, log_to = (np.log([row[f"relative_{side}"] for row in ranked]) for side in ("from", "to"))
    for name, beside in (
        ("from", log_from),
        ("to", log_to),
        ("growth", log_to - log_from),
        ("change", np.abs(log_to - log_from)),
    ):
        assert pair[f"spearman_{name}"] == pytest.approx(spearmanr(scores, beside).statistic)


def test_targets_are_tested_whether_ranked_or_not(runs):
    table, _ = judged(runs, ranked=NAMES[:120], targets=NAMES[140:142])
    known = {row["word"] for row in table.to_pylist() if row["p_value"] is not None}
    assert known == {*NAMES[:120], *NAMES[140:142]} - {NAMES[7]}


@pytest.mark.parametrize(
    ("deal", "ranked", "finding"),
    [
        (Deal(unit="document", sizes=(9, 99), nulls=()), NAMES, "too_few_clusters"),
        (DEAL, NAMES[10:109], "too_few_words"),
    ],
)
def test_too_little_gives_p_values_but_no_finding(runs, deal, ranked, finding):
    table, pairs = judged(runs, deal, ranked=ranked)
    (pair,) = pairs.to_pylist()
    assert pair["finding"] == finding
    assert pair["share_differs"] is pair["share_relative"] is pair["share_significant"] is None
    means = [row for row in table.to_pylist() if row["seed"] is None]
    assert any(row["p_value"] is not None for row in means)
    assert all(row["q_value"] is row["q_relative"] is row["significant"] is None for row in means)


def test_without_nulls_there_is_no_evidence_and_it_is_said(runs):
    uses, (real, *_) = runs
    table = rows(real, uses, seed=None)
    found, pairs = judge(ScoreRows(table, 40), [], None)
    assert found.equals(table)
    (pair,) = pairs.to_pylist()
    assert (pair["finding"], pair["null_runs"], pair["null_unit"]) == ("no_null", 0, None)
    slices = Comparability(
        genre=None,
        source=None,
        authors=(3, 4),
        authors_both=0,
        shares_both=(0.0, 0.0),
        unsigned=0,
        author_shares=(0.5, 0.5),
        lengths=(100.0, 300.0),
    )
    found, pairs = judge(ScoreRows(table, 40), [], Deal(unit="author", sizes=(3, 4), nulls=(), slices=slices))
    assert found.equals(table)
    (compared,) = pairs.to_pylist()
    known = {"authors_from": 3, "authors_to": 4, "authors_both": 0, "unsigned": 0, "length_from": 100.0}
    assert {name: compared[name] for name in known} == known
    assert {name: compared[name] for name in ("finding", "null_runs", "null_unit", "clusters_from", "low_power")} == {
        "finding": "no_null",
        "null_runs": 0,
        "null_unit": None,
        "clusters_from": None,
        "low_power": None,
    }


def test_words_that_only_null_pairs_have_teach_but_are_not_told(runs):
    uses, (real, *others) = runs
    more = [*NAMES, *(f"z{n}" for n in range(40))]
    counts = np.concatenate([uses, uses[:40]])
    longer = [np.concatenate([one, one[:40] * 3]) for one in others]
    nulls = [ScoreRows(rows(one, counts, seed=1, names=more), 40) for one in longer]
    found, _ = judge(ScoreRows(rows(real, uses, seed=None), 40), nulls, DEAL)
    plain, _ = judge(
        ScoreRows(rows(real, uses, seed=None), 40), [ScoreRows(rows(one, uses, seed=1), 40) for one in others], DEAL
    )
    assert found["word"].to_pylist() == NAMES
    assert found["null_mean"].equals(plain["null_mean"])
    assert not found["p_value"].equals(plain["p_value"])


def test_alignments_are_judged_one_by_one(runs):
    uses, (real, *others) = runs

    def both(scores, seed):
        return pa.concat_tables([rows(scores, uses, seed=seed, alignment="cca"), rows(scores * 0.5, uses, seed=seed)])

    found, pairs = judge(ScoreRows(both(real, None), 40), [ScoreRows(both(one, 1), 40) for one in others], DEAL)
    assert pairs["alignment"].to_pylist() == ["cca", "op"]
    halves = found["p_value"].to_numpy().reshape(2, WORDS)
    np.testing.assert_allclose(halves[0], halves[1])  # a factor is of no consequence


def run_of(words, found, documents):
    """Scores of a run from rows by word: score, uses, documents, ranked."""
    empty = (np.nan, 0, 0, False)
    scores, uses, docs, ranked = zip(*(found.get(word, empty) for word in words), strict=True)
    return PairScores(np.array(scores, float), np.array(uses), np.array(docs), np.array(ranked), documents)


def test_p_and_q_can_be_computed_again_from_published_tables(runs):
    uses, (real, *others) = runs
    more = [*NAMES, *(f"z{n}" for n in range(40))]
    counts = np.concatenate([uses, uses[:40]])
    nulls = [
        ScoreRows(rows(np.concatenate([one, one[:40] * 3]), counts, seed=1, names=more), 30 + place)
        for place, one in enumerate(others)
    ]
    nulls[1] = nulls[1]._replace(rows=nulls[1].rows.slice(3))
    table, _ = judge(ScoreRows(rows(real, uses, seed=None), 40), nulls, DEAL)
    published = null_rows(table, nulls).to_pylist()

    means = {row["word"]: row for row in table.to_pylist()}
    words = sorted({*means, *(row["word"] for row in published)})
    assert len(words) > len(means)
    of_real = {
        word: (
            np.nan if row["score"] is None else row["score"],
            min(row["count_from"], row["count_to"]),
            min(row["documents_from"], row["documents_to"]),
            row["ranked"],
        )
        for word, row in means.items()
    }
    of_nulls: dict = {}
    documents = {}
    for row in published:
        documents[row["null"]] = row["slice_documents"]
        of_nulls.setdefault(row["null"], {})[row["word"]] = (row["score"], row["uses"], row["documents"], row["ranked"])
    assert documents == {1: 30, 2: 31, 3: 32, 4: 33}
    tested = np.array([word in means and means[word]["ranked"] for word in words])
    again = evidence_of(
        run_of(words, of_real, 40),
        [run_of(words, found, documents[number]) for number, found in sorted(of_nulls.items())],
        tested,
    )
    for place, word in enumerate(words):
        for name in ("null_mean", "null_sd", "null_high", "p_value", "q_value", "p_relative", "q_relative"):
            value = getattr(again, name)[place]
            if word in means:
                assert means[word][name] == (None if np.isnan(value) else pytest.approx(value, rel=1e-9)), name


def test_null_scores_are_told_by_word_with_the_counts_of_the_dealt_slices(runs):
    uses, (real, first, *_) = runs
    scored = first.copy()
    scored[3] = np.nan
    told = null_rows(rows(real, uses, seed=None), [ScoreRows(rows(scored, uses + 9, seed=1), 41)])
    assert told.schema.equals(NULLS.schema(), check_metadata=True)
    assert told["word"].to_pylist() == [name for place, name in enumerate(NAMES) if place != 3]
    row = told.to_pylist()[0]
    assert row == {
        "slice_from": "a",
        "slice_to": "b",
        "alignment": "op",
        "measure": "cosine",
        "word": "w000",
        "null": 1,
        "score": scored[0],
        "ranked": bool(uses[0] + 9 >= 50),
        "uses": uses[0] + 9,
        "documents": 7,
        "slice_documents": 41,
    }


def test_slices_without_a_word_in_common_have_no_evidence(runs):
    uses, (_, first, *_) = runs
    nothing, nulls = SCORES.schema().empty_table(), [ScoreRows(rows(first, uses, seed=1), 41)]
    judged_rows, pairs = judge(ScoreRows(nothing, 41), nulls, DEAL)
    assert (judged_rows.num_rows, pairs.num_rows) == (0, 0)
    assert null_rows(nothing, nulls).equals(NULLS.schema().empty_table())


def test_the_pair_tells_how_its_documents_compare(runs):
    slices = Comparability(
        genre=None,
        source=Mixture(distance=0.75, value="sport/#", shares=(0.125, 0.5)),
        authors=(3, 4),
        authors_both=1,
        shares_both=(0.125, None),
        unsigned=2,
        author_shares=(0.25, 0.5),
        lengths=(100.0, 300.0),
    )
    _, pairs = judged(runs, Deal(unit="document", sizes=(30, 30), nulls=(), slices=slices))
    (pair,) = pairs.to_pylist()
    assert {name: pair[name] for name in PAIRS.schema().names[PAIRS.schema().names.index("genre_distance") :]} == {
        "genre_distance": None,
        "genre": None,
        "genre_from": None,
        "genre_to": None,
        "source_distance": 0.75,
        "source": "sport/#",
        "source_from": 0.125,
        "source_to": 0.5,
        "authors_from": 3,
        "authors_to": 4,
        "authors_both": 1,
        "unsigned": 2,
        "author_share_from": 0.25,
        "author_share_to": 0.5,
        "author_both_from": 0.125,
        "author_both_to": None,
        "length_from": 100.0,
        "length_to": 300.0,
    }
