"""A stream on Prism, started and stopped as people do: files as they appear, and lines of a socket."""

import json
import random
import signal
import socket
import time

import pytest
from marked import left_of
from mixed_runs import published, skip_without
from s3_server import published_bytes
from small_runs import call
from streaming import Started, annotated, drop, landed_files, make_world, text_of

from lexbeam.transforms.common.store import files
from lexbeam.transforms.stream.lines import SPOOL


@pytest.mark.soak
def test_files_and_lines_land_and_the_next_refresh_annotates_nothing(tmp_path, monkeypatch):
    skip_without("prism")
    config = make_world(tmp_path, "texts")
    out, texts = tmp_path / "out", tmp_path / "texts"
    how = ("--runner-config", "prism", "--window", "1s", "--every", "1s")
    drop(texts, "a.txt", text_of(random.Random(1), 2).encode())
    stream = Started("stream", config, *how)
    stream.until(lambda: landed_files(out), "a file lands")
    drop(texts, "b.txt", text_of(random.Random(2), 2).encode())
    stream.until(lambda: len(landed_files(out)) == 2, "a file lands that came later")
    assert stream.end() == 128 + signal.SIGTERM

    records = [json.dumps({"text": text_of(random.Random(number), 2)}) for number in range(3, 6)]
    with socket.create_server(("localhost", 0)) as server:
        address = f"lines:localhost:{server.getsockname()[1]}"
        stream = Started("stream", config, "--source", address, "--landing", texts, *how)
        with server.accept()[0] as sender:
            sender.sendall("".join(f"{record}\n" for record in [*records, records[0]]).encode())
            stream.until(lambda: len(landed_files(out)) > 2, "lines land")
            assert stream.end() == 128 + signal.SIGTERM
    assert left_of(str(tmp_path)) == {}

    calls = annotated(monkeypatch)
    assert call("refresh", config) == 0
    assert calls == []
    made = published(out)
    assert call("run", config, "--out", tmp_path / "batch") == 0
    assert len(calls) == 5
    assert made == published(tmp_path / "batch")


# What the process of a stream does first: it notes when a call begins that reads lines, and when it ends.
NOTED = """
from lexbeam.transforms.stream.lines import LineTaking
real, notes = LineTaking.take, open({path!r}, "a", buffering=1)
def take(self, seconds):
    notes.write("(")
    try:
        return real(self, seconds)
    finally:
        notes.write(")\\n")
LineTaking.take = take
"""


@pytest.mark.soak
def test_lines_that_come_slowly_are_all_read(tmp_path):
    """Each is there before the next is sent, and no call is made beside another."""
    skip_without("prism")
    calls = tmp_path / "calls"
    config = make_world(tmp_path, "texts")
    texts = tmp_path / "texts"

    def there(number):
        of = [*texts.glob("*.jsonl"), texts / SPOOL]
        return any(f"Line {number}." in path.read_text() for path in of if path.exists())

    with socket.create_server(("localhost", 0)) as server:
        address = f"lines:localhost:{server.getsockname()[1]}"
        how = ("--runner-config", "prism", "--window", "5s", "--every", "1s")
        noted = NOTED.format(path=str(calls))
        stream = Started("stream", config, "--source", address, "--landing", texts, *how, before=noted)
        with server.accept()[0] as sender:
            for number in range(10):
                time.sleep(2)
                sender.sendall(json.dumps({"text": f"Line {number}."}).encode() + b"\n")
                stream.until(lambda number=number: there(number), f"line {number} is read")
        assert stream.end() == 128 + signal.SIGTERM
    assert set(calls.read_text().split()[:-1]) == {"()"}
    assert left_of(str(tmp_path)) == {}


@pytest.mark.soak
def test_files_of_a_bucket_land_in_a_bucket(tmp_path, bucket, monkeypatch):
    skip_without("prism")
    out, local = f"{bucket}/out", tmp_path / "texts"
    config = make_world(tmp_path, f"{bucket}/texts", out=out)
    how = ("--runner-config", "prism", "--window", "1s", "--every", "1s")

    def put(number):
        local.mkdir(exist_ok=True)
        (local / f"{number}.txt").write_text(text_of(random.Random(number), 2))
        files.write_bytes(f"{bucket}/texts/{number}.txt", (local / f"{number}.txt").read_bytes())

    for number in (0, 2):  # the second stream begins beside what the first has landed
        stream = Started("stream", config, *how)
        for each in (number, number + 1):
            put(each)
            stream.until(lambda each=each: len(landed_files(out)) == each + 1, f"file {each} lands")
        assert stream.end() == 128 + signal.SIGTERM
    assert left_of(str(tmp_path)) == {}

    calls = annotated(monkeypatch)
    assert call("refresh", config) == 0
    assert calls == []
    there = make_world(tmp_path, "texts")
    assert call("run", there, "--out", tmp_path / "batch") == 0
    assert len(calls) == 4
    assert published_bytes(out) == published_bytes(tmp_path / "batch")
