"""Files that change while they are read: what is taken in is what the digest says, or nothing."""

import gzip
import hashlib
import io
import json
import os
import tarfile
import threading
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from staged_inputs import staged_inputs

from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit, read_documents
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.sources import readings
from lexbeam.transforms.formats.sources.readings import first_reading

BIG = 3000  # bytes of a test's large file


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """A file of some thousand bytes is a large one."""
    monkeypatch.setattr(readings, "IN_MEMORY", 600)
    monkeypatch.setattr(readings, "_BLOCK", 200)


def text(word):
    return " ".join(f"{word}{n:03}" for n in range(500))


def zipped(word):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for n in range(3):
            archive.writestr(zipfile.ZipInfo(f"{n}.txt"), text(f"{word}{n}"))
    return out.getvalue()


def tarred(word):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for n in range(3):
            info = tarfile.TarInfo(f"{n}.txt")
            content = text(f"{word}{n}").encode()
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def parquet(word):
    out = io.BytesIO()
    rows = pa.table({"text": [text(f"{word}{n}") for n in range(4)]})
    pq.write_table(rows, out, row_group_size=1, compression="none", use_dictionary=False)
    return out.getvalue()


def rows(word):
    return [{"text": text(f"{word}{n}")} for n in range(4)]


MADE = {
    "a.txt": lambda word: text(word).encode(),
    "a.txt.gz": lambda word: gzip.compress(text(word).encode(), 0, mtime=0),
    "a.jsonl": lambda word: "\n".join(map(json.dumps, rows(word))).encode(),
    "a.json": lambda word: json.dumps(rows(word)).encode(),
    "a.csv": lambda word: ("text\n" + "\n".join(row["text"] for row in rows(word))).encode(),
    "a.xml": lambda word: f"<TEI><text><body><p>{text(word)}</p></body></text></TEI>".encode(),
    "a.conllu": lambda word: "".join(f"1\t{w}\t{w}" + "\t_" * 7 + "\n\n" for w in text(word).split()).encode(),
    "a.zip": zipped,
    "a.tar": tarred,
    "a.tar.gz": lambda word: gzip.compress(tarred(word), 0, mtime=0),
    "a.parquet": parquet,
}


def replaced(path, content):
    other = path.with_name("other")
    other.write_bytes(content)
    os.replace(other, path)


def rewritten(path, content):
    """In place, of the same size, and the file's time as it was."""
    before = os.stat(path)
    with path.open("r+b") as stream:
        stream.write(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(path).st_size == before.st_size


def half(path, content):
    """Only the second half is another: what has been read so far is what it was."""
    with path.open("r+b") as stream:
        stream.seek(len(content) // 2)
        stream.write(content[len(content) // 2 :])


def cut(path, content):
    path.write_bytes(content[: len(content) * 3 // 4])


def grown(path, content):
    with path.open("ab") as stream:
        stream.write(content)


def gone(path, content):
    path.unlink(missing_ok=True)


def changing(monkeypatch, path, changes):
    """Let a change happen each time that the file is opened to be read again; note what it held."""
    held = [path.read_bytes()]
    opened = files.open_read
    left = list(changes)
    again = []

    def open_read(name):
        if name == str(path):
            again.append(name)
            if len(again) % 2 == 0 and left:  # a digest was taken by the opening before
                left.pop(0)()
                held.append(path.read_bytes() if path.exists() else b"")
        return opened(name)

    monkeypatch.setattr(files, "open_read", open_read)
    return held


def options_of(name):
    return IngestOptions(reader=ReaderOptions(lines_hold="text"))


def taken_in(path, folder):
    unit = Unit((InputFile(path.name, str(path), path.stat().st_size, "in"),), 1)
    receipt = make(Workspace(str(folder)), Ingest(options_of(path.name)), unit)
    with BatchReader() as reader:
        texts = [text for stage in receipt.stages for text in reader.read(stage.records, 0)["text"].to_pylist()]
        ready = [reader.read(stage.ready, 0)["forms"].to_pylist() for stage in receipt.stages if stage.ready]
    (count,) = staged_inputs(receipt)
    return count, (texts, ready), receipt.reasons


def expected(tmp_path, name, content):
    """What is taken in of this content where nobody changes it."""
    if (name, content) not in CALM:
        path = tmp_path / "calm" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        CALM[name, content] = taken_in(path, tmp_path / "calm-work")[1:]
    return CALM[name, content]


CALM = {}
CHANGES = [replaced, rewritten, half, cut, grown, gone]
CASES = [
    pytest.param(name, change, marks=[] if few or change is half else [pytest.mark.slow])
    for name in MADE
    for few in [name in ("a.jsonl", "a.zip", "a.parquet")]
    for change in CHANGES
]


@pytest.mark.parametrize(("name", "change"), CASES)
def test_what_is_taken_in_is_what_the_digest_says(tmp_path, monkeypatch, name, change):
    path = tmp_path / name
    one, two = MADE[name]("one"), MADE[name]("two")
    assert len(one) == len(two) > BIG
    path.write_bytes(one)
    held = changing(monkeypatch, path, [lambda: change(path, two)])
    count, found, reasons = taken_in(path, tmp_path / "work")
    if change is gone:
        assert (reasons, found) == ({"unreadable": 1}, ([], []))
        return
    assert len(held) == 2
    content = one if change is grown else held[1]  # what came behind is not of what was read
    assert count.sha256 == hashlib.sha256(content).hexdigest()
    assert count.bytes == len(content)
    assert (found, reasons) == expected(tmp_path, name, content)
    if change is not grown:
        assert found != expected(tmp_path, name, one)[0]


@pytest.mark.parametrize("name", MADE)
def test_a_file_that_always_changes_is_a_reject_and_nothing_of_it_is_kept(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_bytes(MADE[name]("one"))
    words = ["two", "six", "ten", "old"]
    changes = [lambda word=word: half(path, MADE[name](word)) for word in words]
    changing(monkeypatch, path, changes)
    count, found, reasons = taken_in(path, tmp_path / "work")
    assert (found, reasons) == (([], []), {"changed_while_read": 1})
    assert (count.records, count.documents, count.rejects) == (1, 0, 1)
    assert count.sha256 == "changed_while_read"
    kept = [p for p in (tmp_path / "work").rglob("*") if p.is_file()]
    assert not [p for p in kept if b"one000" in p.read_bytes() or b"one0000" in p.read_bytes()]
    # Nobody writes to it any more: it is read, and the reject is not taken up.
    replaced(path, MADE[name]("new"))
    monkeypatch.undo()
    count, found, reasons = taken_in(path, tmp_path / "work")
    assert count.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (found, reasons) == expected(tmp_path, name, MADE[name]("new"))
    assert not reasons


def test_what_was_made_before_a_change_is_not_named_by_what_came_after(tmp_path, monkeypatch):
    """An artefact never stands for a digest that its text does not have."""
    path = tmp_path / "a.txt"
    path.write_bytes(MADE["a.txt"]("one"))
    changing(monkeypatch, path, [lambda: replaced(path, MADE["a.txt"]("two"))])
    assert taken_in(path, tmp_path / "work")[1][0] == [text("two")]
    replaced(path, MADE["a.txt"]("one"))
    assert taken_in(path, tmp_path / "work")[1][0] == [text("one")]


def test_a_small_file_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(b"One.")
    changing(monkeypatch, path, [lambda: pytest.fail("opened again")])
    assert taken_in(path, tmp_path / "work")[1][0] == ["One."]


def test_a_file_that_has_grown_since_it_was_listed_is_not_held_in_memory(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(MADE["a.txt"]("one"))
    (row,) = read_documents(InputFile("a.txt", str(path), 3, "in"), IngestOptions())
    assert row[0]["text"] == text("one")
    reading = first_reading(str(path))
    assert not hasattr(reading.open(), "getbuffer")


def test_a_dry_run_says_so_too(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(MADE["a.jsonl"]("one"))
    changing(monkeypatch, path, [lambda: half(path, MADE["a.jsonl"]("two"))])
    file = InputFile("a.jsonl", str(path), 3, "in")
    *before, last = read_documents(file, IngestOptions())
    assert all(row[0]["text"].startswith("one") for row in before)
    assert (last.source, last.reason) == ("a.jsonl", "changed_while_read")


def test_a_file_that_cannot_be_read_again_is_unreadable(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(MADE["a.txt"]("one"))
    opened, times = files.open_read, []

    class Failing(io.RawIOBase):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    def open_read(name):
        if name != str(path):
            return opened(name)
        times.append(name)
        return opened(name) if len(times) % 2 else Failing()

    monkeypatch.setattr(files, "open_read", open_read)
    count, found, reasons = taken_in(path, tmp_path / "work")
    assert (found, reasons) == (([], []), {"unreadable": 1})
    assert count.sha256 == "unreadable: Input/output error"
    assert len(times) == 6
    monkeypatch.undo()
    assert taken_in(path, tmp_path / "work")[2] == {}


@pytest.mark.parametrize("name", ["a.jsonl", "a.zip", "a.tar.gz"])
def test_while_somebody_writes_to_it(tmp_path, name):
    """A thread rewrites the file all the time: one of its contents is taken in, or nothing."""
    path = tmp_path / name
    contents = {word: MADE[name](word) for word in ("one", "two", "six")}
    path.write_bytes(contents["one"])
    done = threading.Event()

    def write():
        while not done.is_set():
            for word in ("two", "six", "one"):
                with path.open("r+b") as stream:  # byte by byte, as it were
                    for place in range(0, len(contents[word]), 500):
                        stream.write(contents[word][place : place + 500])
                        stream.flush()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = [taken_in(path, tmp_path / f"work{n}") for n in range(8)]
    finally:
        done.set()
        writer.join()
    calm = {hashlib.sha256(content).hexdigest(): expected(tmp_path, name, content) for content in contents.values()}
    for count, texts, reasons in found:
        if reasons.get("changed_while_read"):
            assert texts == ([], [])
        elif count.sha256 in calm:
            assert (texts, reasons) == calm[count.sha256]


def test_objects_of_a_store(monkeypatch, store):
    from object_store import STORE

    path = STORE + "/a.jsonl"
    store[path] = MADE["a.jsonl"]("one")
    file = InputFile("a.jsonl", path, 3, "in")
    options = IngestOptions()
    rows = list(read_documents(file, options))
    assert [row[0]["text"][:4] for row in rows] == ["one0", "one1", "one2", "one3"]
    opened, times = files.open_read, []

    def open_read(name):
        times.append(name)
        if len(times) == 2:
            store[path] = MADE["a.jsonl"]("two")
        return opened(name)

    monkeypatch.setattr(files, "open_read", open_read)
    (row,) = read_documents(file, options)
    assert row.reason == "changed_while_read"
    del store[path]
    (row,) = read_documents(file, options)
    assert (row.reason, row.detail) == ("unreadable", "no such object")
