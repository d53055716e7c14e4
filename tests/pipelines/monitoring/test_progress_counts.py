"""Receipts are counted where folders have changed, and told apart from those that were there."""

import os
import time

import pytest

from lexbeam.pipelines.monitoring import progress
from lexbeam.pipelines.monitoring.estimates import Foreseen
from lexbeam.pipelines.monitoring.progress import StageFolder

STAGE = Foreseen("toy/make", "pieces")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "toy" / "make").mkdir(parents=True)
    return tmp_path / "toy" / "make"


def add(folder, *names):
    for name in names:
        (folder / f"{name}.json").write_text("{}")
        (folder / f"{name}.arrow").write_text("")


def aged(folder):
    """Make what is in a folder, and itself, a minute older."""
    then = time.time() - 60
    for path in [*folder.iterdir(), folder]:
        os.utime(path, (then, then))


def looked(found, now):
    found.look(now, found.since)
    return found.count


@pytest.fixture
def begin(tmp_path):
    def make():
        result = StageFolder(str(tmp_path), STAGE)
        result.since = time.time_ns()
        return result

    return make


def test_what_is_made_and_what_was_there_are_told_apart(folder, begin):
    add(folder, "a", "b", "c")
    aged(folder)
    actual = begin()
    count = looked(actual, 1.0)
    assert (count.made, count.there, count.begun) == (0, 0, None)
    os.utime(folder / "b.json")
    add(folder, "d", "e")
    count = looked(actual, 2.0)
    assert (count.made, count.there, count.begun, count.last) == (2, 1, 2.0, 2.0)
    os.utime(folder / "a.json")
    count = looked(actual, 3.0)
    assert (count.made, count.there, count.begun, count.last) == (2, 2, 2.0, 3.0)
    assert count.first is not None
    assert looked(actual, 4.0).last == 3.0


def test_a_stage_begins_when_its_folder_is_touched_or_made(folder, begin):
    aged(folder)
    actual = begin()
    assert looked(actual, 1.0).begun is None
    os.utime(folder)
    assert looked(actual, 2.0)[2:] == (0, 0, 2.0, 2.0, False, None)
    folder.rmdir()
    actual = begin()
    assert looked(actual, 1.0).begun is None
    folder.mkdir()
    assert looked(actual, 2.0).begun == 2.0


def test_a_folder_that_goes_away_has_not_begun(folder, begin):
    actual = begin()
    folder.rmdir()
    assert looked(actual, 1.0).begun is None


def test_the_plan_of_an_earlier_run_does_not_count(tmp_path, folder, begin):
    plan = tmp_path / "plan" / "toy" / "make"
    plan.parent.mkdir(parents=True)
    plan.write_text("5")
    os.utime(plan, (time.time() - 60,) * 2)
    actual = begin()
    assert looked(actual, 1.0).planned is None
    plan.write_text("7")
    assert looked(actual, 1.0).planned == 7


def test_a_folder_is_listed_only_after_a_change(folder, begin, monkeypatch):
    add(folder, "a", "b")
    aged(folder)
    actual = begin()
    listed, asked = [], []
    scandir, stat = os.scandir, os.stat
    monkeypatch.setattr(progress.os, "scandir", lambda p: listed.append(p) or scandir(p))
    monkeypatch.setattr(progress.os, "stat", lambda p: asked.append(p) or stat(p))
    for _ in range(5):
        looked(actual, 1.0)
    assert listed == []
    for name in ("a", "b"):
        os.utime(folder / f"{name}.json")
    add(folder, "c")
    then = time.time() - 10
    os.utime(folder, (then, then))
    looked(actual, 2.0)
    asked.clear()
    for _ in range(5):
        looked(actual, 3.0)
    assert len(listed) == 1
    assert not [path for path in asked if path.endswith(".json")]
    assert (actual.count.made, actual.count.there) == (1, 2)


def test_a_change_in_the_moment_of_a_look_is_not_missed(folder, begin):
    actual = begin()
    add(folder, "a")
    now = time.time_ns()
    os.utime(folder, ns=(now, now))
    assert looked(actual, 1.0).made == 1
    add(folder, "b")
    os.utime(folder, ns=(now, now))
    assert looked(actual, 2.0).made == 2
