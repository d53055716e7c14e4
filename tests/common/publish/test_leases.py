"""A folder on an object store is held by one run at a time; if by two, only one publishes."""

import os
import socket
import subprocess
import sys
import time

import msgspec
import obstore
import pytest
from object_store import OBJECTS, STORE
from obstore.store import MemoryStore

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish import leases
from lexbeam.transforms.common.publish.layout import (
    SnapshotMark,
    locked,
    pointer_tag,
    read_record,
    switch_pointer,
    update_record,
)
from lexbeam.transforms.common.publish.leases import LEASE, holder_of
from lexbeam.transforms.common.store import objects
from lexbeam.transforms.common.store.objects import ObjectState, ObjectTag
from lexbeam.transforms.common.store.remote import remote

PATH = f"{STORE}/{LEASE}"


def put(machine, process, monkeypatch, ago=0.0):
    """Put a lease that was renewed some seconds ago."""
    OBJECTS[PATH] = msgspec.json.encode({"run": "0", "machine": machine, "process": process, "renewed": 3})
    true, written = type(remote(PATH)).state, int((time.time() - ago) * 1e9)

    def state(self, path):
        found = true(self, path)
        return found and (ObjectState(found.bytes, written, ObjectTag(None)) if path == PATH else found)

    monkeypatch.setattr(type(remote(PATH)), "state", state)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(leases, "LOOKS", 0.01)


def test_a_second_run_is_refused_and_told_who_holds_the_folder(store):
    with locked(STORE):
        assert holder_of(STORE)[:2] == (socket.gethostname(), os.getpid())
        with pytest.raises(LexbeamError, match=rf"another run is at work on .*process {os.getpid()} on"), locked(STORE):
            pass
        assert PATH in store
    assert PATH not in store
    assert holder_of(STORE) is None
    with locked(STORE):
        pass


def test_the_lease_of_a_process_that_is_gone_is_free(store, monkeypatch):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    put(socket.gethostname(), gone.pid, monkeypatch)
    assert holder_of(STORE) is None
    with locked(STORE):
        assert holder_of(STORE).process == os.getpid()


@pytest.mark.parametrize("ago", [0, 1000])
def test_the_lease_of_another_machine_is_free_when_no_sign_comes(ago, store, monkeypatch):
    monkeypatch.setattr(leases, "EXPIRES", 0.2)
    monkeypatch.setattr(leases, "SIGN", 0.1)
    put("elsewhere", 1, monkeypatch, ago)
    with locked(STORE):
        assert b"elsewhere" not in store[PATH]


def test_a_run_on_another_machine_that_gives_a_sign_holds_the_folder(store, monkeypatch):
    put("elsewhere", 1, monkeypatch)
    renewed = store[PATH].replace(b"3", b"4")
    monkeypatch.setattr(leases.time, "sleep", lambda seconds: store.update({PATH: renewed}))
    with pytest.raises(LexbeamError, match="process 1 on elsewhere, last sign"), locked(STORE):
        pass
    assert store[PATH] == renewed


def test_a_damaged_lease_holds_nothing(store):
    store[PATH] = b"{"
    with locked(STORE):
        assert holder_of(STORE) is not None


def test_a_lease_is_renewed_and_one_that_was_taken_is_not_given_back(store, monkeypatch, caplog):
    monkeypatch.setattr(leases, "RENEWED", 0.01)
    with locked(STORE):
        while msgspec.json.decode(store[PATH])["renewed"] < 3:
            time.sleep(0.01)
        store[PATH] = msgspec.json.encode({"run": "x", "machine": "elsewhere", "process": 1})
        while "was taken by another run" not in caplog.text:
            time.sleep(0.01)
    assert b"elsewhere" in store[PATH]


def test_of_two_runs_that_hold_a_folder_at_once_one_switches(store):
    before = pointer_tag(STORE)
    switch_pointer(STORE, "a" * 32, before)
    with pytest.raises(LexbeamError, match=r"another run has published at .* meanwhile"):
        switch_pointer(STORE, "b" * 32, before)
    switch_pointer(STORE, "b" * 32, pointer_tag(STORE))


def test_no_change_of_the_record_is_lost(store, monkeypatch):
    def adding(name):
        return lambda record: record._replace(snapshots=(*record.snapshots, name))

    def change(record):
        if len(record.snapshots) == 1:  # another run comes in between
            update_record(STORE, adding("b" * 32))
        return adding("c" * 32)(record)

    update_record(STORE, adding("a" * 32))
    update_record(STORE, change)
    assert read_record(STORE) == SnapshotMark(("a" * 32, "b" * 32, "c" * 32))


@pytest.mark.parametrize("ago", [0, 1000])
def test_whatever_a_clock_says_a_run_that_gives_signs_holds_the_folder(ago, store, monkeypatch):
    monkeypatch.setattr(leases, "SIGN", 0.5)
    put("elsewhere", 1, monkeypatch, ago)
    renewed = store[PATH].replace(b"3", b"4")
    monkeypatch.setattr(leases.time, "sleep", lambda seconds: store.update({PATH: renewed}))
    with pytest.raises(LexbeamError, match="another run is at work"), locked(STORE):
        pass
    assert store[PATH] == renewed


def test_of_a_container_that_was_started_again_the_lease_of_its_dead_self_is_free(store, monkeypatch):
    monkeypatch.setattr(leases, "EXPIRES", 0.1)
    monkeypatch.setattr(leases, "SIGN", 0.1)
    put(socket.gethostname(), os.getpid(), monkeypatch)
    with locked(STORE):
        assert msgspec.json.decode(store[PATH])["run"] != "0"


@pytest.mark.parametrize("heeds", [True, False])
def test_a_store_that_heeds_no_conditions_is_told_of(heeds, monkeypatch, caplog):
    store, true = MemoryStore(), obstore.put
    monkeypatch.setattr(objects, "_opened", lambda scheme, name: store)
    if not heeds:
        monkeypatch.setattr(obstore, "put", lambda *place, mode=None, **more: true(*place, **more))
    monkeypatch.setattr(leases, "RENEWED", 0.01)
    with locked("gs://bucket/out"):
        while msgspec.json.decode(remote("gs://").read(f"gs://bucket/out/{LEASE}"))["renewed"] < 2:
            time.sleep(0.01)
        assert holder_of("gs://bucket/out").process == os.getpid()
    assert not remote("gs://").folder("gs://bucket/out")[0]
    assert ("gs://bucket/out does not heed the conditions" in caplog.text) is not heeds
    assert "was taken" not in caplog.text


def test_a_renewal_whose_answer_was_lost_is_no_loss_of_the_lease(store, monkeypatch, caplog):
    monkeypatch.setattr(leases, "RENEWED", 0.01)
    where = type(remote(PATH))
    true, lost = where.swap, []

    def swap(self, path, content, tag):
        done = true(self, path, content, tag)
        if b'"renewed":2' in content and not lost:
            lost.append(done)
            raise LexbeamError("no answer")
        return done

    monkeypatch.setattr(where, "swap", swap)
    with locked(STORE):
        while msgspec.json.decode(store[PATH])["renewed"] < 5:
            time.sleep(0.01)
    assert lost
    assert "was taken" not in caplog.text
    assert PATH not in store
