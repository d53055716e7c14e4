"""What becomes of failures in threads; workers themselves are in tests/integration/runners."""

import threading
from types import SimpleNamespace

import pytest
from apache_beam.runners.worker.sdk_worker import GrpcStateHandler

from lexbeam.pipelines.runners.leash import Leash
from lexbeam.pipelines.runners.workers import thread_failures


def read_from_a_server(ended):
    """Let Beam's own thread read from a server until it has ended."""

    def responses(requests):
        ended.wait()
        raise ConnectionError("recvmsg: connection reset by peer")
        yield

    GrpcStateHandler(SimpleNamespace(State=responses))


@pytest.fixture
def told(monkeypatch):
    """The failures of threads that Python would print."""
    result = []
    monkeypatch.setattr(threading, "excepthook", lambda given: result.append(str(given.exc_value)))
    return result


def test_threads_that_find_out_late_that_a_server_has_ended_print_nothing(told):
    ended = threading.Event()
    with thread_failures(Leash()):
        read_from_a_server(ended)
        threading.Timer(0.3, ended.set).start()
    assert ended.is_set()
    assert told == []


def test_threads_that_are_not_of_beam_fail_as_ever(told):
    before = threading.excepthook
    with thread_failures(Leash()):
        thread = threading.Thread(target=lambda: int("many"))
        thread.start()
        thread.join()
    assert told == ["invalid literal for int() with base 10: 'many'"]
    assert threading.excepthook is before


def test_threads_that_go_on_are_not_waited_for_long(told):
    ended = threading.Event()
    known = set(threading.enumerate())
    with thread_failures(Leash()):
        read_from_a_server(ended)
    # Here it has not ended, and nothing but the test will end it.
    (reader,) = set(threading.enumerate()) - known
    ended.set()
    reader.join()
    assert told == ["recvmsg: connection reset by peer"]
