"""The report of a small run: what it quotes, what it leaves out, the same bytes."""

import json
import re
from pathlib import Path

import pytest
from small_runs import call, corpus, write_texts

from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.slow


def report(out, path, *options):
    assert call("report", out, "--out", path, *options) == 0
    html = path.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="panels">(.*?)</script>', html)
    return html, {panel["title"]: panel for panel in json.loads(found[1])}


def columns_of(panel):
    found = {}
    for column in panel["columns"]:
        values = column["values"]
        if "distinct" in column:
            values = [column["distinct"][place] for place in values]
        found[column["name"]] = values
    return found


def test_words_are_quoted_from_the_corpus_and_can_be_left_out(sample_run, tmp_path):
    html, panels = report(sample_run, tmp_path / "with.html")
    found = columns_of(panels["Words in context"])
    assert [use.lower() for use in found["use"]] == found["word"]
    pictured = set(columns_of(panels["Ways of words through the slices"])["word"])
    assert set(found["word"]) <= pictured
    assert max(found["after"], key=len) in html
    bare, without = report(sample_run, tmp_path / "without.html", "--no-text")
    assert set(panels) - set(without) == {"Words in context"}
    assert not [text for text in found["after"] if len(text) > 40 and text in bare]


def test_a_corpus_that_is_named_is_quoted_and_the_same_gives_the_same_bytes(sample_run, tmp_path):
    report(sample_run, tmp_path / "one.html")
    report(sample_run, tmp_path / "two.html", "--corpus", sample_run)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_what_the_texts_are_is_published_only_where_it_is_said(tmp_path, capsys):
    write_texts(tmp_path / "texts")
    words = [tmp_path / "texts", "--engine", "builtin:en", "--format", "text", "--out"]
    assert call("corpus", *words, tmp_path / "plain") == 0
    assert call("corpus", *words, tmp_path / "told", "--about", "Not `real` <texts>.") == 0
    assert "about the texts: Not `real` <texts>." in capsys.readouterr().out
    plain, told = (open_snapshot(str(tmp_path / name)).section("corpus") for name in ("plain", "told"))
    assert told == {**plain, "about": "Not `real` <texts>."}
    html, _ = report(tmp_path / "told", tmp_path / "told.html")
    assert "<p>Not <code>real</code> &lt;texts&gt;.</p>" in html
    assert "told: corpus</h1>" in html


def test_damaged_parts_are_named(texts, out, caplog, capsys):
    first = open_snapshot(str(out)).folder
    (texts / "1810.txt").write_text("Another text of 1810, which is short.")
    assert corpus(texts, out, "--overwrite") == 0
    for table in ("documents", "corpus/inputs"):
        for part in Path(first, table).iterdir():
            part.unlink()
    assert call("report", out / "current") == 0
    assert (out / "report.html").is_file()  # beside what is published, not within
    assert "what the last publication changed is left out: 4 parts of snapshot" in caplog.text
    (part, *_) = open_snapshot(str(out)).paths("documents")
    Path(part).write_bytes(b"no table")
    capsys.readouterr()
    assert call("report", out) == 1
    assert f"missing or damaged:\n  {part}\n" in capsys.readouterr().err


def test_a_corpus_is_not_named_where_nothing_is_quoted(sample_run, tmp_path, capsys):
    asked = ["--out", tmp_path / "x.html", "--no-text", "--corpus", sample_run]
    assert call("report", sample_run, *asked) == 2
    assert "quotes nothing" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
