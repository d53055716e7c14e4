"""A refresh that stays takes up what comes, and publishes what a run would."""

import functools
import json
import random
import resource
import shlex
import shutil
import signal
import sys

import pytest
import yaml
from small_runs import call, published
from streaming import SECONDS, Started

from lexbeam.pipelines.commands.folder import run as refresh_module
from lexbeam.pipelines.commands.folder.watch import watch
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import files

WORDS = ("ship", "sea", "captain", "sail", "wind", "harbour", "gold", "letter", "news", "king", "war")


def add(world, name, random_):
    text = "\n\n".join(" ".join(random_.choices(WORDS, k=8)).capitalize() + "." for _ in range(3))
    hidden = world / f"{name}.part"  # whole when it gets its name
    hidden.write_text(text)
    hidden.rename(world / "texts" / name)


@pytest.fixture
def world(tmp_path):
    """A folder of texts, and a configuration that makes a corpus of it."""
    (tmp_path / "texts").mkdir()
    for number in range(3):
        add(tmp_path, f"1800_{number}.txt", random.Random(number))
    corpus = {"inputs": "texts", "engine": "builtin:en", "dates": "name:^(\\d{4})_", "language": "en"}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"parts": 2, "corpus": corpus}))
    return tmp_path


def rebuilt(world, *words):
    """What a run of everything in an empty folder publishes now."""
    shutil.rmtree(world / "full", ignore_errors=True)
    code = call("run", world / "config.yaml", "--out", world / "full", *words)
    return published(world / "full"), code


@pytest.fixture
def watched(world, monkeypatch):
    """A function that watches by a clock of its own, until what is done between two looks is true; its exit code."""

    def run(between, *words):
        now, looks = [0.0], [0]

        def sleep(seconds):
            now[0] += seconds
            looks[0] += 1
            if between(len(read_history(str(world / "out")).publications), looks[0]) or looks[0] > 400:
                raise KeyboardInterrupt

        monkeypatch.setattr(refresh_module, "watch", functools.partial(watch, clock=lambda: now[0], sleep=sleep))
        pace = ("--watch-files", 1, "--watch-minutes", 1, "--watch-poll", 1)
        return call("refresh", world / "config.yaml", "--out", world / "out", "--watch", *pace, *words)

    return run


def test_a_watch_publishes_what_comes_as_a_run_would_and_tells_the_hook(world, watched, capsys):
    def between(number, looks):
        if number == 1 and looks == 4:
            add(world, "1900_0.txt", random.Random(9))
        return number == 2

    told = world / "told"
    hook = shlex.join(["sh", "-c", f'echo "$LEXBEAM_OUT $LEXBEAM_SNAPSHOT" >> {shlex.quote(str(told))}'])
    assert watched(between, "--on-publish", hook) == 130
    heard = capsys.readouterr()
    assert "interrupted; nothing was left half written" in heard.err
    assert "input: 1 new (1900_0.txt)" in heard.out
    wanted, code = rebuilt(world, "--on-publish", f"{sys.executable} -c 'raise SystemExit(3)'")
    assert published(world / "out") == wanted
    # A hook that fails fails the command; what it was to be told of is published.
    assert code == 1
    assert "is published, but --on-publish ended with 3" in capsys.readouterr().err
    snapshots = [each.snapshot for each in read_history(str(world / "out")).publications]
    assert told.read_text().splitlines() == [f"{world / 'out'} {name}" for name in snapshots]
    assert len(snapshots) == 2


@pytest.mark.soak
def test_files_that_appear_in_a_bucket_are_taken_up(world, watched, bucket, caplog):
    config = yaml.safe_load((world / "config.yaml").read_text())
    config["corpus"]["inputs"] = f"{bucket}/texts"
    (world / "config.yaml").write_text(yaml.safe_dump(config))

    def put(name, text=None):
        files.write_bytes(f"{bucket}/texts/{name}", text or (world / "texts" / name).read_bytes())

    def between(number, looks):
        if number == 1 and looks == 4:
            add(world, "1900_0.txt", random.Random(9))
            put("1900_0.txt")
            put("1800_1.txt", b"Other words, and others than before.")
        return number == 2

    for number in range(3):
        put(f"1800_{number}.txt")
    assert watched(between) == 130
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    snapshot = open_snapshot(str(world / "out"))
    names = [f"1800_{number}.txt" for number in range(3)]
    assert sorted(snapshot.read("corpus/inputs", ["name"])["name"].to_pylist()) == [*names, "1900_0.txt"]
    assert published(world / "out") == rebuilt(world)[0]


def test_a_disk_that_is_full_is_told_and_files_are_taken_up_when_there_is_room(world, watched, caplog):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    tries = []

    def between(number, looks):
        tries[:] = [record for record in caplog.records if "this refresh failed" in record.message]
        if number == 1 and looks == 4:
            add(world, "1900_0.txt", random.Random(9))
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # no file takes a byte more
        if len(tries) == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        return number == 2

    try:
        assert watched(between) == 130
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(tries) == 2
    assert "takes no file of this size" in tries[0].message
    assert published(world / "out") == rebuilt(world)[0]


def test_a_folder_that_is_away_for_a_while_is_in_the_status_for_that_while(world, watched, capsys):
    texts, away, states = world / "texts", world / "away", []

    def between(number, looks):
        if looks in (4, 8):
            capsys.readouterr()
            assert call("status", world / "out", "--json") == 0
            states.append(json.loads(capsys.readouterr().out))
        if looks == 4:
            texts.rename(away)
        elif looks == 8:
            away.rename(texts)
        return looks == 10

    assert watched(between) == 130
    assert [state["failed"] for state in states] == [False, True]
    assert str(texts) in states[1]["held_back"][0]
    capsys.readouterr()
    assert call("status", world / "out", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["failed"], found["held_back"]) == (False, [])


def test_a_watch_that_is_killed_as_it_publishes_is_finished_by_the_next(world, watched, capsys):
    # Readers see the tables by then, and nothing else is done: no links beside `current`, no history, no hook.
    kill = "import os, lexbeam.transforms.common.publish.publication as p; real = p._replace_link\n"
    kill += "def killing(*a): real(*a); os.kill(os.getpid(), 9)\n"
    hook = shlex.join(["sh", "-c", f'echo "$LEXBEAM_SNAPSHOT" >> {shlex.quote(str(world / "told"))}'])
    words = ["--out", world / "out", "--watch", "--watch-poll", "0.1", "--on-publish", hook]
    killed = Started("refresh", world / "config.yaml", *words, before=f"{kill}p._replace_link = killing")
    assert killed.process.wait(SECONDS) == -signal.SIGKILL
    out = world / "out"
    before, name = published(out), snapshot_name(str(out))
    assert not (out / "documents").exists()
    assert not (world / "told").exists()
    assert watched(lambda number, looks: looks == 5, "--on-publish", hook) == 130
    assert "nothing has changed since" in capsys.readouterr().out
    assert published(out) == before
    assert [each.snapshot for each in read_history(str(out)).publications] == [name]
    assert (out / "documents").exists()
    assert (world / "told").read_text() == f"{name}\n", "a hook is told of each publication"
    capsys.readouterr()
    assert call("status", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["unfinished"] == []


def test_what_a_watch_cannot_do_is_refused(world, capsys):
    for option in ("--dry-run", "--exit-code", "--detach"):
        assert call("refresh", world / "config.yaml", "--out", world / "out", "--watch", option) == 2
        assert f"leave out {option}" in capsys.readouterr().err
    assert call("refresh", world / "none.yaml", "--out", world / "out", "--watch") == 2


def test_a_hook_that_fails_is_run_again_at_the_next_look(world, watched, caplog):
    told = world / "told"
    hook = shlex.join(["sh", "-c", f"echo $LEXBEAM_TOKEN >> {shlex.quote(str(told))}; test $(wc -l < {told}) -gt 1"])
    assert watched(lambda number, looks: looks == 4, "--on-publish", hook) == 130
    (publication,) = read_history(str(world / "out")).publications
    assert told.read_text().split() == [publication.token] * 2
    said = [record.getMessage() for record in caplog.records if record.name == "lexbeam"]
    assert len([message for message in said if "ended with 1" in message]) == 1
