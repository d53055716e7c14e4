"""This machine and its processes: their heaps, locks and cache, what work takes, and work that can be ended.

By default glibc gives the top of the heap back to the system as soon as 128 KiB of it are free, and
takes larger blocks from the system one by one. A tagger allocates and frees some megabytes for each
batch: where small objects that stay have moved the top of the heap, each batch pays for new pages.

It also gives threads heaps of their own, up to eight a core, so that they need not wait for each other. In a process
of Beam dozens of threads pass on what one alone makes, and each heap keeps what has passed through it. Arrow has a heap
besides, which keeps as much again: a worker of a large corpus takes an eighth less memory without it, and no longer.

What making artefacts took, workers count. A runner sums counters by namespace and name over all elements and hands them
to the driver. So the namespace says the stage, and the name what is counted and in which process.

Python heeds a signal between two of its own steps, in the main thread. To fit a support vector machine to many rows
is one step, which takes minutes. Done in another process, it is ended by ending that process:

>>> import math
>>> endable(math.sqrt, 9.0, rows=9)
3.0
"""

import ctypes
import fcntl
import functools
import os
import pickle
import resource
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import platformdirs

from lexbeam.transforms.common.errors import LexbeamError

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


@contextmanager
def locked_file(path: str, *, wait: bool = True) -> Iterator[bool]:
    """Hold a lock file, which is made if need be; yield whether it is held.

    It is not if another process has it, unless this one is to `wait`. Whoever holds a lock file may
    remove it: one that waits for it takes the new one.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    while True:
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "rb+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            if _is_at(path, lock.fileno()):
                yield True
                return


def _is_at(path: str, handle: int) -> bool:
    """Return whether an open file is still the one that has this name."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.stat(path))
    return False


VARIABLE = "LEXBEAM_CACHE"


def default_cache() -> str:
    """Return the folder that `LEXBEAM_CACHE` names, else the user's cache folder for Lexbeam."""
    return os.environ.get(VARIABLE) or platformdirs.user_cache_dir("lexbeam", appauthor=False)


LANDED = "landed"
SUMMED = ("microseconds", "elements", "there", "documents", LANDED, "tokens", "bytes")
MEMORY = "memory"  # of which the greatest counts
_SPACE = "artefacts:"


def namespace(stage: str) -> str:
    """Return the namespace of a stage's counters."""
    return _SPACE + stage


def counter_name(what: str) -> str:
    """Return the name of a counter of this process."""
    return f"{what} {worker_name()}"


def counted(space: str, name: str) -> tuple[str, str, str] | None:
    """Return stage, what and worker of a counter; None for one of somebody else's.

    >>> counted("artefacts:change/train", "tokens host:17")
    ('change/train', 'tokens', 'host:17')
    """
    what, _, worker = name.partition(" ")
    if not space.startswith(_SPACE) or what not in (*SUMMED, MEMORY):
        return None
    return space.removeprefix(_SPACE), what, worker


def worker_name() -> str:
    """Return the machine and the number of this process, which no other worker of a run has."""
    return f"{socket.gethostname()}:{os.getpid()}"


def amount_of(what: str, receipt: object, task: object) -> int:
    """Return how many documents or tokens an artefact has, by its receipt or the task; 0 where neither says."""
    counts = getattr(receipt, "counts", None)
    held = (getattr(receipt, what, None), counts.get(what) if isinstance(counts, Mapping) else None)
    for number in (*held, getattr(task, what, None)):
        if isinstance(number, int):
            return number
    return 0


class _Told(threading.local):
    def __init__(self) -> None:
        self.amounts: Counter[str] = Counter()


_TOLD = _Told()


def tell_amount(what: str, number: int) -> None:
    """Tell, while an artefact is made, of how many of what is counted no receipt says, since its bytes do not."""
    _TOLD.amounts[what] += number


def amounts_told() -> Counter[str]:
    """Return what this thread has told since it was asked last."""
    told, _TOLD.amounts = _TOLD.amounts, Counter()
    return told


def peak_memory() -> int:
    """Return the most memory that this process has had in use at once, in bytes."""
    # Not first by `getrusage`, which on Linux begins with what the process had that started this one.
    with suppress(OSError), open("/proc/self/status", "rb") as stream:
        for line in stream:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


LONG = 2_000  # rows; with fewer no step takes more than a few seconds, about what another process takes to start
T = TypeVar("T")
_served = threading.Event()  # in a process that does such work: it is ended as a whole

_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from lexbeam.transforms.common.machine import serve; serve()"
)


def endable(work: Callable[..., T], *arguments: Any, rows: int) -> T:
    """Return what a function returns, on one BLAS thread; an interrupt ends it at once.

    A process of its own is started only in the main thread, where nothing else could end the work, only for many rows,
    and not within another such process. It ends with this one, however that ends.

    Args:
        work: a function of a module.
        arguments: its arguments, which can be pickled, as can what it returns.
        rows: what it works with, which says how long it takes.

    Raises:
        Exception: what the function raises.
        LexbeamError: the process ended before its time.
    """
    here = threading.current_thread() is not threading.main_thread()
    if here or rows < LONG or _served.is_set() or not _importable(work):
        from lexbeam.transforms.common.arithmetic import one_thread

        with one_thread():
            return work(*arguments)
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # a Ctrl-C in a terminal is for this process
    )
    into, out = process.stdin, process.stdout
    assert into is not None
    assert out is not None
    try:
        with into, out:
            try:
                pickle.dump(sys.path, into)
                pickle.dump((work, arguments), into, protocol=pickle.HIGHEST_PROTOCOL)
                into.flush()
                done, result = pickle.load(out)  # while `into` is open the process lives
            except (BrokenPipeError, EOFError, pickle.UnpicklingError):
                raise _ended(process, work) from None
    finally:
        process.kill()
        process.wait()
    if not done:
        raise result
    return result  # type: ignore[no-any-return]


def _importable(work: Callable[..., Any]) -> bool:
    module, name = getattr(work, "__module__", "__main__"), getattr(work, "__qualname__", "<lambda>")
    return module != "__main__" and "<" not in name


def _ended(process: "subprocess.Popen[bytes]", work: Callable[..., Any]) -> LexbeamError:
    status = process.wait()
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    remedy = "; it was killed: is there enough memory?" if status == -9 else ""
    return LexbeamError(f"the process of {work.__qualname__} ended before its time, {how}{remedy}")


def serve() -> None:
    """Do the work that comes by standard input, write what came of it, and end with whoever gave it."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    work, arguments = pickle.load(sys.stdin.buffer)
    _served.set()
    _end_with_input()
    try:
        from lexbeam.transforms.common.arithmetic import one_thread

        with one_thread():
            told = pickle.dumps((True, work(*arguments)), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        told = pickle.dumps((False, _portable(error)))
    answer.write(told)
    answer.flush()


def _portable(error: Exception) -> Exception:
    """Return an error, or, if it does not come back from pickle, one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return LexbeamError(f"{type(error).__name__}: {error}")
    return error


def _end_with_input() -> None:
    """Let this process end when whoever gave the work does, and with that standard input."""

    def wait() -> None:
        sys.stdin.buffer.read()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    # A call that does not let other threads run is ended by the system: it sends SIGIO, which ends a process.
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
