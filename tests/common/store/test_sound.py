import hashlib
import os

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.receipts import (
    ArtefactPath,
    Damaged,
    File,
    checked,
    is_sound,
    is_sound_size,
    mapped,
    state_of,
)
from lexbeam.transforms.common.store.tables import Part


def file_at(path, content=b"content"):
    path.write_bytes(content)
    return File(ArtefactPath(path), len(content), hashlib.sha256(content).hexdigest())


def test_a_file_is_sound_until_a_bit_changes(tmp_path):
    file = file_at(tmp_path / "f")
    assert is_sound(file)
    with open(file.path, "r+b") as stream:
        stream.write(b"C")
    assert is_sound_size(file)
    assert is_sound(file) is False


def test_no_file_and_a_link_are_neither_sound_nor_unsound(tmp_path):
    file = file_at(tmp_path / "f")
    os.rename(file.path, tmp_path / "g")
    assert is_sound(file) is None
    os.symlink("g", file.path)
    assert state_of(file.path) is None
    assert is_sound(file) is None


def test_a_file_is_hashed_once_as_long_as_it_stays(tmp_path, monkeypatch):
    file = file_at(tmp_path / "f")
    assert checked(file) == file.path
    monkeypatch.setattr("lexbeam.transforms.common.store.receipts.stream_digest", lambda _: pytest.fail("hashed"))
    assert checked(file) == file.path


def test_an_artefact_that_is_damaged_is_discarded_and_a_published_part_is_not(tmp_path):
    file = file_at(tmp_path / "f")
    os.truncate(file.path, 2)
    with pytest.raises(Damaged, match="same command again"):
        checked(file)
    assert not os.path.exists(file.path)
    path = str(tmp_path / "part")
    file_at(tmp_path / "part")
    part = Part("scores", 0, path, 1, 7, "0" * 64)
    with pytest.raises(LexbeamError, match="`verify`"):
        checked(part)
    assert os.path.exists(path)


@pytest.mark.parametrize("content", [b"content", b""])
def test_a_file_is_mapped_wherever_it_lies_and_outlives_its_name(content, tmp_path, store):
    digest = hashlib.sha256(content).hexdigest()
    store["store://bucket/a"] = content
    (tmp_path / "a").write_bytes(content)
    for path in (str(tmp_path / "a"), "store://bucket/a"):
        there = mapped(File(ArtefactPath(path), len(content), digest))
        assert there[:] == content
        with pytest.raises(Damaged):
            mapped(File(ArtefactPath(path), len(content), "0" * 64))
        assert there[:] == content
