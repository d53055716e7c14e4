"""Commands on one folder: what each adds, replaces, carries over, drops, and says of it."""

import json
import os

import pandas as pd
import pytest
import yaml

from pipelines import corpus_plan
from pipelines.cli import main
from pipelines.staleness import stale_sections
from transforms.annotation import annotate
from transforms.change import training
from transforms.common.snapshots import open_snapshot

WORDS = "the ship sails over the sea and the sailor sings of the land"
SMALL = ["--dim", "5", "--epochs", "1", "--min-count", "1", "--min-sentence", "1"]
SLICES = ["--slices", "1800-1849,1850-1900"]
CHANGE = {"slices", "vectors", "alignments", "scores", "neighbours"}
CORPUS = {"documents", "sentences", "rejects"}


def call(*words):
    return main([str(word) for word in words])


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for year in (1810, 1820, 1860, 1870):
        body = ". ".join(f"{WORDS} number {n}" for n in range(10)) + "."
        (folder / f"{year}.txt").write_text(f"In {year} {body}")
    return folder


def corpus(texts, out, *options):
    return call("corpus", texts, "--out", out, "--engine", "builtin:en", "--format", "text",
                "--dates", "name:^(\\d+)", "--parts", "2", *options)  # fmt: skip


def change(out, *options):
    return call("change", "--out", out, *SLICES, *SMALL, *options)


def manifest(out):
    return json.loads((out / "manifest.json").read_text("utf-8"))


@pytest.fixture
def out(texts, tmp_path):
    """A folder with a corpus, and change made from it."""
    assert corpus(texts, tmp_path / "out") == 0
    assert change(tmp_path / "out") == 0
    return tmp_path / "out"


def test_a_folder_may_be_its_own_input(texts, tmp_path, out):
    assert set(manifest(out)["tables"]) == CORPUS | CHANGE
    named = tmp_path / "named"
    assert corpus(texts, named) == 0
    assert call("change", named, "--out", named, *SLICES, *SMALL) == 0
    assert manifest(named) == manifest(out)
    config = {"corpus": {"inputs": ["texts"], "engine": "builtin:en", "format": "text",
                         "dates": "name:^(\\d+)"},
              "parts": 2,
              "change": {"slices": SLICES[1], "dim": 5, "epochs": 1, "min-count": 1,
                         "min-sentence": 1}}  # fmt: skip
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "once") == 0
    assert (tmp_path / "once" / "manifest.json").read_bytes() == (
        out / "manifest.json"
    ).read_bytes()


def test_a_section_says_what_it_was_made_from(out):
    section = manifest(out)["change"]
    (read,) = section["reads"]
    assert (read["table"], read["section"]) == ("sentences", "corpus")
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
    assert "takes along change" in error
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


@pytest.mark.parametrize("order", ["corpus first", "change first"])
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
    assert "3 published parts" in error
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
    assert f"{2 if first is corpus else 1} published parts" in capsys.readouterr().err
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


@pytest.fixture
def counted(monkeypatch):
    """How many documents have been annotated, and slices trained."""
    found = {"annotated": 0, "trained": 0}
    annotate_text, train = annotate.annotate_text, training.train

    def count_annotated(*arguments, **options):
        found["annotated"] += 1
        return annotate_text(*arguments, **options)

    def count_trained(*arguments, **options):
        found["trained"] += 1
        return train(*arguments, **options)

    monkeypatch.setattr(annotate, "annotate_text", count_annotated)
    monkeypatch.setattr(training, "train", count_trained)
    return found


RERUNS = {
    "the same": [],
    "a ranking option": ["--rank-min-count", "3"],
    "one alignment more": ["--alignment", "op,op-,cca"],
    "one alignment less": ["--alignment", "op"],
    "a measure": ["--measure", "frequency"],
    "a neighbour count": ["--neighbours", "3"],
    "a threshold of neighbours": ["--neighbour-min-count", "2"],
    "words that get neighbours": ["--neighbour-words", "5"],
    "what cca drops": ["--rcond", "1e-6"],
    "words to fit on": ["--fit-on", "top:5"],
}


@pytest.mark.parametrize("options", RERUNS.values(), ids=RERUNS)
def test_another_option_annotates_and_trains_nothing_again(out, options, counted):
    assert change(out, "--overwrite", *options) == 0
    assert counted == {"annotated": 0, "trained": 0}


def test_one_target_more_trains_nothing_again(out, tmp_path, counted):
    (tmp_path / "targets.txt").write_text("ship\n")
    assert change(out, "--overwrite", "--targets", tmp_path / "targets.txt") == 0
    (tmp_path / "targets.txt").write_text("ship\nsea\n")
    assert change(out, "--overwrite", "--targets", tmp_path / "targets.txt") == 0
    assert counted == {"annotated": 0, "trained": 0}
    scores = pd.read_parquet(out / "scores")
    assert set(scores[scores.target].word) == {"ship", "sea"}


def test_one_slice_more_trains_that_one_alone(out, counted):
    slices = ["--slices", "1800-1849,1850-1865,1866-1900"]
    assert call("change", "--out", out, *slices, *SMALL, "--overwrite") == 0
    assert counted == {"annotated": 0, "trained": 2}
    assert change(out, "--overwrite") == 0
    assert counted == {"annotated": 0, "trained": 2}


def test_one_seed_more_trains_that_one_alone(out, counted):
    assert change(out, "--overwrite", "--seeds", "2") == 0
    assert counted["trained"] == 2


def test_another_number_of_parts_annotates_nothing_again(texts, out, counted):
    assert corpus(texts, out, "--overwrite", "--parts", "3") == 0
    assert counted["annotated"] == 0


def test_what_every_record_holds_annotates_all_anew_and_its_undoing_nothing(texts, out, counted):
    assert corpus(texts, out, "--overwrite", "--genre", "x") == 0
    assert counted["annotated"] == 4
    assert corpus(texts, out, "--overwrite") == 0
    assert counted["annotated"] == 4


def test_one_document_more_annotates_its_unit_and_trains_its_slice_alone(texts, out, counted):
    # So small a corpus is one unit.
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, out, "--overwrite") == 0
    assert counted["annotated"] == 5
    assert change(out) == 0
    assert counted["trained"] == 1
    scores = pd.read_parquet(out / "scores")
    (texts / "1880.txt").unlink()
    assert corpus(texts, out, "--overwrite") == 0
    assert change(out) == 0
    assert counted == {"annotated": 5, "trained": 1}
    assert not pd.read_parquet(out / "scores").equals(scores)


def test_units_before_a_new_document_are_taken_up(texts, tmp_path, counted, monkeypatch):
    # Files are packed in the order of their names, here two and two.
    size = max(path.stat().st_size for path in texts.iterdir())
    monkeypatch.setattr(corpus_plan, "UNIT_BYTES", 2 * size)
    out = tmp_path / "out"
    assert corpus(texts, out) == 0
    assert counted["annotated"] == 4
    # One that is the last shifts none, one that is the first shifts all.
    for name, annotated in {"1880.txt": 1, "1800.txt": 6}.items():
        before = counted["annotated"]
        (texts / name).write_text((texts / "1870.txt").read_text().replace("1870", name[:4]))
        assert corpus(texts, out, "--overwrite") == 0
        assert counted["annotated"] - before == annotated


def test_a_fresh_run_makes_everything_anew_and_the_same(texts, out, counted):
    before = manifest(out)
    assert corpus(texts, out, "--overwrite", "--fresh") == 0
    assert counted == {"annotated": 4, "trained": 0}
    assert change(out, "--overwrite", "--fresh") == 0
    assert counted == {"annotated": 4, "trained": 2}
    assert manifest(out) == before


def test_what_is_freed_is_made_anew_only_where_it_is_asked_for(texts, out, counted, capsys):
    before = manifest(out)
    assert call("clean", out) == 0
    assert "freed:" in capsys.readouterr().out
    assert call("clean", out) == 0
    assert capsys.readouterr().out == "nothing to remove\n"
    assert corpus(texts, out, "--overwrite") == 0
    assert change(out, "--overwrite") == 0
    assert counted == {"annotated": 0, "trained": 0}
    assert manifest(out) == before
    assert change(out, "--overwrite", "--rank-min-count", "1") == 0
    assert counted == {"annotated": 0, "trained": 0}
    assert call("clean", out) == 0
    assert corpus(texts, out, "--overwrite", "--parts", "1", "--drop", "change") == 0
    assert counted["annotated"] == 4


def test_published_parts_alone_are_kept(texts, tmp_path, counted, capsys):
    out = tmp_path / "out"
    assert corpus(texts, out, "--keep", "published") == 0
    assert "freed:" in capsys.readouterr().out
    kept = [path for path in (out / "_artefacts" / "corpus").rglob("*") if path.is_file()]
    assert {path.suffix for path in kept} == {".json", ".freed", ".parquet", ".arrow"}
    assert all("-keys" in path.name for path in kept if path.suffix == ".arrow")
    assert corpus(texts, out, "--overwrite") == 0
    assert counted["annotated"] == 4


STALE = {
    "an input is new": lambda texts: (texts / "1880.txt").write_text("More."),
    "an input is gone": lambda texts: os.remove(texts / "1810.txt"),
    "an input has another size": lambda texts: (texts / "1810.txt").write_text("Other."),
    "an input has other bytes": lambda texts: (texts / "1810.txt").write_text(
        (texts / "1810.txt").read_text().replace("ship", "shop")
    ),
}


def put_an_older_file_there(texts):
    other = texts.parent / "older.txt"
    other.write_text((texts / "1810.txt").read_text().replace("ship", "shop"))
    os.utime(other, (0, 0))
    os.replace(other, texts / "1810.txt")


STALE["an older file of its size is there"] = put_an_older_file_there


@pytest.mark.parametrize("how", STALE)
def test_status_and_show_tell_what_is_stale(how, texts, out, capsys):
    for command in ("status", "show"):
        assert call(command, out) == 0
        assert "stale" not in capsys.readouterr().out
    STALE[how](texts)
    for command in ("status", "show"):
        assert call(command, out) == 0
        assert "stale: input: 1" in capsys.readouterr().out


def test_a_stage_whose_engine_is_no_more_is_stale(out):
    snapshot = open_snapshot(str(out))
    stage = snapshot.section("corpus")["stages"]["corpus/annotate"]
    stage["chosen"] = {"transforms.annotation.base:ENGINES": ["mine"]}
    assert stale_sections(snapshot) == {"corpus": ["code of corpus/annotate has changed"]}


def test_changed_targets_and_configurations_are_stale(texts, tmp_path, out, capsys):
    (tmp_path / "targets.txt").write_text("ship\n")
    assert change(out, "--overwrite", "--targets", tmp_path / "targets.txt") == 0
    (tmp_path / "targets.txt").write_text("sea\n")
    capsys.readouterr()
    assert call("status", out) == 0
    assert "stale: option:" in capsys.readouterr().out
    config = {"corpus": {"inputs": ["texts"], "engine": "builtin:en", "format": "text",
                         "dates": "name:^(\\d+)"},
              "change": {"slices": SLICES[1], "dim": 5, "epochs": 1, "min-count": 1,
                         "min-sentence": 1}}  # fmt: skip
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "run") == 0
    capsys.readouterr()
    assert call("status", tmp_path / "run") == 0
    assert "stale" not in capsys.readouterr().out
    config["change"]["epochs"] = 2
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("status", tmp_path / "run") == 0
    assert "stale: option: epochs is 2" in capsys.readouterr().out


def test_a_corpus_elsewhere_that_changed_makes_change_stale(texts, tmp_path, capsys):
    assert corpus(texts, tmp_path / "c") == 0
    assert call("change", tmp_path / "c", "--out", tmp_path / "d", *SLICES, *SMALL) == 0
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, tmp_path / "c", "--overwrite") == 0
    capsys.readouterr()
    assert call("show", tmp_path / "d") == 0
    assert "have other content now" in capsys.readouterr().out
