import pyarrow as pa

from transforms.change.view.counts import COUNTS
from transforms.change.view.feeds import FEED, as_batch, read_counts, read_feed
from transforms.common.store.artefacts import Artefact
from transforms.common.store.batches import BatchWriter


def write(path, schema, *batches):
    artefact = Artefact(str(path))
    with artefact.writing(".arrow") as stream, BatchWriter(stream, schema) as writer:
        for batch in batches:
            writer.write(batch)
    return artefact.file(".arrow")


def sentences(*lists):
    values = pa.array(lists, pa.list_(pa.string()))
    coded = pa.ListArray.from_arrays(values.offsets, values.values.dictionary_encode())
    numbers = pa.array(range(len(lists)), pa.uint64())
    return pa.RecordBatch.from_arrays([coded, numbers, numbers], schema=FEED)


def test_a_feed_is_read_file_by_file_and_batch_by_batch(tmp_path):
    whole = sentences(["a", "b"], ["c"], ["b"])
    first = write(tmp_path / "z", FEED, whole.slice(0, 2), whole.slice(2))
    second = write(tmp_path / "a", FEED, sentences(["c", "c"]))
    found = [array.to_pylist() for array in read_feed([first, second])]
    assert found == [[["a", "b"], ["c"]], [["b"]], [["c", "c"]]]
    assert list(read_feed([])) == []


def test_counts_are_read_as_a_table(tmp_path):
    rows = [{"word": "a", "count": 2, "documents": 1, "tags": [(7, 2)]}]
    file = write(tmp_path / "c", COUNTS, pa.RecordBatch.from_pylist(rows, schema=COUNTS))
    assert read_counts(file).to_pylist() == rows


def test_a_table_is_one_batch_however_many_it_was_made_of():
    table = pa.table({"n": pa.chunked_array([[1, 2], [], [3]], pa.int64())})
    assert as_batch(table).to_pydict() == {"n": [1, 2, 3]}
    assert as_batch(table.slice(0, 0)).num_rows == 0
    assert as_batch(table.schema.empty_table()).schema == table.schema
