"""Artefacts are freed and discarded by their receipts, here and on object stores.

What a failed run leaves is removed by its name in the mark, and nothing else is.
"""

import os
from pathlib import Path

import pytest
from making import TOY
from object_store import OBJECTS, STORE

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.layout import FAILED, MARK, check_foreign
from lexbeam.transforms.common.publish.removing import (
    discard_damaged,
    discard_stages,
    failed_files,
    free,
    remove_failed,
    write_failed,
)
from lexbeam.transforms.common.store.artefacts import Workspace, make, make_all


@pytest.fixture
def space(tmp_path):
    """Artefacts of four tasks."""
    space = Workspace(str(tmp_path / "work"))
    make_all(space, TOY, ["a", "b", "c", "d"])
    return space


def test_freed_are_all_files_but_those_kept(space):
    kept = make(space, TOY, "b")
    freed = free(space.root, {kept.file.sha256})
    assert (freed.files, freed.bytes) == (3, 3 * len("content of x"))
    assert free(space.root, {kept.file.sha256}).files == 0
    assert os.path.exists(kept.file.path)
    assert make(space, TOY, "a").rows == (1, 2)


def test_damaged_artefacts_are_discarded_wherever_they_are(space):
    first, second = make(space, TOY, "a"), make(space, TOY, "b")
    with open(first.file.path, "r+b") as stream:
        stream.write(b"C")
    os.remove(second.file.path)
    assert len(discard_damaged(space.root)) == 2
    assert discard_damaged(space.root) == []
    assert make(space, TOY, "a") == first


def test_freed_artefacts_are_not_damaged(space):
    free(space.root, set())
    assert discard_damaged(space.root) == []


def test_a_fresh_run_discards_its_own_sections_and_nothing_foreign(space):
    stage = Path(space.stage(TOY.name))
    foreign = ["notes.txt", "d41d8cd98f00b204e9800998ecf8427e.pdf", "0" * 32, "1" * 32 + "-notes"]
    for name in foreign:
        (stage / name).write_text("mine")
    (stage / ("2" * 32)).with_suffix(".arrow").mkdir()
    (stage / ("3" * 32 + "-ready-0002.arrow")).write_text("of a killed run")
    foreign.append("2" * 32 + ".arrow")
    discard_stages(space.root, ["other"])
    assert len(list(stage.iterdir())) == 8 + len(foreign) + 1
    discard_stages(space.root, ["toy"])
    assert {path.name for path in stage.iterdir()} == set(foreign)


@pytest.fixture
def remote_space(store):
    """Artefacts of four tasks on an object store, and something of somebody else's beside them."""
    space = Workspace(f"{STORE}/_artefacts")
    make_all(space, TOY, ["a", "b", "c", "d"])
    store[f"{space.stage(TOY.name)}/d41d8cd98f00b204e9800998ecf8427e.pdf"] = b"mine"
    return space


def test_artefacts_on_an_object_store_are_freed(remote_space, store):
    kept = make(remote_space, TOY, "b")
    assert free(remote_space.root, {kept.file.sha256}) == (3, 3 * len("content of x"))
    assert free(remote_space.root, {kept.file.sha256}).files == 0
    assert kept.file.path in store
    assert make(remote_space, TOY, "a").rows == (1, 2)
    assert b"mine" in store.values()


def test_artefacts_on_an_object_store_are_discarded(remote_space, store):
    first, second = (make(remote_space, TOY, task) for task in "ab")
    store[first.file.path] += b"x"
    del store[second.file.path]
    assert len(discard_damaged(remote_space.root)) == 2
    assert discard_damaged(remote_space.root) == []
    discard_stages(remote_space.root, ["toy"])
    assert list(store.values()) == [b"mine"]


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
