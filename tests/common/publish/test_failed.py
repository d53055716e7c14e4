"""What a failed run leaves is removed by its name in the mark, and nothing else is."""

import os

import pytest
from object_store import OBJECTS, STORE

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.layout import FAILED, MARK, check_foreign
from lexbeam.transforms.common.publish.removing import failed_files, remove_failed, write_failed


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def test_a_file_is_written_again_listed_and_removed_with_its_folder(tmp_path):
    out = str(tmp_path)
    assert failed_files(out) == []
    write_failed(out, "a-rejects.tsv", ["one\n"])
    path = write_failed(out, "a-rejects.tsv", ["two\n", "three\n"])
    other = write_failed(out, "b-rejects.tsv", [])
    assert text_of(path) == "two\nthree\n"
    assert failed_files(out) == [path, other]
    check_foreign(out, [])
    remove_failed(out)
    assert os.listdir(out) == []
    remove_failed(out)


def test_what_is_somebody_elses_stays(tmp_path):
    write_failed(str(tmp_path), "a-rejects.tsv", ["one\n"])
    folder = tmp_path / FAILED
    (folder / "notes.tsv").write_text("mine")
    (folder / "notes.tsv.0123456789abcdef.tmp").write_text("mine")
    (folder / "a-rejects.tsv.0123456789abcdef.tmp").write_text("of a killed run")
    remove_failed(str(tmp_path))
    names = sorted(os.listdir(folder))
    assert names == [MARK, "notes.tsv", "notes.tsv.0123456789abcdef.tmp"]


def test_nothing_is_written_if_the_lines_end_in_an_error(tmp_path):
    def lines():
        yield "one\n"
        raise OSError("the disk is gone")

    path = write_failed(str(tmp_path), "a-rejects.tsv", ["before\n"])
    with pytest.raises(OSError, match="disk is gone"):
        write_failed(str(tmp_path), "a-rejects.tsv", lines())
    assert text_of(path) == "before\n"
    with pytest.raises(ValueError, match="no"):
        write_failed(str(tmp_path), "../a.tsv", [])


@pytest.mark.parametrize("mark", [None, b"", b"{", b'["../../secret.tsv", 3]'])
def test_a_folder_without_a_sound_mark_loses_nothing(tmp_path, mark):
    (tmp_path / "secret.tsv").write_text("mine")
    folder = tmp_path / "out" / FAILED
    folder.mkdir(parents=True)
    (folder / "a-rejects.tsv").write_text("mine")
    if mark is not None:
        (folder / MARK).write_bytes(mark)
    else:
        with pytest.raises(UsageError, match="not made by Lexbeam"):
            check_foreign(str(tmp_path / "out"), [])
    remove_failed(str(tmp_path / "out"))
    assert (folder / "a-rejects.tsv").exists()
    assert (tmp_path / "secret.tsv").exists()


def test_a_link_is_not_followed(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "a-rejects.tsv").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / FAILED).symlink_to(theirs)
    with pytest.raises(UsageError, match="not made by Lexbeam"):
        check_foreign(str(tmp_path / "out"), [])
    remove_failed(str(tmp_path / "out"))
    assert (theirs / "a-rejects.tsv").read_text() == "mine"


def test_object_stores_have_it_too():
    OBJECTS.clear()
    path = write_failed(STORE, "a-rejects.tsv", ["one\n"])
    OBJECTS[f"{STORE}/{FAILED}/notes.tsv"] = b"mine"
    assert OBJECTS[path] == b"one\n"
    assert failed_files(STORE) == [path]
    remove_failed(STORE)
    assert list(OBJECTS) == [f"{STORE}/{FAILED}/notes.tsv"]
