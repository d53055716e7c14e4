import json
import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from making import TOY, files_below, made_section, put
from store import OBJECTS, Store

from pipelines.cli import main
from transforms.common import publish as module
from transforms.common.artefacts import Workspace, make, make_all
from transforms.common.errors import LexbeamError
from transforms.common.layout import read_record, snapshot_name
from transforms.common.publish import make_manifest, publish
from transforms.common.removing import discard_damaged, discard_stages, free
from transforms.common.sections import Made
from transforms.common.snapshots import find_snapshot, last_snapshot, open_snapshot
from transforms.common.sound import Damaged
from transforms.common.tables import Part


def section(folder, *words, name="corpus", table="documents", **more):
    return made_section(folder, name, {table: [[word] for word in words]}, **more)


def words_at(out, table="documents"):
    return open_snapshot(str(out)).read(table)["word"].to_pylist()


def test_published_tables_are_read_by_name(tmp_path):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a", "b"))
    assert pq.read_table(out / "documents")["word"].to_pylist() == ["a", "b"]
    assert words_at(out) == ["a", "b"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest == open_snapshot(str(out)).manifest
    entry = manifest["tables"]["documents"]
    assert (entry["rows"], entry["schema_version"]) == (2, "1")
    for number, part in enumerate(entry["parts"]):
        assert part["file"] == f"part-{number:05d}-of-00002-{part['sha256'][:8]}.parquet"
        assert (out / "documents" / part["file"]).stat().st_size == part["bytes"]
    assert manifest["corpus"]["parts"] == {"documents": [part["file"] for part in entry["parts"]]}


def test_a_part_that_did_not_change_keeps_its_name(tmp_path):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a", "b"))
    before = set(os.listdir(out / "documents"))
    put(out, section(tmp_path / "w", "a", "c"))
    after = set(os.listdir(out / "documents"))
    assert len(before & after) == 1
    assert len(before | after) == 3


def test_tables_of_a_task_are_read_by_task_and_table(tmp_path, capsys):
    out = tmp_path / "out"
    tables = {"complexity/texts": [["a"], ["b"]], "complexity/scores": [["s"]]}
    put(out, made_section(tmp_path / "w", "complexity.split", tables))
    assert os.readlink(out / "complexity") == "current/complexity"
    assert pq.read_table(out / "complexity" / "texts")["word"].to_pylist() == ["a", "b"]
    assert words_at(out, "complexity/scores") == ["s"]
    assert main(["show", str(out / "complexity" / "texts"), "--tsv"]) == 0
    assert capsys.readouterr().out.split() == ["word", "a", "b"]
    assert main(["show", str(out / "complexity" / "scores")]) == 0
    assert capsys.readouterr().out.startswith("complexity/scores: 1 rows in 1 parts")
    # Beside it another section comes; when the task's goes, so does its link.
    put(out, section(tmp_path / "w", "a"))
    assert pq.read_table(out / "complexity" / "scores")["word"].to_pylist() == ["s"]
    put(out, section(tmp_path / "w", "b"), drop=["complexity.split"])
    assert not os.path.lexists(out / "complexity")


def test_the_manifest_has_no_path_and_no_clock(tmp_path):
    texts = []
    for out in (tmp_path / "one", tmp_path / "elsewhere" / "two"):
        put(out, section(tmp_path / "w", "a"))
        texts.append((out / "manifest.json").read_bytes())
    assert texts[0] == texts[1]
    assert str(tmp_path).encode() not in texts[0]


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_the_newest_snapshots_stay(tmp_path, keep):
    out = tmp_path / "out"
    names = []
    for word in "abcd":
        put(out, section(tmp_path / "w", word), keep_snapshots=keep)
        names.append(snapshot_name(str(out)))
    assert list(read_record(str(out)).snapshots) == names[-keep:]
    folder = out / "_snapshots"
    assert {path.name for path in folder.iterdir() if path.is_dir()} == set(names[-keep:])
    assert {path.name.partition(".")[0] for path in folder.glob("*.json")} == set(names[-keep:])
    for name, word in zip(names[-keep:], "abcd"[-keep:], strict=True):
        assert words_at(folder / name) == [word]


def test_what_was_published_before_and_comes_again_is_the_newest(tmp_path):
    out = tmp_path / "out"
    for word in "aba":
        put(out, section(tmp_path / "w", word))
    assert words_at(out) == ["a"]
    put(out, section(tmp_path / "w", "c"))
    assert {words_at(out / "_snapshots" / name)[0] for name in read_record(str(out)).snapshots} == {
        "a", "c",
    }  # fmt: skip


def test_a_snapshot_that_was_never_switched_to_goes_before_what_readers_have(tmp_path, monkeypatch):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_switch", die)
    for word in "bc":
        with pytest.raises(KeyboardInterrupt):
            put(out, section(tmp_path / "w", word))
        assert words_at(out) == ["a"]
    monkeypatch.undo()
    put(out, section(tmp_path / "w", "d"))
    kept = read_record(str(out)).snapshots
    assert [words_at(out / "_snapshots" / name) for name in kept] == [["a"], ["d"]]


def test_parts_that_are_carried_over_are_links_to_the_same_file(tmp_path):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))
    (part,) = open_snapshot(str(out)).paths("documents")
    put(out, section(tmp_path / "w", "s", name="change", table="scores"))
    (carried,) = open_snapshot(str(out)).paths("documents")
    assert carried != part
    assert os.path.samefile(carried, part)


def test_publishing_again_mends_what_is_damaged(tmp_path):
    out = tmp_path / "out"
    made = section(tmp_path / "w", "a", "b", "c")
    put(out, made)
    whole = files_below(out / "_snapshots" / snapshot_name(str(out)))
    parts = open_snapshot(str(out)).paths("documents")
    for path in parts:  # of their own, so that the artefacts stay whole
        shutil.copy(path, path + "x")
        os.replace(path + "x", path)
    os.remove(parts[0])
    os.truncate(parts[1], 5)
    with open(parts[2], "r+b") as stream:
        stream.seek(20)
        stream.write(b"\xff")
    assert open_snapshot(str(out)).damaged() == parts
    put(out, made)
    assert open_snapshot(str(out)).damaged() == []
    assert files_below(out / "_snapshots" / snapshot_name(str(out))) == whole


def test_damaged_work_is_not_published(tmp_path):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))
    made = section(tmp_path / "v", "b")
    with open(made.parts[0].path, "r+b") as stream:
        stream.seek(20)
        stream.write(b"\xff")
    with pytest.raises(Damaged):
        put(out, made)
    assert words_at(out) == ["a"]


@pytest.mark.parametrize("damage", ["cut", "gone", "flipped"])
def test_a_damaged_part_is_not_carried_over(tmp_path, damage):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))
    (path,) = open_snapshot(str(out)).paths("documents")
    if damage == "gone":
        os.remove(path)
    elif damage == "cut":
        os.truncate(path, 9)
    else:
        with open(path, "r+b") as stream:
            stream.seek(20)
            stream.write(b"\xff")
    with pytest.raises(LexbeamError, match=r"part-00000-of-00001-\w+\.parquet is damaged"):
        put(out, section(tmp_path / "w", "s", name="change", table="scores"))
    assert "scores" not in open_snapshot(str(out)).tables


def test_what_is_carried_over_is_not_hashed_again_unless_it_was_touched(tmp_path, monkeypatch):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))
    later = section(tmp_path / "w", "s", name="change", table="scores")
    hashed = []
    monkeypatch.setattr(module, "is_sound", lambda part: hashed.append(part.path) or True)
    put(out, later)
    assert hashed == []
    (path,) = open_snapshot(str(out)).paths("documents")
    os.utime(path)
    put(out, later)
    assert path in hashed


def test_a_table_that_is_not_there_is_named(tmp_path):
    put(tmp_path / "out", section(tmp_path / "w", "a"))
    with pytest.raises(LexbeamError, match="it has documents"):
        open_snapshot(str(tmp_path / "out")).parts("sentences")
    with pytest.raises(LexbeamError, match="nothing is published"):
        open_snapshot(str(tmp_path / "none"))


def test_what_another_version_published_is_told(tmp_path):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))
    manifest = {**open_snapshot(str(out)).manifest, "lexbeam": {"schema_version": "1"}}
    name = module.digest(manifest)
    os.mkdir(out / "_snapshots" / name)
    (out / "_snapshots" / name / "manifest.json").write_text(json.dumps(manifest))
    os.remove(out / "current")
    os.symlink(f"_snapshots/{name}", out / "current")
    with pytest.raises(LexbeamError, match="another version"):
        open_snapshot(str(out))


STORE = "store://bucket/out"


@pytest.fixture
def store():
    """An empty object store."""
    OBJECTS.clear()
    return OBJECTS


def remote(name, table, *words):
    """Make a section whose parts are objects, as artefacts are on an object store."""
    local = Path(f"/nowhere/{name}")
    made = []
    for number, word in enumerate(words):
        content = f"{table} {word}".encode()
        path = f"{STORE}/_artefacts/{name}/{table}-{word}"
        OBJECTS[path] = content
        sha256 = module.digest(word) * 2
        made.append(Part(table, number, path, 1, len(content), sha256))
    del local
    return Made(name=name, parts=tuple(made), entry={"options": {}, "inputs": []})


def test_on_an_object_store_what_is_carried_over_stays_where_it_is(store, monkeypatch):
    monkeypatch.setattr(module, "_check_new", lambda part: None)
    monkeypatch.setattr(module, "is_sound", lambda part: part.path in store)
    publish(STORE, [remote("corpus", "documents", "a", "b")])
    first = open_snapshot(STORE)
    for round_ in range(4):
        change = remote("change", "scores", f"s{round_}")
        publish(STORE, [change], old=find_snapshot(STORE), keep_snapshots=2)
        snapshot = open_snapshot(STORE)
        assert snapshot.paths("documents") == first.paths("documents")
        assert [store[path] for path in snapshot.paths("documents")] == [
            b"documents a", b"documents b",
        ]  # fmt: skip
        assert [store[path] for path in snapshot.paths("scores")] == [b"scores s%d" % round_]
    # Of the scores two are kept; the corpus' parts are of a snapshot that is gone else.
    scores = [path for path in store if "/scores/" in path]
    assert len(scores) == 2
    assert not any(path.endswith("manifest.json") and first.name in path for path in store)
    publish(STORE, [remote("corpus", "documents", "c")], old=find_snapshot(STORE))
    publish(STORE, [remote("corpus", "documents", "d")], old=find_snapshot(STORE))
    publish(STORE, [remote("corpus", "documents", "e")], old=find_snapshot(STORE))
    assert not any(path.startswith(first.folder) for path in store)


@pytest.fixture
def unchecked(store, monkeypatch):
    """Publication of objects that are no Parquet files."""
    monkeypatch.setattr(module, "_check_new", lambda part: None)
    monkeypatch.setattr(module, "is_sound", lambda part: part.path in store)


def put_remote(*made, **options):
    return publish(STORE, made, old=find_snapshot(STORE), **options)


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
def test_nothing_is_removed_as_long_as_it_is_not_known_what_is_kept(
    damage, store, unchecked, caplog
):
    put_remote(remote("corpus", "documents", "a", "b"))
    first = open_snapshot(STORE)
    put_remote(remote("change", "scores", "s"))
    second = open_snapshot(STORE)
    for path in (f"{second.folder}/manifest.json", f"{second.folder}.log.json"):
        if damage is None:
            del store[path]
        else:
            store[path] = damage
    publish(STORE, [remote("corpus", "documents", "c")])
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
        with pytest.raises(LexbeamError, match=r"current\.json is damaged.*--overwrite"):
            read(STORE)
    assert last_snapshot(STORE) == current
    publish(STORE, [remote("change", "scores", "t")], old=last_snapshot(STORE))
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
def test_what_a_killed_run_never_switched_to_was_not_published(
    function, store, unchecked, monkeypatch
):
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
    publish(STORE, [change], old=find_snapshot(STORE))
    assert open_snapshot(STORE).name == module.digest(make_manifest([corpus, change]))


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
    assert len(discard_damaged(space.root, ["other"])) == 2
    assert discard_damaged(space.root, ["other"]) == []
    assert make(space, TOY, "a", None) == first


def test_freed_artefacts_are_discarded_of_the_sections_at_work(space):
    free(space.root, set())
    assert discard_damaged(space.root, ["other"]) == []
    assert len(discard_damaged(space.root, ["toy"])) == 4


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
    assert len(discard_damaged(remote_space.root, ["other"])) == 2
    assert discard_damaged(remote_space.root, ["other"]) == []
    discard_stages(remote_space.root, ["toy"])
    assert list(store.values()) == [b"mine"]
