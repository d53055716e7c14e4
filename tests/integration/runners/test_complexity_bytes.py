"""Raw text to scored features of complexity by `lexbeam run`: the same bytes on every runner."""

import random
import shutil
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from dataflow_jobs import check_jobs
from mixed_runs import S3_RUNNERS, compared_runners, published
from s3_server import published_bytes
from small_runs import write_judgments

from lexbeam.pipelines.cli import main

pytestmark = pytest.mark.slow

GENRES = {
    "sea": ["ship", "sailor", "harbour", "lighthouse", "tide", "old anchor", "deep water"],
    "law": ["judge", "verdict", "jurisdiction", "tax", "court", "new statute", "plea"],
}
FRAMES = ["The {} was seen by the {} near the {}.", "Of every {} there is a {}, and no {}."]


def write_texts(folder):
    draw = random.Random(1)
    for genre, words in GENRES.items():
        (folder / genre).mkdir()
        for number in range(6):
            sentences = [draw.choice(FRAMES).format(*(draw.choice(words) for _ in range(3))) for _ in range(12)]
            (folder / genre / f"{number}.txt").write_text(" ".join(sentences), "utf-8")


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """A configuration of all steps, with the corpora and the judgments that it names."""
    folder = tmp_path_factory.mktemp("complexity")
    write_texts(folder)
    corpora = [str(folder / f"{genre}-corpus") for genre in GENRES]
    for genre, out in zip(GENRES, corpora, strict=True):
        words = ["--format", "text", "--engine", "builtin:en", "--parts", "2"]
        assert main(["corpus", str(folder / genre), "--out", out, *words]) == 0
    select = {"corpora": corpora, "genres": list(GENRES), "quota": 40, "contexts": 8}
    asked = folder / "asked"
    words = [
        f"--{name}={','.join(value) if name == 'genres' else value}"
        for name, value in select.items()
        if name != "corpora"
    ]
    assert main(["complexity", "select", *corpora, "--out", str(asked), *words]) == 0
    write_judgments(folder / "judgments.tsv", pq.read_table(asked / "current" / "complexity" / "instances"))
    steps = {
        "select": select,
        "aggregate": {"judgments": [str(folder / "judgments.tsv")]},
        "split": {"method": "balanced", "shares": ["train=.7", "test=.3"]},
        "features": {},
        "score": {"scorer": ["frequency", "ridge"], "folds": 2, "resamples": 10, "importance": True, "ablation": True},
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({"parts": 3, "complexity": steps}), "utf-8")
    return path


class Made(NamedTuple):
    out: Path
    files: dict[str, bytes]


def run(config, out, runner, *more):
    assert main(["run", str(config), "--out", str(out), "--runner-config", runner, *more]) == 0
    return Made(out, published(out))


def tables_of(files):
    return {name: content for name, content in files.items() if name.endswith(".parquet")}


@pytest.fixture(scope="module")
def expected(config, tmp_path_factory):
    return run(config, tmp_path_factory.mktemp("direct") / "out", "direct")


def test_every_step_makes_rows(expected):
    rows = {
        name.split("/")[1]: pq.read_metadata(pa.BufferReader(content)).num_rows
        for name, content in tables_of(expected.files).items()
    }
    made = ("instances", "judgments", "labels", "splits", "features", "predictions", "metrics")
    assert all(rows[name] for name in made)


def test_dataflow_would_be_sent_whole_jobs(config, expected, tmp_path):
    sections = {f"complexity.{step}" for step in ("select", "features", "score")}
    assert check_jobs(config, expected.out, tmp_path) == sections


# A runner starts its workers anew for each section, and what a step makes in any order of work is
# checked beside its code: the suite has the last step, a soak the first.
@pytest.mark.parametrize("step", [pytest.param("select", marks=pytest.mark.soak), "score"])
def test_a_step_makes_the_same_on_flink(step, ready, config, expected, tmp_path):
    ready("flink_local")
    out = tmp_path / "out"
    if step == "score":
        shutil.copytree(expected.out, out, symlinks=True)
    found = run(config, out, "flink_local", "--only", f"complexity.{step}", "--overwrite", "--fresh").files
    made = tables_of(found)
    assert made
    assert made.items() <= tables_of(expected.files).items()
    assert step == "select" or made == tables_of(expected.files)


@pytest.mark.soak
@pytest.mark.parametrize("runner", S3_RUNNERS)
def test_every_table_has_the_same_bytes_on_s3(runner, ready, bucket, config, expected):
    ready(runner)
    assert main(["run", str(config), "--out", bucket, "--runner-config", runner]) == 0
    assert published_bytes(bucket) == published_bytes(expected.out)


@pytest.mark.parametrize("runner", compared_runners())
def test_every_published_file_has_the_same_bytes(runner, ready, config, expected, tmp_path):
    ready(runner)
    found = run(config, tmp_path / "out", runner).files
    assert found.keys() == expected.files.keys()
    assert [name for name, content in expected.files.items() if found[name] != content] == []
