"""Documents and sentences are merged by document, whatever file and order they were staged in."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.schemas.corpus_tables import DOCUMENTS, SENTENCES
from lexbeam.transforms.annotation.annotated_tables import MergeDocuments, MergeSentences
from lexbeam.transforms.common.code.fingerprints import hash_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.staged import MergeTask, StagedWriter
from lexbeam.transforms.formats.records.layers import columns_of


def stage(path, table, *entries):
    """Stage entries, each a key, a block and its rows; return their file."""
    artefact = Artefact(str(path))
    schema = table.schema()
    with artefact.writing(".arrow") as stream, StagedWriter(stream, schema) as writer:
        for key, block, rows in entries:
            writer.add(hash_of(key), key, block, pa.RecordBatch.from_pylist(rows, schema=schema))
    return writer.file(artefact.file(".arrow"))


def sentence(document, number):
    empty = dict.fromkeys(SENTENCES.schema().names)
    return {**empty, "document_id": document, "sentence": number, "lemmas": [f"{document}{number}"]}


def document(name):
    empty = dict.fromkeys(DOCUMENTS.schema().names)
    return {**empty, "document_id": name, "source": f"{name}.txt", "position": ""}


def merge(tmp_path, merging, staged, name="work"):
    part = make(Workspace(str(tmp_path / name)), merging, MergeTask(0, 1, tuple(staged)))
    return pq.read_table(part.file.path).to_pylist(), part


def test_sentences_come_in_the_order_of_documents_wherever_they_lay(tmp_path):
    one = stage(tmp_path / "1", SENTENCES, ("c", 0, [sentence("c", 0)]), ("a", 0, [sentence("a", 0)]))
    two = stage(tmp_path / "2", SENTENCES, ("b", 0, [sentence("b", 0), sentence("b", 1)]))
    rows, part = merge(tmp_path, MergeSentences(), [one, two])
    assert [(row["document_id"], row["sentence"]) for row in rows] == [("a", 0), ("b", 0), ("b", 1), ("c", 0)]
    again, same = merge(tmp_path, MergeSentences(), [two, one], name="again")
    assert (again, same.file.sha256) == (rows, part.file.sha256)


def test_documents_come_in_the_order_of_ids(tmp_path):
    one = stage(tmp_path / "1", DOCUMENTS, ("c", 0, [document("c")]), ("a", 0, [document("a")]))
    two = stage(tmp_path / "2", DOCUMENTS, ("b", 0, [document("b")]))
    rows, part = merge(tmp_path, MergeDocuments(), [one, two])
    assert [row["source"] for row in rows] == ["a.txt", "b.txt", "c.txt"]
    _, same = merge(tmp_path, MergeDocuments(), [two, one], name="again")
    assert same.file.sha256 == part.file.sha256


def test_sentences_are_numbered_through_over_blocks_of_any_file(tmp_path):
    first = ("a", 0, [sentence("a", 0), sentence("a", 1)])
    second = ("a", 1, [sentence("a", 0)])
    one = stage(tmp_path / "1", SENTENCES, ("b", 0, [sentence("b", 0)]), second)
    rows, _ = merge(tmp_path, MergeSentences(), [one, stage(tmp_path / "2", SENTENCES, first)])
    assert [(row["sentence"], row["lemmas"]) for row in rows] == [(0, ["a0"]), (1, ["a1"]), (2, ["a0"]), (0, ["b0"])]


def test_layers_are_columns_of_every_part_and_of_what_names_it():
    layers = columns_of(["xpos", "heads"])
    task = MergeTask(0, 1, ())
    names = [MergeSentences(some).identity(task) for some in ((), layers, layers[:1])]
    assert len(set(names)) == 3


@pytest.mark.parametrize("layers", [(), ("xpos",), ("xpos", "heads")])
def test_an_empty_part_has_the_columns_of_layers(tmp_path, layers):
    columns = columns_of(layers)
    part = make(Workspace(str(tmp_path)), MergeSentences(columns), MergeTask(0, 1, ()))
    assert pq.read_schema(part.file.path).names == [*SENTENCES.schema().names, *layers]


@pytest.mark.parametrize("merging", [MergeDocuments(), MergeSentences()])
def test_a_bucket_without_batches_is_an_empty_part(tmp_path, merging):
    rows, part = merge(tmp_path, merging, [])
    assert rows == []
    assert part.rows == 0


def test_two_documents_of_one_id_stop_the_run_and_are_named(tmp_path):
    one = stage(tmp_path / "1", DOCUMENTS, ("a", 0, [document("a")]), ("b", 0, [document("b")]))
    two = stage(tmp_path / "2", DOCUMENTS, ("a", 0, [{**document("a"), "source": "z.csv", "position": "7"}]))
    with pytest.raises(LexbeamError, match="have the id a: ") as raised:
        merge(tmp_path, MergeDocuments(), [one, two])
    assert "a.txt" in str(raised.value)
    assert "z.csv 7" in str(raised.value)
