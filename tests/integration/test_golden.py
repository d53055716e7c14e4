"""A golden run: numbers and words that change when any stage of the main job is broken.

The numbers hold for the locked versions. A change that is meant to move them moves them here too,
and says why.
"""

import json

import pandas as pd
import pytest

from pipelines.cli import main


@pytest.fixture(scope="module")
def golden(tmp_path_factory, make_sample):
    folder = tmp_path_factory.mktemp("golden")
    config = make_sample(folder, tokens=100_000, seed=11, seeds=2, rank_min_count=30)
    out = folder / "out"
    assert main(["run", str(config), "--out", str(out)]) == 0
    return out


@pytest.mark.slow
def test_rows_of_every_table(golden):
    manifest = json.loads((golden / "manifest.json").read_text("utf-8"))
    assert {name: entry["rows"] for name, entry in manifest["tables"].items()} == {
        "corpus/inputs": 66,
        "documents": 66,
        "rejects": 0,
        "sentences": 6054,
        "slices": 2,
        "vectors": 5480,
        "alignments": 8,
        "scores": 9765,
        "change/summary": 1085,
        "change/pairs": 3,
        "neighbours": 4840,
    }


@pytest.mark.slow
def test_what_was_taken_in(golden):
    corpus = json.loads((golden / "manifest.json").read_text("utf-8"))["corpus"]
    found = [corpus[name] for name in ("records", "documents", "sentences", "tokens")]
    assert found == [66, 66, 6054, 106071]
    assert corpus["rejects"] == {}


@pytest.mark.slow
def test_slices(golden):
    slices = pd.read_parquet(golden / "slices").set_index("slice")
    columns = ["documents", "sentences", "tokens_before", "tokens", "vocabulary"]
    assert slices.loc["early", columns].tolist() == [33, 2908, 53041, 49268, 1353]
    assert slices.loc["late", columns].tolist() == [33, 2911, 53030, 49341, 1387]


OP = {"klevole": 0.885, "grindum": 0.759, "as": 0.733, "belmula": 0.728, "until": 0.699}
CCA = {"klevole": 0.533, "relmure": 0.430, "grindum": 0.404, "belmula": 0.391, "lurnum": 0.386}


@pytest.mark.slow
@pytest.mark.parametrize(("alignment", "expected"), [("op", OP), ("cca", CCA)])
def test_most_changed_words(golden, alignment, expected):
    scores = pd.read_parquet(golden / "scores")
    scores = scores[scores.seed.isna() & scores.ranked & (scores.measure == "cosine")]
    top = scores[scores.alignment == alignment].nlargest(5, "score").set_index("word").score
    assert list(top.index) == list(expected)
    assert top.to_dict() == pytest.approx(expected, abs=1e-3)
