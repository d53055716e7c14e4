"""What workers count of what they make.

Work in a process of its own: what comes back, and that it ends when it should.
"""

import math
import multiprocessing
import os
import platform
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from marked import MARK, left_of, marked, wait_until

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.machine import (
    LONG,
    amount_of,
    amounts_told,
    counted,
    counter_name,
    endable,
    locked_file,
    namespace,
    peak_memory,
    tell_amount,
    worker_name,
)

SCRIPT = """
import resource, sys
from lexbeam.transforms.common.machine import keep_freed_memory
if sys.argv[1] == "keep":
    assert keep_freed_memory()
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
bytearray(24 << 20)
before = faults()
for _ in range(20):
    bytearray(b"x") * (24 << 20)
print(faults() - before)
"""

HEAPS = """
import ctypes, sys, threading
from lexbeam.transforms.common.machine import share_heap
if sys.argv[1] == "share":
    assert share_heap()
libc = ctypes.CDLL(None)
libc.fdopen.restype, libc.fdopen.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_char_p)
libc.malloc_info.argtypes = libc.fflush.argtypes = None
barrier = threading.Barrier(4)
def work():
    barrier.wait()
    bytearray(10_000)
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
stream = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, stream)  # XML, of each heap an element
libc.fflush(stream)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone can be told")
def test_freed_memory_is_used_again():
    given_back, kept = (
        int(subprocess.check_output([sys.executable, "-c", SCRIPT, how], text=True)) for how in ("give-back", "keep")
    )
    assert given_back > 1000
    assert kept < given_back / 5


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone can be told")
def test_threads_share_a_heap():
    own, shared = (
        subprocess.check_output([sys.executable, "-c", HEAPS, how], text=True).count("<heap nr=")
        for how in ("own", "share")
    )
    assert own > 1
    assert shared == 1


def hold(path, held):
    with locked_file(path):
        held.set()
        signal.pause()


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    path = str(tmp_path / "folder" / "a.lock")
    context = multiprocessing.get_context("fork")
    held = context.Event()
    process = context.Process(target=hold, args=(path, held))
    process.start()
    assert held.wait(30)
    with locked_file(path, wait=False) as ours:
        assert not ours
    process.kill()
    process.join()
    with locked_file(path) as ours:
        assert ours


def test_who_waits_takes_the_file_that_has_the_name(tmp_path):
    path = str(tmp_path / "a.lock")
    with locked_file(path), locked_file(path, wait=False) as again:
        assert not again  # within a process, too
    with locked_file(path):
        os.remove(path)
        with locked_file(path) as ours:  # another file
            assert ours


@dataclass
class Receipt:
    tokens: object = None
    counts: object = field(default_factory=dict)


def test_a_counter_says_stage_what_and_worker():
    assert counted(namespace("change/train"), counter_name("tokens")) == ("change/train", "tokens", worker_name())
    assert counted("other", counter_name("tokens")) is None
    assert counted(namespace("change/train"), "sorted w") is None


def test_amounts_are_those_of_the_receipt_before_the_task():
    assert amount_of("tokens", Receipt(3), Receipt(4)) == 3
    assert amount_of("tokens", Receipt(counts={"tokens": 5}), Receipt(4)) == 5
    assert amount_of("tokens", Receipt(), Receipt(4)) == 4
    assert amount_of("tokens", Receipt(counts=("a",)), None) == 0
    assert amount_of("tokens", Receipt(["a", "b"]), Receipt("x")) == 0


def test_what_is_told_is_of_a_thread_and_told_once():
    tell_amount("landed", 2)
    tell_amount("landed", 3)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(amounts_told).result() == {}
    assert amounts_told() == {"landed": 5}
    assert amounts_told() == {}


def test_peak_memory_is_of_this_process_and_never_falls():
    code = "from lexbeam.transforms.common.machine import peak_memory as p\n"
    code += "a = p()\nb = b'x' * 50_000_000\ndel b\nprint(a, p())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    before, after = map(int, told.split())
    assert 45_000_000 < after - before < 60_000_000
    assert 10**6 < peak_memory() < 10**12


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
