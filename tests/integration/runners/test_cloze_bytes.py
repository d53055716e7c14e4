"""Articles to answered cloze questions in one run: the same bytes on every runner, rules obeyed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from dataflow_jobs import check_jobs
from mixed_runs import S3_RUNNERS, compared_runners, published
from questions_anew import check_questions
from questions_making import write_articles, write_inputs
from s3_server import published_bytes

from lexbeam.pipelines.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.soak]  # each step by itself is in the suite
pytest.importorskip("torch")
pytest.importorskip("sklearn")

KINDS = ["imperceptibility", "nonspecificity", "intersection"]
READERS = ["ga", "ar-gloss"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with a configuration of all steps, and all that it names."""
    folder = tmp_path_factory.mktemp("cloze")
    write_inputs(folder)
    write_articles(folder / "articles")
    ratings = f"{folder / 'rated.csv'}:word=WORD,value=CONC"
    words = ["--inputs", "ngrams", "--estimator", "ridge", "--resamples", "0"]
    assert main(["cloze", "abstractness", "--ratings", ratings, *words, "--out", str(folder / "model")]) == 0
    wordnet = {"wordnet": str(folder / "wordnet"), "cache": str(folder / "cache")}
    small = {"hidden": 16, "hops": 2, "epochs": 1, "dim": 8}
    steps = {
        "pairs": {
            "inputs": [str(folder / "articles")],
            "layout": "documents",
            "skip_paragraphs": 1,
            "engine": "builtin:en",
            "language": "en",
        },
        "candidates": {"kind": KINDS, "abstractness": str(folder / "model"), "sense": "first", **wordnet},
        "options": {"readers": READERS, "folds": 2, **small, **wordnet},
        "questions": {},
        "answer": {"folds": 2, "resamples": 20, **small},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump({"parts": 2, "cloze": steps}), "utf-8")
    return folder


def run(inputs, out, runner):
    words = ["--out", str(out), "--runner-config", runner]
    assert main(["run", str(inputs / "config.yaml"), *words]) == 0
    return published(out)


@pytest.fixture(scope="module")
def expected(inputs, tmp_path_factory):
    out = tmp_path_factory.mktemp("direct") / "out"
    return out, run(inputs, out, "direct")


def test_every_question_obeys_every_rule(inputs, expected):
    out, files = expected
    kept = check_questions(out, inputs / "wordnet")
    assert {row["kind"] for row in kept} == set(KINDS)
    assert {row["origin"] for row in kept} == {"readers"}
    predictions = [
        pq.read_table(pa.BufferReader(content))
        for name, content in files.items()
        if "predictions" in name and name.endswith(".parquet")
    ]
    assert set(pa.concat_tables(predictions)["reader"].to_pylist()) == set(READERS)


def test_dataflow_would_be_sent_whole_jobs(inputs, expected, tmp_path):
    sections = {f"cloze.{step}" for step in ("pairs", "candidates", "options", "questions", "answer")}
    assert check_jobs(inputs / "config.yaml", expected[0], tmp_path) == sections


@pytest.mark.parametrize("runner", S3_RUNNERS)
def test_every_table_has_the_same_bytes_on_s3(runner, ready, bucket, inputs, expected):
    ready(runner)
    assert main(["run", str(inputs / "config.yaml"), "--out", bucket, "--runner-config", runner]) == 0
    assert published_bytes(bucket) == published_bytes(expected[0])


@pytest.mark.parametrize("runner", compared_runners())
def test_every_published_file_has_the_same_bytes(runner, ready, inputs, expected, tmp_path):
    ready(runner)
    found, first = run(inputs, tmp_path / "out", runner), expected[1]
    assert found.keys() == first.keys()
    assert [name for name in first if found[name] != first[name]] == []
