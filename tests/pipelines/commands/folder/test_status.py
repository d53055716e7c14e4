import fcntl
import json
import os
import re
import shlex
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from making import TOY, MakeToy, files_below, made_section, put
from object_store import OBJECTS
from small_runs import corpus, write_texts

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.folder import status
from lexbeam.pipelines.commands.folder import survey as stages_module
from lexbeam.pipelines.commands.folder import survey as survey_module
from lexbeam.pipelines.commands.folder.survey import survey
from lexbeam.pipelines.frame import publishing
from lexbeam.pipelines.frame.command import Action
from lexbeam.pipelines.frame.publishing import UNFINISHED
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.layout import locked, make_marked_folder
from lexbeam.transforms.common.publish.publication import Keep
from lexbeam.transforms.common.store.artefacts import Workspace, announce, make, note_waits
from lexbeam.transforms.common.store.objects import ObjectState, ObjectTag
from lexbeam.transforms.common.store.remote import remote


def seen(out: Path) -> dict[str, bytes]:
    return files_below((out / "current").resolve())


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A folder with an old publication where a run has been killed as it made toys."""
    out = tmp_path / "out"
    put(out, made_section(tmp_path / "w", "corpus", {"documents": [["a", "b", "c"]]}))
    space = Workspace(make_marked_folder(str(out), "_artefacts"))
    for task in ("old", "older"):
        make(space, TOY, task)
    before = time.time_ns() - 10**9
    for path in Path(space.stage(TOY.name)).iterdir():
        os.utime(path, ns=(before, before))
    Path(space.root, UNFINISHED).write_text('{"sections": ["toy"], "overwrite": true}')
    announce(space, "toy/make", 4)
    announce(space, "toy/later", 2)
    for task in "abc":
        make(space, TOY, task)
    return out


HALF = "_snapshots/" + "2" * 32 + ".0123456789abcdef.tmp"
LEFT = {
    "_artefacts/toy/make/" + "0" * 32 + ".txt.0123456789abcdef.tmp": "temporary file",
    "_artefacts/toy/make/" + "1" * 32 + "-0003.arrow": "temporary file",
    "_artefacts/results/0123456789abcdef/parts.json": "temporary file",
    f"{HALF}/documents/part-00000-of-00001-01234567.parquet": "unfinished snapshot",
    "_snapshots/" + "2" * 32 + ".log.json.0123456789abcdef.tmp": "temporary file",
    "_snapshots/" + "2" * 32 + ".run.jsonl.0123456789abcdef.tmp": "temporary file",
    "_snapshots/.lexbeam.0123456789abcdef.tmp": "temporary file",
}


@pytest.fixture
def messy(killed: Path) -> Path:
    """The same with all that a killed run may leave."""
    for name in LEFT:
        (killed / name).parent.mkdir(parents=True, exist_ok=True)
        (killed / name).write_bytes(b"half")
    os.symlink("_snapshots/" + "2" * 32, killed / "current.0123456789abcdef.tmp")
    os.symlink("current/documents", killed / "documents.0123456789abcdef.tmp")
    os.symlink("current/scores", killed / "scores")
    return killed


def test_a_snapshot_that_goes_while_it_is_read_is_read_again_from_the_new_pointer(tmp_path, monkeypatch, capsys):
    out, all_outside = tmp_path / "out", status.all_outside
    looks = []

    def put_words(*words):
        put(out, made_section(tmp_path / "w", "corpus", {"documents": [["a", *words]]}), keep=Keep(1))

    def publishing_meanwhile(snapshot):
        looks.append(snapshot.name)
        found = all_outside(snapshot)
        if len(looks) < 3:  # a run publishes and keeps one snapshot: after all was read, and while it is read
            put_words("b", str(len(looks)))
        if len(looks) == 2:
            raise FileNotFoundError(snapshot.folder)
        return found

    put_words()
    monkeypatch.setattr(status, "all_outside", publishing_meanwhile)
    assert main(["status", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len({*looks}) == 3
    assert told["published"]["snapshot"] == looks[-1]
    assert told["published"]["sections"]["corpus"]["tables"] == {"documents": 3}


def test_stages_tell_what_is_done_and_left(killed):
    stages = {stage.name: stage for stage in survey(str(killed)).stages}
    assert stages["toy/make"][:4] == ("toy/make", 4, 3, 2)
    assert stages["toy/make"].left == 1
    assert (stages["toy/later"].done, stages["toy/later"].left) == (0, 2)
    assert list(stages) == ["toy/make", "toy/later"]


def test_sections_stand_in_the_order_in_which_the_run_makes_them(killed):
    note = killed / "_artefacts" / UNFINISHED
    begun = note.stat().st_mtime_ns
    note.write_text('{"sections": ["toy", "late.first", "late.second", "act"]}')
    os.utime(note, ns=(begun, begun))
    for name in ("act/align", "late/read"):
        announce(Workspace(str(killed / "_artefacts")), name, 1)
    names = [stage.name for stage in survey(str(killed)).stages]
    assert names == ["toy/make", "toy/later", "late/read", "act/align"]


def test_what_is_taken_up_counts_as_done(killed):
    make(Workspace(str(killed / "_artefacts")), TOY, "old")
    stage = survey(str(killed)).stages[0]
    assert (stage.done, stage.earlier) == (4, 1)


def test_leftovers_are_all_that_a_killed_run_leaves(messy):
    kinds = sorted(leftover.kind for leftover in survey(str(messy)).leftovers)
    assert kinds == sorted([*LEFT.values(), "temporary file", "temporary file", "dangling link"])


def test_leftovers_that_a_run_takes_away_meanwhile_are_no_error(messy, monkeypatch):
    listed = survey_module.leftovers

    def taken(root):
        for path in listed(root):
            os.remove(path)
            yield path

    monkeypatch.setattr(survey_module, "leftovers", taken)
    found = [one for one in survey(str(messy)).leftovers if "_artefacts" in one.path]
    assert len(found) == 3
    assert {one.bytes for one in found} == {0}


def test_names_that_are_gone_after_they_were_listed_are_no_error(messy, monkeypatch):
    listed = os.listdir

    def taken(folder):
        names = listed(folder)
        for path in (Path(folder, name) for name in names if name.endswith(".tmp")):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return names

    before = {one.path for one in survey(str(messy)).leftovers if "_artefacts" not in one.path}
    assert len(before) == 7
    monkeypatch.setattr(survey_module.os, "listdir", taken)
    found = {one.path for one in survey(str(messy)).leftovers if "_artefacts" not in one.path}
    assert found == {str(messy / "scores")}


def test_a_folder_that_gets_its_name_meanwhile_is_no_leftover(messy, monkeypatch):
    mark = messy / "_snapshots.0123456789abcdef.tmp"
    mark.mkdir()
    assert str(mark) in {one.path for one in survey(str(messy)).leftovers}
    listed = os.listdir

    def renamed(folder):
        if Path(folder) == mark:
            mark.rename(messy / "elsewhere")
        return listed(folder)

    monkeypatch.setattr(survey_module.os, "listdir", renamed)
    assert str(mark) not in {one.path for one in survey(str(messy)).leftovers}


def test_receipts_that_are_gone_after_they_were_listed_do_not_count(killed, monkeypatch):
    scanned, gone = os.scandir, []

    def taken(folder):
        if Path(folder).name != "make" or gone:
            return scanned(folder)
        entries = list(scanned(folder))
        gone.append(next(entry.path for entry in entries if entry.name.endswith(".json")))
        os.remove(gone[0])
        return iter(entries)

    monkeypatch.setattr(survey_module.os, "scandir", taken)
    stage = survey(str(killed)).stages[0]
    assert gone
    assert (stage.name, stage.done + stage.earlier) == ("toy/make", 4)


@pytest.mark.parametrize("command", ["status", "clean"])
def test_a_run_that_ends_as_it_is_looked_at_is_no_error(command, killed, monkeypatch, capsys):
    read = survey_module.read_unfinished

    def ended(out):
        note = read(out)
        (killed / "_artefacts" / UNFINISHED).unlink(missing_ok=True)
        return note

    monkeypatch.setattr(survey_module, "read_unfinished", ended)
    assert survey(str(killed)).stages == ()
    assert main([command, str(killed)]) == 0
    assert "toy/make" not in capsys.readouterr().out


def test_status_tells_a_person(messy, capsys):
    assert main(["status", str(messy)]) == 0
    told = capsys.readouterr().out
    for part in ("corpus: documents 3 rows", "nobody", "toy/make", "--resume"):
        assert part in told
    assert "lexbeam clean" not in told  # what it frees is what the run is continued by


def test_what_is_to_be_typed_is_quoted(killed, capsys):
    (killed / "_artefacts" / UNFINISHED).unlink()
    killed.rename(place := killed.with_name("my out"))
    assert main(["status", str(place)]) == 0
    assert f"`lexbeam clean '{place}'` frees" in capsys.readouterr().out
    assert main(["show", str(place)]) == 0
    assert f"lexbeam show '{place}/TABLE'; its rows" in capsys.readouterr().out


def test_clean_removes_what_is_left_behind_and_nothing_published(messy, capsys):
    expected = seen(messy)
    receipts = set((messy / "_artefacts" / "toy" / "make").glob("*.json"))
    assert main(["clean", str(messy)]) == 0
    told = capsys.readouterr().out
    assert "unfinished snapshot (1" in told
    assert "freed: 5 files of artefacts" in told
    assert seen(messy) == expected
    assert survey(str(messy)).leftovers == ()
    assert survey(str(messy)).unfinished == ()
    assert sorted(path.name for path in messy.iterdir()) == [
        ".lock",
        "_artefacts",
        "_snapshots",
        "current",
        "documents",
        "manifest.json",
    ]
    left = set((messy / "_artefacts" / "toy" / "make").iterdir())
    assert left == receipts | {path.with_suffix(".freed") for path in receipts}
    assert survey(str(messy)).freed == len(receipts)
    assert main(["status", str(messy)]) == 0
    assert f"freed: {len(receipts)} artefacts, made again where something needs them\n" in capsys.readouterr().out
    assert main(["clean", str(messy / "current")]) == 0
    assert capsys.readouterr().out == "nothing to remove\n"


def test_a_folder_that_a_run_holds_is_told_and_not_cleaned(messy, capsys):
    with locked(str(messy)):
        found = survey(str(messy))
        assert found.at_work
        if Path("/proc/locks").exists():
            assert found.holder == os.getpid()
        before = survey(str(messy)).leftovers
        assert main(["clean", str(messy)]) == 1
        assert "another run is at work" in capsys.readouterr().err
        assert survey(str(messy)).leftovers == before
        assert main(["status", str(messy)]) == 0
        assert "at work: process" in capsys.readouterr().out


def test_looking_leaves_the_lock_free(killed):
    with open(killed / ".lock") as lock:
        survey(str(killed))
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["clean"]])
def test_a_folder_of_somebody_else_is_refused(words, tmp_path, capsys):
    (tmp_path / "thesis.tmp").write_bytes(b"x")
    assert main([*words, str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert "not an output folder" in told.err
    assert told.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tmp"]


def test_an_object_store_where_no_run_has_written_is_told():
    OBJECTS.clear()
    with pytest.raises(LexbeamError, match="not an output folder"):
        survey("store://bucket/out")


def test_what_others_have_put_beside_ours_is_no_leftover(killed):
    stage = killed / "_artefacts" / "toy" / "make"
    for name in ("d41d8cd98f00b204e9800998ecf8427e.pdf", "0" * 32, "1" * 32 + "-notes.txt"):
        (stage / name).write_text("mine")
    (stage / ("2" * 32)).with_suffix(".parquet").mkdir()
    for name in ("3" * 32, "3" * 32 + ".0123456789abcdef.tmp"):
        (killed / "_snapshots" / name).mkdir()
        (killed / "_snapshots" / name / "manifest.json").write_text('{"tables": {}, "mine": 1}')
    assert survey(str(killed)).leftovers == ()
    before = {path for path in killed.rglob("*") if path.is_dir() or path.read_bytes() == b"mine"}
    assert main(["clean", str(killed)]) == 0
    assert all(path.exists() for path in before)
    assert len(list((killed / "_snapshots").glob("333*/manifest.json"))) == 2


def test_stages_are_told_in_their_units(killed, monkeypatch):
    command = status.Status()
    monkeypatch.setattr(MakeToy, "unit", "toys")
    command.stages = (MakeToy,)
    monkeypatch.setattr(stages_module, "available", lambda: iter([("toy", command)]))
    assert {stage.name: stage.unit for stage in survey(str(killed)).stages} == {"toy/make": "toys", "toy/later": ""}
    lines = []
    status.Status().action(status.StatusOptions(path=str(killed)), Action(lines.append))
    assert [line.split() for line in lines if line.startswith("toy/")] == [
        ["toy/make", "3", "1", "2", "toys"],
        ["toy/later", "0", "2"],
    ]


def test_nothing_is_left_of_a_stage_that_a_finished_one_has_waited_for(killed):
    class Later(MakeToy):
        name = "toy/later"

    space = Workspace(str(killed / "_artefacts"))
    note_waits(space, "toy", {"toy/later": {"toy/make"}})

    def left():
        return {stage.name: stage.left for stage in survey(str(killed)).stages}

    make(space, Later(), "x")
    assert left() == {"toy/make": 1, "toy/later": 1}
    make(space, Later(), "y")
    assert left() == {"toy/make": 0, "toy/later": 0}


def told(capsys, *words):
    capsys.readouterr()
    code = main(["status", *map(str, words)])
    return code, capsys.readouterr()


def test_programs_get_the_same_as_json_with_times(killed, capsys):
    begun = datetime.now(UTC) - timedelta(hours=1)
    manifest = killed / "current" / "manifest.json"
    os.utime(manifest, (1000, 1000))  # readers got it later
    code, printed = told(capsys, killed, "--json")
    assert (code, printed.err) == (0, "")
    found = json.loads(printed.out)
    corpus = found["published"]["sections"]["corpus"]
    assert corpus["tables"] == {"documents": 3}
    assert begun < datetime.fromisoformat(found["published"]["at"]) < begun + timedelta(hours=2)
    assert (found["at_work"], found["unfinished"]) == (False, ["toy"])
    made, later = found["stages"]
    assert (made["name"], made["planned"], made["done"], made["left"]) == ("toy/make", 4, 3, 1)
    assert made["first"] <= made["last"]
    assert (later["left"], later["first"], later["last"]) == (2, None, None)
    assert found["artefact_bytes"] > 0
    assert found["ages"]["newest_document"] is None  # it has no files
    assert 0 <= found["ages"]["last_success"] < 3600


def test_a_stale_section_is_told_by_the_exit_code_if_that_is_asked(tmp_path, capsys):
    texts = write_texts(tmp_path / "texts")
    assert corpus(texts, tmp_path / "out") == 0
    assert told(capsys, tmp_path / "out", "--exit-code")[0] == 0
    (texts / "1860.txt").write_text("Another text.", "utf-8")
    code, printed = told(capsys, tmp_path / "out", "--exit-code")
    assert code == 4
    assert "make what is stale anew by `lexbeam corpus` with --overwrite: what still fits is reused\n" in printed.out
    assert printed.err == "lexbeam: stale: corpus\n"
    assert told(capsys, tmp_path / "out")[0] == 0
    code, printed = told(capsys, tmp_path / "out", "--json", "--exit-code")
    assert code == 4
    assert json.loads(printed.out)["published"]["sections"]["corpus"]["stale"]


def test_what_a_configuration_made_is_made_anew_by_a_refresh(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = write_texts(tmp_path / "texts")
    Path("c.yaml").write_text("out: out\nparts: 1\ncorpus: {inputs: [texts], engine: 'builtin:en'}\n")
    assert main(["run", "c.yaml"]) == 0
    (texts / "1860.txt").write_text("Another text.", "utf-8")
    assert "\nmake what is stale anew by `lexbeam refresh c.yaml --out out`: what still" in told(capsys, "out")[1].out
    Path("c.yaml").unlink()
    assert "\nmake what is stale anew by `lexbeam corpus` with" in told(capsys, "out")[1].out


def test_a_run_that_failed_by_its_input_is_not_said_to_have_been_cut_off(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("pairs.jsonl").write_text('{"no": "passage"}\n')
    assert main(["cloze", "pairs", "pairs.jsonl", "--layout", "jsonl", "--out", "out"]) == 1
    assert main(["status", "out"]) == 0
    told = capsys.readouterr().out
    wrong = "out/_failed/cloze.pairs-cloze-rejects.tsv"
    cause = "1 of 1 records were rejected (missing_field 1), more than --max-reject-share 0.05 allows"
    assert f"a run that was to make cloze.pairs was held back: {wrong} says what was wrong\n  {cause}" in told
    assert "\ncorrect that" in told
    assert "cut off" not in told
    assert Path(wrong).is_file()
    assert main(["status", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["failed"] is True
    assert main(["show", "out"]) == 1
    assert f"out': a run failed there, and says in {wrong}" in capsys.readouterr().err


def test_a_run_that_was_cut_off_is_continued_by_the_command_that_is_named(tmp_path, monkeypatch, capsys):
    texts = write_texts(tmp_path / "texts")
    words = ["corpus", str(texts), "--out", str(tmp_path / "a b"), "--engine", "builtin:en", "--format", "text"]
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "publish", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        assert main(words) == 130
    assert main(["status", str(tmp_path / "a b")]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("continue it by "))
    command = line.removeprefix("continue it by ").partition(";")[0]
    assert main(shlex.split(command)[1:]) == 0
    monkeypatch.chdir(tmp_path)
    assert main(["show", "."]) == 1
    assert "something is published at a b: name that" in capsys.readouterr().err
    for other in ("status", "report"):
        assert main([other, "."]) == 1
        assert "a b: name that" in capsys.readouterr().err


def test_how_far_a_run_on_an_object_store_is_is_told_by_times_without_a_receipt_read(monkeypatch, capsys):
    """What was there and what the run has made, that is; what it has taken up, nothing tells."""
    OBJECTS.clear()
    out, store = "store://bucket/out", OBJECTS
    space = Workspace(make_marked_folder(out, "_artefacts"))
    clock = {}
    true = remote(out).below

    def below(self, folder):
        for path, state in true(folder):
            yield path, state._replace(changed=clock.get(path, 1))

    def tick(path, second):
        clock[path] = second * 10**9

    monkeypatch.setattr(type(remote(out)), "below", below)
    monkeypatch.setattr(
        type(remote(out)),
        "state",
        lambda self, path: (
            ObjectState(len(store[path]), clock.get(path, 1), ObjectTag(None)) if path in store else None
        ),
    )
    for task in ("old", "older"):
        make(space, TOY, task)
    note = f"{space.root}/{UNFINISHED}"
    store[note] = b'{"sections": ["toy"], "overwrite": true}'
    tick(note, 5)
    for name, number in (("toy/make", 6), ("toy/later", 2), ("toy/before", 9)):
        announce(space, name, number)
        tick(f"{space.root}/plan/{name}", 4 if name == "toy/before" else 6)
    earlier = set(store)
    for task in "abc":
        make(space, TOY, task)
    for path in set(store) - earlier:
        tick(path, 7)
    opened = []
    read = type(remote(out)).read
    monkeypatch.setattr(type(remote(out)), "read", lambda self, path: opened.append(path) or read(self, path))
    stages = {stage.name: stage for stage in survey(out).stages}
    assert stages["toy/make"][:4] == ("toy/make", 6, 3, 2)
    assert (stages["toy/make"].first, stages["toy/make"].last) == (7.0, 7.0)
    assert stages["toy/later"][:4] == ("toy/later", 2, 0, 0)
    assert "toy/before" not in stages
    assert not [path for path in opened if path.endswith(".json") and "/toy/" in path]
    assert main(["status", out]) == 0
    told = capsys.readouterr().out
    assert re.search(r"toy/make +3 +1 to 3 +2", told)
    assert re.search(r"toy/later +0 +2\b", told)
    assert "nothing is left of them" in told
