"""What every merge of staged batches does; what one table's does is tested with the table."""

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.corpus.documents import DOCUMENTS
from transforms.common.store.artefacts import Artefact
from transforms.common.store.batches import BatchReader, BatchWriter
from transforms.common.store.identity import canonical
from transforms.common.store.merge import WHOLE_BATCHES, MergeTask, Staged, batches, in_order, merge

SCHEMA = DOCUMENTS.schema()


def stage(path, *names):
    """Stage documents, a batch for each; return the file."""
    artefact = Artefact(str(path))
    empty = dict.fromkeys(SCHEMA.names)
    with artefact.writing(".arrow") as stream, BatchWriter(stream, SCHEMA) as writer:
        for name in names:
            row = {**empty, "document_id": name, "source": "s", "position": "", "language": "en"}
            writer.write(pa.RecordBatch.from_pylist([row], schema=SCHEMA))
    return artefact.file(".arrow")


def merged(path, staged):
    with BatchReader() as reader:
        return merge(Artefact(str(path)), DOCUMENTS, batches(reader, in_order(staged)))


def test_batches_come_in_the_order_of_ids_wherever_they_lay(tmp_path):
    one, two = stage(tmp_path / "1", "c", "a"), stage(tmp_path / "2", "b")
    staged = [Staged(("c", 0), one, 0), Staged(("b", 0), two, 0), Staged(("a", 0), one, 1)]
    part = merged(tmp_path / "part", staged)
    table = pq.read_table(part.file.path)
    assert table["document_id"].to_pylist() == ["a", "b", "c"]
    assert table.schema.metadata == SCHEMA.metadata
    again = merged(tmp_path / "again", staged[::-1])
    assert (again.rows, again.file.sha256) == (3, part.file.sha256)


def test_rows_are_noted_as_sorted_by_the_key(tmp_path):
    part = merged(tmp_path / "part", [Staged(("a", 0), stage(tmp_path / "1", "a"), 0)])
    noted = pq.ParquetFile(part.file.path).metadata.row_group(0).sorting_columns
    assert [SCHEMA.names[column.column_index] for column in noted] == list(DOCUMENTS.key)


def test_a_bucket_without_batches_is_an_empty_part(tmp_path):
    part = merged(tmp_path / "part", [])
    assert part.rows == 0
    assert pq.read_schema(part.file.path).names == SCHEMA.names


def test_content_decides_a_part_and_not_where_or_which_it_is(tmp_path):
    def identity(folder, *, bucket=0, parts=2, ordinal=1, turned=False):
        (tmp_path / folder).mkdir()
        file = stage(tmp_path / folder / "x", "b", "a", "a")
        staged = [Staged(("b", 0), file, 0), Staged(("a", 0), file, ordinal)]
        task = MergeTask(bucket, parts, tuple(staged[:: -1 if turned else 1]))
        return canonical(task, "task", unused=WHOLE_BATCHES, unordered=("task.staged",))

    first = identity("1")
    assert identity("2", bucket=3, parts=4, turned=True) == first
    assert identity("3", ordinal=2) != first
