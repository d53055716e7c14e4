"""Work that can be ended at any time: a long call of compiled code, in a process of its own.

Python heeds a signal between two of its own steps, in the main thread. To fit a support vector machine to many rows
is one step, which takes minutes. Done in another process, it is ended by ending that process:

>>> import math
>>> endable(math.sqrt, 9.0, rows=9)
3.0
"""

import fcntl
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.errors import LexbeamError

LONG = 2_000  # rows; with fewer no step takes more than a few seconds, about what another process takes to start
T = TypeVar("T")
_served = threading.Event()  # in a process that does such work: it is ended as a whole

_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from lexbeam.transforms.common.endable import serve; serve()"
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
