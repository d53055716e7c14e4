"""Sections of a run that fail apart: what does not hang on one that failed is published, the rest is held."""

import json
import os
import random
import re
import shutil
from functools import partial

import pytest
import yaml
from refreshed import WORDS, make_world, rebuilt, refresh, told
from small_runs import call, manifest, published
from wordnet_making import Synset, write_wordnet

from lexbeam.transforms.common.publish.holding import published_contents
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.snapshots import open_snapshot

APART = ("--on-failure", "publish-others")
COMPLEXITY = ("complexity.load", "complexity.split")
CLOZE = ("cloze.pairs", "cloze.candidates")


def text(seed):
    random_ = random.Random(seed)
    return "\n\n".join(" ".join(random_.choices(WORDS, k=8)).capitalize() + "." for _ in range(3))


def labelled(seed):
    random_ = random.Random(seed)
    rows = [f"{word}\t{random_.random():.2f}\tthe {word} of {random_.choice(WORDS)}" for word in WORDS[seed % 3 :]]
    return "\n".join(["token\tcomplexity\tsentence", *rows]) + "\n"


def make(folder):
    """Texts, labelled files, WordNet, and a configuration of a corpus, change, complexity and cloze; and a run."""
    world = make_world(folder)
    for path in (world / "texts").iterdir():
        path.write_text(text(path.name))
    (world / "labelled").mkdir()
    for seed in range(3):
        (world / "labelled" / f"{seed}.tsv").write_text(labelled(seed))
    things = [Synset("entity", "n", ["entity"], "what is")]
    things += [Synset(word, "n", [word], "a thing", pointers=[("@", "entity", 0, 0)]) for word in WORDS]
    write_wordnet(world / "wordnet", things)
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["complexity"] = {
        "load": {"inputs": "labelled", "layout": "tsv", "language": "en"},
        "split": {"shares": ["train=.6", "test=.4"]},
    }
    wordnet = {"wordnet": "wordnet", "cache": str(folder / "cache")}
    config["cloze"] = {"pairs": {"layout": "corpus"}, "candidates": {"kind": ["nonspecificity"], **wordnet}}
    (world / "config.yaml").write_text(yaml.safe_dump(config))
    assert refresh(world) == 0
    return world


def copied(made_once, folder):
    world = shutil.copytree(made_once("apart", make), folder / "world", symlinks=True)
    configure(world, lambda config: config["cloze"]["candidates"].update(cache=str(world / "cache")))
    return world


@pytest.fixture
def world(made_once, tmp_path):
    return copied(made_once, tmp_path)


def configure(world, change):
    config = yaml.safe_load((world / "config.yaml").read_text())
    change(config)
    (world / "config.yaml").write_text(yaml.safe_dump(config))


def add(world):
    """A text and a labelled file more."""
    (world / "texts" / "1800_9.txt").write_text(text("more"))
    (world / "labelled" / "9.tsv").write_text(labelled(9))


def gate(world, **bounds):
    configure(world, lambda config: config.update(gate=bounds) if bounds else config.pop("gate"))


def sections(out):
    """What is said of each section, and of its tables."""
    found = manifest(out)
    return {
        name: (section, {table: found["tables"][table] for table in section["parts"]})
        for name, section in open_snapshot(str(out)).sections.items()
    }


def check_whole(out):
    """Check that each section is made from the tables that are published beside it."""
    snapshot = open_snapshot(str(out))
    sides = published_contents(snapshot.manifest, snapshot.sections)
    there = {table: digest for side in sides.values() for table, digest in side.tables.items()}
    for side in sides.values():
        assert side.reads.items() <= there.items()


def check_held(world, held, before):
    """Check that sections are held as they were, and others are what a run of everything makes of them."""
    out = world / "out"
    assert manifest(out).get("held", {}) == held
    check_whole(out)
    now = sections(out)
    assert {name: now.get(name) for name in held} == {name: before.get(name) for name in held}
    return {name: section for name, section in now.items() if name not in held}


def status(world, capsys):
    return json.loads(told(capsys, "status", world / "out", "--json"))


def break_wordnet(world):
    (world / "wordnet").rename(world / "away")
    return partial((world / "away").rename, world / "wordnet")


def break_label(world):
    path = world / "labelled" / "1.tsv"
    kept = path.read_bytes()
    path.write_bytes(kept + b"\xff\xfe broken\n" * 9)
    return partial(path.write_bytes, kept)


def break_change(world):
    gate(world, change={"slice-tokens": {"least": 10**6}})
    return partial(gate, world)


BROKEN = {
    "a resource is gone": (
        break_wordnet,
        {"cloze.candidates": "failed", "corpus": "feeds cloze.pairs", "cloze.pairs": "feeds cloze.candidates"}
        | {"change": "is made from corpus"},
        "wordnet",
    ),
    "a file is damaged": (
        break_label,
        {"complexity.load": "failed", "complexity.split": "is made from complexity.load"},
        "9 of",
    ),
    "a bound is broken": (
        break_change,
        {"change": "failed", "corpus": "feeds change", "cloze.pairs": "is made from corpus"}
        | {"cloze.candidates": "is made from cloze.pairs"},
        "slice-tokens of 1800-1801",
    ),
}


@pytest.fixture
def full(made_once):
    """What a run of everything publishes once a text and a labelled file are added: the files, the sections."""

    def run(folder):
        world = copied(made_once, folder)
        add(world)
        return rebuilt(world), sections(world / "full")

    return made_once("apart-full", run)


@pytest.mark.parametrize("cause", BROKEN)
def test_what_does_not_hang_on_a_failure_is_published_and_all_is_once_it_is_mended(world, full, capsys, cause):
    breaks, held, reason = BROKEN[cause]
    out, before = world / "out", sections(world / "out")
    add(world)
    mend = breaks(world)
    capsys.readouterr()
    assert refresh(world, *APART, "--keep", "used", "--on-publish", f"touch {world / 'told'}") == 5
    heard = capsys.readouterr().err
    assert all(f"{name} ({why})" in heard for name, why in held.items())
    others = check_held(world, held, before)
    assert all(before[name] != section for name, section in others.items()), "what is published is new"
    assert others == {name: full[1][name] for name in others}
    (world / "told").unlink()
    found = status(world, capsys)
    assert {name: each["why"] for name, each in found["published"]["held"].items()} == held
    failed = next(name for name, why in held.items() if why == "failed")
    assert reason in found["published"]["held"][failed]["reasons"][0]
    assert found["failed"]
    assert set(found["unfinished"]) == held.keys()
    assert any(reason in line for line in found["held_back"])
    for name in held:
        assert found["published"]["sections"][name]["stale"][0] == f"held back: {held[name]}"
    made = {}
    if failed == "change":
        made = check_once_more(world, capsys)
    mend()
    # Whatever else is as it was, what is held is made.
    assert refresh(world, *APART) == 0
    assert published(out) == full[0]
    assert status(world, capsys)["published"]["held"] == {}
    assert not status(world, capsys)["failed"]
    assert refresh(world, *APART, "--exit-code") == 3
    assert {path: os.stat(path).st_ino for path in made} == made, "what was made of change is published"


def check_once_more(world, capsys):
    """Check a refresh with the same failure, and what is told of it; return the artefacts of change."""
    out, name = world / "out", snapshot_name(str(world / "out"))
    assert refresh(world, *APART, "--keep", "published", "--on-publish", f"touch {world / 'told'}") == 5
    assert snapshot_name(str(out)) == name
    assert not (world / "told").exists(), "readers see nothing new"
    heard = _dry(world, capsys)
    assert "held now: change: failed\n" in heard
    assert "\ncorpus: held back: feeds change; input: 1 new (1800_9.txt)\n" in heard
    assert call("report", out, "--out", world / "report.html") == 0
    page = (world / "report.html").read_text()
    assert "Section change is as it was published before: the last run held it back, since it has failed." in page
    assert re.search(r"Section corpus is as it was published before: [^.]* since it feeds change\.", page)
    # Without the option, nothing at all is published.
    assert refresh(world) == 1
    assert snapshot_name(str(out)) == name
    made = {path: os.stat(path).st_ino for path in (out / "_artefacts" / "change").rglob("*.parquet")}
    assert made
    return made


def _dry(world, capsys):
    capsys.readouterr()
    name = snapshot_name(str(world / "out"))
    assert refresh(world, "--dry-run", *APART) in (0, 5)
    assert snapshot_name(str(world / "out")) == name
    return capsys.readouterr().out


def test_a_first_run_publishes_what_a_failed_section_is_made_from(world, capsys):
    """Of what was never published nothing contradicts what feeds it."""
    filled, before = published(world / "out"), sections(world / "out")
    shutil.rmtree(world / "out")
    bounds = {"gate": {"change": {"slice-tokens": {"least": 10**6}}}}
    configure(world, lambda config: config.update({"on-failure": "publish-others", **bounds}))
    path, out = world / "config.yaml", world / "out"
    change = yaml.safe_load(path.read_text())["change"]
    others = {name: section for name, section in before.items() if name != "change"}
    assert call("run", path, "--out", out) == 5
    assert manifest(out)["held"] == {"change": "failed"}
    assert sections(out) == others
    held = status(world, capsys)["published"]["held"]["change"]
    assert (held["why"], held["published"]) == ("failed", False)
    for command in ("status", "show"):
        assert "\nheld: change: failed; nothing is published of it\n" in told(capsys, command, out)
    # What is published is to be replaced on purpose, or by going on.
    assert call("run", path, "--out", out) == 2
    # If the configuration does not have it any more, nobody is to make it.
    configure(world, lambda config: [config.pop(name) for name in ("gate", "change")])
    assert refresh(world) == 0
    assert "held" not in manifest(out)
    assert sections(out) == others
    configure(world, lambda config: config.update(change=change, **bounds))
    assert refresh(world, "--on-failure", "hold") == 1
    assert "held" not in manifest(out), "the command line wins over the file"
    assert call("run", path, "--out", out, "--overwrite") == 5
    gate(world)
    assert call("run", path, "--out", out, "--resume") == 0
    assert published(out) == filled


def test_if_every_section_is_held_the_run_fails_as_it_would_without_the_option(world, capsys):
    name = snapshot_name(str(world / "out"))
    configure(world, lambda config: [config.pop(section) for section in ("complexity", "cloze")])
    (world / "texts" / "1800_9.txt").write_text(text("more"))
    gate(world, change={"slice-tokens": {"least": 10**6}})
    assert refresh(world, *APART) == 1
    assert snapshot_name(str(world / "out")) == name
    assert "held" not in manifest(world / "out")
    assert status(world, capsys)["failed"]


def test_too_many_changed_files_hold_their_own_section(world, capsys):
    before = sections(world / "out")
    (world / "texts" / "1800_9.txt").write_text(text("more"))
    for path in (world / "labelled").iterdir():
        path.write_text(labelled(5))
    heard = _dry(world, capsys)
    assert refresh(world, "--dry-run", *APART) == 5
    assert "complexity.load: 3 of 3 input files have gone" in capsys.readouterr().err
    assert "corpus/ingest" in heard
    assert refresh(world, *APART) == 5
    held = {"complexity.load": "failed", "complexity.split": "is made from complexity.load"}
    check_held(world, held, before)


def test_wrong_options_are_refused_before_anything_is_made(world, capsys):
    def wrong(config):
        config["complexity"]["split"]["shares"] = ["train=2"]

    configure(world, wrong)
    name = snapshot_name(str(world / "out"))
    assert refresh(world, *APART) == 2
    assert snapshot_name(str(world / "out")) == name
    configure(world, lambda config: config.update({"on-failure": "go-on"}))
    assert refresh(world) == 2
    assert "on-failure must be hold or publish-others, not 'go-on'" in capsys.readouterr().err
    configure(world, lambda config: config["corpus"].update({"on-failure": config.pop("on-failure")}))
    assert refresh(world) == 2
    assert "on-failure belongs at the top of the file, not in corpus" in capsys.readouterr().err
