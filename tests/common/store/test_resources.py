import os
import time

import pytest
from object_store import OBJECTS

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.models import content_digest, model_digest


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
