import pyarrow as pa
import pyarrow.parquet as pq

from schemas import TABLES
from transforms.common.artefacts import Workspace
from transforms.common.batches import BatchWriter
from transforms.common.merge import Staged, merge_part


def stage(path, table, rows_of_batches):
    schema = TABLES[table].schema()
    with open(path, "wb") as stream, BatchWriter(stream, schema) as writer:
        for rows in rows_of_batches:
            writer.write(pa.RecordBatch.from_pylist(rows, schema=schema))
    return str(path)


def sentence(document, number):
    empty = dict.fromkeys(TABLES["sentences"].schema().names)
    return {**empty, "document_id": document, "sentence": number, "lemmas": [f"{document}{number}"]}


def merge(tmp_path, table, staged, name="work"):
    part = merge_part(Workspace(str(tmp_path / name)), table, 0, staged)
    return pq.read_table(part.path).to_pylist(), part


def test_documents_come_in_the_order_of_ids_wherever_they_lay(tmp_path):
    one = stage(tmp_path / "1", "sentences", [[sentence("c", 0)], [sentence("a", 0)]])
    two = stage(tmp_path / "2", "sentences", [[sentence("b", 0), sentence("b", 1)]])
    staged = [Staged(("c", 0), one, 0), Staged(("b", 0), two, 0), Staged(("a", 0), one, 1)]
    rows, part = merge(tmp_path, "sentences", staged)
    assert [(row["document_id"], row["sentence"]) for row in rows] == [
        ("a", 0), ("b", 0), ("b", 1), ("c", 0),
    ]  # fmt: skip
    again, same = merge(tmp_path, "sentences", staged[::-1], name="again")
    assert (again, same.sha256) == (rows, part.sha256)


def test_sentences_are_numbered_through_over_blocks(tmp_path):
    blocks = [[sentence("a", 0), sentence("a", 1)], [sentence("a", 0)], [sentence("b", 0)]]
    path = stage(tmp_path / "1", "sentences", blocks)
    staged = [Staged(("a", 1), path, 1), Staged(("b", 0), path, 2), Staged(("a", 0), path, 0)]
    rows, _ = merge(tmp_path, "sentences", staged)
    assert [row["sentence"] for row in rows] == [0, 1, 2, 0]


def test_rejects_are_sorted_row_by_row(tmp_path):
    def row(source):
        return {"source": source, "position": "", "stage": "ingest", "reason": "empty",
                "detail": ""}  # fmt: skip

    one = stage(tmp_path / "1", "rejects", [[row("d"), row("b")]])
    two = stage(tmp_path / "2", "rejects", [[row("c"), row("a")]])
    staged = [Staged(("", 0), one, 0), Staged(("", 0), two, 0)]
    rows, _ = merge(tmp_path, "rejects", staged)
    assert [row["source"] for row in rows] == ["a", "b", "c", "d"]


def test_a_bucket_without_batches_is_an_empty_part(tmp_path):
    rows, part = merge(tmp_path, "documents", [])
    assert rows == []
    assert part.rows == 0
