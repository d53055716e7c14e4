"""Batches of staging files, and rows that wait on disk."""

import errno
import gc
import io
import random
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest

from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.batches import BatchReader, BatchWriter, SideRows
from lexbeam.transforms.common.store.receipts import Damaged, HashedStream
from lexbeam.transforms.common.store.tables import write_rows

SCHEMA = pa.schema([("text", pa.string())])


def write(path, texts):
    """Write a batch for each text; return the file and the batches' ordinals."""
    artefact = Artefact(str(path))
    with artefact.writing(".arrow") as stream, BatchWriter(stream, SCHEMA) as writer:
        ordinals = [writer.write(pa.record_batch({"text": [text]}, SCHEMA)) for text in texts]
    return artefact.file(".arrow"), ordinals


def test_batches_are_read_by_ordinal_in_any_order(tmp_path):
    file, ordinals = write(tmp_path / "a", ["zero", "one", "two"])
    with BatchReader() as reader:
        texts = [reader.read(file, n)["text"][0].as_py() for n in (2, 0, 1)]
        assert reader.count(file) == 3
    assert ordinals == [0, 1, 2]
    assert texts == ["two", "zero", "one"]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_few_files_are_open_at_a_time(tmp_path, limit):
    files = {name: write(tmp_path / name, [name, name * 2])[0] for name in "abcd"}
    with BatchReader(limit=limit) as reader:
        for ordinal in (0, 1):
            for name in "abcd":
                text = reader.read(files[name], ordinal)["text"][0].as_py()
                assert text == name * (ordinal + 1)
            assert len(reader._open) <= limit


def test_a_damaged_file_is_not_read_but_discarded(tmp_path):
    file, _ = write(tmp_path / "a", ["zero", "one"])
    path = Path(file.path)
    content = path.read_bytes()
    path.write_bytes(content[:-30] + b"?" + content[-29:])
    with BatchReader() as reader, pytest.raises(Damaged, match=r"a\.arrow was damaged on disk"):
        reader.read(file, 0)
    assert not path.exists()


def test_rows_come_back_in_order():
    with SideRows(pa.schema([("a", pa.int32())])) as side:
        side.add([{"a": 1}, {"a": 2}])
        side.add([])
        side.add([{"a": 3}])
        rows = [row["a"] for batch in side.batches() for row in batch.to_pylist()]
    assert rows == [1, 2, 3]


NOISE = [random.Random(number).randbytes(20_000).hex() for number in range(20)]


class FullDisk(io.BytesIO):
    """Takes so many bytes."""

    def __init__(self, room):
        super().__init__()
        self.room = room

    def write(self, data):
        self.room -= memoryview(data).nbytes
        if self.room < 0:
            raise OSError(errno.ENOSPC, "full")
        return super().write(data)


def _write_batches(stream):
    with BatchWriter(stream, SCHEMA) as writer:
        for text in NOISE:
            writer.write(pa.record_batch({"text": [text]}, SCHEMA))


def _write_table(stream):
    write_rows(stream, SCHEMA, [pa.record_batch({"text": NOISE}, SCHEMA)])


@pytest.mark.parametrize("write", [_write_batches, _write_table])
def test_a_full_disk_is_one_error_and_nothing_is_printed_behind_it(capfd, write):
    """Arrow writes what it holds once more when it is thrown away, and prints what fails then."""
    whole = FullDisk(1 << 30)
    write(HashedStream(whole))
    for room in (0, 9, *range(5000, whole.tell(), 40_000), whole.tell() - 1):
        with pytest.raises(OSError, match="full"):
            write(HashedStream(FullDisk(room)))
        gc.collect()
        assert capfd.readouterr().err == "", room


def test_a_file_of_which_a_write_failed_gets_no_name_though_nobody_took_notice(tmp_path):
    artefact = Artefact(str(tmp_path / "a"))
    with pytest.raises(OSError, match="full"), artefact.writing(".arrow") as stream:
        with mock.patch.object(stream, "_stream") as broken, suppress(OSError):
            broken.write.side_effect = OSError(errno.ENOSPC, "full")
            stream.write(b"a")
        stream.write(b"b")
    assert list(tmp_path.iterdir()) == []
