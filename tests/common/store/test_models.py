"""A model that a worker lacks is packed once by the driver, and unpacked once on a machine."""

import tarfile
from pathlib import Path

import pytest
from object_store import OBJECTS

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.layout import make_marked_folder
from lexbeam.transforms.common.publish.removing import free, leftovers
from lexbeam.transforms.common.store import models
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.models import carry, models_noted, note_model, offer, taken

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
