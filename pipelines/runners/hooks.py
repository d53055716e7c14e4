"""A command of somebody else's that is run after each publication, such as one that tells a reader of it."""

import logging
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO

from transforms.common.errors import LexbeamError, UsageError, quoted

__all__ = ["PublishHookError", "hook_words", "run_hook"]


log = logging.getLogger("lexbeam")

_GRACE = 5.0  # seconds that a hook has to end by itself when the command is interrupted


class PublishHookError(LexbeamError):
    """The command that was to follow a publication failed; what is published stays."""


def hook_words(command: str) -> list[str]:
    """Return the words of a command, split as a shell splits them; no shell runs it.

    Raises:
        UsageError: a quote is not closed, or there is no word.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"must be a command, not {quoted(command)}: {str(error).lower()}") from None
    if not words or "\0" in command:
        raise UsageError("must be a command, such as 'systemctl reload reader'")
    return words


def _flushed() -> int:
    """Return standard error for another program, with what this one has said; one that is closed takes nothing."""
    if sys.stderr is None:
        return subprocess.DEVNULL
    sys.stderr.flush()
    return 2


def run_hook(command: str, out: str, snapshot: str) -> None:
    """Run a command and wait for it.

    It gets the folder and the snapshot's name by the variables `LEXBEAM_OUT` and `LEXBEAM_SNAPSHOT` of its
    environment, and nothing on standard input; what it prints goes to standard error, or, where something else stands
    for that, such as lines of JSON, there in the end. An interrupt ends it, too, with all that it has started and that
    has left neither its session nor its group.

    Raises:
        PublishHookError: it cannot be started, or does not end with 0.
    """
    words = hook_words(command)
    environment = {**os.environ, "LEXBEAM_OUT": out, "LEXBEAM_SNAPSHOT": snapshot}
    try:
        with tempfile.TemporaryFile() as said:
            # Straight to where it belongs, if it is heard there as it is.
            output = said.fileno() if sys.stderr is not sys.__stderr__ else _flushed()
            hook = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, start_new_session=True
            )
            try:
                code = hook.wait()
            except BaseException:
                _cut_off(hook)
                log.warning("snapshot %s is published, but `on_publish` was cut off: it may have told nobody", snapshot)
                raise
            finally:
                _pass_on(said)
    except OSError as error:
        raise PublishHookError(
            f"snapshot {snapshot} is published, but `on_publish` cannot be run: {words[0]}: {error.strerror}"
        ) from None
    if code:
        how = f"ended with {code}" if code > 0 else f"was ended by signal {-code}"
        raise PublishHookError(f"snapshot {snapshot} is published, but `on_publish` {how}: {quoted(command)}")


def _pass_on(said: IO[bytes]) -> None:
    said.seek(0)
    for line in said:
        sys.stderr.write(line.decode(errors="backslashreplace"))


def _cut_off(hook: "subprocess.Popen[bytes]") -> None:
    """End a hook and what it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(hook.pid, number)
            hook.wait(_GRACE)
