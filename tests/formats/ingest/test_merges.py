"""Rejects are merged row by row: each part takes those of its bucket from every staged batch."""

import pyarrow.parquet as pq
import pytest

from lexbeam.schemas.common_tables import REJECTS, RejectRow
from lexbeam.schemas.complexity import LOAD_REJECTS
from lexbeam.transforms.common.store import staged as staged_module
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.formats.ingest import staged_records
from lexbeam.transforms.formats.ingest.intake_tables import MERGE_REJECTS, MergeListed
from lexbeam.transforms.formats.ingest.staged_records import stage_rejects


def reject(source, position="", reason="empty"):
    return RejectRow(source, position, "ingest", reason, "")


def stage(path, *rows):
    """Stage rejects; return their file."""
    return [stage_rejects(Artefact(str(path)), rows)]


def merge(tmp_path, staged, *, bucket=0, parts=1, name="work"):
    task = MergeTask(bucket, parts, tuple(staged))
    part = make(Workspace(str(tmp_path / name)), MERGE_REJECTS, task)
    return [RejectRow(**row) for row in pq.read_table(part.file.path).to_pylist()], part


def test_rejects_are_sorted_row_by_row(tmp_path):
    staged = stage(tmp_path / "1", reject("d"), reject("b"))
    staged += stage(tmp_path / "2", reject("c"), reject("a", "2"), reject("a", "1"))
    rows, part = merge(tmp_path, staged)
    assert [(row.source, row.position) for row in rows] == [("a", "1"), ("a", "2"), ("b", ""), ("c", ""), ("d", "")]
    assert pq.read_schema(part.file.path).names == REJECTS.schema().names
    _, same = merge(tmp_path, staged[::-1], name="again")
    assert same.file.sha256 == part.file.sha256


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_every_reject_is_in_one_part_by_its_source_and_position(tmp_path, monkeypatch, parts):
    monkeypatch.setattr(staged_records, "STAGE_REJECTS", 4)
    every = [reject(f"{n}.txt", str(m)) for n in range(10) for m in range(3)]
    staged = stage(tmp_path / "1", *every[:17]) + stage(tmp_path / "2", *every[17:])
    found = [merge(tmp_path, staged, bucket=n, parts=parts)[0] for n in range(parts)]
    assert sorted(row for rows in found for row in rows) == sorted(every)
    assert all(rows == sorted(rows) for rows in found)
    assert len([rows for rows in found if rows]) == parts
    # However they were staged: another engine's late rejects move none of the others.
    alone = stage(tmp_path / "3", *every[::-1])
    again = [merge(tmp_path, alone, bucket=n, parts=parts, name="x")[0] for n in range(parts)]
    assert again == found


def test_two_rejects_of_one_record_are_in_one_part(tmp_path):
    both = [reject("a.txt", "7", "empty"), reject("a.txt", "7", "no_date")]
    staged = [*stage(tmp_path / "1", both[0]), *stage(tmp_path / "2", both[1])]
    found = [merge(tmp_path, staged, bucket=n, parts=5)[0] for n in range(5)]
    assert sorted(found, key=len)[-1] == both


def test_bucket_and_number_of_parts_decide_a_part(tmp_path):
    staged = tuple(stage(tmp_path / "1", reject("a"), reject("b")))
    identities = [
        str(MERGE_REJECTS.identity(MergeTask(bucket, parts, staged))) for bucket, parts in ((0, 1), (0, 2), (1, 2))
    ]
    assert len(set(identities)) == 3


def test_a_bucket_without_batches_is_an_empty_part(tmp_path):
    rows, part = merge(tmp_path, [])
    assert rows == []
    assert part.rows == 0


def test_no_reject_leaves_no_file(tmp_path):
    assert stage_rejects(Artefact(str(tmp_path / "x")), []) is None
    assert list(tmp_path.iterdir()) == []


def test_rejects_of_a_task_are_one_part_that_is_merged_run_by_run(tmp_path, monkeypatch):
    monkeypatch.setattr(staged_records, "STAGE_REJECTS", 3)
    monkeypatch.setattr(staged_module, "RUN_BYTES", 1)
    every = [reject(source, str(n)) for n in range(4) for source in ("d", "é", "data/b", "data/a", "", "dat")]
    staged = [
        stage_rejects(Artefact(str(tmp_path / "1")), every[:13], one_part=True),
        stage_rejects(Artefact(str(tmp_path / "2")), every[13:], one_part=True),
    ]
    part = MergeListed("complexity", LOAD_REJECTS, False).make(
        Artefact(str(tmp_path / "part")), MergeTask.of(0, 1, staged)
    )
    rows = pq.read_table(part.file.path)
    assert [RejectRow(**row) for row in rows.to_pylist()] == sorted(every)
    assert rows.schema.equals(LOAD_REJECTS.schema(), check_metadata=True)
