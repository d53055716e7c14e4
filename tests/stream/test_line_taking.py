"""Lines are read by one reader in a process, however many objects of the step a runner has there."""

import json
import logging
import os
import socket
from pathlib import Path

import pytest
from reading import summary

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.stream import lines
from lexbeam.transforms.stream.landing_windows import WindowRule
from lexbeam.transforms.stream.lines import Feed, FolderTakenError, LineSpool, LineTaking
from lexbeam.transforms.stream.ptransforms import _ReadLines


class Calls:
    """Stands for the tracker and the watermark that a runner gives with each call."""

    def current_restriction(self):
        return self

    start = 0

    def try_claim(self, _):
        return True

    def defer_remainder(self, _):
        return None

    def current_watermark(self):
        return None

    def set_watermark(self, _):
        return None


@pytest.fixture
def fed(tmp_path):
    """A server that is connected to, and what feeds a folder from there, each line a file."""
    with socket.create_server(("localhost", 0)) as server:
        feed = Feed(f"localhost:{server.getsockname()[1]}", str(tmp_path / "landed"), WindowRule(3600.0, 1), 1000)
        yield server, feed


def landed(feed):
    return {line for path in Path(feed.folder).glob("*.jsonl") for line in path.read_text().split()}


def test_all_objects_of_a_process_read_by_one_connection(fed):
    server, feed = fed
    steps = [_ReadLines() for _ in range(3)]
    assert list(steps[0].process(feed, Calls(), Calls())) == []
    sender, _ = server.accept()
    for number in range(9):
        sender.sendall(b"line-%d\n" % number)
        list(steps[number % 3].process(feed, Calls(), Calls()))
        assert landed(feed) == {f"line-{n}" for n in range(number + 1)}
    # One that is done with does not end it for the others; after the last another process may have the folder.
    steps[0].teardown()
    sender.sendall(b"last\n")
    list(steps[1].process(feed, Calls(), Calls()))
    assert "last" in landed(feed)
    for step in steps:
        step.teardown()
    sender.close()
    LineSpool(feed.folder, feed.rule).__exit__(None, None, None)


def test_a_line_over_the_limit_is_one_reject_of_the_next_run_also_after_a_restart(fed):
    server, feed = fed
    long, good = json.dumps({"text": "x" * 9000}).encode(), json.dumps({"text": "A cat sat."}).encode()

    def taken(*pieces):
        """What a stream takes, from its start to its end."""
        taking = LineTaking.of(feed)
        taking.take(0.01)
        sender, _ = server.accept()
        for piece in pieces:
            sender.sendall(piece)
            taking.take(0.5)
        sender.close()
        taking.take(0.5)
        taking.let_go()

    taken(long, b"\n")
    taken(long[:5000], long[5000:], b"\n", good + b"\n")
    found = [
        summary(path.read_bytes(), "jsonl", max_line_bytes=feed.max_line_bytes)
        for path in sorted(Path(feed.folder).glob("*.jsonl"), key=os.path.getsize)
    ]
    assert found == [["A cat sat."], [("1", "too_large")]]


def test_a_folder_that_another_process_has_is_waited_for_told_and_then_given_up(fed, monkeypatch, caplog):
    _, feed = fed
    now = [1000.0]
    monkeypatch.setattr(lines.time, "monotonic", lambda: now[0])
    taking = LineTaking.of(feed)
    with LineSpool(feed.folder, feed.rule), caplog.at_level(logging.WARNING, "lexbeam"):
        for seconds in (0, 9, 2, 50):
            now[0] += seconds
            assert not taking.take(0.01)
        assert [record.getMessage() for record in caplog.records] == [
            f"`landing` {feed.folder!r}: another stream reads lines into it: no line is read until it lets go, or this "
            "stream is given up"
        ]
        now[0] += 60
        with pytest.raises(FolderTakenError, match="another stream reads lines"):
            taking.take(0.01)
        assert not taking.take(0.01), "it is asked again"
    assert taking.take(0.01)
    taking.let_go()


def test_other_errors_are_not_borne(fed, monkeypatch):
    _, feed = fed

    def broken(*_):
        raise LexbeamError("the folder is broken")

    monkeypatch.setattr(lines, "LineSpool", broken)
    step = _ReadLines()
    with pytest.raises(LexbeamError, match="the folder is broken"):
        list(step.process(feed, Calls(), Calls()))
    step.teardown()
