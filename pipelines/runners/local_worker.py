"""A worker process of Beam's direct runner on this machine: Beam's own, which ends at once.

    python -m lexbeam.pipelines.runners.local_worker

At its end Python frees the memory of a process object by object. For models and caches of words that
takes seconds, during which the runner waits, for one worker after the other; the system frees it all at
once.
"""

import atexit
import os
import sys
from contextlib import suppress

from lexbeam.transforms.common.machine import share_heap
from lexbeam.transforms.common.spared_imports import spare_imports

FAILED = 1

_codes = [FAILED]


# Before all imports of Beam: what is registered first is called last, after all cleaning up.
@atexit.register
def _end() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(_codes[-1])


def run() -> None:
    """Serve the runner until it ends the worker; on failure the process exits with 1."""
    spare_imports()
    share_heap()
    from apache_beam.runners.worker import sdk_worker_main

    from lexbeam.pipelines.runners.signatures import signatures_kept

    with signatures_kept():
        sdk_worker_main.main([])
    _codes.append(0)


if __name__ == "__main__":
    run()
