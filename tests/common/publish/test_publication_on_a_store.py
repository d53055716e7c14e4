"""Publication on an object store: no folders, no links; manifests name objects."""

from dataclasses import replace
from pathlib import Path

import pytest
from making import made_section
from object_store import OBJECTS, STORE, Store

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish import publication as module
from lexbeam.transforms.common.publish.history import (
    note_told,
    read_history,
    resolve_snapshot,
    tag_snapshot,
    untold_publications,
)
from lexbeam.transforms.common.publish.layout import pointer_tag, read_record, snapshot_name
from lexbeam.transforms.common.publish.publication import Keep, make_manifest, publish, rollback
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import find_snapshot, last_snapshot, open_snapshot
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, read_table


def remote(name, table, *words):
    """Make a section whose parts are objects, as artefacts are on an object store."""
    made = []
    for number, word in enumerate(words):
        content = f"{table} {word}".encode()
        path = f"{STORE}/_artefacts/{name}/{table}-{word}"
        OBJECTS[path] = content
        sha256 = module.digest(word) * 2
        made.append(Part(table, number, path, 1, len(content), sha256))
    return Made(name=name, parts=tuple(made), entry={"options": {}, "inputs": []})


def now():
    """Return what a run reads at its start."""
    return {"pointer": pointer_tag(STORE), "old": find_snapshot(STORE)}


def test_on_an_object_store_what_is_carried_over_stays_where_it_is(store, monkeypatch):
    monkeypatch.setattr(module, "_check_new", lambda part: None)
    monkeypatch.setattr(module, "is_sound", lambda part: part.path in store)
    publish(STORE, [remote("corpus", "documents", "a", "b")])
    first = open_snapshot(STORE)
    for round_ in range(4):
        change = remote("change", "scores", f"s{round_}")
        publish(STORE, [change], **now(), keep=Keep(2))
        snapshot = open_snapshot(STORE)
        assert snapshot.paths("documents") == first.paths("documents")
        assert [store[path] for path in snapshot.paths("documents")] == [b"documents a", b"documents b"]
        assert [store[path] for path in snapshot.paths("scores")] == [b"scores s%d" % round_]
    # Of the scores two are kept; the corpus' parts are of a snapshot that is gone else.
    scores = [path for path in store if "/scores/" in path]
    assert len(scores) == 2
    assert not any(path.endswith("manifest.json") and first.name in path for path in store)
    publish(STORE, [remote("corpus", "documents", "c")], **now())
    publish(STORE, [remote("corpus", "documents", "d")], **now())
    publish(STORE, [remote("corpus", "documents", "e")], **now())
    assert not any(path.startswith(first.folder) for path in store)


def test_on_an_object_store_parts_without_rows_have_no_objects(store, tmp_path):
    def copied(made):
        """A section whose parts are objects."""
        parts = []
        for part in made.parts:
            path = f"{STORE}/_artefacts/{part.table}-{part.sha256}"
            OBJECTS[path] = Path(part.path).read_bytes()
            parts.append(part._replace(path=path))
        return replace(made, parts=tuple(parts))

    publish(
        STORE, [copied(made_section(tmp_path / "w", "corpus", {"documents": [[], ["a"], []], "rejects": [[], []]}))]
    )
    publish(STORE, [copied(made_section(tmp_path / "v", "change", {"scores": [["s"], []]}))], **now())
    snapshot = open_snapshot(STORE)
    assert [len(snapshot.paths(table)) for table in ("documents", "rejects", "scores")] == [1, 1, 1]
    assert sum(path.endswith(".parquet") for path in store) == 3
    for table, found in {"documents": [0, 1, 0], "rejects": [0, 0], "scores": [1, 0]}.items():
        assert [read_table([checked(part)]).num_rows for part in snapshot.parts(table)] == found
    assert snapshot.damaged() == []


@pytest.fixture
def unchecked(store, monkeypatch):
    """Publication of objects that are no Parquet files."""
    monkeypatch.setattr(module, "_check_new", lambda part: None)
    monkeypatch.setattr(module, "is_sound", lambda part: part.path in store)


def put_remote(*made, **options):
    return publish(STORE, made, **now(), **options)


def parts_at(store, name):
    return {path for path in store if f"/{name}/" in path and path.endswith(".parquet")}


def test_what_a_kept_snapshot_names_stays_also_if_its_manifest_is_damaged(store, unchecked):
    put_remote(remote("corpus", "documents", "a", "b"))
    first = open_snapshot(STORE)
    put_remote(remote("change", "scores", "s"))
    second = open_snapshot(STORE)
    store[f"{second.folder}/manifest.json"] = b"{"
    put_remote(remote("corpus", "documents", "c"), drop=["change"])
    assert read_record(STORE).snapshots == (second.name, snapshot_name(STORE))
    assert set(first.paths("documents")) == set(second.paths("documents")) <= set(store)
    assert f"{first.folder}/manifest.json" not in store


@pytest.mark.parametrize("damage", [b"{", b'{"tables": {}}', None])
def test_nothing_is_removed_as_long_as_it_is_not_known_what_is_kept(damage, store, unchecked, caplog):
    put_remote(remote("corpus", "documents", "a", "b"))
    first = open_snapshot(STORE)
    put_remote(remote("change", "scores", "s"))
    second = open_snapshot(STORE)
    for path in (f"{second.folder}/manifest.json", f"{second.folder}.log.json"):
        if damage is None:
            del store[path]
        else:
            store[path] = damage
    publish(STORE, [remote("corpus", "documents", "c")], pointer=pointer_tag(STORE))
    assert first.name in read_record(STORE).snapshots
    assert first.name in caplog.text
    assert set(first.paths("documents")) | set(second.paths("scores")) <= set(store)
    # As soon as the damaged one is not kept any more, the others go.
    put_remote(remote("corpus", "documents", "d"))
    assert len(read_record(STORE).snapshots) == 2
    assert not parts_at(store, first.name) | parts_at(store, second.name)


def test_what_a_killed_run_has_put_on_an_object_store_goes_in_time(store, unchecked, monkeypatch):
    put_remote(remote("corpus", "documents", "a"))

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, "_text", die)  # the parts are there, the manifest is not
        put_remote(remote("corpus", "documents", "b"))
    killed = read_record(STORE).snapshots[-1]
    assert parts_at(store, killed)
    put_remote(remote("corpus", "documents", "c"))
    assert not parts_at(store, killed)
    assert len(read_record(STORE).snapshots) == 2


@pytest.mark.parametrize("damage", [b"", b"\xff", b"[1]", b"{}", b'{"snapshot": "x"}'])
def test_a_damaged_pointer_is_told_and_what_was_published_last_is_known(damage, store, unchecked):
    put_remote(remote("corpus", "documents", "a"))
    put_remote(remote("change", "scores", "s"))
    current = open_snapshot(STORE)
    store[f"{STORE}/current.json"] = damage
    for read in (open_snapshot, find_snapshot, snapshot_name):
        with pytest.raises(LexbeamError, match=r"current\.json is damaged.*`overwrite`"):
            read(STORE)
    assert last_snapshot(STORE) == current
    publish(STORE, [remote("change", "scores", "t")], old=last_snapshot(STORE), pointer=pointer_tag(STORE))
    assert set(open_snapshot(STORE).sections) == {"corpus", "change"}


def test_a_store_that_does_not_answer_is_not_damaged(store, unchecked, monkeypatch):
    put_remote(remote("corpus", "documents", "a"))
    true = Store.open

    def fail(self, path, *options):
        if path.endswith("/manifest.json"):
            raise OSError("try again later")
        return true(self, path, *options)

    monkeypatch.setattr(Store, "open", fail)
    with pytest.raises(OSError, match="try again later"):
        find_snapshot(STORE)


@pytest.mark.parametrize("function", ["_write_log", "_switch"])
def test_what_a_killed_run_never_switched_to_was_not_published(function, store, unchecked, monkeypatch):
    put_remote(remote("corpus", "documents", "a"))
    put_remote(remote("change", "scores", "s"))
    current = open_snapshot(STORE)

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, function, die)
        put_remote(remote("corpus", "documents", "b"), drop=["change"])
    assert read_record(STORE).snapshots[-1] != current.name
    store[f"{STORE}/current.json"] = b"{"
    assert last_snapshot(STORE) == current


def test_a_damaged_record_on_an_object_store_is_made_anew(store, unchecked):
    for word in "abc":
        put_remote(remote("corpus", "documents", word))
    before = read_record(STORE)
    store[f"{STORE}/_snapshots/.lexbeam"] = b"{"
    store[f"{STORE}/_snapshots/{'0' * 32}/manifest.json"] = b'{"tables": {}}'
    assert set(read_record(STORE).snapshots) == set(before.snapshots)
    assert snapshot_name(STORE) == open_snapshot(STORE).name
    put_remote(remote("corpus", "documents", "d"))
    assert read_record(STORE).snapshots[-2:] == (before.snapshots[-1], snapshot_name(STORE))
    assert f"{STORE}/_snapshots/{'0' * 32}/manifest.json" in store
    # Which of several was current is not known without either.
    store[f"{STORE}/_snapshots/.lexbeam"] = store[f"{STORE}/current.json"] = b"{"
    assert last_snapshot(STORE) is None


def test_a_manifest_is_the_same_on_an_object_store(store, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_check_new", lambda part: None)
    monkeypatch.setattr(module, "is_sound", lambda part: True)
    corpus, change = remote("corpus", "documents", "a"), remote("change", "scores", "s")
    publish(STORE, [corpus])
    publish(STORE, [change], **now())
    assert open_snapshot(STORE).name == module.digest(make_manifest([corpus, change]))


def test_history_tags_and_rollback_of_objects(unchecked):
    for word in "abc":
        publish(STORE, [remote("corpus", "documents", word)], **now())
    first, second, third = (each.snapshot for each in read_history(STORE).publications)
    with pytest.raises(UsageError, match="no longer kept"):
        tag_snapshot(STORE, first, "v1")
    tag_snapshot(STORE, second, "v1")
    for word in "de":
        publish(STORE, [remote("corpus", "documents", word)], **now())
    assert resolve_snapshot(STORE, "v1") == second
    with pytest.raises(UsageError, match="no longer kept"):
        rollback(STORE, third)
    rollback(STORE, "v1")
    assert snapshot_name(STORE) == second
    assert [each.how for each in read_history(STORE).publications[-2:]] == ["published", "rolled back"]


def test_what_readers_are_to_be_told_of_is_noted_there_too(unchecked, monkeypatch):
    def die(*_):
        raise KeyboardInterrupt

    publish(STORE, [remote("corpus", "documents", "a")], tells=True)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, "_remove_old", die)  # the first that follows the switch
        publish(STORE, [remote("corpus", "documents", "b")], **now(), tells=True)
    first, second = untold_publications(STORE)
    assert second.snapshot == snapshot_name(STORE) != first.snapshot
    note_told(STORE, second.token)
    assert untold_publications(STORE) == [first]
    note_told(STORE, first.token)
    assert untold_publications(STORE) == []
