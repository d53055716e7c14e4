"""Runs a program that ends with the run that started it, however the run ends.

    python -I -S guard.py FOLDER OUTPUT PROGRAM [ARGUMENT ...]

FOLDER holds a named pipe, `alive`, that the driver of the run, and no other process, keeps open for
writing: when the driver ends, killed or not, the system closes the pipe. This process leaves the driver's
process group, so that a Ctrl-C reaches the driver alone, and becomes PROGRAM; a child of it stays in the
new group and waits. At the end of the run the child kills the group, with all that PROGRAM has started,
and removes FOLDER, which has their temporary files; at the end of PROGRAM it kills what is left of the
group. While the child lives, no other group can get the group's number.

The output of PROGRAM goes to the file OUTPUT, or to standard error if that is `-`. The exit status is 3 if
the run has ended already. This module is run by its path and imports very little, since every worker's
start waits for it.
"""

import os
import select
import signal
import sys

ALIVE = "alive"
ENDED = 3
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)
ATTEMPTS = 50  # one each tenth of a second, since processes that are still ending may write files


def at_end(pipe: int) -> bool:
    """Return whether nobody holds a pipe open for writing; does not wait."""
    try:
        return os.read(pipe, 1) == b""
    except BlockingIOError:
        return False


def _to(path: str, *descriptors: int) -> None:
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in descriptors:
        os.dup2(opened, descriptor)
    if opened not in descriptors:
        os.close(opened)


def _watch(group: int, folder: str, alive: int, program: int) -> None:
    """Wait for the end of the run or of the program, and kill the group, to which this process belongs."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _to(os.devnull, 0, 1, 2)  # a reader of the driver's output must not wait for this process
    select.select([alive, program], [], [])
    over = at_end(alive)
    if os.fork():
        while True:  # until it is killed, so that the group keeps its number
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the group that this process is about to leave
    try:
        alive = os.open(os.path.join(folder, ALIVE), os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        sys.exit(ENDED)
    if at_end(alive):
        _remove(folder)  # nobody else does if the driver was killed meanwhile
        sys.exit(ENDED)
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    program, held = os.pipe()
    if os.fork() == 0:
        os.close(held)
        _watch(os.getpgrp(), folder, alive, program)
    os.set_inheritable(held, True)  # open as long as the program lives
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
