"""Artefacts are freed and discarded by their receipts, here and on object stores."""

import os
from pathlib import Path

import pytest
from making import TOY
from object_store import STORE

from lexbeam.transforms.common.publish.removing import discard_damaged, discard_stages, free
from lexbeam.transforms.common.store.artefacts import Workspace, make, make_all


@pytest.fixture
def space(tmp_path):
    """Artefacts of four tasks."""
    space = Workspace(str(tmp_path / "work"))
    make_all(space, TOY, ["a", "b", "c", "d"], None)
    return space


def test_freed_are_all_files_but_those_kept(space):
    kept = make(space, TOY, "b", None)
    freed = free(space.root, {kept.file.sha256})
    assert (freed.files, freed.bytes) == (3, 3 * len("content of x"))
    assert free(space.root, {kept.file.sha256}).files == 0
    assert os.path.exists(kept.file.path)
    assert make(space, TOY, "a", None).rows == (1, 2)


def test_damaged_artefacts_are_discarded_wherever_they_are(space):
    first, second = make(space, TOY, "a", None), make(space, TOY, "b", None)
    with open(first.file.path, "r+b") as stream:
        stream.write(b"C")
    os.remove(second.file.path)
    assert len(discard_damaged(space.root)) == 2
    assert discard_damaged(space.root) == []
    assert make(space, TOY, "a", None) == first


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
    make_all(space, TOY, ["a", "b", "c", "d"], None)
    store[f"{space.stage(TOY.name)}/d41d8cd98f00b204e9800998ecf8427e.pdf"] = b"mine"
    return space


def test_artefacts_on_an_object_store_are_freed(remote_space, store):
    kept = make(remote_space, TOY, "b", None)
    assert free(remote_space.root, {kept.file.sha256}) == (3, 3 * len("content of x"))
    assert free(remote_space.root, {kept.file.sha256}).files == 0
    assert kept.file.path in store
    assert make(remote_space, TOY, "a", None).rows == (1, 2)
    assert b"mine" in store.values()


def test_artefacts_on_an_object_store_are_discarded(remote_space, store):
    first, second = (make(remote_space, TOY, task, None) for task in "ab")
    store[first.file.path] += b"x"
    del store[second.file.path]
    assert len(discard_damaged(remote_space.root)) == 2
    assert discard_damaged(remote_space.root) == []
    discard_stages(remote_space.root, ["toy"])
    assert list(store.values()) == [b"mine"]
