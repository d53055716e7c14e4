"""Lines of a socket or a named pipe, whole whatever pieces they come in."""

import os
import socket
import threading
from pathlib import Path

import pytest

from transforms.common.errors import UsageError
from transforms.stream import connections
from transforms.stream.connections import LineConnection, check_address


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
    connection = LineConnection(address)

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
    monkeypatch.setattr(connections, "_MOST", 1 << 10)
    listening, address = server
    connection = LineConnection(address)
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


def test_nobody_is_waited_for_long_where_nothing_listens():
    with socket.create_server(("localhost", 0)) as listening:
        port = listening.getsockname()[1]
    assert LineConnection(f"localhost:{port}").lines(0.05) == []


def test_lines_of_a_pipe_whose_writers_come_and_go(tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    connection = LineConnection(path)
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
