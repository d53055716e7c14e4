"""Output folders on file systems that lack something: inodes, upper and lower case."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from small_runs import call, corpus, write_texts

ROOT = Path(__file__).parents[2]
# In a namespace of its own: a file system of so many inodes, and what becomes of a published corpus
# when it is made anew with `left` of them.
SCRIPT = """\
import contextlib, io, json, os, shutil, subprocess, sys
from pathlib import Path
sys.path[:0] = [{root!r}, {here!r}]
from small_runs import corpus, call, write_texts
place, inodes = Path(sys.argv[1]), 150
texts = write_texts(place / "texts")
disk = place / "disk"
disk.mkdir()
def published(out):
    top = (out / "current").resolve()
    return {{str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}}
def told(*words, command=None):
    text = io.StringIO()
    with contextlib.redirect_stderr(text), contextlib.redirect_stdout(text):
        code = (command or call)(*words)
    return code, text.getvalue()
mount = ["mount", "-t", "tmpfs", "-o", f"nr_inodes={{inodes}}", "tmpfs", str(disk)]
if subprocess.run(mount, capture_output=True).returncode:
    print("null")
    raise SystemExit
out, other = disk / "out", ["--genre", "x", "--parts", "3"]
assert told(texts, place / "wanted", *other, command=corpus)[0] == 0
wanted = published(place / "wanted")
found = []
for left in map(int, sys.argv[2:]):
    assert told(texts, out, command=corpus)[0] == 0
    old = published(out)
    fill = disk / "fill"
    fill.mkdir()
    with contextlib.suppress(OSError):
        while os.statvfs(disk).f_favail > left:
            (fill / str(os.statvfs(disk).f_favail)).touch()
    code, text = told(texts, out, "--overwrite", *other, command=corpus)
    row = {{"left": left, "code": code, "told": text, "kept": published(out) == old}}
    row["status"] = told("status", out)[0]
    shutil.rmtree(fill)
    row["resumed"] = told(texts, out, "--resume", "--overwrite", *other, command=corpus)[0]
    row["whole"] = published(out) == wanted
    row["clean"] = told("clean", out)[0]
    row["again"] = published(out) == wanted
    found.append(row)
    shutil.rmtree(out)
print(json.dumps(found))
"""


@pytest.mark.soak
@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
def test_a_run_that_is_out_of_inodes_loses_nothing(tmp_path):
    script = SCRIPT.format(root=str(ROOT), here=str(Path(__file__).parent))
    lefts = [9]
    done = subprocess.run(
        ["unshare", "-r", "-m", sys.executable, "-c", script, str(tmp_path), *map(str, lefts)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    if done.returncode and "unshare" in done.stderr:
        pytest.skip("no namespace may be made here")
    assert done.returncode == 0, done.stderr[-2000:]
    rows = json.loads(done.stdout)
    if rows is None:
        pytest.skip("no file system may be mounted here")
    for row in rows:
        assert row["code"] == 1, row
        assert "no room for another file, is left" in row["told"], row
        assert "Traceback" not in row["told"], row
        assert row["kept"], row
        assert (row["status"], row["resumed"], row["clean"]) == (0, 0, 0), row
        assert row["whole"], row
        assert row["again"], row


def test_no_two_names_differ_by_case_alone(sample_run):
    for folder, folders, names in os.walk(sample_run):
        for name, times in Counter(name.casefold() for name in [*folders, *names]).items():
            assert times == 1, (folder, name)


def test_inputs_that_differ_by_case_alone_are_two_documents(tmp_path):
    texts = write_texts(tmp_path / "texts")
    (texts / "1810A.txt").write_text("The ship.")
    (texts / "1810a.txt").write_text("The sea.")
    if len(list(texts.iterdir())) < 6:
        pytest.skip("names differ by more than case here")
    assert corpus(texts, tmp_path / "out") == 0
    found = pd.read_parquet(tmp_path / "out" / "documents")
    assert found.document_id.is_unique
    assert {"1810A.txt", "1810a.txt"} <= set(found.source)


def test_where_there_are_no_links_nothing_is_begun(tmp_path, monkeypatch, capsys):
    def refuse(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    texts, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "symlink", refuse)
    assert corpus(texts, out) == 2
    assert "no symbolic links" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == [".lock"]
    monkeypatch.undo()
    assert corpus(texts, out) == 0
    assert call("clean", out) == 0


def test_hard_links_are_not_needed(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    texts, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    assert corpus(texts, out) == 0
    assert call("status", out, "--verify") == 0
    assert not list(out.rglob("*.tmp"))
