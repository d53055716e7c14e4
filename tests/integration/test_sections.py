"""Commands on one folder: what each adds, replaces, carries over, drops, and says of it."""

import os

import pandas as pd
import pytest
import yaml
from small_runs import CHANGE, CORPUS, SLICES, SMALL, WORDS, call, change, corpus, manifest


def test_a_folder_may_be_its_own_input(texts, tmp_path, out):
    assert set(manifest(out)["tables"]) == CORPUS | CHANGE
    named = tmp_path / "named"
    assert corpus(texts, named) == 0
    assert call("change", named, "--out", named, *SLICES, *SMALL) == 0
    assert manifest(named) == manifest(out)
    config = {
        "corpus": {"inputs": ["texts"], "engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"},
        "parts": 2,
        "change": {"slices": SLICES[1], "dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1},
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "once") == 0
    assert (tmp_path / "once" / "manifest.json").read_bytes() == (out / "manifest.json").read_bytes()


def test_a_section_says_what_it_was_made_from(out):
    section = manifest(out)["change"]
    reads = {(read["table"], read["section"]) for read in section["reads"]}
    assert reads == {("documents", "corpus"), ("sentences", "corpus")}
    assert set(section["parts"]) == CHANGE
    assert section["options"]["dim"] == 5
    assert {"change/train", "change/align"} <= set(section["stages"])
    for names in section["parts"].values():
        assert names
    assert manifest(out)["environments"][section["environment"]]["packages"]["gensim"]


def test_without_a_corpus_there_is_nothing_to_read(tmp_path, capsys):
    assert change(tmp_path / "empty") == 2
    assert "no corpus is published" in capsys.readouterr().err


def test_a_named_folder_wins(texts, tmp_path, out):
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, tmp_path / "other") == 0
    assert call("change", tmp_path / "other", "--out", out, *SLICES, *SMALL, "--overwrite") == 0
    assert manifest(out)["change"]["reads"][0]["section"] is None
    assert pd.read_parquet(out / "slices").documents.tolist() == [2, 3]
    assert len(pd.read_parquet(out / "documents")) == 4
    # Made from elsewhere, it does not go with the corpus of this folder.
    (texts / "1890.txt").write_text(f"In 1890 {WORDS}. " * 3)
    assert corpus(texts, out, "--overwrite") == 0
    assert set(manifest(out)["tables"]) == CORPUS | CHANGE


def test_a_published_section_is_replaced_only_when_asked(texts, out, capsys):
    before = manifest(out)
    assert corpus(texts, out) == 2
    error = capsys.readouterr().err
    assert "section corpus" in error
    assert "would also drop change" in error
    assert change(out) == 2
    assert "section change: give --overwrite" in capsys.readouterr().err
    assert manifest(out) == before


def test_with_other_content_dependants_are_dropped_by_name(texts, out, capsys):
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, out, "--overwrite") == 0
    assert "dropped: change\n" in capsys.readouterr().out
    assert set(manifest(out)["tables"]) == CORPUS
    assert not os.path.lexists(out / "scores")


def test_with_equal_content_nothing_is_dropped(texts, out, capsys):
    before = manifest(out)
    assert corpus(texts, out, "--overwrite") == 0
    assert "dropped" not in capsys.readouterr().out
    assert manifest(out) == before


def test_a_section_is_dropped_by_name(texts, out, capsys):
    assert corpus(texts, out, "--overwrite", "--drop", "chnage") == 2
    assert "did you mean 'change'" in capsys.readouterr().err
    assert corpus(texts, out, "--overwrite", "--drop", "change") == 0
    assert "dropped: change\n" in capsys.readouterr().out
    assert set(manifest(out)["tables"]) == CORPUS


def test_what_a_run_makes_or_reads_cannot_be_dropped(texts, tmp_path, out, capsys):
    before = manifest(out)
    assert corpus(texts, out, "--overwrite", "--drop", "corpus") == 2
    assert "--drop corpus: this command makes it" in capsys.readouterr().err
    assert change(out, "--overwrite", "--drop", "corpus") == 2
    told = "--drop corpus: change is made from it; name another folder to read"
    assert told in capsys.readouterr().err
    assert manifest(out) == before
    # What is read elsewhere may go.
    assert corpus(texts, tmp_path / "other") == 0
    words = [tmp_path / "other", "--out", out, *SLICES, *SMALL, "--overwrite", "--drop", "corpus"]
    assert call("change", *words) == 0
    assert set(manifest(out)["tables"]) == CHANGE


def test_consent_to_replace_is_for_the_same_options_alone(texts, out, capsys):
    before = manifest(out)
    (texts / "bad.txt").write_bytes(b"\xff\xfe\xff")
    assert corpus(texts, out, "--overwrite", "--genre", "x") == 1
    assert manifest(out) == before
    (texts / "bad.txt").unlink()
    assert corpus(texts, out, "--resume", "--genre", "y") == 2
    assert "give --overwrite to replace it" in capsys.readouterr().err
    assert manifest(out) == before


def test_a_failed_run_is_resumed_with_the_consent_that_it_had(texts, out, capsys):
    (texts / "bad.txt").write_bytes(b"\xff\xfe\xff")
    assert corpus(texts, out, "--overwrite", "--drop", "change") == 1
    (texts / "bad.txt").unlink()
    assert corpus(texts, out) == 2
    # The same content as before drops nothing by itself.
    assert corpus(texts, out, "--resume") == 0
    assert "dropped: change\n" in capsys.readouterr().out
    assert set(manifest(out)["tables"]) == CORPUS


def test_resume_does_what_a_publication_that_was_killed_has_left(texts, out, capsys):
    old = {path.name for path in (out / "_snapshots").iterdir() if path.is_dir()}
    for link in ("scores", "documents"):
        os.remove(out / link)
    assert change(out, "--resume", "--keep-snapshots", "1") == 0
    assert "published already" in capsys.readouterr().out
    assert len(pd.read_parquet(out / "documents")) == 4
    assert (out / "scores").exists()
    assert len(old) == 2
    assert len([path for path in (out / "_snapshots").iterdir() if path.is_dir()]) == 1


def test_a_run_that_is_published_needs_no_resume(texts, out, capsys):
    before = os.readlink(out / "current")
    assert corpus(texts, out, "--resume") == 0
    assert change(out, "--resume") == 0
    assert capsys.readouterr().out.count("published already, with the same inputs and options") == 2
    assert change(out, "--resume", "--seeds", "2") == 2
    assert "--overwrite" in capsys.readouterr().err
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, out, "--resume") == 2
    assert "has changed since it was published" in capsys.readouterr().err
    assert os.readlink(out / "current") == before


def test_the_snapshot_before_stays(texts, out):
    before = (out / "current").resolve()
    whole = pd.read_parquet(before / "scores")
    assert change(out, "--overwrite", "--seeds", "2") == 0
    assert pd.read_parquet(before / "scores").equals(whole)
    assert change(out, "--overwrite", "--seeds", "1", "--keep-snapshots", "1") == 0
    assert len([path for path in (out / "_snapshots").iterdir() if path.is_dir()]) == 1


@pytest.mark.parametrize("order", ["corpus first", pytest.param("change first", marks=pytest.mark.soak)])
def test_damaged_published_parts_are_found_and_mended(order, texts, out, capsys):
    assert call("status", out, "--verify") == 0
    assert "parts are what the manifest says" in capsys.readouterr().out
    before = manifest(out)
    parts = [next((out / table).iterdir()) for table in ("scores", "documents", "vectors")]
    os.truncate(parts[0], 10)
    os.remove(parts[1])
    with open(parts[2], "r+b") as stream:
        stream.seek(40)
        stream.write(b"\xff\x00\xff")
    assert call("status", out, "--verify") == 1
    error = capsys.readouterr().err
    assert "3 parts of snapshot " in error
    assert all(path.name in error for path in parts)
    # Each command mends what it makes, and says what else is damaged.
    first, second = (corpus, change) if order == "corpus first" else (change, corpus)
    arguments = {corpus: (texts, out, "--overwrite"), change: (out, "--overwrite")}
    assert first(*arguments[first]) == 1
    error = capsys.readouterr().err
    assert f"{first.__name__} is published" in error
    assert ("scores/part-" in error) == (first is corpus)
    assert ("documents/part-" in error) == (first is change)
    assert call("status", out, "--verify") == 1
    assert ("2 parts" if first is corpus else "1 part") + " of snapshot " in capsys.readouterr().err
    assert second(*arguments[second]) == 0
    assert call("status", out, "--verify") == 0
    assert manifest(out) == before


def test_a_damaged_section_is_not_carried_over_unawares(texts, out, capsys):
    os.truncate(next((out / "documents").iterdir()), 10)
    (texts / "1890.txt").write_text(f"In 1890 {WORDS}. " * 3)
    assert corpus(texts, out.parent / "other") == 0
    assert call("change", out.parent / "other", "--out", out, *SLICES, *SMALL, "--overwrite") == 1
    assert "documents/part-" in capsys.readouterr().err
    assert call("change", "--out", out, *SLICES, *SMALL, "--drop", "corpus") == 2
    assert "change is made from it" in capsys.readouterr().err
