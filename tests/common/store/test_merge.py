"""What every merge of staged files does; what one table's does is tested with the table."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.schemas.corpus_tables import DOCUMENTS
from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.staged import (
    MOST_OPEN,
    Gather,
    GatherTask,
    MergeTask,
    StagedFile,
    StagedWriter,
    entries,
    groups,
    merge,
    whole,
)

SCHEMA = DOCUMENTS.schema()
GATHER = Gather("toy")


def stage(path, *names):
    """Stage documents; return the file."""
    artefact = Artefact(str(path))
    empty = dict.fromkeys(SCHEMA.names)
    with artefact.writing(".arrow") as stream, StagedWriter(stream, SCHEMA) as writer:
        for name in names:
            row = {**empty, "document_id": name, "source": "s", "position": "", "language": "en"}
            writer.add(hash_of(name), name, 0, pa.RecordBatch.from_pylist([row], schema=SCHEMA))
    return writer.file(artefact.file(".arrow"))


def merged(path, staged, bucket=0, parts=1):
    with entries(staged, parts, bucket) as found:
        return merge(Artefact(str(path)), DOCUMENTS, whole(found))


def test_entries_come_in_the_order_of_keys_wherever_they_lay(tmp_path):
    one, two = stage(tmp_path / "1", "c", "a"), stage(tmp_path / "2", "b")
    part = merged(tmp_path / "part", [one, two])
    table = pq.read_table(part.file.path)
    assert table["document_id"].to_pylist() == ["a", "b", "c"]
    assert table.schema.metadata == SCHEMA.metadata
    again = merged(tmp_path / "again", [two, one])
    assert (again.rows, again.file.sha256) == (3, part.file.sha256)


def test_rows_are_noted_as_sorted_by_the_key(tmp_path):
    part = merged(tmp_path / "part", [stage(tmp_path / "1", "a")])
    noted = pq.ParquetFile(part.file.path).metadata.row_group(0).sorting_columns
    assert [SCHEMA.names[column.column_index] for column in noted] == list(DOCUMENTS.key)


def test_a_bucket_without_files_is_an_empty_part(tmp_path):
    part = merged(tmp_path / "part", [])
    assert part.rows == 0
    assert pq.read_schema(part.file.path).names == SCHEMA.names


@pytest.mark.parametrize("parts", [1, 6, 8])
def test_gathered_files_make_the_same_parts(tmp_path, parts):
    names = [digest([n]) for n in range(120)]
    staged = [stage(tmp_path / str(n), *names[n::10]) for n in range(10)]
    space = Workspace(str(tmp_path / "work"))
    gathered = [make(space, GATHER, GatherTask(parts, tuple(some))).file for some in (staged[:4], staged[4:])]
    (again,) = [make(space, GATHER, GatherTask(parts, tuple(gathered))).file]
    for bucket in range(parts):
        want = merged(tmp_path / f"{bucket}", staged, bucket, parts)
        for number, files in enumerate((gathered, [again])):
            assert merged(tmp_path / f"{bucket}-{number}", files, bucket, parts).file.sha256 == want.file.sha256
    with StagedFile(again) as opened:
        assert opened.parts == parts


def test_content_and_number_of_parts_decide_what_is_gathered_and_not_the_order(tmp_path):
    one, two = stage(tmp_path / "1", "a"), stage(tmp_path / "2", "b")
    first = GATHER.identity(GatherTask(2, (one, two)))
    assert GATHER.identity(GatherTask(2, (two, one))) == first
    assert GATHER.identity(GatherTask(4, (two, one))) != first
    assert GATHER.identity(GatherTask(2, (one,))) != first


@pytest.mark.parametrize("last", [False, True])
def test_files_are_gathered_where_they_are_more_than_a_merge_opens(last):
    assert groups(0, 8) == groups(MOST_OPEN, 8, last) == 0
    for files in (MOST_OPEN + 1, 5000, 10**6):
        number = groups(files, 8, last)
        assert number & (number - 1) == 0
        assert number == MOST_OPEN if last and files > 5000 else MOST_OPEN / 4 < files / number <= MOST_OPEN / 2
    assert groups(1, 6, last) == 1  # no power of two: always


def test_bucket_and_parts_decide_a_merge(tmp_path):
    from lexbeam.transforms.annotation.annotated_tables import MergeDocuments

    file = stage(tmp_path / "1", "a", "b")
    tasks = [MergeTask(0, 1, (file,)), MergeTask(0, 2, (file,)), MergeTask(1, 2, (file,))]
    assert len({MergeDocuments().identity(task) for task in tasks}) == 3
