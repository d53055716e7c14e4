"""Stage `corpus/cut`: pieces of a file on disk are taken in as the file is, from the bytes of its digest."""

import hashlib
import io
import json
import os
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from staged_inputs import staged_inputs

from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.formats.ingest import cut_files
from lexbeam.transforms.formats.ingest.cut_files import CutFile, LargeFile, looked_at, units_of
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit
from lexbeam.transforms.formats.sources import readings

WORD = "\t".join(["1", "ship", "ship", *["_"] * 7])


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks and pieces are small, and the disk need not be waited for."""
    monkeypatch.setattr(readings, "_BLOCK", 200)
    monkeypatch.setattr(cut_files, "PIECE_BYTES", 600)
    monkeypatch.setattr(os, "fsync", lambda _: None)


def parquet():
    """Row groups that lie beyond the end that is read for the footer."""
    texts = [" ".join(hashlib.sha256(b"%d %d" % (n % 70, m)).hexdigest() for m in range(40)) for n in range(90)]
    out = io.BytesIO()
    pq.write_table(pa.table({"text": texts}), out, row_group_size=9, use_dictionary=False)
    return out.getvalue()


def zip_of(texts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def tar_of(texts):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return out.getvalue()


TEXTS = {f"t/{n % 70}-{n}.txt": hashlib.sha256(b"%d" % (n % 70)).hexdigest().encode() * 5 for n in range(90)}


MADE = {
    "a.jsonl": "\n".join(json.dumps({"text": f"text {n % 70}"}) for n in range(90)).encode(),
    "a.csv": b"text\n" + "\n".join(f'"text, {n % 70}"' for n in range(300)).encode(),
    "a.conllu": "".join(f"# newdoc id = {n}\n{WORD}\n\n" for n in range(90)).encode(),
    "a.parquet": parquet(),
    "a.zip": zip_of(TEXTS),
    "a.tar": tar_of(TEXTS),
}


def taken_in(workspace, units):
    """Return the rows that units stage, what is counted of them, and how many they are."""
    receipts = [make(workspace, Ingest(IngestOptions()), unit) for unit in units]
    with BatchReader() as reader:
        stages = [stage for receipt in receipts for stage in receipt.stages]
        rows = [row for stage in stages for row in reader.read(stage.records, 0).to_pylist()]
    counts = [row for receipt in receipts for row in staged_inputs(receipt)]
    sums = [sum(getattr(row, name) for row in counts) for name in ("bytes", "records", "documents", "rejects")]
    return rows, sums, {row.sha256 for row in counts}


def large(path):
    return InputFile(path.name, str(path), path.stat().st_size, "in")


@pytest.mark.parametrize("name", MADE)
def test_pieces_are_taken_in_as_the_file_is(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(MADE[name])
    file, workspace = large(path), Workspace(str(tmp_path / "w"))
    task = looked_at(file, IngestOptions())
    assert isinstance(task, LargeFile)
    units = units_of(task, make(workspace, CutFile(), task))
    assert len(units) > 2
    assert taken_in(workspace, units) == taken_in(workspace, [Unit((file,), file.size)])
    assert taken_in(workspace, units)[2] == {hashlib.sha256(MADE[name]).hexdigest()}


@pytest.mark.parametrize(
    ("name", "data"), [("a.conllu", f"{WORD}\n\n".encode() * 90), ("a.zip", zip_of({"a.txt": bytes(range(256)) * 9}))]
)
def test_what_would_be_one_piece_is_not_cut_and_told(name, data, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    task = looked_at(large(path), IngestOptions())
    receipt = make(Workspace(str(tmp_path / "w")), CutFile(), task)
    assert receipt.why == "nothing in it can be read by itself"
    assert units_of(task, receipt) == [Unit((task.file,), len(data))]


def test_a_piece_that_changed_since_is_a_reject_and_the_others_are_taken_in(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(MADE["a.jsonl"])
    file, workspace = large(path), Workspace(str(tmp_path / "w"))
    task = looked_at(file, IngestOptions())
    first, *others = units_of(task, make(workspace, CutFile(), task))
    path.write_bytes(MADE["a.jsonl"].replace(b"text 1", b"TEXT 1", 1))
    receipt = make(workspace, Ingest(IngestOptions()), first)
    assert receipt.reasons == {"changed_while_read": 1}
    assert not receipt.stages
    rows, (_, records, documents, rejects), _ = taken_in(workspace, others)
    assert len(rows) == records == documents > 20
    assert rejects == 0


def test_a_file_that_went_is_a_reject(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(MADE["a.jsonl"])
    file, workspace = large(path), Workspace(str(tmp_path / "w"))
    task = looked_at(file, IngestOptions())
    path.unlink()
    assert looked_at(file, IngestOptions()) == "No such file or directory"
    (unit,) = units_of(task, make(workspace, CutFile(), task))
    assert make(workspace, Ingest(IngestOptions()), unit).reasons == {"unreadable": 1}


def test_a_file_whose_digest_is_known_is_not_read_again(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(MADE["a.jsonl"])
    file, workspace = large(path), Workspace(str(tmp_path / "w"))
    receipt = make(workspace, CutFile(), looked_at(file, IngestOptions()))
    known = file._replace(known=receipt.sha256)
    with monkeypatch.context() as patched:
        patched.setattr(cut_files, "read_through", lambda *_: pytest.fail("it is read"))
        assert make(workspace, CutFile(), looked_at(known, IngestOptions())) == receipt


def test_a_file_that_is_no_longer_what_is_known_is_cut_as_it_is(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(MADE["a.jsonl"])
    known = large(path)._replace(known="0" * 64)
    receipt = make(Workspace(str(tmp_path / "w")), CutFile(), looked_at(known, IngestOptions()))
    assert receipt.sha256 == hashlib.sha256(MADE["a.jsonl"]).hexdigest()
