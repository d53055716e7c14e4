"""The C heap: how much freed memory it keeps.

By default glibc gives the top of the heap back to the system as soon as 128 KiB of it are free, and
takes larger blocks from the system one by one. A tagger allocates and frees some megabytes for each
batch: where small objects that stay have moved the top of the heap, each batch pays for new pages.
"""

import ctypes
import functools

__all__ = ["keep_freed_memory"]

# mallopt's parameters and their values, in bytes: what may lie free at the top of the heap, and
# from which size on a block comes from the system. glibc takes no more than 32 MiB for the latter.
_TRIM_THRESHOLD = (-1, 256 << 20)
_MMAP_THRESHOLD = (-3, 32 << 20)


@functools.cache
def keep_freed_memory() -> bool:
    """Have this process keep freed memory for what comes next; return whether its libc can."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another libc, another system
        return False
    return all([mallopt(*_TRIM_THRESHOLD), mallopt(*_MMAP_THRESHOLD)])
