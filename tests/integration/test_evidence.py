"""Null pairs in whole runs: the same bytes anywhere, only the new ones made, and calibrated."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mixed_runs import compared_runners
from small_runs import call, change, copy_of_out

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame import publishing
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.removing import Freed
from lexbeam.transforms.embeddings.trainers import TRAINERS

NULL = ["--null", "3", "--rank-min-count", "5", "--rank-min-documents", "1", "--alignment", "op"]


def published(out):
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in sorted(top.rglob("*.parquet"))}


def made(out, stage):
    return {path.stem for path in (out / "_artefacts" / "change" / stage).glob("*.json")}


@pytest.fixture(scope="module")
def judged(made_once):
    """A folder of the small texts with three null pairs, made in one process."""

    def make(folder):
        out = copy_of_out(made_once, folder)
        assert change(out, *NULL, "--overwrite") == 0
        return out

    return made_once("judged", make)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("runner", compared_runners("direct_multiprocess"))
def test_null_pairs_are_the_same_on_every_runner(runner, ready, judged, out):
    ready(runner)
    assert change(out, *NULL, "--overwrite", "--runner-config", runner) == 0
    assert published(out) == published(judged)


@pytest.fixture(scope="module")
def by_loops(made_once):
    """The same by `--trainer fast`."""
    try:
        TRAINERS["fast"].check()
    except UsageError as error:
        pytest.skip(str(error))

    def make(folder):
        out = copy_of_out(made_once, folder)
        assert change(out, *NULL, "--overwrite", "--trainer", "fast") == 0
        return out

    return made_once("by_loops", make)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("runner", compared_runners("direct_multiprocess"))
def test_the_trainer_in_c_gives_the_same_bytes_on_every_runner(runner, ready, by_loops, judged, out):
    ready(runner)
    assert change(out, *NULL, "--overwrite", "--trainer", "fast", "--runner-config", runner) == 0
    assert published(out) == published(by_loops)
    assert published(out).keys() != published(judged).keys()  # parts are named by what they hold


def test_vectors_of_nulls_are_freed_once_they_are_scored_where_published_parts_alone_are_kept(judged, out, monkeypatch):
    monkeypatch.setattr(publishing, "free", lambda root, *kept: Freed(0, 0))  # what is freed after publication
    assert change(out, *NULL, "--overwrite", "--keep", "published") == 0
    assert published(out) == published(judged)
    folder = out / "_artefacts" / "change" / "train"
    names = {path.name for path in folder.glob("*.json")}
    freed = {path.stem for path in folder.glob("*.freed")}
    left = {path.stem.partition(".")[0][:32] for path in folder.glob("*.parquet")}
    assert len(freed) == 6
    assert {f"{stem}.json" for stem in freed | left} == names
    assert not freed & left
    # What was made of them is taken up; a run that needs one again makes it again.
    assert change(out, *NULL, "--overwrite", "--neighbours", "2") == 0
    assert {path.stem for path in folder.glob("*.freed")} == freed
    assert change(out, *NULL, "--overwrite", "--alignment", "op,op-") == 0
    assert set(pd.read_parquet(out / "scores").alignment) >= {"op", "op-"}


@pytest.mark.soak
def test_those_of_systems_that_train_otherwise_are_freed_too(out, tmp_path, monkeypatch):
    how = [*NULL, "--system", "cs2020,uwb,count-ci-cd", "--overwrite"]
    monkeypatch.setattr(publishing, "free", lambda root, *kept: Freed(0, 0))
    assert change(out, *how, "--keep", "published") == 0
    assert len(list((out / "_artefacts" / "change" / "train").glob("*.freed"))) == 2 * 6
    kept = Path(shutil.copytree(out, tmp_path / "kept", symlinks=True))
    shutil.rmtree(kept / "_artefacts")
    assert change(kept, *how) == 0
    assert not list((kept / "_artefacts").rglob("train/*.freed"))
    assert published(kept) == published(out)


def test_tables_say_what_was_dealt_and_what_came_of_it(judged):
    pairs = pd.read_parquet(judged / "change" / "pairs")
    assert (pairs.null_runs == 3).all()
    assert (pairs.null_unit == "document").all()
    assert (pairs.clusters_from == 2).all()
    assert (pairs.finding == "too_few_clusters").all()
    scores = pd.read_parquet(judged / "scores")
    single, means = scores[scores.seed.notna()], scores[scores.seed.isna()]
    assert single.null_runs.isna().all()
    assert means.null_mean.notna().any()
    assert means.q_value.isna().all()
    known = means[means.null_mean.notna() & means.score.notna()]
    np.testing.assert_allclose(known.excess, known.score - known.null_mean)
    nulls = pd.read_parquet(judged / "change" / "nulls")
    assert set(nulls.null) == {1, 2, 3}
    key = ["alignment", "measure", "word"]
    of_nulls = nulls.groupby(key).score.mean()
    found = known.set_index(key).null_mean
    np.testing.assert_allclose(of_nulls.loc[found.index], found)


def test_sentences_are_dealt_where_they_are_asked_for(judged, tmp_path, capsys):
    out = Path(shutil.copytree(judged, tmp_path / "out", symlinks=True))
    before = {stage: made(out, stage) for stage in ("train", "view", "score")}
    assert change(out, *NULL, "--null-by", "sentence", "--overwrite") == 0
    assert "null pairs deal single sentences" in capsys.readouterr().out
    new = {stage: len(made(out, stage) - names) for stage, names in before.items()}
    assert new == {"train": 6, "view": 0, "score": 3}
    pairs = pd.read_parquet(out / "change" / "pairs")
    slices = pd.read_parquet(out / "slices").set_index("slice")
    assert (pairs.null_unit == "sentence").all()
    assert (pairs.clusters_from == slices.sentences[pairs.slice_from].to_numpy()).all()
    assert (pairs.finding == "too_few_words").all()
    assert (pd.read_parquet(out / "scores").null_unit.dropna() == "sentence").all()


def test_without_nulls_there_is_no_table_of_them_but_documents_are_compared(out, judged):
    pairs, others = (pd.read_parquet(folder / "change" / "pairs") for folder in (out, judged))
    pairs = pairs[pairs.alignment.isin(others.alignment)].reset_index(drop=True)
    assert (pairs.finding == "no_null").all()
    assert pairs.null_unit.isna().all()
    compared = ["authors_from", "authors_to", "authors_both", "unsigned", "length_from", "length_to"]
    assert pairs[compared].notna().all(axis=None)
    pd.testing.assert_frame_equal(pairs[compared], others[compared])
    assert not (out / "change" / "nulls").exists()
    assert "change/nulls" not in json.loads((out / "manifest.json").read_text("utf-8"))["tables"]


def test_one_null_pair_more_makes_only_itself(judged, tmp_path):
    out = Path(shutil.copytree(judged, tmp_path / "out", symlinks=True))
    before = {stage: made(out, stage) for stage in ("train", "view", "score")}
    assert change(out, "--null", "4", *NULL[2:], "--overwrite") == 0
    new = {stage: len(made(out, stage) - names) for stage, names in before.items()}
    assert new == {"train": 2, "view": 0, "score": 1}


def test_clean_frees_what_null_pairs_left_and_the_next_run_finds_what_it_needs(judged, tmp_path):
    out = Path(shutil.copytree(judged, tmp_path / "out", symlinks=True))
    before = published(out)
    assert call("clean", out) == 0
    left = {path.name for path in (out / "_artefacts" / "change").rglob("*") if path.is_file()}
    assert {name for name in left if name.endswith(".arrow")} == set()
    assert published(out) == before
    assert change(out, *NULL, "--overwrite") == 0
    assert published(out) == before


def test_what_a_run_without_nulls_publishes_depends_on_no_option_of_them(out):
    before = published(out)
    assert change(out, "--null-seed", "5", "--overwrite") == 0
    assert published(out) == before


@pytest.mark.parametrize("number", ["1", "2", "-1", "x"])
def test_too_few_null_pairs_are_refused(number, out, capsys):
    assert change(out, f"--null={number}", "--overwrite") == 2
    assert "null" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.soak
def test_random_dates_change_nothing(tmp_path):
    """Three datings of the sample at random; its planted words, two-faced by document, left out."""
    sample = tmp_path / "sample"
    assert call("sample", "--out", sample, "--tokens", "80000", "--seed", "3") == 0
    truth = pd.read_csv(sample / "truth.tsv", sep="\t")
    planted = set(truth[~truth.kind.str.startswith("control")].word)
    shares, flagged = [], []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        paths = sorted((sample / "corpus").rglob("*.txt"))
        random.Random(number).shuffle(paths)
        for place, path in enumerate(paths):
            shutil.copy(path, folder / f"{1800 + place % 2}_{path.name}")
        out = tmp_path / f"out{number}"
        config = tmp_path / f"{number}.json"
        config.write_text(
            json.dumps(
                {
                    "out": str(out),
                    "corpus": {"inputs": [str(folder)], "engine": "builtin:en", "dates": r"name:^(\d{4})_"},
                    "change": {
                        "slices": "1800,1801",
                        "null": 3,
                        "dim": 30,
                        "epochs": 2,
                        "alignment": ["op"],
                        "rank-min-count": 35,
                    },
                }
            )
        )
        assert main(["run", str(config)]) == 0
        scores = pd.read_parquet(out / "scores")
        rows = scores[scores.seed.isna() & scores.ranked & (scores.measure == "cosine")]
        rows = rows[~rows.word.isin(planted)]
        assert len(rows) > 100
        shares.append([(rows[name] <= 0.05).mean() for name in ("p_value", "p_relative")])
        flagged.append((rows.q_value <= 0.05).mean())
        assert rows.significant.mean() <= 0.02
    assert np.mean(shares, axis=0) == pytest.approx([0.05, 0.05], abs=0.04)
    assert np.mean(flagged) <= 0.01


def test_flagged_words_are_asked_for_by_a_flag_alone(judged, capsys):
    assert call("show", judged, "--significant") == 0
    told = capsys.readouterr().out
    assert "no word has both q-values up to .05" in told
    assert "no finding possible at this size" in told
    assert "verdict: nothing can be found: the slices have 2 and" in told
    assert call("show", judged, "--significant", "--tsv") == 0
    (head,) = capsys.readouterr().out.splitlines()
    assert {"word", "rank", "significant", "null_high"} <= set(head.split("\t"))
