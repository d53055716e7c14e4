import fcntl
import os
import time
from pathlib import Path

import pytest

from pipelines.cli import main
from pipelines.status import survey
from transforms.common.artefacts import Workspace, plan, produce
from transforms.common.errors import LexbeamError
from transforms.common.publish import MARK, locked, make_manifest, publish
from transforms.common.tables import Part


def published(out: Path, content: bytes = b"rows") -> dict[str, bytes]:
    """Publish a table of one part; return what readers see."""
    part = out.parent / "part"
    part.write_bytes(content)
    parts = [Part("scores", 0, str(part), 3, len(content), content.hex())]
    publish(str(out), parts, make_manifest(parts))
    return seen(out)


def seen(out: Path) -> dict[str, bytes]:
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}


def make(work: Workspace, stage: str, *identities: int) -> None:
    for identity in identities:
        produce(work, stage, identity, lambda _: {"made": True})


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A folder with an old publication where a run has been killed in training."""
    out = tmp_path / "out"
    out.mkdir()
    published(out)
    for name, stages in (("corpus", ("ingest",)), ("change", ("train", "align"))):
        work = Workspace(str(out / "_work" / name))
        for stage in stages:
            plan(work, stage, 4)
    make(Workspace(str(out / "_work" / "corpus")), "ingest", 1, 2, 3, 4)
    make(Workspace(str(out / "_work" / "change")), "train", 1, 2, 3)
    (out / "_work" / "change" / "train" / "x.parquet.77.tmp").write_bytes(b"half")
    (out / "_work" / MARK).touch()
    (out / "_snapshots" / "0abc").mkdir()
    (out / "_snapshots" / "0abc" / "part").write_bytes(b"old")
    (out / "current").resolve().joinpath("manifest.json.77.tmp").write_bytes(b"{")
    os.symlink("_snapshots/0abc", out / "current.77.tmp")
    os.symlink("current/gone", out / "gone")
    return out


def test_stages_tell_what_is_done_and_left(killed):
    stages = {stage.name: stage for stage in survey(str(killed)).stages}
    assert [stages["corpus/ingest"].done, stages["corpus/ingest"].left] == [4, 0]
    assert [stages["change/train"].done, stages["change/train"].left] == [3, 1]
    assert [stages["change/align"].done, stages["change/align"].left] == [0, 4]
    assert list(stages) == ["change/train", "change/align", "corpus/ingest"]


def test_artefacts_from_before_the_latest_plan_count_as_earlier(killed):
    work = Workspace(str(killed / "_work" / "change"))
    old = time.time() - 60
    for receipt in (killed / "_work" / "change" / "train").glob("*.json"):
        os.utime(receipt, (old, old))
    plan(work, "train", 2)
    make(work, "train", 9)
    stage = next(s for s in survey(str(killed)).stages if s.name == "change/train")
    assert (stage.done, stage.left, stage.earlier) == (1, 1, 3)


def test_leftovers_are_all_that_a_killed_run_leaves(killed):
    kinds = [leftover.kind for leftover in survey(str(killed)).leftovers]
    assert sorted(kinds) == [
        "dangling link", "stale snapshot", "temporary file", "temporary file", "unfinished work",
    ]  # fmt: skip


def test_status_tells_a_person(killed, capsys):
    (killed / "_work" / "change" / "plan" / "code").write_text("another")
    assert main(["status", str(killed)]) == 0
    told = capsys.readouterr().out
    for part in ("scores 3 rows", "nobody", "change/train", "stale", "lexbeam clean"):
        assert part in told


def test_clean_removes_what_is_left_behind_and_nothing_published(killed, capsys):
    expected = {name: b for name, b in seen(killed).items() if not name.endswith(".tmp")}
    assert main(["clean", str(killed)]) == 0
    assert "unfinished work (1" in capsys.readouterr().out
    assert seen(killed) == expected
    assert survey(str(killed)).leftovers == ()
    assert sorted(path.name for path in killed.iterdir()) == [
        ".lock", "_snapshots", "current", "manifest.json", "scores",
    ]  # fmt: skip
    assert main(["clean", str(killed)]) == 0
    assert capsys.readouterr().out == "nothing to remove\n"


def test_a_folder_that_a_run_holds_is_told_and_not_cleaned(killed, capsys):
    with locked(str(killed), resume=True, overwrite=False):
        found = survey(str(killed))
        assert found.at_work
        if Path("/proc/locks").exists():
            assert found.holder == os.getpid()
        before = survey(str(killed)).leftovers
        assert main(["clean", str(killed)]) == 1
        assert "another run is at work" in capsys.readouterr().err
        assert survey(str(killed)).leftovers == before
        assert main(["status", str(killed)]) == 0
        assert "at work: process" in capsys.readouterr().out


def test_looking_leaves_the_lock_free(killed):
    with open(killed / ".lock", "w") as lock:
        survey(str(killed))
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("command", ["status", "clean"])
def test_a_folder_of_somebody_else_is_refused(command, tmp_path, capsys):
    (tmp_path / "thesis.tmp").write_bytes(b"x")
    assert main([command, str(tmp_path)]) == 1
    assert "no output folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tmp"]


def test_object_stores_are_not_surveyed():
    with pytest.raises(LexbeamError, match="object stores"):
        survey("gs://bucket/out")
