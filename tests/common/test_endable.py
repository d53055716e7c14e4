"""Work in a process of its own: what comes back, and that it ends when it should."""

import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from marked import MARK, left_of, marked, wait_until

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import LONG, endable

ROOT = Path(__file__).resolve().parents[2]


def test_what_a_function_returns_and_raises_comes_back():
    rows = np.arange(6.0).reshape(3, 2)
    for number in (1, LONG):
        assert endable(math.hypot, 3.0, 4.0, rows=number) == 5.0
        assert np.array_equal(endable(np.transpose, rows, rows=number), rows.T)
        with pytest.raises(ValueError, match="math domain error"):
            endable(math.sqrt, -1.0, rows=number)
    assert endable(os.getpid, rows=LONG) != os.getpid() == endable(os.getpid, rows=LONG - 1)
    assert endable(lambda: os.getpid(), rows=LONG) == os.getpid()  # which no other process could find


def test_other_threads_need_no_process():
    pids = []
    thread = threading.Thread(target=lambda: pids.append(endable(os.getpid, rows=LONG)))
    thread.start()
    thread.join()
    assert pids == [os.getpid()]


class Odd(Exception):
    def __init__(self, row, *, why):
        super().__init__(f"row {row}: {why}")


def raise_odd():
    raise Odd(3, why="no vector")


def test_an_error_that_cannot_be_sent_is_told():
    with pytest.raises(LexbeamError, match="Odd: row 3: no vector"):
        endable(raise_odd, rows=LONG)
    with pytest.raises(Exception, match="pickle"):
        endable(threading.Lock, rows=LONG)


def test_modules_of_the_working_directory_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "pickle.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    assert endable(math.hypot, 3.0, 4.0, rows=LONG) == 5.0


def pids_within():
    return endable(os.getpid, rows=LONG), os.getpid()


def test_within_such_a_process_none_is_started():
    within, outside = endable(pids_within, rows=LONG)
    assert within == outside != os.getpid()


def test_what_a_process_prints_is_no_answer(capfd):
    assert endable(print, "x", rows=LONG) is None
    assert capfd.readouterr() == ("", "x\n")


def test_a_process_that_is_killed_is_told():
    with pytest.raises(LexbeamError, match=r"exit status 7$"):
        endable(os._exit, 7, rows=LONG)
    with pytest.raises(LexbeamError, match="signal 9; it was killed: is there enough memory"):
        endable(signal.raise_signal, signal.SIGKILL, rows=LONG)


WORK = """
def work(begun):
    open(begun, "w").close()
    return pow(3, 10**9)  # one call of C, which takes hours and lets no other thread run
"""
CALL = """
import sys
from work import work
from lexbeam.transforms.common.machine import LONG, endable
from lexbeam.pipelines.frame.interrupts import heed_signals, interrupted_status
heed_signals(lambda: "")
try:
    endable(work, sys.argv[1], rows=LONG)
except KeyboardInterrupt:
    sys.exit(interrupted_status())
"""
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}


@pytest.mark.parametrize("number", STATUS)
def test_an_interrupt_ends_a_call_of_c_and_nothing_is_left(number, tmp_path):
    (tmp_path / "work.py").write_text(WORK)
    path = os.pathsep.join([str(ROOT), str(tmp_path)])
    environment = {**os.environ, "PYTHONPATH": path, MARK: str(tmp_path)}
    begun = tmp_path / "begun"
    process = subprocess.Popen([sys.executable, "-c", CALL, str(begun)], env=environment)
    wait_until(begun.exists, "it has begun")
    assert len(marked(str(tmp_path))) == 2
    process.send_signal(number)
    assert process.wait(60) == STATUS[number]
    assert left_of(str(tmp_path)) == {}
