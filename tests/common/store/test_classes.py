"""What a part has names its merge, however it lies in files; what other parts have does not."""

import tempfile
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.annotation.annotated_tables import MergeDocuments
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.classes import CLASSES, Staged, summed
from lexbeam.transforms.common.store.receipts import ArtefactPath
from lexbeam.transforms.common.store.staged import Gather, GatherTask, MergeTask, StagedWriter

SCHEMA = pa.schema([("name", pa.string()), ("number", pa.int64()), ("words", pa.list_(pa.string()))])
ROWS = {n: {"name": None if n % 3 else str(n), "number": n % 4 or None, "words": ["a"] * (n % 5)} for n in range(30)}
CHANGED: list[dict[str, Any]] = [
    *({"name": other} for other in (None, "x")),
    *({"number": other} for other in (None, 0)),
    *({"words": other} for other in (None, ["a"])),
]
KEYS = [digest([n]) for n in range(len(ROWS))]


def stage(path, indices, at_once=1):
    """Stage rows, `at_once` of a batch; return the file."""
    artefact = Artefact(str(path))
    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA) as writer:
        for start in range(0, len(indices), at_once):
            some = indices[start : start + at_once]
            batch = pa.RecordBatch.from_pylist([ROWS[n] for n in some], schema=SCHEMA)
            writer.add_rows([hash_of(KEYS[n]) for n in some], [KEYS[n] for n in some], batch)
    return writer.file(artefact.file(".arrow"))


def names(staged, parts):
    return [MergeDocuments().identity(MergeTask.of(n, parts, staged)) for n in range(parts)]


@pytest.mark.parametrize("parts", [1, 3, 8, 64, 128])
def test_equal_content_has_equal_names_in_whatever_files_and_batches(tmp_path, parts):
    everything = list(range(len(ROWS)))
    one = stage(tmp_path / "1", everything, 30)
    split = [stage(tmp_path / f"2{n}", everything[n::3][::-1], 4) for n in range(3)]
    nothing = stage(tmp_path / "3", [])
    assert names([one], parts) == names(split, parts) == names([nothing, *split[::-1]], parts)


@pytest.mark.parametrize("parts", [1, 3, 6, 8, 64, 128])
def test_a_further_entry_names_those_parts_anew_that_have_its_class(tmp_path, parts):
    before = stage(tmp_path / "1", list(range(29)), 7)
    later = stage(tmp_path / "2", [29])
    changed = [
        n for n, (a, b) in enumerate(zip(names([before], parts), names([before, later], parts), strict=True)) if a != b
    ]
    apart = min(parts & -parts, CLASSES)
    assert changed == [n for n in range(parts) if n % apart == hash_of(KEYS[29]) % apart]
    assert hash_of(KEYS[29]) % parts in changed
    assert names([before, later, later], parts) != names([before, later], parts)


@pytest.mark.parametrize("ranges", [False, True])
@pytest.mark.parametrize("parts", [0, 1, 3, 8, 64, 128])
def test_a_file_for_parts_names_them_alike(tmp_path, parts, ranges):
    file = replace(stage(tmp_path / "1", list(range(30)), 30), ranges=ranges)
    shorter = file.for_parts(parts)
    assert shorter.for_parts(parts) == shorter
    assert [shorter.of_part(parts, n) for n in range(parts)] == [file.of_part(parts, n) for n in range(parts)]
    assert len(shorter.classes) == 16 * (
        64 if parts == 0 or (ranges and parts in (3, 128)) else min(parts & -parts, 64)
    )


def test_a_task_has_no_file_without_entries_of_its_part(tmp_path):
    file = stage(tmp_path / "1", [0])
    bucket = hash_of(KEYS[0]) % 8
    assert [len(MergeTask.of(n, 8, [file]).staged) for n in range(8)] == [int(n == bucket) for n in range(8)]


ENTRY = (5, "k", 0, [ROWS[3], ROWS[4]])


def digests(hash, key, number, rows, schema=SCHEMA):
    """Return the digests of a staged file of one entry."""
    with tempfile.TemporaryDirectory() as folder:
        artefact = Artefact(f"{folder}/x")
        with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
            writer.add(hash, key, number, pa.RecordBatch.from_pylist(rows, schema=schema))
        return writer.file(artefact.file(".arrow")).classes


@pytest.mark.parametrize(
    ("place", "other"),
    [
        (0, 5 + CLASSES),
        (1, "l"),
        (2, 1),
        *[(3, [{**ROWS[3], **changed}, ROWS[4]]) for changed in CHANGED],
        (3, [ROWS[3]]),
        (3, [ROWS[4], ROWS[3]]),
    ],
)
def test_all_that_an_entry_is_counts(place, other):
    assert digests(*ENTRY) == digests(*ENTRY)
    assert digests(*ENTRY[:place], other, *ENTRY[place + 1 :]) != digests(*ENTRY)


@pytest.mark.parametrize("changed", CHANGED)
def test_all_that_a_row_is_counts(tmp_path, monkeypatch, changed):
    before = stage(tmp_path / "1", [2, 3, 4], 3)
    monkeypatch.setitem(ROWS, 3, {**ROWS[3], **changed})
    after = stage(tmp_path / "2", [2, 3, 4], 3)
    assert before.classes != after.classes


def test_the_schema_of_rows_counts():
    schema = SCHEMA.set(1, pa.field("number", pa.uint64()))
    assert digests(*ENTRY, schema) != digests(*ENTRY)


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4), min_size=1, max_size=5))
def test_digests_are_summed_number_by_number(numbers):
    files = [Staged(ArtefactPath(""), 0, "", b"".join(n.to_bytes(8, "little") for n in some)) for some in numbers]
    wanted = [sum(column) % 2**64 for column in zip(*numbers, strict=True)]
    assert summed(files) == b"".join(n.to_bytes(8, "little") for n in wanted)


def test_what_is_gathered_names_parts_as_the_files_it_was_gathered_from(tmp_path):
    staged = [stage(tmp_path / str(n), list(range(n, 30, 4)), 3) for n in range(4)]
    space, gather = Workspace(str(tmp_path / "work")), Gather("toy")
    gathered = [make(space, gather, GatherTask(8, tuple(some))).file for some in (staged[:2], staged[2:])]
    (again,) = [make(space, gather, GatherTask(8, tuple(gathered))).file]
    assert names(staged, 8) == names(gathered, 8) == names([again], 8)
