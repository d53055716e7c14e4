"""The C heap: how much freed memory it keeps, and for how many threads it is divided.

By default glibc gives the top of the heap back to the system as soon as 128 KiB of it are free, and
takes larger blocks from the system one by one. A tagger allocates and frees some megabytes for each
batch: where small objects that stay have moved the top of the heap, each batch pays for new pages.

It also gives threads heaps of their own, up to eight a core, so that they need not wait for each other. In a process
of Beam dozens of threads pass on what one alone makes, and each heap keeps what has passed through it. Arrow has a heap
besides, which keeps as much again: a worker of a large corpus takes an eighth less memory without it, and no longer.
"""

import ctypes
import functools
import os

# mallopt's parameters and their values, in bytes: what may lie free at the top of the heap, and
# from which size on a block comes from the system. glibc takes no more than 32 MiB for the latter.
_TRIM_THRESHOLD = (-1, 256 << 20)
_MMAP_THRESHOLD = (-3, 32 << 20)
_ARENA_MAX = (-8, 1)


def keep_freed_memory() -> bool:
    """Have this process keep freed memory for what comes next; return whether its libc can."""
    return _set(_TRIM_THRESHOLD, _MMAP_THRESHOLD)


def share_heap() -> bool:
    """Have all threads that are started from now on share one heap; return whether this process's libc can.

    So does Arrow, if it is not loaded yet, and in processes that this one starts; but where ARROW_DEFAULT_MEMORY_POOL
    names another.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    return _set(_ARENA_MAX)


@functools.cache
def _set(*parameters: tuple[int, int]) -> bool:
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another libc, another system
        return False
    return {mallopt(*parameter) for parameter in parameters} == {1}
