"""Whole commands on an object store, as they are: one run after another, a look, a cleaning."""

import json
import re

import pytest
import yaml
from apache_beam.io.filesystem import FileMetadata
from decoded import holding
from object_store import OBJECTS, Store

from lexbeam.pipelines.cli import main
from lexbeam.transforms.annotation import annotate
from lexbeam.transforms.change.spaces import training
from lexbeam.transforms.common.publish.snapshots import open_snapshot

OUT = "store://bucket/results"
WORDS = "the ship sails over the sea and the sailor sings of the land"
CORPUS = {"engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"}
CHANGE = {"slices": "1800-1849,1850-1900", "dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1}
ARTEFACT = re.compile(rf"{OUT}/_artefacts/(corpus|change)/[\w-]+/[0-9a-f]{{32}}[^/]*")
FOREIGN = f"{OUT}/_artefacts/corpus/ingest/d41d8cd98f00b204e9800998ecf8427e.pdf"


def call(*words):
    return main([str(word) for word in words])


def corpus(texts, *more):
    options = [word for name, value in CORPUS.items() for word in (f"--{name}", value)]
    return call("corpus", texts, "--out", OUT, "--parts", "2", *options, *more)


def change(*more):
    options = [word for name, value in CHANGE.items() for word in (f"--{name}", value)]
    return call("change", "--out", OUT, *options, *more)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store") / "texts"
    folder.mkdir()
    for year in (1810, 1820, 1860, 1870):
        body = ". ".join(f"{WORDS} number {n}" for n in range(10)) + "."
        (folder / f"{year}.txt").write_text(f"In {year} {body}")
    return folder


@pytest.fixture(scope="module")
def published(texts):
    """The objects after a corpus and a change, each published alone."""
    OBJECTS.clear()
    assert corpus(texts) == 0
    assert change() == 0
    OBJECTS[FOREIGN] = b"mine"
    return dict(OBJECTS)


@pytest.fixture
def store(published):
    """The object store as it is after the two; what is somebody else's stays as it is."""
    OBJECTS.clear()
    OBJECTS.update(published)
    yield OBJECTS
    assert OBJECTS[FOREIGN] == b"mine"


@pytest.fixture
def run_config(texts, tmp_path):
    """A function that writes a configuration with other options of `change`, and returns it."""

    def write(**more):
        path = tmp_path / "config.yaml"
        values = {"corpus": {"inputs": [str(texts)], **CORPUS}, "parts": 2, "change": {**CHANGE, **more}}
        path.write_text(yaml.safe_dump(values))
        return path

    return write


@pytest.fixture
def work(monkeypatch):
    """What is really annotated and trained, by the names of functions."""
    done = []
    for module, name in ((annotate, "annotate_text"), (training, "train_space")):
        true = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, _true=true, _name=name, **k: done.append(_name) or _true(*a, **k))
    return done


def artefacts():
    return {path for path in OBJECTS if ARTEFACT.fullmatch(path) and path != FOREIGN}


def test_a_run_with_another_option_takes_up_what_is_there(store, run_config, work, capsys):
    first = open_snapshot(OUT)
    documents = {path: store[path] for path in first.paths("documents")}
    assert call("run", run_config(measure=["frequency"]), "--out", OUT) == 2
    assert call("run", run_config(measure=["frequency"]), "--out", OUT, "--overwrite") == 0
    told = capsys.readouterr().out
    snapshot = open_snapshot(OUT)
    assert work == []
    assert set(snapshot.sections) == {"corpus", "change"}
    assert set(snapshot.read("scores")["measure"].to_pylist()) == {"frequency"}
    assert snapshot.damaged() == []
    assert [store[path] for path in snapshot.paths("documents")] == list(documents.values())
    # What a person is told to read is there.
    folder, names = re.search(r"tables: (.*)/\{(.*)\}", told).groups()
    assert set(names.split(",")) == set(snapshot.tables)
    for name in names.split(","):
        assert any(path.startswith(f"{folder}/{name}/part-") for path in store)
    # Two snapshots are kept; the first goes, but for what the others have of it.
    assert change("--measure", "cosine,frequency", "--overwrite") == 0
    assert open_snapshot(OUT).damaged() == []
    manifests = {path for path in store if path.endswith("/manifest.json")}
    assert manifests == {f"{found.folder}/manifest.json" for found in (snapshot, open_snapshot(OUT))}
    assert work == []


def test_show_tells_of_tables_and_words(store, capsys):
    assert call("show", OUT) == 0
    told = capsys.readouterr().out
    assert f"{OUT}:\n" in told
    assert "documents: 4 rows; a row is a document taken in:" in told
    assert call("show", f"{OUT}/slices", "--tsv") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert call("show", OUT, "--word", "ship") == 0
    assert "[ship] sails" in capsys.readouterr().out
    snapshot = open_snapshot(OUT)
    assert call("show", snapshot.paths("documents")[0]) == 0
    assert call("show", f"{snapshot.folder}/scores") == 0
    assert call("show", "store://bucket/nowhere") == 1
    assert "nothing is at" in capsys.readouterr().err


def test_status_verifies_every_part(store, capsys):
    assert call("status", OUT, "--verify") == 0
    told = capsys.readouterr().out
    assert "published: corpus: corpus/inputs 4 rows, documents 4 rows" in told
    assert re.search(r"verified: \d+ parts", told)
    assert "stale" not in told
    assert "at work: nobody" in told
    path = open_snapshot(OUT).paths("sentences")[1]
    store[path] = store[path][:-1]
    assert call("status", OUT, "--verify") == 1
    assert path in capsys.readouterr().err


def test_clean_frees_artefacts_and_what_killed_runs_have_left(store, work, run_config, capsys):
    stage = next(path for path in artefacts() if "/change/train/" in path).rpartition("/")[0]
    left = [f"{stage}/{'0' * 32}.parquet", f"{OUT}/_artefacts/results/0123456789abcdef/parts.json"]
    for path in left:
        store[path] = b"half"
    published = {path: value for path, value in store.items() if "/_artefacts/" not in path}
    assert call("clean", OUT) == 0
    printed = capsys.readouterr()
    assert "removed: temporary file (2" in printed.out
    assert re.search(r"freed: [1-9]\d* files of artefacts", printed.out)
    assert {path: v for path, v in store.items() if "/_artefacts/" not in path} == published
    assert not {*left} & set(store)
    assert call("clean", OUT) == 0
    assert capsys.readouterr().out == "nothing to remove\n"
    # What is left serves a run with the same options.
    assert call("run", run_config(), "--out", OUT, "--overwrite") == 0
    assert work == []


def test_without_receipts_all_that_the_stages_wrote_is_left_behind(store):
    for path in [path for path in artefacts() if path.endswith(".json")]:
        del store[path]
    assert artefacts()
    assert call("clean", OUT) == 0
    assert artefacts() == set()


def test_keep_published_frees_after_publication(store, run_config, capsys):
    assert call("run", run_config(measure=["frequency"]), "--out", OUT, "--overwrite", "--keep", "published") == 0
    assert int(re.search(r"freed: (\d+) files", capsys.readouterr().out)[1]) > 0
    assert not [path for path in artefacts() if path.endswith("-sentences.arrow")]
    assert open_snapshot(OUT).damaged() == []


def test_fresh_makes_everything_anew(store, run_config, work):
    name = open_snapshot(OUT).name
    before = artefacts()
    assert call("run", run_config(), "--out", OUT, "--overwrite", "--fresh") == 0
    assert {"annotate_text", "train_space"} <= set(work)
    assert artefacts() == before
    assert open_snapshot(OUT).name == name


def test_a_damaged_pointer_is_told_and_mended(store, texts, capsys):
    pointer = f"{OUT}/current.json"
    name = open_snapshot(OUT).name
    store[pointer] = store[pointer][:9]
    for command in (["show", OUT], ["status", OUT], ["clean", OUT]):
        assert call(*command) == 1
        assert "current.json is damaged" in capsys.readouterr().err
    assert change() == 1
    assert "--overwrite" in capsys.readouterr().err
    assert change("--overwrite") == 0
    assert json.loads(store[pointer]) == {"snapshot": name}
    assert set(open_snapshot(OUT).sections) == {"corpus", "change"}


def test_a_snapshot_is_held_back_on_a_store_and_a_source_forgotten(store, texts, tmp_path, capsys):
    gate = {"corpus": {"documents": {"most": 3}}}
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump({"parts": 2, "corpus": {"inputs": str(texts), **CORPUS}, "gate": gate}))
    before = OBJECTS[f"{OUT}/current.json"]
    assert call("run", config, "--out", OUT, "--overwrite") == 1
    assert OBJECTS[f"{OUT}/current.json"] == before
    capsys.readouterr()
    assert call("status", OUT, "--json") == 0
    assert json.loads(capsys.readouterr().out)["held_back"] == ["corpus: documents: 4 is more than 3"]
    words = [b"1820.txt"]
    assert holding(OBJECTS, words)
    assert call("forget", OUT, "1820.txt") == 0
    left = holding(OBJECTS, words)
    # The file's name alone: in what is kept of input files, and in tables of these.
    assert {name.rpartition("/")[0].rpartition("/")[2] for name in left} == {"listing", "inputs", "rejects"}
    assert open_snapshot(OUT).section("corpus")["documents"] == 3
    assert open_snapshot(OUT).damaged() == []
    assert OBJECTS[FOREIGN] == b"mine"
    assert call("run", config, "--out", OUT, "--overwrite") == 0


def test_other_objects_of_the_same_names_and_sizes_are_other_inputs(tmp_path, monkeypatch):
    """However old they are: the time of an object says nothing of one with another name."""
    old = 1e9  # seconds since 1970

    def list_old(_, prefix):
        return (
            FileMetadata(path, len(found), old) for path, found in sorted(OBJECTS.items()) if path.startswith(prefix)
        )

    monkeypatch.setattr(Store, "_list", list_old)
    OBJECTS.clear()
    for place, word in (("one", "ship"), ("two", "boat")):
        for year in (1810, 1860):
            OBJECTS[f"store://bucket/{place}/{year}.txt"] = f"The {word} sails.".encode()

    def refresh(place):
        path = tmp_path / "config.yaml"
        corpus = {"inputs": [f"store://bucket/{place}/*.txt"], **CORPUS}
        path.write_text(yaml.safe_dump({"corpus": corpus, "parts": 1}))
        return call("refresh", path, "--out", tmp_path / "out", "--exit-code", "--max-change", 1)

    assert [refresh(place) for place in ("one", "one", "two", "two")] == [0, 3, 0, 3]
    assert all(
        "boat" in text for text in open_snapshot(str(tmp_path / "out")).read("documents", ["text"])["text"].to_pylist()
    )
