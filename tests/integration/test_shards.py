"""Slices trained in shards, in whole runs: null slices too, freed weights, the same bytes anywhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from changed_runs import can_train
from mixed_runs import compared_runners
from small_runs import SLICES, SMALL, change, copy_of_out, corpus, unless_given, write_texts

from lexbeam.pipelines.cli import main
from lexbeam.transforms.change.spaces import training
from lexbeam.transforms.evaluation.outcomes import average_precision

FAST = "fast" if can_train("fast") else "gensim"
SHARDED = ["--shards", "2", "--rounds", "2", "--null", "3", "--trainer", FAST, "--rank-min-count", "5"]
SHARDED += ["--alignment", "op"]
compares_fast = pytest.mark.skipif(FAST != "fast", reason="the loop of `--trainer fast` is not compiled here")
STEPS = 2  # SMALL has one epoch


def published(out):
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in sorted(top.rglob("*.parquet"))}


@pytest.fixture(scope="module")
def in_shards(made_once):
    """A folder of the small texts, trained in shards in one process, with null pairs."""

    def make(folder):
        out = copy_of_out(made_once, folder)
        assert change(out, *SHARDED, "--overwrite") == 0
        return out

    return made_once("in_shards", make)


def test_null_slices_are_trained_in_shards_too_and_weights_are_freed(in_shards):
    folder = in_shards / "_artefacts" / "change"
    spaces = 2 * (1 + 3)
    for stage, number in (("train-shard", spaces * 2 * STEPS), ("average", spaces * (STEPS - 1))):
        found = [path.suffix for path in (folder / stage).iterdir()]
        assert found.count(".json") == found.count(".freed") == number
        assert len(found) == 2 * number
    assert len(list((folder / "average-last").glob("*.parquet"))) == spaces
    pairs = pd.read_parquet(in_shards / "change" / "pairs")
    assert (pairs.null_runs == 3).all()


def test_weights_are_freed_beside_systems_that_train_others(in_shards, tmp_path):
    out = Path(shutil.copytree(in_shards, tmp_path / "out", symlinks=True))
    how = ["--shards", "2", "--trainer", FAST, "--rank-min-count", "5", "--system", "cs2020,uwb"]
    assert change(out, *how, "--epochs", "2", "--overwrite") == 0
    made = len(list((in_shards / "_artefacts/change/train-shard").glob("*.json")))
    found = [path.suffix for path in (out / "_artefacts/change/train-shard").iterdir()]
    assert found.count(".json") == found.count(".freed") > made
    assert len(found) == 2 * found.count(".json")


@compares_fast
@pytest.mark.parametrize("runner", compared_runners())
def test_shards_are_the_same_on_every_runner(runner, ready, in_shards, out):
    ready(runner)
    assert change(out, *SHARDED, "--overwrite", "--runner-config", runner) == 0
    assert published(out) == published(in_shards)


@compares_fast
@pytest.mark.soak
@pytest.mark.parametrize("shards", ["1", "2"])
def test_ten_repetitions_give_the_same_bytes(shards, tmp_path):
    """With another hash seed each, on one core or on all."""
    cores = sorted(os.sched_getaffinity(0))
    first = tmp_path / "0"
    assert corpus(write_texts(tmp_path / "texts"), tmp_path / "corpus") == 0
    how = ["--dim", "50", "--epochs", "3", "--null", "3", "--trainer", FAST, "--shards", shards]
    how += unless_given([*SLICES, *SMALL], how)
    for number in range(10):
        out = tmp_path / str(number)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "lexbeam.pipelines.cli",
                "change",
                tmp_path / "corpus",
                "--out",
                out,
                "--overwrite",
                *how,
            ],
            env={**os.environ, "PYTHONHASHSEED": str(number), "PYTHONPATH": os.pathsep.join(sys.path)},
            preexec_fn=lambda number=number: os.sched_setaffinity(0, cores[: 1 + number % 2 * len(cores)]),
            check=True,
            capture_output=True,
        )
        assert (out / "_artefacts" / "change" / ("train" if shards == "1" else "train-shard")).exists()
        assert published(out) == published(first), number


def test_what_is_gone_is_trained_anew_from_the_beginning(in_shards, tmp_path, capsys, caplog):
    out = Path(shutil.copytree(in_shards, tmp_path / "out", symlinks=True))
    for path in (out / "_artefacts" / "change" / "average-last").glob("*.parquet"):
        path.unlink()
    shutil.rmtree(out / "_artefacts" / "change" / "align")
    assert change(out, *SHARDED, "--overwrite") == 0
    assert "files that were freed are needed: they are made again" in capsys.readouterr().out
    assert "run the same command again" not in caplog.text, "that is done already"
    assert published(out) == published(in_shards)


def test_one_shard_is_as_without_shards(out, monkeypatch):
    before = published(out)
    monkeypatch.setattr(training, "train_space", None)  # what there is is taken up
    assert change(out, "--shards", "1", "--rounds", "1", "--overwrite") == 0
    assert published(out) == before
    assert not (out / "_artefacts" / "change" / "train-shard").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--rounds", "2"], "--rounds 2: one shard has nothing to be averaged with; give --shards"),
        (["--shards", "2", "--rounds", "30", "--epochs", "2"], "--epochs 2 with --rounds 30: shards"),
        (["--shards", "257"], "--shards"),
    ],
)
def test_what_cannot_be_averaged_is_refused(options, told, out, capsys):
    assert change(out, *options, "--overwrite") == 2
    assert told in capsys.readouterr().err


def test_planted_changes_are_found_in_shards(make_sample, tmp_path):
    how = {"dim": 30, "alignment": "op", "seeds": 1, "trainer": FAST, "shards": 2, "rounds": 2}
    config, out = make_sample(tmp_path, tokens=100_000, **how), tmp_path / "out"
    assert main(["run", str(config), "--out", str(out)]) == 0
    truth = pd.read_csv(config.parent / "truth.tsv", sep="\t").set_index("word")
    scores = pd.read_parquet(out / "scores")
    scores = scores[scores.seed.isna() & (scores.measure == "cosine")].set_index("word").score[truth.index]
    planted = ~truth.kind.str.startswith("control")
    assert average_precision(planted.to_numpy(), scores.to_numpy()) >= 0.9
