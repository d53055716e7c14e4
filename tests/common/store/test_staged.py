"""Staged rows lie together by part for any power of two, and are read by part, each batch once."""

import numpy as np
import pyarrow as pa
import pytest
from entries_reading import by_entry
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import SENTENCES
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.store import staged as module
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.sound import Damaged
from lexbeam.transforms.common.store.staged import StagedFile, StagedWriter, first_bits, places

SCHEMA = pa.schema([("name", pa.string()), ("number", pa.int64())])


def rows(*names):
    return pa.RecordBatch.from_pylist([{"name": name, "number": n} for n, name in enumerate(names)], schema=SCHEMA)


def stage(path, names, parts=0):
    """Stage an entry of two rows for each name; return the file."""
    artefact = Artefact(str(path))
    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA, parts) as writer:
        for name in names:
            writer.add(hash_of(name), name, 0, rows(name, name))
    return artefact.file(".arrow")


def taken(file, parts, bucket=None):
    with StagedFile(file) as opened:
        found = list(by_entry(opened.entries(parts, bucket)))
    assert all(row == {"name": key, "number": n} for key, some in found for n, row in enumerate(some))
    return [key for key, _ in found]


def runs_of(opened, parts):
    """Yield each part with its only run."""
    for bucket in range(parts):
        (run,) = opened.runs(parts, bucket)
        yield bucket, run


NAMES = [digest([n]) for n in range(200)]


@pytest.mark.parametrize("parts", [1, 2, 3, 8, 12, 64])
def test_a_part_has_its_entries_in_order_whatever_the_number_of_parts(tmp_path, monkeypatch, parts):
    monkeypatch.setattr(module, "RUN_BYTES", 2000)  # several runs
    monkeypatch.setattr(module, "BATCH_BYTES", 300)
    file = stage(tmp_path / "x", NAMES)
    for bucket in range(parts):
        assert taken(file, parts, bucket) == sorted(name for name in NAMES if hash_of(name) % parts == bucket)
    assert sorted(taken(file, parts)) == sorted(NAMES)


@pytest.mark.parametrize("parts", [1, 6, 8])
def test_what_was_gathered_for_a_number_of_parts_is_read_batch_after_batch(tmp_path, monkeypatch, parts):
    order = taken(stage(tmp_path / "x", NAMES), parts)
    monkeypatch.setattr(module, "BATCH_BYTES", 300)
    file = stage(tmp_path / "y", order, parts)
    with StagedFile(file) as opened:
        pieces = {bucket: [list(piece.keys.to_pylist()) for piece in run] for bucket, run in runs_of(opened, parts)}
    # A piece is a batch: none holds entries of two parts, and those of a part follow each other.
    for bucket, found in pieces.items():
        assert max(map(len, found)) < 5
        assert [key for keys in found for key in keys] == sorted(
            name for name in NAMES if hash_of(name) % parts == bucket
        )
    assert sorted(places(np.arange(parts, dtype=np.uint32), parts).tolist()) == list(range(parts))
    with pytest.raises(ValueError, match=f"staged for {parts} parts, not for {parts + 1}"):
        taken(file, parts + 1, 0)


def ranged(path, names, parts=0):
    """Stage a row for each name, whose first digits are its hash, in files of ranges."""
    artefact = Artefact(str(path))
    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA, parts, ranges=True) as writer:
        for name in names:
            writer.add_rows([hash_of(name)], [name], rows(name), [30])
    file = artefact.file(".arrow")
    return file if parts else writer.file(file)


# Names at the borders of parts are among them, and several of one.
BORDERS = [f"{n:08x}" + d for n in (0, 1, 2**30, 2**31 - 1, 2**31, 2**32 - 1) for d in "0f"]


@pytest.mark.parametrize("parts", [1, 2, 3, 8, 12, 100])
def test_parts_of_ranges_follow_each_other_run_by_run(tmp_path, monkeypatch, parts):
    monkeypatch.setattr(module, "RUN_BYTES", 300)
    monkeypatch.setattr(module, "BATCH_BYTES", 100)
    names = [*NAMES, *BORDERS, *BORDERS]
    files = [ranged(tmp_path / "x", names), ranged(tmp_path / "y", sorted(names), parts)]
    for file, most in zip(files, (len(names) // 5, 1), strict=True):
        found = []
        with StagedFile(file) as opened:
            for bucket in range(parts):
                assert len(opened.runs(parts, bucket)) <= most
                for key, (row,) in by_entry(opened.entries(parts, bucket)):
                    assert row == {"name": key, "number": 0}
                    assert hash_of(key) * parts >> 32 == bucket
                    found.append(key)
        assert found == sorted(names)


@pytest.mark.parametrize("parts", [1, 2, 3, 8, 64, 100])
def test_a_part_of_a_range_is_named_by_the_classes_that_it_meets(tmp_path, parts):
    name = NAMES[0]
    file = ranged(tmp_path / "x", [name])
    named = [bucket for bucket in range(parts) if any(file.of_part(parts, bucket).classes)]
    here = hash_of(name) * parts >> 32
    assert here in named
    assert len(named) <= 1 + -(-parts // 64)
    assert {*named} <= {*range(here - 2, here + 3)}


@given(st.text(max_size=6), st.text(max_size=6))
def test_first_bits_are_in_the_order_of_keys(one, other):
    if first_bits(one) < first_bits(other):
        assert one < other


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1), st.integers(0, 32))
def test_places_are_hashes_with_their_bits_turned_round(hashes, power):
    found = places(np.array(hashes, np.uint32), 0).tolist()
    assert found == [int(f"{number:032b}"[::-1], 2) for number in hashes]
    parts = 1 << power
    ranges = sorted((place, number % parts) for place, number in zip(found, hashes, strict=True))
    buckets = [bucket for _, bucket in ranges]
    assert len({*buckets}) == sum(a != b for a, b in zip(buckets, [-1, *buckets], strict=False))  # neighbours


def test_rows_are_entries_of_their_own(tmp_path):
    artefact = Artefact(str(tmp_path / "x"))
    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA) as writer:
        writer.add_rows([1, 0, 1], ["b", "c", "a"], rows("b", "c", "a"))
    with StagedFile(artefact.file(".arrow")) as opened:
        assert [(key, [row["number"] for row in some]) for key, some in by_entry(opened.entries(2, 1))] == [
            ("a", [2]),
            ("b", [0]),
        ]
        assert pa.concat_tables(opened.tables()).num_rows == 3


def test_without_entries_the_file_has_its_schema(tmp_path):
    file = stage(tmp_path / "x", [])
    assert taken(file, 8) == taken(file, 8, 3) == []
    with StagedFile(file) as opened:
        assert opened.schema == SCHEMA
        assert list(opened.tables()) == []


def test_a_damaged_file_is_told_when_it_is_opened(tmp_path):
    file = stage(tmp_path / "x", NAMES)
    with open(file.path, "r+b") as stream:
        stream.seek(50)
        stream.write(b"\xff\xff\xff")
    with pytest.raises(Damaged):
        StagedFile(file)


def test_the_bytes_of_an_entry_are_those_of_its_rows_as_they_are_read_alone(tmp_path):
    # Row groups end by them, so that they must not depend on what was staged beside it.
    schema = SENTENCES.schema()
    empty = dict.fromkeys(schema.names)
    artefact = Artefact(str(tmp_path / "x"))
    written = {}
    with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
        for n, name in enumerate(NAMES[:40]):
            some = {**empty, "document_id": name, "lemmas": ["a"] * n, "year": n if n % 3 else None}
            batch = pa.RecordBatch.from_pylist([{**some, "sentence": m} for m in range(n % 5 + 1)], schema=schema)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, schema) as alone:
                alone.write_batch(batch)
            written[name] = pa.ipc.open_stream(sink.getvalue()).read_next_batch().nbytes
            writer.add(hash_of(name), name, 0, batch)
    with StagedFile(artefact.file(".arrow")) as opened:
        (found,) = opened.entries(4)
        assert dict(zip(found.keys.to_pylist(), found.sizes.tolist(), strict=True)) == written
