"""Beam's servers listen on this machine alone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from apache_beam.runners.portability.fn_api_runner import worker_handlers

from pipelines.runners.loopback import loopback_only

# 127.0.0.1, ::1 and ::ffff:127.0.0.1
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}
LISTENS = "0A"


def listening(port):
    """The addresses that sockets of this machine listen on at a port, as the system writes them."""
    found = set()
    for name in ("tcp", "tcp6"):
        path = Path("/proc/self/net") / name
        rows = [line.split() for line in path.read_text().splitlines()[1:]] if path.exists() else []
        for row in rows:
            address, _, number = row[1].partition(":")
            if int(number, 16) == port and row[3] == LISTENS:
                found.add(address)
    return found


def started():
    """A server as Beam's direct runner starts its own, and the port."""
    server = worker_handlers.grpc.server(ThreadPoolExecutor(1))
    return server, server.add_insecure_port("[::]:0")


def addresses(port, server):
    server.start()
    try:
        return listening(port)
    finally:
        server.stop(0).wait()


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs /proc")
def test_a_server_that_would_listen_everywhere_listens_on_loopback():
    server, port = started()
    assert not addresses(port, server) <= LOOPBACK  # as Beam has it
    before = grpc.server
    with loopback_only():
        server, port = started()
    found = addresses(port, server)
    assert found
    assert found <= LOOPBACK
    assert grpc.server is before
