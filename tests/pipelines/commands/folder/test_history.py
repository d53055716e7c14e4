"""`history`, `diff`, `tag` and `rollback`, as a person types them, and a snapshot opened from Python."""

import json
import shlex
import sys

import pytest
from making import made_section, put

import lexbeam
from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.command import PublishOptions
from lexbeam.pipelines.frame.publishing import Intended, Sections, publish_run
from lexbeam.transforms.common.publish import history, publication
from lexbeam.transforms.common.publish.layout import locked, read_record, snapshot_name
from lexbeam.transforms.common.publish.publication import Keep


@pytest.fixture
def out(tmp_path):
    """Three publications, of which two are kept."""
    folder = tmp_path / "out"
    for number, words in enumerate((["a"], ["a", "b"], ["a", "c", "d"])):
        section = made_section(
            tmp_path / f"w{number}", "corpus", {"documents": [[word] for word in words]}, options={"dim": number}
        )
        put(folder, section, keep=Keep(2))
    return folder


def told(capsys, *words):
    capsys.readouterr()
    status = main([str(word) for word in words])
    heard = capsys.readouterr()
    return status, heard.out + heard.err


def snapshots(out, capsys):
    return [entry["snapshot"] for entry in json.loads(told(capsys, "history", out, "--json")[1])]


def test_history_for_a_person_and_for_programs(out, capsys):
    status, text = told(capsys, "history", out)
    assert status == 0
    heads = [line for line in text.splitlines() if not line.startswith(" ")]
    assert len(heads) == 3
    assert heads[0].endswith("published (current)")
    assert heads[2].endswith("published (no longer kept)")
    assert "corpus remade: option dim 1 to 2" in text
    assert "documents 3 rows (+1)" in text
    status, text = told(capsys, "history", out, "--last", "1")
    noted = json.loads(told(capsys, "history", out, "--json")[1])[-1]
    assert text.splitlines()[1] == f"  code {noted['code']}, configuration {noted['configuration']}"
    assert text.splitlines()[-1] == "and 2 before: --last shows more"
    entries = json.loads(told(capsys, "history", out, "--json")[1])
    assert [entry["kept"] for entry in entries] == [False, True, True]
    assert [entry["current"] for entry in entries] == [False, False, True]
    assert entries[-1]["snapshot"] == snapshot_name(str(out))
    assert entries[-1]["tables"] == {"documents": {"rows": 3, "rows_before": 2, "new_parts": 2}}
    assert entries[-1]["sections"]["corpus"]["options"] == {"dim": [1, 2]}
    assert entries[0]["time"] <= entries[-1]["time"]


def test_tag_rollback_and_a_snapshot_from_python(out, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _, second, third = snapshots(out, capsys)
    assert told(capsys, "tag", out, second[:10], "paper-v1") == (0, f"tag: paper-v1 is {second}\n")
    assert told(capsys, "tag", out, second, "paper-v1")[1].startswith("tag stands already")
    taken = told(capsys, "tag", out, third, "paper-v1")
    assert (taken[0], "give another name, or take it away first by `lexbeam untag out paper-v1`" in taken[1]) == (
        2,
        True,
    )
    assert lexbeam.open(out, snapshot="paper-v1").table("documents")["word"].to_pylist() == ["a", "b"]
    assert lexbeam.open(out).table("documents").num_rows == 3
    hook = shlex.join([sys.executable, "-c", "import os; open('heard', 'a').write(os.environ['LEXBEAM_SNAPSHOT'])"])
    status, text = told(capsys, "rollback", out, "paper-v1", "--on-publish", hook)
    assert (status, text.startswith(f"rolled back: readers see {second}; {third} is kept")) == (0, True)
    assert lexbeam.open(out).snapshot.name == second
    assert "already" in told(capsys, "rollback", out, second, "--on-publish", hook)[1]
    assert (tmp_path / "heard").read_text() == second
    assert "rolled back (tag paper-v1, current)" in told(capsys, "history", out)[1]
    assert told(capsys, "untag", out, "paper-v1")[0] == 0
    with pytest.raises(lexbeam.UsageError, match="no snapshot or tag 'paper-v1'"):
        lexbeam.open(out, snapshot="paper-v1")


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        (["tag", "OUT"], "SNAPSHOT must be given"),
        (["tag", "OUT", "x"], "NAME must be given"),
        (["tag", "OUT", "x", "a tag"], "NAME: a tag has letters"),
        (["untag", "OUT", "z"], "no tag 'z'"),
        (["tag", "OUT", "nothing", "y"], "no snapshot or tag 'nothing'"),
        (["rollback", "OUT"], "SNAPSHOT must be given"),
        (["rollback", "OUT", "012345"], "no snapshot or tag '012345'"),
        (["diff", "OUT", "a", "b", "c"], "two at most"),
        (["history", "OUT/none"], "nothing is published"),
    ],
)
def test_mistakes(out, capsys, words, heard):
    status, text = told(capsys, *(word.replace("OUT", str(out)) for word in words))
    assert status == (1 if "none" in words[1] else 2)
    assert heard in text


def test_a_folder_at_which_a_run_is_at_work_is_left_alone(out, capsys):
    _, second, third = snapshots(out, capsys)
    with locked(str(out)):
        for words in (["tag", out, second, "x"], ["rollback", out, second]):
            status, text = told(capsys, *words)
            assert (status, "another run is at work" in text, "--out" in text) == (1, True, False)
        assert told(capsys, "history", out)[0] == told(capsys, "diff", out)[0] == 0
    assert snapshot_name(str(out)) == third


def test_what_is_in_the_way_is_to_be_moved(out, capsys):
    name = snapshots(out, capsys)[-1]
    (out / "manifest.json").unlink()
    (out / "manifest.json").write_text("mine")
    for words in (["tag", out, name, "x"], ["untag", out, "x"], ["rollback", out, name]):
        status, text = told(capsys, *words)
        assert (status, text.strip().endswith("is in the way: move it")) == (2, True)


def test_a_snapshot_or_current_stands_for_its_folder(out, capsys):
    _, second, third = snapshots(out, capsys)
    for place in (out / "current", out / "_snapshots" / second):
        assert told(capsys, "tag", place, third, "x") == (0, f"tag: x is {third}\n")
        for words in (["history"], ["diff"], ["diff", "x", second]):
            assert told(capsys, words[0], place, *words[1:]) == told(capsys, words[0], out, *words[1:])
        assert told(capsys, "untag", place, "x")[0] == 0
        assert told(capsys, "rollback", place, second)[0] == told(capsys, "rollback", place, third)[0] == 0
        assert json.loads(told(capsys, "status", place, "--json")[1])["folder"] == str(out)
        for name in (second, third):
            assert lexbeam.open(place, snapshot=name[:8]).snapshot.name == name
    assert lexbeam.open(out / "_snapshots" / second).snapshot.name == second
    assert (out / "current").resolve().name == third


def test_diff_of_the_last_two_of_two_by_name_and_of_one(out, capsys):
    _, second, third = snapshots(out, capsys)
    status, text = told(capsys, "diff", out)
    assert status == 0
    assert text.splitlines()[0] == f"{second[:12]} to {third[:12]}"
    assert text.splitlines()[1] == "corpus remade: option dim 1 to 2"
    assert "documents: 2 to 3 rows" in text
    facts = json.loads(told(capsys, "diff", out, "--json")[1])
    assert facts == json.loads(told(capsys, "diff", out, second, third, "--json")[1])
    assert facts == json.loads(told(capsys, "diff", out, second, "--json")[1])
    assert (facts["before"], facts["after"]) == (second, third)
    assert facts["sections"]["corpus"]["options"] == {"dim": [1, 2]}
    assert facts["tables"]["documents"]["rows"] == [2, 3]
    back = json.loads(told(capsys, "diff", out, third, second, "--json")[1])
    assert back["tables"]["documents"]["rows"] == [3, 2]
    assert "no table differs" in told(capsys, "diff", out, third, third)[1]


def test_parts_that_are_missing_or_damaged_are_named_with_what_to_do(out, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    _, second, third = snapshots(out, capsys)
    part = max((out / "_snapshots" / second / "documents").iterdir())  # no other snapshot has its content
    for words in (["rollback", "out", second], ["diff", "out"]):
        for damage in (lambda: part.write_bytes(b"x"), part.unlink):
            content = part.read_bytes()
            damage()
            status, text = told(capsys, *words)
            assert status == 1
            assert (
                f"1 part of snapshot {second} at '{out}' missing or damaged:\n  {part}\n`lexbeam history out`" in text
            )
            part.write_bytes(content)
    assert told(capsys, "rollback", "out", second)[0] == 0
    part = max((out / "_snapshots" / second / "documents").iterdir())  # no other snapshot has its content
    part.unlink()
    assert "repair them with --overwrite" in told(capsys, "diff", "out", third)[1]  # what readers see


def test_runs_keep_snapshots_by_age(tmp_path, monkeypatch):
    out = tmp_path / "out"
    for number in range(4):
        for module in (history, publication):
            monkeypatch.setattr(module, "now", lambda hours=12 * number: 1e9 + 3600 * hours)
        section = made_section(tmp_path / str(number), "corpus", {"documents": [[str(number)]]})
        options = PublishOptions(out=str(out), overwrite=True, keep_snapshots=1, keep_days=1.2)
        publish_run(
            options, [Intended("corpus", ("documents",), {})], lambda *_, made=section: Sections([made]), {}, print
        )
    assert len(read_record(str(out)).snapshots) == 3


def test_diff_needs_two(tmp_path, capsys):
    put(tmp_path / "out", made_section(tmp_path / "w", "corpus", {"documents": [["a"]]}))
    status, text = told(capsys, "diff", tmp_path / "out")
    assert (status, "keeps one snapshot" in text) == (2, True)
