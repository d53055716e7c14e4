"""A refresh that stays takes up what comes, and publishes what a run would."""

import functools
import random
import shlex
import shutil
import sys

import pytest
import yaml
from small_runs import call, published

from pipelines.commands.folder import refresh as refresh_module
from pipelines.commands.folder.watch import watch
from transforms.common.publish.history import read_history

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


def test_a_watch_publishes_what_comes_as_a_run_would_and_tells_the_hook(world, monkeypatch, capsys):
    now, looks = [0.0], [0]

    def sleep(seconds):
        now[0] += seconds
        looks[0] += 1
        number = len(read_history(str(world / "out")).publications)
        if number == 1 and looks[0] > 3:
            add(world, "1900_0.txt", random.Random(9))
            looks[0] = -50
        if number == 2 or looks[0] > 50:
            raise KeyboardInterrupt

    monkeypatch.setattr(refresh_module, "watch", functools.partial(watch, clock=lambda: now[0], sleep=sleep))
    told = world / "told"
    hook = shlex.join(["sh", "-c", f'echo "$LEXBEAM_OUT $LEXBEAM_SNAPSHOT" >> {shlex.quote(str(told))}'])
    words = ["refresh", world / "config.yaml", "--out", world / "out", "--watch", "--on-publish", hook]
    assert call(*words, "--watch-files", 1, "--watch-minutes", 1, "--watch-poll", 1) == 130
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


def test_what_a_watch_cannot_do_is_refused(world, capsys):
    for option in ("--dry-run", "--exit-code", "--detach"):
        assert call("refresh", world / "config.yaml", "--out", world / "out", "--watch", option) == 2
        assert f"leave out {option}" in capsys.readouterr().err
    assert call("refresh", world / "none.yaml", "--out", world / "out", "--watch") == 2
