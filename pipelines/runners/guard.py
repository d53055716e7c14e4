"""Runs a program that ends with the run that started it, however the run ends.

    python -I -S guard.py FOLDER OUTPUT PROGRAM [ARGUMENT ...]

In FOLDER lies a named pipe, `alive`, that the driver of the run, and no other process, holds open
for writing: when it ends, killed or not, the system closes the pipe. This process leaves the
driver's process group, so that a Ctrl-C reaches the driver alone, and becomes PROGRAM; a child of
it stays in the group and waits. At the end of the run it kills the group, with all that PROGRAM has
started, and removes FOLDER, where their temporary files are; at the end of PROGRAM it kills what
is left of the group. While the child lives, no other group can have the group's number.

What PROGRAM prints goes to the file OUTPUT, or, where that is `-`, to the standard error. The exit
status is 3 where the run has ended already. This is run by its path and imports very little, since
it precedes every worker's start.
"""

import os
import select
import signal
import sys

__all__ = ["ALIVE", "at_end"]

ALIVE = "alive"
ENDED = 3
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)
ATTEMPTS = 50  # tenths of a second: files of processes that are still ending cannot all be removed


def at_end(pipe: int) -> bool:
    """Return whether nobody holds a pipe open for writing; it is read without waiting."""
    try:
        return os.read(pipe, 1) == b""
    except BlockingIOError:
        return False


def _to(path: str, *descriptors: int) -> None:
    """Redirect descriptors to a file."""
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in descriptors:
        os.dup2(opened, descriptor)
    if opened not in descriptors:
        os.close(opened)


def _watch(group: int, folder: str, alive: int, program: int) -> None:
    """Wait for the end of the run or of the program, and kill the group, of which this is one."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _to(os.devnull, 0, 1, 2)  # a reader of the driver's output must not wait for this process
    select.select([alive, program], [], [])
    over = at_end(alive)
    if os.fork():
        while True:  # here until it is killed, so that the group keeps its number
            signal.pause()
    os.setpgid(0, 0)
    os.killpg(group, signal.SIGKILL)
    if over:
        _remove(folder)
    os._exit(0)


def _remove(folder: str) -> None:
    import shutil
    import time

    for _ in range(ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            break
        time.sleep(0.1)


def _become(folder: str, output: str, *words: str) -> None:
    """Become a program with its arguments."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the group that this is about to leave
    try:
        alive = os.open(os.path.join(folder, ALIVE), os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        sys.exit(ENDED)
    if at_end(alive):
        _remove(folder)  # nobody else does it if the driver was killed meanwhile
        sys.exit(ENDED)
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    program, kept = os.pipe()
    if os.fork() == 0:
        os.close(kept)
        _watch(os.getpgrp(), folder, alive, program)
    os.set_inheritable(kept, True)  # open as long as the program lives
    os.environ["TMPDIR"] = folder
    _to(os.devnull, 0)
    if output == "-":
        os.dup2(2, 1)
    else:
        _to(output, 1, 2)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        sys.exit(f"cannot start {words[0]}: {error.strerror}")


if __name__ == "__main__":
    _become(*sys.argv[1:])
