import json
import multiprocessing
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.common import publish as module
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.publish import (
    locked,
    make_manifest,
    publish,
    read_manifest,
    table_paths,
)
from transforms.common.tables import write_part

SCHEMA = pa.schema([("word", pa.string())])


def make_parts(folder, words, table="scores"):
    folder.mkdir(parents=True, exist_ok=True)
    return [
        write_part(
            str(folder / f"{table}{n}"), SCHEMA, [pa.table({"word": [word]})], table=table, number=n
        )
        for n, word in enumerate(words)
    ]


def put(out, work, words):
    parts = make_parts(work, words)
    return publish(str(out), parts, make_manifest(parts, change={"seeds": [1]}))


def test_published_tables_are_read_by_name(tmp_path):
    put(tmp_path / "out", tmp_path / "work", ["a", "b"])
    assert pq.read_table(tmp_path / "out" / "scores")["word"].to_pylist() == ["a", "b"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["tables"]["scores"]["rows"] == 2
    assert manifest == read_manifest(str(tmp_path / "out"))
    assert [os.path.basename(path) for path in table_paths(str(tmp_path / "out"), "scores")] == [
        "part-00000-of-00002.parquet", "part-00001-of-00002.parquet",
    ]  # fmt: skip


def test_the_manifest_has_no_path_and_no_clock(tmp_path):
    first = put(tmp_path / "one", tmp_path / "w1", ["a"])
    second = put(tmp_path / "elsewhere" / "two", tmp_path / "w2", ["a"])
    assert os.path.basename(first) == os.path.basename(second)
    texts = [Path(s, "manifest.json").read_bytes() for s in (first, second)]
    assert texts[0] == texts[1]
    assert str(tmp_path).encode() not in texts[0]


def test_a_new_run_replaces_the_old_whole(tmp_path):
    out = tmp_path / "out"
    put(out, tmp_path / "w1", ["a", "b", "c"])
    put(out, tmp_path / "w2", ["d"])
    assert pq.read_table(out / "scores")["word"].to_pylist() == ["d"]
    assert len(list((out / "_snapshots").iterdir())) == 1


def test_nothing_changes_when_the_run_dies_before_the_switch(tmp_path, monkeypatch):
    out = tmp_path / "out"
    put(out, tmp_path / "w1", ["a"])

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_switch_link", die)
    with pytest.raises(KeyboardInterrupt):
        put(out, tmp_path / "w2", ["b"])
    assert pq.read_table(out / "scores")["word"].to_pylist() == ["a"]
    monkeypatch.undo()
    put(out, tmp_path / "w2", ["b"])
    assert pq.read_table(out / "scores")["word"].to_pylist() == ["b"]


def test_published_tables_are_not_replaced_unasked(tmp_path):
    put(tmp_path / "out", tmp_path / "work", ["a"])
    with (
        pytest.raises(UsageError, match="--overwrite"),
        locked(str(tmp_path / "out"), resume=False, overwrite=False),
    ):
        pass


def _hold(out, ready, done):
    with locked(out, resume=False, overwrite=False):
        ready.set()
        done.wait(30)


def test_a_second_run_at_once_is_refused(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(tmp_path / "out"), ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with (
            pytest.raises(LexbeamError, match="another run"),
            locked(str(tmp_path / "out"), resume=True, overwrite=False),
        ):
            pass
    finally:
        done.set()
        other.join(30)


def test_work_is_kept_for_resume_and_swept_else(tmp_path):
    out = str(tmp_path / "out")
    with (
        pytest.raises(RuntimeError),
        locked(out, resume=False, overwrite=False) as work,
    ):
        Path(work, "artefact").touch()
        raise RuntimeError
    with (
        pytest.raises(RuntimeError),
        locked(out, resume=True, overwrite=False) as work,
    ):
        assert sorted(os.listdir(work)) == [".lexbeam", "artefact"]
        raise RuntimeError
    with locked(out, resume=False, overwrite=False) as work:
        assert os.listdir(work) == [".lexbeam"]
    assert not os.path.exists(os.path.join(out, "_work"))


def test_a_table_that_is_not_there_is_named(tmp_path):
    put(tmp_path / "out", tmp_path / "work", ["a"])
    with pytest.raises(LexbeamError, match="it has scores"):
        table_paths(str(tmp_path / "out"), "sentences")
    with pytest.raises(LexbeamError, match="nothing is published"):
        table_paths(str(tmp_path / "none"), "sentences")
