"""A model that a worker lacks is packed once by the driver, and unpacked once on a machine."""

import os
import tarfile
import time
from pathlib import Path

import pytest
from object_store import OBJECTS

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.layout import make_marked_folder
from lexbeam.transforms.common.publish.removing import free, leftovers
from lexbeam.transforms.common.store import models
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.models import (
    carry,
    content_digest,
    model_digest,
    models_noted,
    note_model,
    offer,
    taken,
)

FILES = {"config.cfg": b"a", "vocab/strings.json": b"\x00\xff" * 9000, "empty": b"", "ü b.txt": b"c"}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(models, "_OFFERED", [])
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "model"


@pytest.fixture(params=["disk", "store"])
def workspace(request, tmp_path):
    OBJECTS.clear()
    out = str(tmp_path / "out") if request.param == "disk" else "store://bucket/out"
    if request.param == "disk":
        Path(out).mkdir()
    return Workspace(make_marked_folder(out, "_artefacts"))


def noted(folder, spec="spacy:model", fingerprint="spacy=3 model=1"):
    with models_noted() as found:
        note_model(spec, fingerprint, tuple((name, str(folder / name)) for name in FILES))
    return found


def content_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


def test_a_model_arrives_as_it_was_once_a_machine(folder, workspace, cache, monkeypatch):
    carry(workspace, noted(folder))
    offer(workspace)
    copy = taken("spacy:model", "spacy=3 model=1")
    assert content_of(copy) == FILES
    assert Path(copy).is_relative_to(cache)
    monkeypatch.setattr(models, "_unpack", None)  # what is there is not unpacked again
    assert taken("spacy:model", "spacy=3 model=1") == copy
    # Another model of the name, or the model under another name, is not there.
    assert taken("spacy:model", "spacy=3 model=2") is None
    assert taken("spacy:other", "spacy=3 model=1") is None


def test_a_model_is_packed_once_and_again_after_it_was_freed(folder, workspace, cache, monkeypatch):
    carry(workspace, noted(folder))
    opened = []
    true = tarfile.open
    monkeypatch.setattr(models.tarfile, "open", lambda *a, **k: opened.append(k["mode"]) or true(*a, **k))
    carry(workspace, noted(folder))
    assert opened == []
    assert free(workspace.root, ()).files == 1
    carry(workspace, noted(folder))
    assert opened == ["w|"]
    assert list(leftovers(workspace.root)) == []
    offer(workspace)
    assert content_of(taken("spacy:model", "spacy=3 model=1")) == FILES


def test_without_a_run_nothing_is_noted_and_nothing_taken(folder):
    note_model("spacy:model", "1", (("config.cfg", str(folder / "config.cfg")),))
    assert noted(folder).keys() != noted(folder, fingerprint="2").keys()
    assert taken("spacy:model", "1") is None


def test_a_pack_that_was_damaged_leaves_no_copy(folder, tmp_path, cache):
    OBJECTS.clear()
    space = Workspace(make_marked_folder("store://bucket/out", "_artefacts"))
    carry(space, noted(folder))
    (path,) = [path for path in OBJECTS if path.endswith(".tar")]
    OBJECTS[path] = OBJECTS[path].replace(b"\x00\xff", b"\x00\xfe", 1)
    offer(space)
    with pytest.raises(LexbeamError, match=r"the model 'spacy:model' was damaged on the way \(store:.*tar\): remove"):
        taken("spacy:model", "spacy=3 model=1")
    assert [path for path in (cache / "models").iterdir() if path.suffix != ".lock"] == []


def fill(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return model_digest(str(folder))


def test_the_digest_depends_on_names_and_bytes_not_on_place_or_time(tmp_path):
    files = {"meta.json": b"{}", "ner/model": b"abc"}
    digest = fill(tmp_path / "a", files)
    assert len(digest) == 64
    assert fill(tmp_path / "b", dict(reversed(files.items()))) == digest
    os.utime(tmp_path / "a" / "meta.json", (1, 1))
    assert model_digest(str(tmp_path / "a") + "/") == digest
    assert fill(tmp_path / "c", files | {"meta.json": b"{ }"}) != digest
    assert fill(tmp_path / "d", {"meta.json": b"{}", "ner/modela": b"bc"}) != digest


def test_one_file_and_a_missing_one(tmp_path):
    (tmp_path / "x.pt").write_bytes(b"1")
    assert model_digest(str(tmp_path / "x.pt")) != model_digest(str(tmp_path))[:10]
    with pytest.raises(LexbeamError, match="no model at"):
        model_digest(str(tmp_path / "y"))


def test_a_model_on_an_object_store_has_the_digest_that_it_has_here(tmp_path):
    (tmp_path / "model" / "part").mkdir(parents=True)
    (tmp_path / "model" / "meta.json").write_bytes(b"{}")
    (tmp_path / "model" / "part" / "weights").write_bytes(b"1 2 3")
    OBJECTS.clear()
    OBJECTS.update({"store://b/m/meta.json": b"{}", "store://b/m/part/weights": b"1 2 3"})
    assert model_digest("store://b/m") == model_digest(str(tmp_path / "model"))
    with pytest.raises(LexbeamError, match="no model"):
        model_digest("store://b/none")


def test_what_changes_within_a_tick_of_the_clock_is_read_again(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"one")
    before, times = content_digest(str(path)), os.stat(path)
    path.write_bytes(b"two")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert content_digest(str(path)) != before


def test_what_is_at_rest_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"one")
    later = time.time_ns() + 3_000_000_000
    monkeypatch.setattr("time.time_ns", lambda: later)
    before = content_digest(str(path))
    monkeypatch.setattr("lexbeam.transforms.common.store.models.stream_digest", lambda _: pytest.fail("read"))
    assert content_digest(str(path)) == before


def test_a_model_may_have_files_of_any_name(tmp_path):
    odd = os.fsdecode(b"a\xff")
    assert fill(tmp_path / "a", {odd: b"1"}) != fill(tmp_path / "b", {os.fsdecode(b"a\xfe"): b"1"})
