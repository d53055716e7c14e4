"""Readers that read all the time while one publication follows another.

`python -m benchmarks.readers --switches 200` reads for longer and prints what was read, see
docs/reliability.md.
"""

import os

import pytest

from benchmarks.readers import READERS, TABLES, WRITERS, measure, parts_of, publish_corpus, read_places
from lexbeam.transforms.common.publish import snapshots
from lexbeam.transforms.common.publish.snapshots import open_snapshot

# Two libraries, and two of the writers; `new` removes what `one` removes, a snapshot later.
FEW = {("pyarrow.dataset", "two"), ("polars, glob", "one")}
CASES = [
    pytest.param(reader, writer, switches, marks=[pytest.mark.soak] * (switches == 200 or (reader, writer) not in FEW))
    for switches in (40, 200)
    for writer in WRITERS
    for reader in READERS
]


@pytest.mark.slow
@pytest.mark.parametrize(("reader", "writer", "switches"), CASES)
def test_no_reader_ever_sees_a_mixture(reader, writer, switches, tmp_path):
    pytest.importorskip(reader.partition(",")[0].partition(".")[0])
    found, _ = measure(tmp_path, WRITERS[writer], switches, [reader])
    for seen in found:
        assert seen.outcomes["whole"], f"nothing was read: {seen}"
        assert not seen.outcomes["mixed"], f"rows of two corpora in a table: {seen}"
        # By name, `current` is followed for each table anew.
        if seen.way == "DIR/<table>":
            continue
        assert not seen.outcomes["between"], f"tables of two corpora: {seen}"
        assert not seen.outcomes["incomplete"], f"rows are missing or there twice: {seen}"
        # Where the snapshot goes between its listing and a look at its files, Arrow passes over
        # them all: it reads a table without rows and columns. No other way does that.
        goes = writer != "two"
        if not (goes and seen.way == "resolved" and reader.startswith("pyarrow")):
            assert not seen.outcomes["empty"], f"all rows are missing: {seen}"
        # What is kept can always be read.
        assert goes or not seen.errors, f"files are missing: {seen}"


def test_a_snapshot_that_went_while_it_was_opened_is_not_called_damaged(tmp_path, monkeypatch):
    out = str(tmp_path / "out")
    (tmp_path / "parts").mkdir()
    publish_corpus(out, 0, parts_of(tmp_path / "parts", 0), 1)
    gone = open_snapshot(out).name
    publish_corpus(out, 1, parts_of(tmp_path / "parts", 1), 1)
    now = open_snapshot(out).name
    read = iter([gone])  # what `current` said a moment ago
    monkeypatch.setattr(snapshots, "snapshot_name", lambda _: next(read, now))
    assert open_snapshot(out).name == now


@pytest.mark.parametrize("reader", READERS)
def test_a_snapshot_that_goes_is_read_whole_or_not_at_all(reader, tmp_path, monkeypatch):
    pytest.importorskip(reader.partition(",")[0].partition(".")[0])
    out = tmp_path / "out"
    (tmp_path / "parts").mkdir()
    publish_corpus(str(out), 0, parts_of(tmp_path / "parts", 0), 1)
    resolved = [str((out / table).resolve()) for table in TABLES]
    seen = []

    def watched(action):
        def act(path, *arguments, **options):
            action(path, *arguments, **options)
            seen.append((read_places(READERS[reader], resolved)[0], os.path.basename(path)))

        return act

    for name in ("remove", "rmdir", "rename", "replace"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    publish_corpus(str(out), 1, parts_of(tmp_path / "parts", 1), 1)
    monkeypatch.undo()
    assert "whole" in dict(seen)
    wrong = [(outcome, after) for outcome, after in seen if outcome not in ("whole", "error")]
    assert not wrong, f"after these steps of its removal it is read with rows missing: {wrong}"
