"""A golden run: numbers and words that change when any stage of the main job is broken.

The numbers hold for the locked versions. A change that is meant to move them moves them here too,
and says why.
"""

import json

import pandas as pd
import pytest

from lexbeam.pipelines.cli import main


@pytest.fixture(scope="module")
def golden(tmp_path_factory, make_sample):
    folder = tmp_path_factory.mktemp("golden")
    config = make_sample(folder, tokens=50_000, seed=11, seeds=2, rank_min_count=30)
    out = folder / "out"
    assert main(["run", str(config), "--out", str(out)]) == 0
    return out


@pytest.mark.slow
def test_rows_of_every_table(golden):
    manifest = json.loads((golden / "manifest.json").read_text("utf-8"))
    assert {name: entry["rows"] for name, entry in manifest["tables"].items()} == {
        "corpus/inputs": 32,
        "documents": 32,
        "rejects": 0,
        "sentences": 3039,
        "slices": 2,
        "vectors": 3446,
        "alignments": 8,
        "scores": 5436,
        "change/summary": 604,
        "change/pairs": 3,
        "neighbours": 1880,
    }


@pytest.mark.slow
def test_what_was_taken_in(golden):
    corpus = json.loads((golden / "manifest.json").read_text("utf-8"))["corpus"]
    found = [corpus[name] for name in ("records", "documents", "sentences", "tokens")]
    assert found == [32, 32, 3039, 53065]
    assert corpus["rejects"] == {}


@pytest.mark.slow
def test_slices(golden):
    slices = pd.read_parquet(golden / "slices").set_index("slice")
    columns = ["documents", "sentences", "tokens_before", "tokens", "vocabulary"]
    assert slices.loc["early", columns].tolist() == [16, 1454, 26541, 24587, 849]
    assert slices.loc["late", columns].tolist() == [16, 1449, 26524, 24613, 874]


OP = {"lurnum": 0.994, "now": 0.985, "though": 0.982, "after": 0.859, "without": 0.793}
CCA = {"lurnum": 0.637, "kilkula": 0.376, "drarnole": 0.313, "again": 0.288, "though": 0.279}


@pytest.mark.slow
@pytest.mark.parametrize(("alignment", "expected"), [("op", OP), ("cca", CCA)])
def test_most_changed_words(golden, alignment, expected):
    scores = pd.read_parquet(golden / "scores")
    scores = scores[scores.seed.isna() & scores.ranked & (scores.measure == "cosine")]
    top = scores[scores.alignment == alignment].nlargest(5, "score").set_index("word").score
    assert list(top.index) == list(expected)
    assert top.to_dict() == pytest.approx(expected, abs=1e-3)
