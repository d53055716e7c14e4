import pyarrow as pa
import pytest

from transforms.common.batches import BatchReader, BatchWriter

SCHEMA = pa.schema([("text", pa.string())])


def write(path, texts):
    with open(path, "wb") as stream, BatchWriter(stream, SCHEMA) as writer:
        return [writer.write(pa.record_batch({"text": [text]}, SCHEMA)) for text in texts]


def test_batches_are_read_by_ordinal_in_any_order(tmp_path):
    ordinals = write(tmp_path / "a", ["zero", "one", "two"])
    with BatchReader() as reader:
        texts = [reader.read(str(tmp_path / "a"), n)["text"][0].as_py() for n in (2, 0, 1)]
        assert reader.count(str(tmp_path / "a")) == 3
    assert ordinals == [0, 1, 2]
    assert texts == ["two", "zero", "one"]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_few_files_are_open_at_a_time(tmp_path, limit):
    for name in "abcd":
        write(tmp_path / name, [name, name * 2])
    with BatchReader(limit=limit) as reader:
        for ordinal in (0, 1):
            for name in "abcd":
                text = reader.read(str(tmp_path / name), ordinal)["text"][0].as_py()
                assert text == name * (ordinal + 1)
            assert len(reader._open) <= limit
