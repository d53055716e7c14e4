import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from object_store import OBJECTS  # importing it makes `store://` known

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import locked_file
from lexbeam.transforms.common.publish.layout import make_marked_folder
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.models import carry, model_digest, models_noted, offer
from lexbeam.transforms.lexicon.encoders import loading_encoders
from lexbeam.transforms.lexicon.encoders.loading_encoders import (
    clean_copies,
    describe_encoder,
    load_encoder,
    local_copy,
)
from lexbeam.transforms.lexicon.encoders.span_vectors import span_vectors

REMOTE = "store://bucket/models/tiny"


@pytest.fixture
def remote(monkeypatch, tmp_path):
    """A model of two files on an object store, and the folder of copies; digest and folder."""
    OBJECTS.clear()
    OBJECTS[f"{REMOTE}/config.json"] = b"{}"
    OBJECTS[f"{REMOTE}/onnx/model.safetensors"] = b"weights" * 1000
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    yield model_digest(REMOTE), Path(loading_encoders.cache_folder())
    OBJECTS.clear()


def held(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_remote_folder_is_copied_once(remote, monkeypatch):
    digest, folder = remote
    found = Path(local_copy(REMOTE))
    assert found == folder / digest
    assert held(found) == {"config.json": b"{}", "onnx/model.safetensors": b"weights" * 1000}
    OBJECTS.clear()  # with its digest known it is not asked for again
    assert Path(local_copy(REMOTE, digest=digest)) == found


def test_a_local_folder_is_itself(tmp_path):
    assert local_copy(str(tmp_path), digest="any") == str(tmp_path)


def test_a_damaged_copy_is_made_anew(remote):
    digest, _ = remote
    found = Path(local_copy(REMOTE))
    (found / "config.json").write_bytes(b"{ }")
    assert held(Path(local_copy(REMOTE, digest=digest)))["config.json"] == b"{}"


def test_what_a_killed_process_left_is_no_copy(remote):
    digest, folder = remote
    left = folder / f"{digest}.0123456789abcdef.tmp"
    left.mkdir(parents=True)
    (left / "config.json").write_bytes(b"{")
    assert held(Path(local_copy(REMOTE)))["config.json"] == b"{}"


def test_a_model_that_has_changed_is_an_error_and_leaves_nothing(remote):
    digest, folder = remote
    OBJECTS[f"{REMOTE}/config.json"] = b"[]"
    with pytest.raises(LexbeamError, match="has changed meanwhile"):
        local_copy(REMOTE, digest=digest)
    assert [path.name for path in folder.iterdir()] == [f"{digest}.lock"]


def test_several_at_once_make_one_copy(remote, monkeypatch):
    digest, _ = remote
    made = []
    copy = loading_encoders._copy

    def counted(*arguments):
        made.append(arguments)
        copy(*arguments)

    monkeypatch.setattr(loading_encoders, "_copy", counted)
    found = []
    threads = [threading.Thread(target=lambda: found.append(local_copy(REMOTE))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(found) == 5
    assert set(map(model_digest, found)) == {digest}


def test_a_remote_encoder_is_described_where_it_is_and_loaded_from_a_copy(remote, bert):
    OBJECTS.clear()
    for path in Path(bert).iterdir():
        OBJECTS[f"{REMOTE}/{path.name}"] = path.read_bytes()
    info = describe_encoder(REMOTE)
    assert info.digest == model_digest(bert)
    assert not remote[1].exists()
    encoder = load_encoder(REMOTE, device="cpu", digest=info.digest)
    arguments = ["The cat was tired."], [4], [7]
    np.testing.assert_array_equal(
        span_vectors(encoder, *arguments).vectors, span_vectors(load_encoder(bert, device="cpu"), *arguments).vectors
    )


def test_a_model_that_a_worker_lacks_is_the_drivers(bert, tmp_path, monkeypatch):
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(loading_encoders, "_LOADED", {})
    folder = tmp_path / "tiny"
    shutil.copytree(bert, folder)
    with models_noted() as noted:
        info = describe_encoder(str(folder))
    (tmp_path / "out").mkdir()
    workspace = Workspace(make_marked_folder(str(tmp_path / "out"), "_artefacts"))
    carry(workspace, noted)
    shutil.rmtree(folder)
    offer(workspace)
    arguments = ["The cat was tired."], [4], [7]
    sent = load_encoder(str(folder), device="cpu", digest=info.digest)
    np.testing.assert_array_equal(
        span_vectors(sent, *arguments).vectors, span_vectors(load_encoder(bert, device="cpu"), *arguments).vectors
    )


def test_cleaning_removes_copies_but_those_that_are_being_made(remote):
    digest, folder = remote
    local_copy(REMOTE)
    (folder / "mine").mkdir()
    with locked_file(str(folder / f"{digest}.lock")):
        clean_copies(str(folder))
        assert (folder / digest).is_dir()
    clean_copies(str(folder))
    assert [path.name for path in folder.iterdir()] == ["mine"]
    assert held(Path(local_copy(REMOTE, digest=digest)))["config.json"] == b"{}"
    clean_copies(str(folder / "nowhere"))
