"""The sample and twenty novels through every section: the same bytes on every runner, and on S3.

    LEXBEAM_DATA=DIR python -m pytest -m soak -n 0 tests/integration/runners/test_novels.py

Cloze and simplification take pieces of the texts, some of each, since a novel is no article.
"""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from mixed_runs import S3_RUNNERS, compared_runners, published
from s3_server import published_bytes
from small_runs import call, write_judgments

pytestmark = [pytest.mark.slow, pytest.mark.soak, pytest.mark.data]
pytest.importorskip("torch")
pytest.importorskip("sklearn")

NOVELS = 20
PIECES, LENGTH = 6, 1500  # of each text, in characters
WORDNET = Path("/usr/share/wordnet")
SECTIONS = {"corpus", "change", "complexity", "cloze", "simplification"}


def write_pieces(documents, folder):
    """Write pieces of each text, a file each: each ends with a sentence."""
    folder.mkdir()
    for row in documents.select(["document_id", "text"]).to_pylist():
        for number in range(PIECES):
            piece = row["text"][number * LENGTH : (number + 1) * LENGTH]
            text = " ".join(piece[: piece.rfind(". ") + 1].split())
            (folder / f"{row['document_id']}-{number}.txt").write_text(text, "utf-8")


@pytest.fixture(scope="module")
def config(tmp_path_factory, data):
    """A configuration of every section, with all that it names."""
    if not WORDNET.is_dir():
        pytest.skip("needs WordNet where Debian has it")
    folder = tmp_path_factory.mktemp("novels")
    assert call("sample", "--out", folder / "sample") == 0
    texts = folder / "sample" / "corpus"
    novels = sorted((data / "eltec-eng").glob("*.xml"))
    for novel in novels[:: len(novels) // NOVELS][:NOVELS]:
        (texts / novel.name).write_bytes(novel.read_bytes())
    corpus = {"inputs": [str(texts)], "engine": "builtin:en", "dates": r"name:^(?:ENG)?(\d{4})"}
    select = {"contexts": 2, "quota": 400}
    (folder / "first.yaml").write_text(json.dumps({"corpus": corpus, "complexity": {"select": select}}), "utf-8")
    first = folder / "first"
    assert call("run", folder / "first.yaml", "--out", first) == 0
    write_judgments(folder / "judgments.tsv", pq.read_table(first / "current" / "complexity" / "instances"))
    write_pieces(pq.read_table(first / "current" / "documents"), folder / "pieces")
    (folder / "plain.yaml").write_text("plain: {generators: wordnet, ranker: senses}\n", "utf-8")
    ratings = data / "norms" / "Concreteness_ratings_Brysbaert_et_al_BRM.txt"
    words = ["--ratings", f"{ratings}:word=Word,value=Conc.M", "--inputs", "ngrams", "--estimator", "ridge"]
    assert call("cloze", "abstractness", *words, "--resamples", 0, "--out", folder / "model") == 0
    pieces = {"inputs": [str(folder / "pieces")], "engine": "builtin:en", "language": "en"}
    files = {"wordnet": str(WORDNET), "cache": str(folder / "cache")}
    small = {"hidden": 16, "hops": 2, "epochs": 1, "dim": 8}
    sections = {
        "corpus": corpus,
        "change": {"slices": "early=1800-1869,late=1870-1995", "max_tokens": 400_000, "seeds": 2, "dim": 50},
        "complexity": {
            "select": select,
            "aggregate": {"judgments": [str(folder / "judgments.tsv")]},
            "split": {"method": "balanced", "shares": ["train=.7", "test=.3"]},
            "features": {},
            "score": {"scorer": ["frequency", "ridge"], "folds": 3, "resamples": 20},
        },
        "cloze": {
            "pairs": {**pieces, "layout": "documents", "keep_rest": True},
            "candidates": {"abstractness": str(folder / "model"), "sense": "first", **files},
            "options": {"readers": ["ga", "context"], "folds": 2, **small, **files},
            "questions": {},
            "answer": {"folds": 2, "resamples": 20, **small},
        },
        "simplify": {"text": {**pieces, **files, "settings": str(folder / "plain.yaml"), "setting": "plain"}},
    }
    path = folder / "config.yaml"
    path.write_text(json.dumps({"parts": 4, "max-reject-share": 1, **sections}), "utf-8")
    return path


@pytest.fixture(scope="module")
def expected(config):
    out = config.parent / "direct"
    assert call("run", config, "--out", out) == 0
    files = published(out)
    assert {name.partition("/")[0] for name in files} >= SECTIONS
    return out, files


@pytest.mark.parametrize("runner", compared_runners())
def test_every_published_file_has_the_same_bytes(runner, ready, config, expected, tmp_path):
    ready(runner)
    assert call("run", config, "--out", tmp_path / "out", "--runner-config", runner) == 0
    found, files = published(tmp_path / "out"), expected[1]
    assert found.keys() == files.keys()
    assert [name for name in files if found[name] != files[name]] == []


@pytest.mark.parametrize("runner", S3_RUNNERS)
def test_every_table_has_the_same_bytes_on_s3(runner, ready, bucket, config, expected):
    ready(runner)
    assert call("run", config, "--out", bucket, "--runner-config", runner) == 0
    assert published_bytes(bucket) == published_bytes(expected[0])
