"""Lines of a socket or a named pipe, whole whatever pieces they come in."""

import logging
import os
import re
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nets import ends

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.stream import lines
from lexbeam.transforms.stream.lines import LineConnection, check_address

LONGEST = 1 << 20


def until(connection, number):
    """The lines of a connection, once there are so many."""
    found = []
    for _ in range(500):
        found += connection.lines(0.05)
        if len(found) >= number:
            break
    return found


@pytest.fixture
def server():
    with socket.create_server(("localhost", 0)) as listening:
        yield listening, f"localhost:{listening.getsockname()[1]}"


def test_lines_of_a_socket_come_in_pieces_and_a_sender_may_come_again(server):
    listening, address = server
    connection = LineConnection(address, LONGEST)

    def send(*pieces):
        peer, _ = listening.accept()
        with peer:
            for piece in pieces:
                peer.sendall(piece)

    sender = threading.Thread(target=send, args=(b"one\ntw", b"o\r\n\nthr", b"ee"))
    sender.start()
    assert until(connection, 3) == [b"one", b"two", b"three"]
    sender.join()
    sender = threading.Thread(target=send, args=(b"four\n",))
    sender.start()
    assert until(connection, 1) == [b"four"]
    sender.join()
    connection.close()


def test_a_line_may_be_longer_than_what_is_taken_at_a_time(server, monkeypatch):
    monkeypatch.setattr(lines, "_MOST", 1 << 10)
    listening, address = server
    connection = LineConnection(address, LONGEST)
    long = b"x" * 200_000

    def send():
        peer, _ = listening.accept()
        with peer:
            peer.sendall(long + b"\nshort\n")

    sender = threading.Thread(target=send)
    sender.start()
    assert until(connection, 2) == [long, b"short"]
    sender.join()
    connection.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A pipe, as a function that makes a connection with some limit, and where to write."""
    path = str(tmp_path_factory.mktemp("pipe") / "pipe")
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)

    def connected(longest):
        connection = LineConnection(path, longest)
        connection.lines(0)
        return connection

    yield connected, writer
    os.close(writer)
    os.close(reader)


def test_what_a_line_costs_grows_as_its_bytes_do(written):
    connected, writer = written
    connection, piece = connected(1 << 25), b"x" * (1 << 12)
    with ends(10):  # a hundredth of it; each piece had cost as much as all before it
        for _ in range(1 << 12):
            os.write(writer, piece)
            assert connection.lines(0) == []
        os.write(writer, b"\n")
        (line,) = connection.lines(1)
    assert len(line) == 1 << 24
    connection.close()


def test_of_a_line_over_the_limit_comes_a_beginning_that_is_over_it_too(written, caplog):
    connected, writer = written
    connection = connected(100)
    with caplog.at_level(logging.WARNING, "lexbeam"):
        for _ in range(20):
            os.write(writer, b"x" * 1000)
            assert connection.lines(0) == []
        assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
            "a line of over 100 bytes: its beginning lands, and is a reject (too_large); raise `max_line_bytes` of "
            "section corpus if such lines are records"
        ], "told while it comes, for it may never end"
    os.write(writer, b"\n" + b"y" * 100 + b"\r\nshort\n")
    first, *others = connection.lines(1)
    assert 100 < len(first) < 200
    assert set(first) == set(b"x")
    assert others == [b"y" * 100, b"short"]
    connection.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.text("ab\r\n", max_size=30).map(str.encode), max_size=12), st.integers(1, 40))
def test_lines_are_those_of_the_whole_whatever_pieces_they_come_in(written, pieces, longest):
    connected, writer = written
    connection, found = connected(longest), []
    for piece in filter(None, [*pieces, b"\n"]):
        os.write(writer, piece)
        found += connection.lines(1)
    connection.close()
    expected = [line for line in re.split(b"[\r\n]+", b"".join(pieces)) if line]
    for line, full in zip(found, expected, strict=True):
        assert line == full or (len(line) > longest and full.startswith(line))


def test_nobody_is_waited_for_long_where_nothing_listens():
    with socket.create_server(("localhost", 0)) as listening:
        port = listening.getsockname()[1]
    assert LineConnection(f"localhost:{port}", LONGEST).lines(0.05) == []


def test_lines_of_a_pipe_whose_writers_come_and_go(tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    connection = LineConnection(path, LONGEST)
    assert connection.lines(0.01) == []
    for text in (b"one\ntwo", b"three\n"):
        writer = threading.Thread(target=Path(path).write_bytes, args=(text,))
        writer.start()
        assert until(connection, len(text.split())) == text.split()
        writer.join()
    connection.close()


def test_an_address_is_checked_before_anything_starts(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    for good in ("localhost:1", "tcp://localhost:9000", "[::1]:80", str(tmp_path / "pipe")):
        check_address(good)
    for bad in ("localhost", "localhost:99999", str(tmp_path / "file"), str(tmp_path / "nothing"), str(tmp_path)):
        with pytest.raises(UsageError, match="named pipe"):
            check_address(bad)
