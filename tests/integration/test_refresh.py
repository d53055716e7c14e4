"""A refresh takes up what has changed, and publishes what a new run of everything would, byte for byte."""

import json
import random
import shutil

import pytest
import yaml
from small_runs import SMALL, call

from transforms.common.publish.history import read_history
from transforms.common.publish.layout import RUN_LOG, snapshot_name

WORDS = "ship sea captain sail wind harbour gold letter news king war".split()  # noqa: SIM905


def text_of(random_):
    """A document of some sentences of few words."""
    return "\n\n".join(
        " ".join(random_.choices(WORDS, k=random_.randint(3, 9))).capitalize() + "."
        for _ in range(random_.randint(1, 4))
    )


def name_of(random_):
    return f"{random_.choice((1800, 1801, 1900, 1901))}_{random_.randrange(10**6)}.txt"


@pytest.fixture
def world(tmp_path):
    """A folder of texts, and a configuration that makes a corpus and change of it."""
    texts = tmp_path / "texts"
    texts.mkdir()
    for year in (1800, 1801, 1900, 1901):
        (texts / f"{year}_0.txt").write_text(text_of(random.Random(year)))
    training = dict(zip((word.removeprefix("--") for word in SMALL[::2]), SMALL[1::2], strict=True))
    config = {
        "parts": 2,
        "corpus": {"inputs": "texts", "engine": "builtin:en", "dates": "name:^(\\d{4})_", "language": "en"},
        "change": {"slices": "1800-1801,1900-1901", **training, "min-sentence": 1, "alignment": "op"},
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    return tmp_path


def published(out):
    top = (out / "current").resolve()
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def refresh(world, *words):
    return call("refresh", world / "config.yaml", "--out", world / "out", *words)


def rebuilt(world):
    """What a run of everything in an empty folder publishes now."""
    shutil.rmtree(world / "full", ignore_errors=True)
    assert call("run", world / "config.yaml", "--out", world / "full") == 0
    return published(world / "full")


def step(random_, texts):
    """Change the folder of texts in one of the ways in which folders change."""
    names = sorted(path.name for path in texts.iterdir())
    one = texts / random_.choice(names)
    ways = ["added", "copied", "changed", "touched", "renamed", "dated anew", *["removed"] * (len(names) > 4)]
    way = random_.choice(ways)
    if way == "added":
        (texts / name_of(random_)).write_text(text_of(random_))
    elif way == "copied":  # a duplicate, which may sort before the document that it is one of
        shutil.copyfile(one, texts / name_of(random_))
    elif way == "changed":
        one.write_text(text_of(random_))
    elif way == "touched":
        one.touch()
    elif way == "renamed":
        one.rename(texts / name_of(random_))
    elif way == "dated anew":
        one.rename(texts / f"{random_.choice((1800, 1900))}_{one.name.partition('_')[2]}")
    elif sum(name[:2] == one.name[:2] for name in names) > 1:  # a slice without documents is an error
        one.unlink()
    return way


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 201))])
def test_a_refresh_is_a_rebuild(world, seed):
    random_ = random.Random(seed)
    for _ in range(3 if seed == 0 else 10):
        way = step(random_, world / "texts")
        assert refresh(world) == 0, way
        assert published(world / "out") == rebuilt(world), way


def times(out):
    """When each file was written; the log of the run says by that when all was found to be well."""
    return {path: path.stat().st_mtime_ns for path in out.rglob("*") if not path.name.endswith(RUN_LOG)}


def test_nothing_changed_publishes_nothing(world, capsys):
    assert refresh(world, "--dry-run") == 0
    assert capsys.readouterr().out == "corpus: new\nchange: new\n"
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
    capsys.readouterr()
    assert refresh(world, "--dry-run") == 0
    assert capsys.readouterr().out == "corpus: stays as it is\nchange: --neighbours 10 to 3\n"
    assert refresh(world) == 0
    entries = json.loads(told(capsys, "history", world / "out", "--json"))
    assert [entry["snapshot"] for entry in entries] == [name, snapshot_name(str(world / "out"))]
    assert entries[-1]["sections"].keys() == {"change"}


def told(capsys, *words):
    capsys.readouterr()
    assert call(*words) == 0
    return capsys.readouterr().out


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
    assert snapshot_name(str(world / "out")) == name
    assert refresh(world) == 0
    assert published(world / "out") == rebuilt(world)
