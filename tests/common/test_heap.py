import platform
import subprocess
import sys

import pytest

SCRIPT = """
import resource, sys
from transforms.common.heap import keep_freed_memory
if sys.argv[1] == "keep":
    assert keep_freed_memory()
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
bytearray(24 << 20)
before = faults()
for _ in range(20):
    bytearray(b"x") * (24 << 20)
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone can be told")
def test_freed_memory_is_used_again():
    given_back, kept = (
        int(subprocess.check_output([sys.executable, "-c", SCRIPT, how], text=True)) for how in ("give-back", "keep")
    )
    assert given_back > 1000
    assert kept < given_back / 5
