"""What a second run takes up that asks for something else, through the whole commands."""

import json
import shutil
from collections import Counter

import pandas as pd
import pytest
import yaml

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.change import plan
from lexbeam.transforms.annotation import annotate
from lexbeam.transforms.change.spaces import aligning, training
from lexbeam.transforms.change.view import view_stage
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.formats.ingest import ingestion as ingest

pytestmark = pytest.mark.slow

WORDS = "the ship sails over the sea and the sailor sings of the land"
YEARS = (1810, 1820, 1860, 1870, 1910, 1920)
RULE = "name:^(\\d+)"


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Six dated texts, a copy of one, and one that cannot be read."""
    folder = tmp_path_factory.mktemp("in") / "texts"
    folder.mkdir()
    for year in YEARS:
        body = ". ".join(f"{WORDS} {n} times" for n in range(10))
        (folder / f"{year}.txt").write_text(f"In {year} {body}.")
    shutil.copy(folder / "1810.txt", folder / "1810 again.txt")
    (folder / "1811.txt").write_bytes(b"A caf\xe9.")
    return folder


def run(*words):
    assert main([str(word) for word in words]) == 0


def corpus(texts, out, *options, engine="builtin:en", dates=RULE):
    run(
        "corpus",
        texts,
        "--out",
        out,
        "--format",
        "text",
        "--engine",
        engine,
        "--dates",
        dates,
        "--max-reject-share",
        "0.5",
        *options,
    )


def change(corpus, out, slices, *options):
    run(
        "change",
        corpus,
        "--out",
        out,
        "--slices",
        slices,
        "--dim",
        "5",
        "--epochs",
        "1",
        "--min-count",
        "1",
        "--min-sentence",
        "1",
        *options,
    )


def refuse(monkeypatch, module, name):
    """Let a function fail, wherever the module calls it."""

    def fail(*args, **kwargs):
        raise AssertionError(f"{name} is called again")

    monkeypatch.setattr(module, name, fail)


def rows_of(out, table, *keys):
    """The rows of a table in one order, and the number of its parts."""
    snapshot = open_snapshot(str(out))
    frame = pd.concat([pd.read_parquet(path) for path in snapshot.paths(table)])
    return frame.sort_values(list(keys)).reset_index(drop=True), len(snapshot.parts(table))


def test_another_number_of_parts_annotates_nothing_again(texts, tmp_path, monkeypatch):
    out = tmp_path / "out"
    keys = {"documents": ["document_id"], "sentences": ["document_id", "sentence"], "rejects": ["source", "reason"]}
    corpus(texts, out, "--parts", 2)
    before = {table: rows_of(out, table, *key) for table, key in keys.items()}
    assert list(before["rejects"][0]["reason"]) == ["duplicate", "undecodable"]
    refuse(monkeypatch, ingest, "read_file")
    refuse(monkeypatch, annotate, "load_engine")
    corpus(texts, out, "--parts", 5, "--overwrite")
    for table, key in keys.items():
        found, parts = rows_of(out, table, *key)
        pd.testing.assert_frame_equal(found, before[table][0])
        assert (before[table][1], parts) == (2, 5)


def test_a_metadata_table_that_has_moved_is_read_as_the_same(texts, tmp_path, monkeypatch):
    rules = []
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        table = tmp_path / name / "dates.csv"
        table.write_text("".join(["file,year\n", *(f"{year}.txt,{year}\n" for year in YEARS)]))
        rules.append(f"table:{table}:key=file,date=year")
    out = tmp_path / "out"
    corpus(texts, out, dates=rules[0])
    first = (out / "manifest.json").read_bytes()
    refuse(monkeypatch, ingest, "read_file")
    refuse(monkeypatch, annotate, "load_engine")
    corpus(texts, out, "--overwrite", dates=rules[1])
    assert (out / "manifest.json").read_bytes() == first


def test_a_model_s_folder_that_has_moved_is_the_same_engine(texts, tmp_path, monkeypatch):
    import spacy

    folder = tmp_path / "here" / "plain"
    folder.parent.mkdir()
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(folder)
    other = shutil.copytree(folder, tmp_path / "there" / "plain")
    out = tmp_path / "out"
    corpus(texts, out, engine=f"spacy:{folder}")
    first = (out / "manifest.json").read_bytes()
    refuse(monkeypatch, ingest, "read_file")
    refuse(monkeypatch, annotate, "load_engine")
    corpus(texts, out, "--overwrite", engine=f"spacy:{other}")
    assert (out / "manifest.json").read_bytes() == first


@pytest.fixture(scope="module")
def small(texts, tmp_path_factory):
    out = tmp_path_factory.mktemp("small") / "corpus"
    corpus(texts, out, "--parts", 2)
    return out


@pytest.fixture
def done(monkeypatch):
    """What is really done: slices derived, trained, and alignments fitted."""
    found = Counter()
    derive, train, fit = view_stage.derive, training.train_space, aligning.fit_alignment

    def derived(table, slices, *rest):
        found.update(f"derive {slice.name}" for slice in slices)
        return derive(table, slices, *rest)

    def trained(*args, slice_name, **options):
        found[f"train {slice_name}"] += 1
        return train(*args, slice_name=slice_name, **options)

    def fitted(name, *args, **options):
        found[f"fit {name}"] += 1
        return fit(name, *args, **options)

    monkeypatch.setattr(view_stage, "derive", derived)
    monkeypatch.setattr(training, "train_space", trained)
    monkeypatch.setattr(aligning, "fit_alignment", fitted)
    return found


TWO = "1800-1849,1850-1899"


def test_slices_alignments_and_targets_are_added_to_what_is_there(small, tmp_path, done):
    out = tmp_path / "out"
    change(small, out, TWO, "--alignment", "op")
    assert done == {
        "derive 1800-1849": 2,
        "derive 1850-1899": 2,
        "train 1800-1849": 1,
        "train 1850-1899": 1,
        "fit op": 1,
    }
    done.clear()
    three = f"{TWO},1900-1949"
    change(small, out, three, "--alignment", "op,op-", "--overwrite")
    assert done == {"derive 1900-1949": 2, "train 1900-1949": 1, "fit op": 1, "fit op-": 2}
    done.clear()
    targets = tmp_path / "targets.txt"
    targets.write_text("ship\nsea\n")
    change(small, out, three, "--alignment", "op,op-", "--targets", targets, "--overwrite")
    assert done == {}
    scores = pd.read_parquet(out / "scores")
    assert set(scores[scores.target].word) == {"ship", "sea"}


def test_documents_outside_all_slices_retrain_none(texts, small, tmp_path, done, monkeypatch):
    monkeypatch.setattr(plan, "RANGE_TOKENS", 150)  # so that slices are in several ranges
    change(small, tmp_path / "out", TWO)
    done.clear()
    more = shutil.copytree(texts, tmp_path / "more" / "texts")
    (more / "1995.txt").write_text("In 1995 " + f"{WORDS}. " * 40)
    corpus(more, tmp_path / "larger", "--parts", 2)
    change(tmp_path / "larger", tmp_path / "out", TWO, "--overwrite")
    assert set(done) <= {"derive 1800-1849", "derive 1850-1899"}


def test_a_run_may_name_its_own_folder_as_the_corpus(texts, tmp_path):
    config = {
        "corpus": {"inputs": [str(texts)], "engine": "builtin:en", "format": "text", "dates": RULE},
        "max-reject-share": 0.5,
        "change": {"corpora": ["out"], "slices": TWO, "dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1},
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    run("run", tmp_path / "c.yaml", "--out", tmp_path / "out")
    first = json.loads((tmp_path / "out" / "manifest.json").read_text())
    config["corpus"]["genre"] = "novel"  # other content, which change must be made from
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    run("run", tmp_path / "c.yaml", "--out", tmp_path / "out", "--overwrite")
    second = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert first["change"]["reads"] != second["change"]["reads"]
    for manifest in (first, second):
        reads = {read["table"]: read for read in manifest["change"]["reads"]}
        assert reads.keys() == {"documents", "sentences"}
        for table, read in reads.items():
            assert read["section"] == "corpus"
            assert read["digest"] == table_digest(manifest["tables"][table]["parts"])


def test_two_corpora_of_equal_content_may_be_read(small, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(small, out, symlinks=True)
    run(
        "change",
        small,
        out,
        "--out",
        out,
        "--slices",
        TWO,
        "--dim",
        5,
        "--epochs",
        1,
        "--min-count",
        1,
        "--min-sentence",
        1,
    )
    assert len(pd.read_parquet(out / "slices")) == 2


def test_parts_are_published_by_slice_pair_seed_and_alignment(small, tmp_path):
    out = tmp_path / "out"
    slices = "z=1800-1849,y=1850-1899,x=1900-1949"
    options = ("--seeds", "9,4", "--alignment", "op-,op,none", "--rank-pos", "all")
    change(small, out, slices, *options)

    def keys(table, *names):
        parts = sorted((out / table).glob("part-*"))
        return [set(pd.read_parquet(part)[list(names)].itertuples(index=False, name=None)) for part in parts]

    spaces = [{(name, seed)} for name in "zyx" for seed in (4, 9)]
    assert keys("vectors", "slice", "seed") == spaces
    assert keys("neighbours", "slice", "seed") == spaces
    assert keys("slices", "slice") == [{("z",)}, {("y",)}, {("x",)}]
    assert keys("scores", "slice_from", "slice_to") == [{("z", "y")}, {("y", "x")}]
    assert keys("alignments", "slice_from", "seed", "alignment") == [
        {(name, seed, alignment)} for name in "zy" for seed in (4, 9) for alignment in ("op", "op-")
    ]


def test_as_many_artefacts_are_planned_as_are_made(small, tmp_path):
    out = tmp_path / "out"
    change(small, out, TWO, "--seeds", 2, "--alignment", "op", "--max-tokens", "smallest")
    for folder in (small, out):
        plans = {
            path.relative_to(folder / "_artefacts" / "plan").as_posix(): int(path.read_text())
            for path in (folder / "_artefacts" / "plan").glob("*/*")
        }
        made = {stage: len(list((folder / "_artefacts" / stage).glob("*.json"))) for stage in plans}
        if folder == out:  # of the part that has no document of either slice both views are the same file
            made["change/sizes"] += 1
        assert plans == made
