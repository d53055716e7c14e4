"""Sorted runs: what comes out of all parts is what went in, in order."""

import hashlib

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transforms.common.store import runs
from transforms.common.store.batches import BatchReader
from transforms.common.store.receipts import File
from transforms.common.store.runs import RunWriter, rows_of_part

SCHEMA = pa.schema([("key", pa.string()), ("line", pa.int64()), ("text", pa.string())])
ORDER = ("key", "line")
# Keys that lie at the borders of parts are among them, and several of one key.
KEYS = st.sampled_from([f"{n:08x}" + 12 * d for n in (0, 1, 2**30, 2**31, 2**32 - 1) for d in "0f"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.tuples(KEYS, st.integers(0, 9)), max_size=30), min_size=1, max_size=3),
    st.integers(1, 7),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_all_parts_together_are_all_rows_sorted(tmp_path_factory, monkeypatch, files, parts, run, batch):
    monkeypatch.setattr(runs, "RUN_ROWS", run)
    monkeypatch.setattr(runs, "BATCH_ROWS", batch)
    folder = tmp_path_factory.mktemp("runs")
    written = []
    for number, rows in enumerate(files):
        path = folder / f"{number}.arrow"
        with open(path, "wb") as stream, RunWriter(stream, SCHEMA, ORDER) as writer:
            for key, line in rows:
                writer.add({"key": key, "line": line, "text": f"{number}"}, 1)
        data = path.read_bytes()
        file = File(str(path), len(data), hashlib.sha256(data).hexdigest())
        written += [(file, one) for one in writer.runs]
    assert sum(-(-len(rows) // run) for rows in files) == len(written)
    with BatchReader() as reader:
        found = [list(rows_of_part(written, reader, ORDER, bucket, parts)) for bucket in range(parts)]
    for bucket, rows in enumerate(found):
        assert {int(row["key"][:8], 16) * parts >> 32 for row in rows} <= {bucket}
    every = [(row["key"], row["line"]) for rows in found for row in rows]
    assert every == sorted(row for rows in files for row in rows)


def test_long_rows_make_small_batches_and_soon_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "RUN_SIZE", 100)
    monkeypatch.setattr(runs, "BATCH_SIZE", 50)
    with open(tmp_path / "a", "wb") as stream, RunWriter(stream, SCHEMA, ORDER) as writer:
        for line, size in enumerate([40, 20, 20, 30, 200, 1]):
            writer.add({"key": "0" * 20, "line": line, "text": ""}, size)
    assert [len(run.keys) for run in writer.runs] == [3, 1, 1]
