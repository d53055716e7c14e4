"""A refresh takes up what has changed, and publishes what a new run of everything would, byte for byte."""

import json
import random
import re
import shutil
import zipfile

import pytest
import yaml
from refreshed import (
    check_plan,
    make_world,
    name_of,
    planned,
    rebuilt,
    refresh,
    run_log,
    step,
    text_of,
    told,
    write_labelled,
)
from small_runs import call, published

from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import RUN_LOG, snapshot_name
from lexbeam.transforms.common.publish.run_log import read_run_log
from lexbeam.transforms.common.publish.snapshots import open_snapshot


@pytest.fixture
def world(tmp_path):
    """A folder of texts, and a configuration that makes a corpus and change of it."""
    return make_world(tmp_path)


def times(out):
    """When each file was written; the log of the run says by that when all was found to be well."""
    return {path: path.stat().st_mtime_ns for path in out.rglob("*") if not path.name.endswith(RUN_LOG)}


def test_nothing_changed_publishes_nothing(world, capsys):
    assert refresh(world, "--dry-run") == 0
    heard = capsys.readouterr().out
    assert heard.startswith(
        "corpus: new\nchange: new\nnothing is published yet: each stage makes what is not there\n  corpus: corpus/cut, "
    )
    assert "corpus/keep" not in heard, "nothing is to be kept"
    assert re.search(r"\n  change: change/.*, change/train, ", heard)
    assert heard.endswith("\nno time can be estimated: no log says what these stages took before\n")
    assert not (world / "out" / "current").exists()
    assert refresh(world) == 0
    name = snapshot_name(str(world / "out"))
    before = times(world / "out")
    capsys.readouterr()
    assert refresh(world) == 0
    time = read_history(str(world / "out")).publications[-1].time
    heard = capsys.readouterr().out
    assert heard == (
        f"corpus: stays as it is\nchange: stays as it is\nnothing has changed since {time}: nothing is published\n"
    )
    assert refresh(world, "--exit-code") == 3
    assert times(world / "out") == before
    # A text that was only touched is the same.
    (world / "texts" / "1800_0.txt").touch()
    assert refresh(world, "--exit-code") == 3
    # An option of the later section leaves the first as it is.
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["change"]["neighbours"] = 3
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    heard = told(capsys, "refresh", world / "config.yaml", "--out", world / "out", "--dry-run")
    assert heard.startswith("corpus: stays as it is\nchange: --neighbours 10 to 3\n  stage ")
    speeds = r"\nby the speeds of the last run: about \d+ seconds? of work on one worker, \d+ by the clock\n$"
    assert re.search(speeds, heard)
    plan, log = planned(world, capsys), run_log(world / "out")
    assert {stage: number for stage, number in plan.items() if number} == {"change/neighbours": 2}
    assert refresh(world) == 0
    check_plan(plan, log, run_log(world / "out"))
    entries = json.loads(told(capsys, "history", world / "out", "--json"))
    assert [entry["snapshot"] for entry in entries] == [name, snapshot_name(str(world / "out"))]
    assert entries[-1]["sections"].keys() == {"change"}


@pytest.mark.parametrize("snapshots", ["2", "1"])
def test_what_was_freed_and_is_asked_for_again_is_planned(world, capsys, caplog, snapshots):
    """Parts of snapshots that are kept are not freed; without them, a part is made again, and what it is made from."""
    config = yaml.safe_load((world / "config.yaml").read_text())
    (world / "config.yaml").write_text(yaml.safe_dump({name: config[name] for name in ("parts", "corpus")}))
    keeping = ("--keep", "published", "--keep-snapshots", snapshots)
    assert refresh(world, *keeping) == 0
    before = published(world / "out")
    (world / "texts" / "1802_x.txt").write_text("More words of the sea.")
    assert refresh(world, *keeping) == 0
    (world / "texts" / "1802_x.txt").unlink()
    plan = planned(world, capsys)
    freed = {stage for stage, number in plan.items() if number}
    assert bool(freed) == (snapshots == "1")
    assert freed <= {"corpus/merge-documents", "corpus/merge-sentences", "corpus/merge-inputs"}
    unsure = {stage for stage, number in plan.items() if number is None}
    assert unsure == ({"corpus/ingest", "corpus/annotate"} if snapshots == "1" else set()), plan
    capsys.readouterr()
    assert refresh(world, *keeping) == 0
    assert ("files that were freed are needed" in capsys.readouterr().out) == (snapshots == "1")
    assert not [record for record in caplog.records if record.levelname == "WARNING"]
    assert published(world / "out") == before
    log = read_run_log(str(world / "out"), snapshot_name(str(world / "out")))
    made = {line.stage: line.elements for line in log}
    assert {stage: made.get(stage) for stage in freed} == {stage: plan[stage] for stage in freed}


def test_a_folder_that_was_not_mounted_empties_nothing(world, capsys):
    assert refresh(world) == 0
    name = snapshot_name(str(world / "out"))
    texts = world / "texts"
    away = texts.rename(world / "away")
    assert refresh(world) == 1
    texts.mkdir()
    assert refresh(world) == 1  # it is there, and empty
    for path in sorted(away.iterdir())[::2]:
        shutil.copy2(path, texts)
    (texts / "1900_1.txt").write_text("New ships.")
    capsys.readouterr()
    assert refresh(world, "--max-change", ".4") == 1
    assert "corpus: 2 of 4 input files have gone or have other content, more than --max-change 0.4" in (
        capsys.readouterr().err
    )
    assert refresh(world, "--dry-run", "--max-change", ".4") == 1
    assert re.search(r"\n  corpus/ingest +makes ", capsys.readouterr().out), "the plan is shown beside the refusal"
    assert snapshot_name(str(world / "out")) == name
    assert refresh(world) == 0
    assert published(world / "out") == rebuilt(world)


def test_sections_that_stay_are_in_no_history_and_those_that_are_not_named_are_left(tmp_path, capsys):
    world = make_world(tmp_path, "load")
    (world / "norms.csv").write_text("word,age\nsea,3.5\nship,12\n")
    config = yaml.safe_load((world / "config.yaml").read_text())
    del config["complexity"]["score"]
    lists = {"wordlist": ["age=norms.csv:word=word,value=age,language=en"], "cache": str(world / "cache")}
    config["complexity"]["features"] |= {"use": ["form", "norms"], **lists}
    for shares in (["train=.6", "test=.4"], ["train=.5", "test=.5"]):
        config["complexity"]["split"]["shares"] = shares
        (world / "config.yaml").write_text(yaml.safe_dump(config))
        assert refresh(world) == 0
    entries = json.loads(told(capsys, "history", world / "out", "--json"))
    assert entries[-1]["sections"].keys() == {"complexity.split"}
    before = published(world / "out")
    del config["complexity"]["split"]
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    heard = told(capsys, "refresh", world / "config.yaml", "--out", world / "out")
    assert (
        "\ncomplexity.split: not in the configuration, is left unless what it was made from is another now\n" in heard
    )
    assert published(world / "out") == before
    write_labelled(world / "labelled", random.Random(9))
    assert refresh(world, "--max-change", "1") == 0
    assert published(world / "out") == rebuilt(world), "what it was made from is another now"


@pytest.fixture
def kept_world(world):
    """Texts and labelled files, and a configuration that takes them in and splits the instances."""
    (world / "labelled").mkdir()
    for seed in range(3):
        write_labelled(world / "labelled", random.Random(seed))
    config = yaml.safe_load((world / "config.yaml").read_text())
    del config["change"]
    config["complexity"] = {
        "load": {"inputs": "labelled", "layout": "tsv", "language": "en"},
        "split": {"shares": ["train=.6", "test=.4"]},
    }
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    return world


def rebuilt_given(world, snapshot):
    """What a run of everything in an empty folder publishes, given what was published before."""
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["corpus"]["keep-missing"] = config["complexity"]["split"]["splits-from"] = str(snapshot)
    (world / "given.yaml").write_text(yaml.safe_dump(config))
    shutil.rmtree(world / "full", ignore_errors=True)
    assert call("run", world / "given.yaml", "--out", world / "full") == 0
    return published(world / "full")


def names_and_splits(out):
    """The input files of a corpus, its documents with their texts, and the splits of instances."""
    snapshot = open_snapshot(str(out))
    inputs = set(snapshot.read("corpus/inputs", ["name"])["name"].to_pylist())
    documents = snapshot.read("documents", ["document_id", "text"])
    splits = snapshot.read("complexity/splits", ["instance_id", "split"])
    return (
        inputs,
        dict(zip(*documents.to_pydict().values(), strict=True)),
        dict(zip(*splits.to_pydict().values(), strict=True)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 51))])
def test_what_stays_follows_from_the_snapshot_before(kept_world, seed, capsys):
    random_ = random.Random(seed)
    texts, out = kept_world / "texts", kept_world / "out"
    assert refresh(kept_world) == 0
    for number in range(1 if seed == 0 else 10):
        before = (out / "current").resolve()
        inputs, documents, splits = names_and_splits(before)
        way = step(random_, texts) if number % 2 else "removed and added"
        if way == "removed and added":
            min(texts.iterdir()).unlink()
            (texts / name_of(random_)).write_text(text_of(random_))
            write_labelled(kept_world / "labelled", random_)
        there = {path.name for path in texts.iterdir()}
        gone = inputs - there
        assert refresh(kept_world, "--keep-missing", "--freeze-splits", "--max-change", "1") == 0, way
        if (out / "current").resolve() == before:  # nothing has changed but what is kept
            assert there <= inputs, way
            continue
        after, texts_after, splits_after = names_and_splits(out)
        assert after == there | gone, way
        assert published(out) == rebuilt_given(kept_world, before), way
        if way not in ("changed", "dated anew"):  # which may put it in the place of another
            assert documents.items() <= texts_after.items(), way
        assert {name: splits_after[name] for name in splits} == splits, way
    # Without the option splits are those of the rule again.
    words = ("refresh", kept_world / "config.yaml", "--out", out, "--dry-run", "--max-change", "1")
    assert "\ncomplexity.split: its splits were frozen, and are not any more\n" in told(capsys, *words)


def test_a_folder_that_is_emptied_once_taken_in_keeps_all(world, capsys):
    """As an inbox whose files are moved away: nothing to do by itself, and all is made of what is kept."""
    config = yaml.safe_load((world / "config.yaml").read_text())
    config = {name: config[name] for name in ("parts", "corpus")}
    config["corpus"]["inputs"] = str(world / "texts" / "*.txt")
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    assert refresh(world, "--keep-missing") == 0
    first, before = (world / "out" / "current").resolve(), published(world / "out")
    for path in (world / "texts").iterdir():
        path.unlink()
    assert refresh(world, "--keep-missing", "--exit-code") == 3
    assert refresh(world, "--dry-run") == refresh(world) == 1  # without the option, nothing is emptied
    assert "no input files at" in capsys.readouterr().err
    config["corpus"]["date-range"] = "last"
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    assert refresh(world, "--keep-missing") == 0
    assert published(world / "out").keys() == before.keys()
    config["corpus"]["keep-missing"] = str(first)
    (world / "given.yaml").write_text(yaml.safe_dump(config))
    assert call("run", world / "given.yaml", "--out", world / "full") == 0
    assert published(world / "full") == published(world / "out")
    assert "\n  stale: input: 4 gone (" in told(capsys, "status", world / "out")
    assert refresh(world) == 1
    assert "4 of 4 input files have gone" in capsys.readouterr().err
    (world / "texts").rmdir()
    assert refresh(world, "--keep-missing") == 1
    assert "no input files at" in capsys.readouterr().err


def test_what_a_section_took_in_itself_is_not_kept_and_that_is_told(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "in" / name).write_text(f"{name[0]}word\n")
    load = {"inputs": ["in"], "layout": "tsv", "language": "de"}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"out": "out", "complexity": {"load": load}}))
    assert call("refresh", tmp_path / "config.yaml", "--keep-missing") == 0
    before = snapshot_name(str(tmp_path / "out"))
    assert call("refresh", tmp_path / "config.yaml", "--keep-missing", "--exit-code") == 3
    (tmp_path / "in" / "b.txt").unlink()
    capsys.readouterr()
    assert call("refresh", tmp_path / "config.yaml", "--keep-missing") == 1
    told_ = capsys.readouterr().err
    assert "complexity.load: input files have gone (1), and --keep-missing keeps the documents of corpus " in told_
    assert snapshot_name(str(tmp_path / "out")) == before


def test_what_is_kept_must_fit(kept_world, capsys):
    assert refresh(kept_world) == 0
    kept = ("--keep-missing", "--freeze-splits", "--exit-code")
    min((kept_world / "texts").iterdir()).unlink()
    assert refresh(kept_world, *kept) == 3  # it is kept, so nothing has changed
    config = yaml.safe_load((kept_world / "config.yaml").read_text())
    config["complexity"]["split"]["shares"] = ["train=.6", "held=.4"]
    (kept_world / "config.yaml").write_text(yaml.safe_dump(config))
    capsys.readouterr()
    assert refresh(kept_world, *kept) == 1
    assert "instances are in split test, which --shares does not have" in capsys.readouterr().err
    config["corpus"]["duplicates"] = "keep"
    (kept_world / "config.yaml").write_text(yaml.safe_dump(config))
    assert refresh(kept_world, *kept) == 2
    assert "with --duplicates keep, equal documents of files that have gone cannot be told" in capsys.readouterr().err


CONLLU = "# newdoc id = {0}\n1\tShips\tship\tNOUN\t_\t_\t0\troot\t_\t_\n2\tsail\tsail\tVERB\t_\t_\t1\tdep\t_\t_\n\n"


def tables_of(out):
    """The parts of all tables, without the manifest, which names what is kept."""
    return {name: content for name, content in published(out).items() if name != "manifest.json"}


def test_what_has_gone_is_published_as_it_was(tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    long = "".join(CONLLU.format(0).partition("\n")[2] for _ in range(4100))  # blocks of a document
    (texts / "a.conllu").write_text("# newdoc id = long\n" + long + "".join(map(CONLLU.format, range(3))))
    (texts / "b.conllu").write_text("1\tbroken\n\n" + CONLLU.format("b"))
    (texts / "left.conllu").write_text(CONLLU.format("left"))
    with zipfile.ZipFile(texts / "c!.zip", "w") as archive:
        archive.writestr("in/one.conllu", CONLLU.format("one"))
        archive.writestr("two.conllu", CONLLU.format("two"))
    words = ("--engine", "none", "--format", "conllu", "--parts", "2", "--max-reject-share", "1")
    assert call("corpus", texts, "--out", tmp_path / "out", *words) == 0
    before = tables_of(tmp_path / "out")
    for name in ("a.conllu", "b.conllu", "c!.zip"):
        (texts / name).unlink()
    kept = ("--keep-missing", tmp_path / "out")
    assert call("corpus", texts, "--out", tmp_path / "kept", *words, *kept) == 0
    assert tables_of(tmp_path / "kept") == before
    # And once more, from what was kept.
    again = ("--keep-missing", tmp_path / "kept")
    assert call("corpus", texts, "--out", tmp_path / "again", *words, *again) == 0
    assert tables_of(tmp_path / "again") == before
    # But not what this folder has forgotten, though another one keeps it.
    assert call("forget", tmp_path / "again", "b.conllu") == 0
    assert call("corpus", texts, "--out", tmp_path / "again", *words, *kept, "--overwrite") == 0
    snapshot = open_snapshot(str(tmp_path / "again"))
    assert "b.conllu" not in snapshot.read("documents")["source"].to_pylist()
    rejects = snapshot.read("rejects").to_pylist()
    assert {row["reason"] for row in rejects if row["source"] == "b.conllu"} == {"forgotten"}
    counts = {row["name"]: row for row in snapshot.read("corpus/inputs").to_pylist()}["b.conllu"]
    assert (counts["records"], counts["documents"]) == (counts["rejects"], 0)
