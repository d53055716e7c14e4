import json
import os
import re
import shutil

import pyarrow.parquet as pq
import pytest
from making import files_below, made_section, put

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish import publication as module
from lexbeam.transforms.common.publish import sections
from lexbeam.transforms.common.publish.layout import read_record, snapshot_name
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import MANIFEST_VERSION, open_snapshot, read_log
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import Damaged, checked, is_sound_size
from lexbeam.transforms.common.store.tables import read_table


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


def parts_at(folder):
    return [name.removeprefix("part-0000").partition("-of-0000") for name in sorted(os.listdir(folder))]


def numbers_at(folder):
    return [(int(number), int(rest[0])) for number, _, rest in parts_at(folder)]


SPARSE = {"documents": [["a"], [], ["b", "c"], []], "rejects": [[], [], []]}


def test_a_part_without_rows_has_no_file_and_is_read_all_the_same(tmp_path):
    out = tmp_path / "out"
    made = made_section(tmp_path / "w", "corpus", SPARSE)
    put(out, made)
    assert numbers_at(out / "documents") == [(0, 4), (2, 4)]
    assert numbers_at(out / "rejects") == [(0, 3)]  # for its columns
    assert pq.read_table(out / "documents")["word"].to_pylist() == ["a", "b", "c"]
    assert pq.read_table(out / "rejects").schema.names == ["word"]
    snapshot = open_snapshot(str(out))
    assert [len(snapshot.parts(table)) for table in SPARSE] == [4, 3]
    assert snapshot.manifest["corpus"]["parts"]["documents"] == sorted(os.listdir(out / "documents"))
    assert snapshot.paths("documents") == [
        f"{snapshot.folder}/documents/{n}" for n in sorted(os.listdir(out / "documents"))
    ]
    for table, found in SPARSE.items():
        assert table_digest(snapshot.parts(table)) == table_digest(made.of_table(table))
        for part, words in zip(snapshot.parts(table), found, strict=True):
            assert read_table([checked(part)])["word"].to_pylist() == words
            assert files.read_bytes(part.path) == files.read_bytes(made.of_table(table)[part.number].path)
            assert is_sound_size(part)
    assert snapshot.damaged() == []


def test_parts_that_are_filled_and_emptied_are_as_if_they_had_always_been_so(tmp_path):
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    put(
        out, made_section(tmp_path / "w", "corpus", SPARSE), section(tmp_path / "v", "s", name="change", table="scores")
    )
    other = made_section(
        tmp_path / "x", "corpus", {"documents": [[], ["d"], ["b", "c"], []], "rejects": [[], ["r"], []]}
    )
    put(out, other)
    assert numbers_at(out / "documents") == [(1, 4), (2, 4)]
    assert numbers_at(out / "rejects") == [(1, 3)]
    assert words_at(out, "scores") == ["s"]
    put(fresh, other, section(tmp_path / "v", "s", name="change", table="scores"))
    assert open_snapshot(str(out)).name == open_snapshot(str(fresh)).name
    # What has no file is not missed, and what has one is.
    gone = open_snapshot(str(out)).paths("documents")[0]
    os.remove(gone)
    assert open_snapshot(str(out)).damaged() == [gone]
    put(out, other)
    assert open_snapshot(str(out)).damaged() == []


def test_a_folder_of_an_earlier_version_has_a_file_for_every_part_and_is_carried_over(tmp_path, monkeypatch):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(module, "written", list)
        patch.setattr(sections, "written", list)
        patch.setattr(module, "MANIFEST_VERSION", 2)
        put(out, made_section(tmp_path / "w", "corpus", SPARSE))
    assert len(os.listdir(out / "documents")) == 4
    before = open_snapshot(str(out))
    assert [part.rows for part in before.parts("documents")] == [1, 0, 2, 0]
    assert len(before.paths("documents")) == 4
    put(out, section(tmp_path / "v", "s", name="change", table="scores"))
    after = open_snapshot(str(out))
    assert after.tables["documents"] == before.tables["documents"]
    assert words_at(out) == ["a", "b", "c"]
    assert after.damaged() == []
    assert after.manifest["lexbeam"] == {"manifest_version": 3}
    put(out, made_section(tmp_path / "w", "corpus", SPARSE))
    now = open_snapshot(str(out))
    assert [len(now.paths(table)) for table in SPARSE] == [2, 1]
    assert "change" in now.sections
    assert table_digest(now.parts("documents")) == table_digest(before.parts("documents"))


def test_what_is_held_is_named_until_it_is_made_or_goes(tmp_path):
    """By the manifest, and what its error said by the log; a run of other sections does not make it."""
    out = tmp_path / "out"
    corpus, change = (section(tmp_path, name, name=name, table=name) for name in ("corpus", "change"))
    put(out, corpus, change)
    plain = snapshot_name(str(out))
    held = {"change": "failed", "load": "is made from change"}
    put(out, corpus, held=held, reasons={"change": ["no room"]})
    assert open_snapshot(str(out)).held == held
    name = snapshot_name(str(out))
    put(out, corpus, held=held, reasons={"change": ["no memory"]})
    assert snapshot_name(str(out)) == name, "what the error says is in no manifest"
    put(out, section(tmp_path, "x", name="pairs", table="pairs"))
    assert open_snapshot(str(out)).held == {"change": "failed"}, "load is not there, and nobody was to make it"
    assert read_log(str(out), snapshot_name(str(out)))["held"] == {"change": ["no memory"]}
    put(out, change, drop=["pairs"])
    assert snapshot_name(str(out)) == plain
    assert "held" not in read_log(str(out), plain)


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
    assert capsys.readouterr().out.startswith("complexity/scores: 1 row:")
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
        put(out, section(tmp_path / "w", word), keep=module.Keep(keep))
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
    assert {words_at(out / "_snapshots" / name)[0] for name in read_record(str(out)).snapshots} == {"a", "c"}


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


def test_a_section_that_is_as_it_was_keeps_what_made_it(tmp_path, monkeypatch):
    """A new commit publishes nothing anew by itself, and is named where it made something."""
    out, here = tmp_path / "out", module.environment()
    corpus, change = (section(tmp_path / name, "a", name=name, table=name) for name in ("corpus", "change"))

    def made_by(version, commit="abc"):
        monkeypatch.setattr(module, "environment", lambda: {**here, "lexbeam": version, "commit": commit})

    made_by("1.0.0")
    put(out, corpus, change)
    first = snapshot_name(str(out))
    made_by("1.1.0", "0123456789ab")
    put(out, corpus, change)
    assert snapshot_name(str(out)) == first
    put(out, section(tmp_path / "more", "a", "b", name="change", table="change"), corpus)
    snapshot = open_snapshot(str(out))
    assert {name: str(snapshot.made_by(name)) for name in snapshot.sections} == {
        "corpus": "1.0.0 (abc)",
        "change": "1.1.0 (0123456789ab)",
    }
    assert len(snapshot.manifest["environments"]) == 2
    # Other options, or another form of a table, are something else.
    put(out, section(tmp_path / "w", "a", table="corpus", options={"a": 1}))
    assert open_snapshot(str(out)).made_by("corpus").version == "1.1.0"
    made_by("1.2.0")
    put(out, section(tmp_path / "w", "a", table="corpus", options={"a": 1}), versions={"corpus": "2"})
    assert open_snapshot(str(out)).made_by("corpus").version == "1.2.0"


def test_who_made_what_stays_is_known_where_a_log_alone_says_so(tmp_path, monkeypatch):
    out = tmp_path / "out"
    here = {name: value for name, value in module.environment().items() if name not in ("lexbeam", "commit")}
    monkeypatch.setattr(module, "environment", lambda: here)
    put(
        out, section(tmp_path / "c", "a", log={"lexbeam": "0.1.0"}), section(tmp_path / "d", "a", name="toy", table="t")
    )
    monkeypatch.undo()
    assert open_snapshot(str(out)).made_by("toy") is None
    put(out, section(tmp_path / "c", "a"), section(tmp_path / "d", "b", name="toy", table="t"))
    snapshot = open_snapshot(str(out))
    assert [str(snapshot.made_by(name)) for name in ("corpus", "toy")] == ["0.1.0", str(own_build())]
    put(out, section(tmp_path / "c", "b"))
    assert open_snapshot(str(out)).made_by("corpus") == own_build()


def test_what_a_later_version_published_is_read_as_far_as_it_is_known(tmp_path, monkeypatch):
    """Fields that nobody knows yet change nothing; a manifest of another form is refused."""
    out, here = tmp_path / "out", module.environment()
    monkeypatch.setattr(module, "environment", lambda: {**here, "lexbeam": "99.0.0", "mood": "good"})
    put(out, section(tmp_path / "w", "a", options={"later": 1}))
    monkeypatch.undo()
    assert words_at(out) == ["a"]
    assert open_snapshot(str(out)).made_by("corpus").is_newer(own_build())
    put(out, section(tmp_path / "v", "s", name="change", table="scores"))
    assert open_snapshot(str(out)).made_by("corpus").version == "99.0.0"
    monkeypatch.setattr(module, "MANIFEST_VERSION", MANIFEST_VERSION + 1)
    put(out, section(tmp_path / "w", "b"))
    monkeypatch.undo()
    before = files_below(out)
    told = f"is of form 4, and Lexbeam {own_build()} reads {MANIFEST_VERSION}: install the version that made it"
    with pytest.raises(LexbeamError, match=re.escape(told)):
        open_snapshot(str(out))
    for words in (["status", str(out)], ["clean", str(out)], ["show", str(out)]):
        assert main(words) != 0
    assert files_below(out) == before


def test_what_an_earlier_version_published_is_told(tmp_path):
    out = tmp_path / "out"
    put(out, section(tmp_path / "w", "a"))
    manifest = {**open_snapshot(str(out)).manifest, "lexbeam": {"schema_version": "1"}}
    name = module.digest(manifest)
    os.mkdir(out / "_snapshots" / name)
    (out / "_snapshots" / name / "manifest.json").write_text(json.dumps(manifest))
    os.remove(out / "current")
    os.symlink(f"_snapshots/{name}", out / "current")
    with pytest.raises(LexbeamError, match="an earlier version"):
        open_snapshot(str(out))
