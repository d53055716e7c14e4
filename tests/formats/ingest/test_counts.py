from collections import Counter
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import INPUTS
from lexbeam.transforms.common.code.fingerprints import bucket_of, digest
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.staged import MergeTask, StagedFile
from lexbeam.transforms.formats.ingest.intake_tables import (
    MERGE_INPUTS,
    InputCount,
    late_counts,
    stage_inputs,
    summed_inputs,
)

NAMES = st.sampled_from(["a.txt", "b/ä.txt", "c!.zip", "d"])
COUNTS = st.builds(
    InputCount,
    NAMES,
    st.integers(0, 9),
    st.just("ab"),
    st.integers(0, 9),
    st.integers(-3, 9),
    st.integers(0, 9),
    st.none() | st.dictionaries(st.sampled_from(["x", "y"]), st.integers(1, 3), min_size=1),
)


def merged(folder, *staged, parts=1, bucket=0):
    files = [stage_inputs(Artefact(str(folder / f"{n}")), counts) for n, counts in enumerate(staged)]
    task = MergeTask(bucket, parts, tuple(file for file in files if file is not None))
    return pq.read_table(make(Workspace(str(folder / "work")), MERGE_INPUTS, task).file.path)


def test_late_rejects_are_taken_from_their_file(tmp_path):
    taken = [InputCount("b.zip", 5, "ff", 3, 3, 0), InputCount("a.txt", 2, "ee", 1, 1, 0, {"x": 2})]
    late = late_counts(["b.zip!m", "b.zip!n", "a.txt"])
    assert late == [InputCount("b.zip", 0, None, 0, -2, 2), InputCount("a.txt", 0, None, 0, -1, 1)]
    table = merged(tmp_path, late, taken, [])
    assert table.schema.names == INPUTS.schema().names
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("a.txt", 2, "ee", 1, 0, 1, [{"note": "x", "number": 2}]),
        ("b.zip", 5, "ff", 3, 1, 2, None),
    ]


def test_each_file_lies_in_the_part_of_its_name(tmp_path):
    taken = [InputCount(f"{n}.txt", n, "ff", 1, 1, 0) for n in range(50)]
    for bucket in range(3):
        names = merged(tmp_path, taken, parts=3, bucket=bucket)["name"].to_pylist()
        assert names == sorted(row.name for row in taken if bucket_of(digest([row.name]), 3) == bucket)


def test_no_input_file_makes_an_empty_part(tmp_path):
    assert merged(tmp_path, []).num_rows == 0


@given(st.lists(st.lists(COUNTS, min_size=1, max_size=5), min_size=1, max_size=4))
def test_sums_are_those_of_a_loop(staged):
    numbers, notes = {}, {}
    for row in (row for rows in staged for row in rows):
        numbers.setdefault(row.name, Counter()).update(
            bytes=row.bytes, records=row.records, documents=row.documents, rejects=row.rejects
        )
        notes.setdefault(row.name, Counter()).update(row.notes or {})
    batches = []
    with TemporaryDirectory() as folder:
        for number, rows in enumerate(staged):
            with StagedFile(stage_inputs(Artefact(f"{folder}/{number}"), rows)) as opened:
                batches += [batch for table in opened.tables() for batch in table.to_batches()]
    found = summed_inputs(batches).to_pylist()
    assert [row["name"] for row in found] == sorted(numbers)
    for row in found:
        assert {name: row[name] for name in numbers[row["name"]]} == numbers[row["name"]]
        assert {entry["note"]: entry["number"] for entry in row["notes"] or ()} == notes[row["name"]]
        assert row["sha256"] == "ab"
