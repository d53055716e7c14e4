import os

import pytest

from transforms.common import files
from transforms.common.errors import LexbeamError


def touch(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())


def test_a_folder_is_listed_by_relative_names_in_order(tmp_path):
    touch(tmp_path, "b.txt", "a/c.txt", ".hidden", ".git/x")
    assert [(e.name, e.size) for e in files.list_files(str(tmp_path))] == [
        ("a/c.txt", 7), ("b.txt", 5),
    ]  # fmt: skip


def test_a_glob_is_listed_relative_to_its_fixed_part(tmp_path):
    touch(tmp_path, "x/1.txt", "x/2.xml", "y/3.txt")
    found = files.list_files(str(tmp_path / "*" / "*.txt"))
    assert [entry.name for entry in found] == ["x/1.txt", "y/3.txt"]


def test_a_file_is_listed_by_its_name(tmp_path):
    touch(tmp_path, "a.txt")
    (entry,) = files.list_files(str(tmp_path / "a.txt"))
    assert entry.name == "a.txt"
    assert os.path.isabs(entry.path)


def test_nothing_there_is_an_error_that_names_the_path(tmp_path):
    with pytest.raises(LexbeamError, match="nowhere"):
        files.list_files(str(tmp_path / "nowhere"))


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = str(tmp_path / "a")
    files.write_bytes(path, b"old")
    with pytest.raises(RuntimeError), files.writing(path) as stream:
        stream.write(b"ne")
        raise RuntimeError
    assert files.read_bytes(path) == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_remote_paths_go_through_beams_file_systems(tmp_path):
    # file:// is no scheme of Beam's, which it says; so the call got there.
    with pytest.raises(ValueError, match="filesystem"):
        files.read_bytes("nosuch://bucket/file")
    assert not files.is_local("gs://bucket/file")
    assert files.join("gs://bucket", "a", "b") == "gs://bucket/a/b"
