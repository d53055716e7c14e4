"""One BLAS thread around linear algebra and training, so that sums have one order.

With another number of threads a matrix product is cut up otherwise and its last bits change. Equal
bytes are promised per CPU kernel and lock file, with one thread.

>>> import numpy as np
>>> with one_thread():
...     float((np.ones((2, 3)) @ np.ones(3)).sum())
6.0
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy  # noqa: F401  a library must be loaded to be limited
import threadpoolctl

_lock = threading.Lock()
_inside = 0
_limits: list[Any] = []
_known: tuple[int, threadpoolctl.ThreadpoolController] | None = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit every loaded BLAS library to one thread within the block.

    Blocks may be nested, and entered by several threads of a process at once: the limit, which is
    the whole process's, is lifted when the last one is left.
    """
    global _inside
    with _lock:
        _inside += 1
        _take_control()
        # Anew each time, for a library may have been loaded since the last block was entered.
        _limits.append(_libraries().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _take_control()
                while _limits:
                    _limits.pop().restore_original_limits()


def _libraries() -> threadpoolctl.ThreadpoolController:
    """Return the libraries that are loaded: to look for them takes milliseconds, an import does."""
    global _known
    modules = len(sys.modules)
    if _known is None or _known[0] != modules:
        _known = modules, threadpoolctl.ThreadpoolController()
    return _known[1]


def _take_control() -> None:
    """Let this thread set limits: since 3.8 threadpoolctl silently ignores all but the first."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
