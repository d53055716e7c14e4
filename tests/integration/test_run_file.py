"""Whole runs of a configuration file, and folders that need not be named."""

import pytest
import yaml
from small_runs import CHANGE, CORPUS, SLICES, SMALL, WORDS, call, corpus, manifest

SECTIONS = {
    "change": {"slices": SLICES[1], "dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1},
    "corpus": {"inputs": ["texts"], "engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"},
}


@pytest.fixture
def write(tmp_path, texts):
    """A function that writes a configuration file of these sections beside the texts."""

    def written(**sections):
        path = tmp_path / "config.yaml"
        path.write_text(yaml.safe_dump({"parts": 2, "out": "results", **sections}, sort_keys=False))
        return path

    return written


@pytest.mark.slow
def test_sections_may_be_run_one_after_the_other(write, texts, tmp_path, capsys):
    config, out = write(**SECTIONS), tmp_path / "results"
    assert call("run", config, "--only", "change") == 2
    assert "no corpus is published" in capsys.readouterr().err
    assert call("run", config, "--only", "corpus") == 0
    first = manifest(out)
    assert set(first["tables"]) == CORPUS
    # Of a text that comes later nothing is taken in: `change` alone is run.
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert call("run", config, "--from", "change") == 0
    second = manifest(out)
    assert set(second["tables"]) == CORPUS | CHANGE
    assert second["corpus"] == first["corpus"]
    assert call("run", config, "--from", "corpus", "--overwrite") == 0
    third = manifest(out)
    assert third["corpus"]["documents"] == first["corpus"]["documents"] + 1
    assert third["change"]["inputs"] != second["change"]["inputs"]


def test_a_corpus_alone_in_a_file_runs(write, tmp_path):
    assert call("run", write(corpus=SECTIONS["corpus"])) == 0
    assert set(manifest(tmp_path / "results")["tables"]) == CORPUS


@pytest.mark.parametrize(
    ("section", "option", "value", "told"),
    [
        ("change", "targets", "nowhere.txt", "change: --targets: no file is at"),
        ("corpus", "normalise", "nowhere.tsv", "corpus: --normalise: no file is at"),
        ("corpus", "dates", "table:no.csv:key=id,date=d", "corpus: --dates: no file is at"),
    ],
)
def test_a_file_that_is_missing_stops_a_run_before_its_first_section(
    write, tmp_path, capsys, section, option, value, told
):
    config = write(**{**SECTIONS, section: {**SECTIONS[section], option: value}})
    assert call("run", config) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("option", "value", "code", "told"),
    [
        ("corpora", ["nowhere"], 1, "no corpus tables are published at"),
        ("slices", "every zero", 2, "'every zero'"),
        ("slices", "every 0", 2, "at least 1"),
        ("targets", "latin.txt", 2, "is not UTF-8 text"),
    ],
)
def test_what_a_later_section_lacks_stops_a_run_before_its_first(write, tmp_path, capsys, option, value, code, told):
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    config = write(**{**SECTIONS, "change": {**SECTIONS["change"], option: value}})
    assert call("run", config) == code
    assert told in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_change_publishes_in_the_one_folder_that_it_reads(texts, tmp_path, capsys):
    out, other = tmp_path / "out", tmp_path / "other"
    assert corpus(texts, out) == 0
    assert call("change", out, *SLICES, *SMALL) == 0
    assert set(manifest(out)["tables"]) == CORPUS | CHANGE
    assert manifest(out)["change"]["reads"][0]["section"] == "corpus"
    # Of several folders, none is the one.
    assert corpus(texts, other) == 0
    before = manifest(other)
    assert call("change", out, other, *SLICES, *SMALL) == 2
    assert "--out must be given" in capsys.readouterr().err
    assert call("change", *SLICES, *SMALL) == 2
    assert "--out must be given" in capsys.readouterr().err
    # What is named wins.
    assert call("change", out, "--out", tmp_path / "third", *SLICES, *SMALL) == 0
    assert set(manifest(tmp_path / "third")["tables"]) == CHANGE
    assert manifest(other) == before
