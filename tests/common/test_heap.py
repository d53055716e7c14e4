import platform
import subprocess
import sys

import pytest

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
