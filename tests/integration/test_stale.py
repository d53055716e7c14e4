"""What `status` and `show` call stale: inputs, options and code outside the folder."""

import json
import os
import shutil
import time

import pandas as pd
import pytest
import yaml
from small_runs import SLICES, SMALL, WORDS, call, change, corpus, make_out

from lexbeam.pipelines.frame.staleness import stale_sections
from lexbeam.transforms.common.publish.snapshots import open_snapshot


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder of texts and what was made from them, and a copy to begin with anew."""
    place = tmp_path_factory.mktemp("aged")
    (place / "at").mkdir()
    out = make_out(place / "at")
    shutil.copytree(place / "at", place / "kept", symlinks=True)
    return out, place / "kept"


@pytest.fixture
def out(kept):
    """A folder made from texts that a test may change: they lie where they were read."""
    out, copy = kept
    shutil.rmtree(out.parent)
    shutil.copytree(copy, out.parent, symlinks=True)
    return out


@pytest.fixture
def texts(out):
    """The texts that `out` was made from."""
    return out.parent / "texts"


STALE = {
    "an input is new": lambda texts: (texts / "1880.txt").write_text("More."),
    "an input is gone": lambda texts: os.remove(texts / "1810.txt"),
    "an input has another size": lambda texts: (texts / "1810.txt").write_text("Other."),
    "an input has other bytes": lambda texts: (texts / "1810.txt").write_text(
        (texts / "1810.txt").read_text().replace("ship", "shop")
    ),
}


def put_an_older_file_there(texts):
    other = texts.parent / "older.txt"
    other.write_text((texts / "1810.txt").read_text().replace("ship", "shop"))
    os.utime(other, (0, 0))
    os.replace(other, texts / "1810.txt")


STALE["an older file of its size is there"] = put_an_older_file_there


@pytest.mark.parametrize("how", STALE)
def test_status_and_show_tell_what_is_stale(how, texts, out, capsys):
    for command in ("status", "show"):
        assert call(command, out) == 0
        assert "stale" not in capsys.readouterr().out
    STALE[how](texts)
    for command in ("status", "show"):
        assert call(command, out) == 0
        assert "stale: input: 1" in capsys.readouterr().out


def test_a_clock_that_has_gone_back_hides_nothing(texts, tmp_path, monkeypatch, capsys):
    ahead, out = 86_400 * 10**9, tmp_path / "out"
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + ahead)
    assert corpus(texts, out) == 0
    monkeypatch.undo()
    assert call("status", out) == 0
    assert "stale" not in capsys.readouterr().out
    STALE["an input has other bytes"](texts)
    assert call("status", out) == 0
    assert "stale: input: 1 changed" in capsys.readouterr().out
    assert corpus(texts, out, "--overwrite") == 0
    assert call("clean", out) == 0
    assert "shop" in "".join(pd.read_parquet(out / "documents").text)


def test_a_stage_whose_engine_is_no_more_is_stale(out):
    snapshot = open_snapshot(str(out))
    stage = snapshot.section("corpus")["stages"]["corpus/annotate"]
    stage["chosen"] = {"lexbeam.transforms.annotation.engines.known_engines:ENGINES": ["mine"]}
    assert stale_sections(snapshot) == {"corpus": ["annotation is made anew because its code has changed"]}


def test_a_section_without_its_log_is_stale(texts, out, capsys):
    snapshot = open_snapshot(str(out))
    log = out / "_snapshots" / f"{snapshot.name}.log.json"
    assert stale_sections(snapshot) == {}
    told = "its log is damaged or gone: what it was made from cannot be compared"
    for content in (log.read_text()[:-20], "[]", "\x00", None):
        log.unlink() if content is None else log.write_text(content)
        assert stale_sections(open_snapshot(str(out))) == {"corpus": [told], "change": [told]}
    for command in ("status", "show"):
        assert call(command, out) == 0
        assert capsys.readouterr().out.count(f"  stale: {told}\n") == 2
    # Published again, a section has a log again; of the other it is still not known.
    assert corpus(texts, out, "--overwrite") == 0
    assert stale_sections(open_snapshot(str(out))) == {"change": [told]}


def test_a_section_that_its_log_leaves_out_is_stale(out):
    snapshot = open_snapshot(str(out))
    log = out / "_snapshots" / f"{snapshot.name}.log.json"
    noted = json.loads(log.read_text())
    del noted["sections"]["change"]
    log.write_text(json.dumps(noted))
    (reason,) = stale_sections(snapshot)["change"]
    assert reason.startswith("its log is damaged or gone")
    assert "corpus" not in stale_sections(snapshot)


def test_changed_targets_and_configurations_are_stale(texts, tmp_path, out, capsys):
    (tmp_path / "targets.txt").write_text("ship\n")
    assert change(out, "--overwrite", "--targets", tmp_path / "targets.txt") == 0
    (tmp_path / "targets.txt").write_text("sea\n")
    capsys.readouterr()
    assert call("status", out) == 0
    assert "stale: option:" in capsys.readouterr().out
    config = {
        "corpus": {"inputs": [str(texts)], "engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"},
        "change": {"slices": SLICES[1], "dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1},
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "run") == 0
    capsys.readouterr()
    assert call("status", tmp_path / "run") == 0
    assert "stale" not in capsys.readouterr().out
    config["change"]["epochs"] = 2
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("status", tmp_path / "run") == 0
    assert "stale: option: epochs is 2" in capsys.readouterr().out


def test_a_corpus_elsewhere_that_changed_makes_change_stale(texts, tmp_path, capsys):
    assert corpus(texts, tmp_path / "c") == 0
    assert call("change", tmp_path / "c", "--out", tmp_path / "d", *SLICES, *SMALL) == 0
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, tmp_path / "c", "--overwrite") == 0
    capsys.readouterr()
    assert call("show", tmp_path / "d") == 0
    assert "have other content now" in capsys.readouterr().out
