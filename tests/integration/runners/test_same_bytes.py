"""Every runner, number of workers and order of work publishes the same files, byte for byte.

The promise holds for one kind of CPU and one lock file; docs/architecture.md says so.
"""

import itertools
import json

import pandas as pd
import pytest
import yaml
from mixed import DOCUMENTS, PARTS, SEEDS, SLICES
from mixed_runs import REFERENCE, SOAKED, published

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.store import ptransforms, staged

pytestmark = pytest.mark.slow
TABLES = {
    "alignments",
    "change/pairs",
    "change/points",
    "change/series",
    "change/summary",
    "corpus/inputs",
    "documents",
    "neighbours",
    "rejects",
    "scores",
    "sentences",
    "slices",
    "vectors",
}


def test_the_corpus_is_large_and_mixed_enough_for_the_proof(run_variant):
    run = run_variant(REFERENCE)
    manifest = json.loads(run.files["manifest.json"])
    assert set(manifest["tables"]) == TABLES
    assert manifest["tables"]["documents"]["rows"] == DOCUMENTS >= 200
    assert len(manifest["change"]["slices"]) == SLICES >= 3
    assert len(manifest["change"]["seeds"]) == SEEDS == 2
    for name, table in manifest["tables"].items():
        # A row per slice is not a table to be cut up, nor is what needs all slices at once.
        whole = name in ("slices", "change/series", "change/points")
        assert len(table["parts"]) >= (1 if whole else PARTS), name
        assert all(part["rows"] for part in table["parts"]), name
    sources = pd.read_parquet(run.out / "documents").source
    kinds = {source.partition("!")[0].partition(".")[2] for source in sources}
    assert kinds == {"txt", "xml", "zip", "tar.gz", "jsonl", "csv", "parquet", "conllu", "txt.gz"}
    reasons = set(pd.read_parquet(run.out / "rejects").reason)
    assert reasons >= {"duplicate", "malformed", "no_date", "undecodable"}


@pytest.mark.parametrize("name", ["two processes", *(pytest.param(name, marks=pytest.mark.soak) for name in SOAKED)])
def test_every_published_file_has_the_same_bytes(name, run_variant):
    expected = run_variant(REFERENCE).files
    found = run_variant(name).files
    assert found.keys() == expected.keys()
    assert [path for path in expected if found[path] != expected[path]] == []


def lanes_of(folder, lanes):
    values = {"runner": "direct", "lanes": lanes, "beam": {"direct_running_mode": "in_memory"}}
    path = folder / f"lanes{lanes}.yaml"
    path.write_text(yaml.safe_dump(values), "utf-8")
    return str(path)


def corpus_on_lanes(config, folder, lanes):
    out = folder / f"out{lanes}"
    words = ["corpus", str(config.parent / "corpus"), "--out", str(out), "--parts", str(PARTS)]
    words += ["--engine", "builtin:en", "--dates", r"name:(\d{4})", "--max-reject-share", "0.2"]
    assert main([*words, "--runner-config", lanes_of(folder, lanes)]) == 0
    return published(out)


@pytest.mark.soak
@pytest.mark.parametrize("sorting", [False, True])
def test_the_comparison_fails_when_the_sort_is_taken_out(sorting, mixed_config, tmp_path, monkeypatch):
    if not sorting:
        for module in (ptransforms, staged):
            monkeypatch.setattr(module, "sorted", lambda rows, **_: list(rows), raising=False)
        monkeypatch.setattr(staged, "in_order", itertools.chain.from_iterable)
    one = corpus_on_lanes(mixed_config, tmp_path, 1)
    two = corpus_on_lanes(mixed_config, tmp_path, 2)
    other = {name.partition("/")[0] for name in one | two if one.get(name) != two.get(name)}
    assert other == (set() if sorting else {"documents", "sentences", "rejects", "manifest.json"})
