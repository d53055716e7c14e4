"""Receipts on an object store are counted by the store's times: what the run has made, and what was there."""

import io
import time
from contextlib import redirect_stderr

import pytest
from object_store import OBJECTS

from lexbeam.pipelines.monitoring import progress
from lexbeam.pipelines.monitoring.estimates import Foreseen, amount
from lexbeam.pipelines.monitoring.progress import RunProgress, StageObjects, planned_in_store, receipts_below, watching
from lexbeam.transforms.common.store.objects import ObjectState, ObjectTag
from lexbeam.transforms.common.store.remote import remote

WORK = "store://bucket/out/_artefacts"
STAGE = Foreseen("toy/make", "pieces")


@pytest.fixture
def put(monkeypatch):
    """A function that puts an object with the time of the store's clock; listings are noted in `put.listed`."""
    OBJECTS.clear()
    times = {}
    store = type(remote(WORK))
    true = store.below

    def state(self, path):
        return ObjectState(len(OBJECTS[path]), times[path], ObjectTag(None)) if path in OBJECTS else None

    def below(self, folder):
        put.listed.append(folder)
        return ((path, state(self, path)) for path, _ in true(self, folder))

    def put(name, at, content=b"{}"):
        OBJECTS[f"{WORK}/{name}"] = content
        times[f"{WORK}/{name}"] = at

    put.listed = []
    monkeypatch.setattr(store, "state", state)
    monkeypatch.setattr(store, "below", below)
    return put


def receipt(number):
    return f"toy/make/{number:032x}.json"


def test_made_and_earlier_are_told_apart_and_what_was_planned(put):
    put(receipt(1), 5)
    put(receipt(2), 6)
    put("plan/toy/make", 9, b"7")
    stage = StageObjects(WORK, STAGE)
    stage.look(1.0, 10)
    assert (stage.count.made, stage.count.planned, stage.count.begun) == (0, None, None)
    put("plan/toy/make", 11, b"4")
    put(receipt(3), 12)
    put(f"toy/make/{3:032x}.arrow", 12)
    stage.look(2.0, 10)
    assert stage.count[1:7] == (4, 1, 0, 2.0, 2.0, False)
    put(receipt(4), 13)
    stage.look(5.0, 10)
    assert (stage.count.made, stage.count.last, stage.count.first) == (2, 5.0, 2.0)
    assert len(put.listed) == 3
    stage.end()
    # Two of those that were planned have not been made: they were there.
    assert amount(stage.count) == "4 of 4 pieces"
    stage.look(6.0, 10)
    assert len(put.listed) == 3


def test_one_listing_has_the_receipts_of_all_stages(put):
    put(receipt(1), 5)
    put(f"toy/make/{1:032x}.arrow", 5)
    put(f"other/view/{1:032x}.json", 6)
    put("results/0123456789abcdef/parts.json", 6)
    put("unfinished.json", 7)
    assert receipts_below(WORK) == {"toy/make": [5], "other/view": [6]}
    assert put.listed == [WORK]
    put("plan/toy/make", 9, b"x")
    assert planned_in_store(f"{WORK}/plan/toy/make", 1) is None
    assert planned_in_store(f"{WORK}/plan/toy/none", 1) is None


def test_a_short_run_asks_the_store_nothing_and_a_long_one_seldom(put, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    put("plan/toy/make", 11, b"4")
    put(receipt(3), 12)

    def watched(seconds, until=lambda: False):
        run = RunProgress(WORK, {"toy": [STAGE]}, since=10)
        with redirect_stderr(io.StringIO()), watching(run, "toy"):
            end = time.monotonic() + seconds
            while time.monotonic() < end and not until():
                time.sleep(0.01)
        return run

    watched(0.1)
    assert put.listed == []
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.05)
    run = watched(60, lambda: bool(put.listed))
    assert run.counts["toy"][0].ended
    assert run.counts["toy"][0].planned in (None, 4)
