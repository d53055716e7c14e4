import os

import numpy as np
import pyarrow as pa
import pytest

from lexbeam.transforms.change.view.counts import COUNTS
from lexbeam.transforms.change.view.feeds import FEED, Held, KeySpan, as_batch, read_counts, read_dealt, read_feed
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.batches import BatchWriter


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


@pytest.fixture
def spread(tmp_path):
    """Sentences of one word each, in four files of several batches, with their keys."""
    keys = np.sort(np.random.default_rng(0).integers(0, 2**64, 60, np.uint64))
    whole = sentences(*([f"w{number}"] for number in range(60)))
    numbers = pa.array(keys)
    whole = pa.RecordBatch.from_arrays([whole.column(0), numbers, numbers], schema=FEED)
    files = []
    for first in range(0, 60, 15):
        of_file = whole.slice(first, 15)
        files.append(write(tmp_path / str(first), FEED, *(of_file.slice(start, 4) for start in range(0, 15, 4))))
    return keys, files


def words_in(arrays):
    return [word for array in arrays for (word,) in array.to_pylist()]


@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 40])
def test_spans_of_keys_are_read_by_themselves(pieces, spread):
    keys, files = spread
    some = Held("document", keys[::2])
    for piece in range(pieces):
        span = KeySpan((piece << 64) // pieces, (piece + 1 << 64) // pieces - 1)
        inside = [number for number, key in enumerate(keys.tolist()) if span.first <= key <= span.last]
        assert words_in(read_feed(files, span)) == [f"w{number}" for number in inside]
        dealt = words_in(read_dealt([files[::2], files[1::2]], some, span))
        assert dealt == [f"w{number}" for number in inside if number % 2 == 0]


def test_a_span_begins_and_ends_with_keys(spread):
    keys, files = spread
    assert words_in(read_feed(files, KeySpan(int(keys[14]), int(keys[15])))) == ["w14", "w15"]
    assert words_in(read_feed(files, KeySpan(int(keys[59]) + 1, 2**64 - 1))) == []
    assert list(read_feed([], KeySpan(0, 5))) == []


def test_files_far_from_a_span_are_not_read(spread):
    keys, files = spread
    os.unlink(files[0].path)
    assert words_in(read_feed(files, KeySpan(int(keys[50]), int(keys[52])))) == ["w50", "w51", "w52"]
    with pytest.raises(LexbeamError):
        words_in(read_feed(files, KeySpan(0, int(keys[52]))))


def test_counts_are_read_as_a_table(tmp_path):
    rows = [{"word": "a", "count": 2, "documents": 1, "tags": [(7, 2)]}]
    file = write(tmp_path / "c", COUNTS, pa.RecordBatch.from_pylist(rows, schema=COUNTS))
    assert read_counts(file).to_pylist() == rows


def test_a_table_is_one_batch_however_many_it_was_made_of():
    table = pa.table({"n": pa.chunked_array([[1, 2], [], [3]], pa.int64())})
    assert as_batch(table).to_pydict() == {"n": [1, 2, 3]}
    assert as_batch(table.slice(0, 0)).num_rows == 0
    assert as_batch(table.schema.empty_table()).schema == table.schema
