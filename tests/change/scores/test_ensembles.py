"""Measures made of others, beside the empirical distribution functions of scipy."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.scores.measures import MEASURES, needs_alignment, of_usage
from lexbeam.transforms.change.scores.scores import REASONS, SCORED, score_rows, with_made, with_parts

PARTS = ("cosine", "mapped-neighbours", "frequency-log2")


WORDS = [f"w{place}" for place in range(12)]


def scored_parts(ranked=range(4, 12)):
    """Rows of a seed by two alignments; the first words lack a score, each by another measure."""
    random = np.random.default_rng(1)
    blocks = []
    kinds = [(alignment, part) for alignment in ("op", "op-") for part in PARTS[:2]]
    for alignment, part in sorted([*kinds, ("none", PARTS[2]), ("none", "frequency")]):
        scores = random.integers(0, 9, len(WORDS)) / 10
        reasons = np.full(len(WORDS), SCORED)
        for place, (name, why) in enumerate(zip(PARTS, ("zero_vector", "undefined", "absent_to"), strict=True)):
            if part == name:
                scores[[place, 3]], reasons[[place, 3]] = np.nan, REASONS.index(why)
        columns = {"word": pa.array(WORDS), "alignment": alignment, "measure": part, "seed": 1}
        columns |= {"slice_from": "a", "slice_to": "b"}
        columns |= {name: np.ones(len(WORDS)) for name in SCORES.schema().names if name.startswith(_COUNTS)}
        columns["target"] = pa.array([place % 3 == 0 for place in range(len(WORDS))])
        columns["ranked"] = pa.array([place in ranked for place in range(len(WORDS))])
        blocks.append(score_rows(columns, scores=scores, reasons=reasons, seeds=(reasons == SCORED).astype(np.int32)))
    return pa.concat_tables(blocks)


_COUNTS = ("count", "documents", "relative")


def by_word(rows, alignment, measure):
    return {row["word"]: row for row in rows.to_pylist() if (row["alignment"], row["measure"]) == (alignment, measure)}


@pytest.mark.parametrize(("name", "over"), [("ecdf", "target"), ("ecdf-ranked", "ranked")])
def test_it_is_the_mean_of_distribution_functions_over_reference_words(name, over):
    rows = with_made(scored_parts(), [name, "cosine"])
    assert rows.schema == SCORES.schema()
    keys = list(zip(*(rows[column].to_pylist() for column in ("alignment", "measure", "word")), strict=True))
    assert keys == sorted(keys)
    for alignment in ("op", "op-"):
        found = by_word(rows, alignment, name)
        parts = [by_word(rows, alignment if needs_alignment(part) else "none", part) for part in PARTS]
        whole = [word for word in found if all(part[word]["score"] is not None for part in parts)]
        among = [word for word in whole if found[word][over]]
        assert among
        for word, row in found.items():
            if word not in whole:
                assert row["score"] is None
                assert row["reason"] in {part[word]["reason"] for part in parts}
                assert row["seeds"] == 0
                continue
            wanted = [stats.ecdf([part[w]["score"] for w in among]).cdf.evaluate(part[word]["score"]) for part in parts]
            assert row["score"] == pytest.approx(np.mean(wanted))
            assert (row["reason"], row["seeds"]) == (None, 1)
        assert [found[word]["reason"] for word in WORDS[:4]] == ["zero_vector", "undefined", "absent_to", "absent_to"]


def test_without_reference_words_there_is_no_score_and_a_reason():
    rows = with_made(scored_parts(ranked=[]), ["ecdf-ranked"])
    found = by_word(rows, "op", "ecdf-ranked")
    assert {row["score"] for row in found.values()} == {None}
    assert (found["w5"]["reason"], found["w2"]["reason"]) == ("no_reference", "absent_to")


def test_what_is_made_of_others_has_them_scored_and_is_a_measure_of_usage():
    assert with_parts(["ecdf", "lnd"]) == sorted([*PARTS, "ecdf", "lnd"])
    assert with_parts(["lnd"]) == ["lnd"]
    assert needs_alignment("ecdf")
    assert of_usage("ecdf-ranked")
    assert {part for entry in MEASURES.values() for part in entry.parts} <= set(MEASURES)
    rows = scored_parts()
    assert with_made(rows, ["cosine"]) is rows
