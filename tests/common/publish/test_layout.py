"""What somebody else has put into an output folder is neither written nor removed, ever."""

import json
import os
import shutil

import pytest
from making import files_below, made_section, put

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.layout import (
    MARK,
    SnapshotMark,
    locked,
    make_marked_folder,
    read_record,
    snapshot_name,
    write_record,
)
from lexbeam.transforms.common.publish.snapshots import open_snapshot


def section(tmp_path, *words):
    return made_section(tmp_path / "w", "corpus", {"documents": [[word] for word in words]})


@pytest.fixture
def out(tmp_path):
    """A folder where two snapshots have been published."""
    put(tmp_path / "out", section(tmp_path, "a"))
    put(tmp_path / "out", section(tmp_path, "b"))
    return tmp_path / "out"


@pytest.fixture
def elsewhere(tmp_path):
    """A folder of somebody else's, where Lexbeam never ran."""
    (tmp_path / "elsewhere" / "sub").mkdir(parents=True)
    (tmp_path / "elsewhere" / "thesis.txt").write_text("mine")
    (tmp_path / "elsewhere" / "sub" / "part-00000-of-00001-abcdef01.parquet").write_text("mine")
    return tmp_path / "elsewhere"


def test_foreign_folders_among_snapshots_stay(out, tmp_path, elsewhere):
    for name in ("mine", "0" * 32, "1" * 32 + ".0123456789abcdef.tmpx"):
        shutil.copytree(elsewhere, out / "_snapshots" / name)
    os.symlink(elsewhere, out / "_snapshots" / "linked")
    (out / "_snapshots" / "notes.txt").write_text("mine")
    current = out / "_snapshots" / snapshot_name(str(out))
    (current / "documents" / "notes.txt").write_text("mine")
    before = {k: v for k, v in files_below(out).items() if v == b"mine"}
    assert len(before) == 8
    for word in "cde":
        put(out, section(tmp_path, word))
    assert main(["clean", str(out)]) == 0
    assert {k: v for k, v in files_below(out).items() if v == b"mine"} == before
    assert files_below(elsewhere)["thesis.txt"] == b"mine"


def test_links_of_others_stay_dangling_or_not(out, tmp_path, elsewhere):
    os.symlink("nowhere", out / "mine")
    os.symlink("current/gone", out / "alias")
    os.symlink(elsewhere, out / "there")
    put(out, section(tmp_path, "c"))
    assert main(["clean", str(out)]) == 0
    assert os.readlink(out / "mine") == "nowhere"
    assert os.readlink(out / "alias") == "current/gone"
    assert os.readlink(out / "there") == str(elsewhere)


IN_THE_WAY = {
    "a file": lambda path, other: path.write_text("mine"),
    "a folder": lambda path, other: shutil.copytree(other, path),
    "a link to a file": lambda path, other: path.symlink_to(other / "thesis.txt"),
    "a link to a folder": lambda path, other: path.symlink_to(other),
    "a dangling link": lambda path, other: path.symlink_to(other / "none"),
}


@pytest.mark.parametrize("kind", IN_THE_WAY)
@pytest.mark.parametrize(
    "name", [".lock", "_artefacts", "_snapshots", "current", "manifest.json", "documents", "scores"]
)
def test_what_is_in_the_way_is_named_before_the_run(name, kind, tmp_path, elsewhere):
    out = tmp_path / "out"
    out.mkdir()
    IN_THE_WAY[kind](out / name, elsewhere)
    before = files_below(tmp_path)
    with (
        pytest.raises(UsageError, match=f"out/{name}' was not made by Lexbeam"),
        locked(str(out), ["documents", "scores"]),
    ):
        pass
    assert files_below(tmp_path) == before
    assert sorted(os.listdir(out)) == [name]


def test_links_within_artefacts_lead_no_run_elsewhere(out, elsewhere):
    make_marked_folder(str(out), "_artefacts")
    (out / "_artefacts" / "corpus").mkdir()
    for name in ("corpus/annotate", "change"):
        (out / "_artefacts" / name).symlink_to(elsewhere)
        with pytest.raises(UsageError, match=name), locked(str(out), ["documents"]):
            pass
        os.remove(out / "_artefacts" / name)


@pytest.mark.parametrize("name", ["change", "change/train", "plan", "plan/change", "results"])
def test_files_where_artefacts_need_folders_are_named_before_the_run(name, out):
    path = out / "_artefacts" / name
    make_marked_folder(str(out), "_artefacts")
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match=name), locked(str(out), ["documents"]):
        pass
    assert path.read_text() == "mine"


def test_a_folder_where_a_run_needs_a_file_is_named_before_it(out):
    make_marked_folder(str(out), "_artefacts")
    (out / "_artefacts" / "unfinished.json").mkdir()
    with pytest.raises(UsageError, match=r"unfinished\.json"), locked(str(out), ["documents"]):
        pass


def test_a_table_that_became_a_link_is_not_written_through(out, tmp_path, elsewhere):
    current = out / "_snapshots" / snapshot_name(str(out))
    shutil.rmtree(current / "documents")
    os.symlink(elsewhere, current / "documents")
    before = files_below(elsewhere)
    with pytest.raises(UsageError, match="documents"), locked(str(out), ["documents"]):
        pass
    assert main(["clean", str(out)]) == 2
    assert files_below(elsewhere) == before


def test_a_link_that_leads_nowhere_is_told(tmp_path):
    os.symlink(tmp_path / "none", tmp_path / "out")
    with pytest.raises(UsageError, match="a link that leads nowhere"), locked(str(tmp_path / "out")):
        pass


def test_a_snapshot_that_became_a_link_is_not_followed(out, tmp_path, elsewhere):
    old = read_record(str(out)).snapshots[0]
    shutil.rmtree(out / "_snapshots" / old)
    os.symlink(elsewhere, out / "_snapshots" / old)
    with pytest.raises(UsageError, match=old), locked(str(out), ["documents"]):
        pass
    assert main(["clean", str(out)]) == 2
    assert len(files_below(elsewhere)) == 2


@pytest.mark.parametrize("command", ["status", "clean"])
@pytest.mark.parametrize("name", ["_snapshots", "_artefacts"])
def test_links_to_folders_where_lexbeam_never_ran_are_left_alone(command, name, tmp_path, elsewhere, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(elsewhere)
    before = files_below(tmp_path)
    assert main([command, str(tmp_path / "out")]) == 1
    assert "not an output folder" in capsys.readouterr().err
    assert files_below(tmp_path) == before
    assert os.path.islink(tmp_path / "out" / name)


def test_a_lock_is_never_written(out, tmp_path):
    inode = os.stat(out / ".lock").st_ino
    text = (out / ".lock").read_bytes()
    put(out, section(tmp_path, "c"))
    assert (os.stat(out / ".lock").st_ino, (out / ".lock").read_bytes()) == (inode, text)
    # Damaged, it still locks, for the folder is ours by its other marks.
    (out / ".lock").write_bytes(b"\0\1")
    put(out, section(tmp_path, "d"))
    assert (out / ".lock").read_bytes() == b"\0\1"


@pytest.mark.parametrize("damage", ["gone", "empty", "garbage", "another's", "cut"])
def test_a_damaged_record_is_made_anew(damage, out, tmp_path):
    mark = out / "_snapshots" / MARK
    whole = read_record(str(out))
    if damage == "gone":
        mark.unlink()
    else:
        text = mark.read_bytes()
        mark.write_bytes(
            {"empty": b"", "garbage": b"\xff{", "another's": b'{"snapshots": 3}', "cut": text[: len(text) // 2]}[damage]
        )
    assert set(read_record(str(out)).snapshots) == set(whole.snapshots)
    put(out, section(tmp_path, "c"))
    record = read_record(str(out))
    assert record.snapshots[-1] == snapshot_name(str(out))
    assert json.loads(mark.read_bytes())["snapshots"] == list(record.snapshots)
    assert len(record.snapshots) == 2
    assert set(record.links) == {"documents", "manifest.json"}


def test_a_record_that_names_what_is_not_ours_leads_nowhere(out, tmp_path, elsewhere):
    (out / "_snapshots" / ("f" * 32)).mkdir()
    (out / "_snapshots" / ("f" * 32) / "thesis.txt").write_text("mine")
    record = read_record(str(out))
    write_record(str(out), SnapshotMark(("f" * 32, *record.snapshots), (*record.links, "mine")))
    (out / "mine").symlink_to(elsewhere)
    for word in "cde":
        put(out, section(tmp_path, word))
    assert (out / "_snapshots" / ("f" * 32) / "thesis.txt").read_text() == "mine"
    assert os.readlink(out / "mine") == str(elsewhere)


def test_the_mark_of_artefacts_is_made_anew_beside_receipts(tmp_path):
    from making import TOY

    from lexbeam.transforms.common.store.artefacts import Workspace, make

    out = tmp_path / "out"
    out.mkdir()
    folder = make_marked_folder(str(out), "_artefacts")
    make(Workspace(folder), TOY, "x")
    os.remove(os.path.join(folder, MARK))
    with locked(str(out), ["documents"]):
        make_marked_folder(str(out), "_artefacts")
    assert MARK in os.listdir(folder)


def test_two_runs_at_once_are_refused_whatever_they_make(out):
    with (
        locked(str(out), ["documents"]),
        pytest.raises(LexbeamError, match="another run"),
        locked(str(out), ["scores"]),
    ):
        pass


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="is a file"), locked(str(tmp_path / "out")):
        pass


def test_a_damaged_manifest_is_read_from_its_copy_and_mended(out, tmp_path, caplog):
    path = out / "_snapshots" / snapshot_name(str(out)) / "manifest.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    assert open_snapshot(str(out)).read("documents")["word"].to_pylist() == ["b"]
    assert "its copy is read" in caplog.text
    put(out, section(tmp_path, "b"))
    assert path.read_bytes() == whole
    path.write_bytes(whole.replace(b'"rows": 1', b'"rows": 2'))
    os.remove(f"{path.parent}.log.json")
    with pytest.raises(LexbeamError, match="with `overwrite`"):
        open_snapshot(str(out))
