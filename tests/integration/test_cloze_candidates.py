"""`lexbeam cloze candidates`: from pairs in files to published candidates."""

import json
import shutil

import numpy as np
import pytest
from asked import SYNSETS, VEC
from small_runs import call, manifest
from wordnet_making import write_wordnet

from lexbeam.transforms.cloze.filters.candidates import question_id
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow

VECTORS = {**VEC, "the": (1, 1), "house": (1, -1), "dogs": (0.9, 0.1), "it": (0.3, 1)}


@pytest.fixture(scope="module")
def paired(tmp_path_factory):
    """A folder with pairs and resources; nothing is written to it later."""
    folder = tmp_path_factory.mktemp("candidates")
    write_wordnet(folder / "wordnet", SYNSETS, index_sense=False)
    lines = [f"{word} {' '.join(map(str, numbers))}" for word, numbers in VECTORS.items()]
    (folder / "some.vec").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n")
    texts = [
        ("The dog goes to the big house.", "A hound stays. It was small.", "dog"),
        ("The animal moves.", "The dogs stay in the house. A dog goes.", "animal"),
        ("A big entity barks.", "The dogs bark at it.", "entity"),
    ]
    rows = [
        {
            "article": passage,
            "question": summary.replace(word, "@placeholder"),
            "label": 0,
            "option_0": word,
            **{f"option_{n}": f"other{n}" for n in range(1, 5)},
        }
        for summary, passage, word in texts
    ]
    path = folder / "Task_2_Nonspecificity.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    out = folder / "out"
    assert (
        call("cloze", "pairs", path, "--layout", "recam", "--engine", "builtin:en", "--parts", "2", "--out", out) == 0
    )
    return folder


@pytest.fixture
def given(paired, tmp_path):
    """A folder with pairs, the words for resources, and a file of vectors."""
    out = shutil.copytree(paired / "out", tmp_path / "out", symlinks=True)
    return out, ("--wordnet", paired / "wordnet", "--cache", tmp_path / "cache"), paired / "some.vec"


def rows(out):
    return open_snapshot(str(out)).read("cloze/candidates").to_pylist()


def digests(out):
    return [part["sha256"] for part in manifest(out)["tables"]["cloze/candidates"]["parts"]]


def test_pairs_to_candidates(given, capsys):
    out, resources, vectors = given
    words = ("cloze", "candidates", out, "--kind", "nonspecificity", *resources)
    assert call(*words, "--depth-below", "2", "--vectors", vectors) == 0
    said = capsys.readouterr().out
    assert "nonspecificity: " in said
    assert "threshold of nonspecificity: 2" in said
    found = rows(out)
    pairs = {row["pair_id"]: row for row in open_snapshot(str(out)).read("cloze/pairs").to_pylist()}
    # Every word of each summary is there once, in the order of questions.
    assert sorted((row["pair_id"], row["token"]) for row in found) == sorted(
        (key, at) for key, pair in pairs.items() for at, form in enumerate(pair["summary_forms"]) if form.isalnum()
    )
    ids = [row["question_id"] for row in found]
    assert ids == sorted(set(ids))
    assert all(row["question_id"] == question_id(row["pair_id"], row["token"]) for row in found)
    by_form = {row["form"]: row for row in found if row["target"]}
    assert {form: row["reason"] for form, row in by_form.items()} == {
        "dog": "nonspecificity",
        "animal": None,
        "entity": None,
    }
    assert by_form["dog"]["nonspecificity_match"] == "dog.n.1"
    assert by_form["dog"]["synonym_match"] == "hound"
    assert by_form["dog"]["static_passed"] is False
    for row in found:
        failed = [key for key, value in row.items() if key.endswith("_passed") and value is False]
        assert row["passed"] == (row["reason"] is None) == (not failed)
    section = open_snapshot(str(out)).section("cloze.candidates")
    counts = {row["filter"]: row for row in section["counts"]}
    assert counts["all"]["words"] == len(found)
    assert counts["all"]["targets"] == 3
    assert counts["all"]["rejected"] == sum(row["reasons"] for name, row in counts.items() if name != "all")
    for name, count in counts.items():
        if name != "all":
            values = [row[f"{name}_passed"] for row in found]
            assert (count["rejected"], count["abstained"]) == (values.count(False), values.count(None))
    assert counts["static"]["abstained"]


def test_a_quantile_is_of_this_corpus_and_bytes_are_the_same(given):
    out, resources, vectors = given
    words = (
        "cloze",
        "candidates",
        "--kind",
        "nonspecificity",
        *resources,
        "--vectors",
        vectors,
        "--filters",
        "static",
        "--static-threshold",
        "quantile:0.5",
    )
    assert call(*words, out) == 0
    section = open_snapshot(str(out)).section("cloze.candidates")
    threshold = section["thresholds"]["static"]
    assert section["filters"] == ["nonspecificity", "static"]
    assert 0 < section["random_pairs"]["static"] <= 3 * 64
    cosines = [
        np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)
        for a in VECTORS.values()
        for b in VECTORS.values()
        if any(a) and any(b)
    ]
    assert min(cosines) <= threshold <= 1 + 1e-6
    for row in rows(out):
        value = row["static_value"]
        assert row["static_passed"] == (None if value is None else value < threshold)
    first = digests(out)
    assert call(*words, out, "--overwrite", "--fresh") == 0
    assert digests(out) == first


def test_what_is_missing_is_said(given, capsys):
    out, resources, _ = given
    assert call("cloze", "candidates", out, "--kind", "imperceptibility", *resources) == 2
    assert "--abstractness" in capsys.readouterr().err
    words = ("cloze", "candidates", out, "--kind", "nonspecificity", *resources)
    assert call(*words, "--filters", "static") == 2
    assert "--vectors" in capsys.readouterr().err
    assert call(*words, "--static-threshold", "quantile:2") == 2
    assert "quantile:0.99" in capsys.readouterr().err
