"""A command of somebody else's that is run after each publication, such as one that tells a reader of it.

It is run until it has ended well, once for each publication at least: what is untold is noted in the folder's history
before readers see it.
"""

import logging
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import IO

from lexbeam.pipelines.monitoring.events import HookFailed, HookTold, emit
from lexbeam.transforms.common.errors import LexbeamError, UsageError, quoted
from lexbeam.transforms.common.publish.history import note_told, untold_publications

log = logging.getLogger("lexbeam")

_GRACE = 5.0  # seconds that a hook has to end by itself when the command is interrupted
_AGAIN = "the next refresh with `on_publish` runs it again"


class PublishHookError(LexbeamError):
    """The command that was to follow a publication failed; what is published stays, and it is run again later."""


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


def tell_readers(command: str | None, out: str) -> int:
    """Run a command for each publication that it has not ended well for yet, the oldest first; return how many.

    Of each it is run until it ends well, by this call or a later one, and the others wait for that. It may be run
    once more for one that it ended well for, if this process is killed before that is noted.

    Args:
        command: the command; None: none is run.
        out: the folder, which nobody needs to hold.

    Raises:
        PublishHookError: it failed.
    """
    untold = [] if command is None else untold_publications(out)
    for publication in untold:
        assert command is not None
        snapshot, token = publication.snapshot, publication.token
        begun = time.monotonic()
        try:
            run_hook(command, out, snapshot, token)
        except PublishHookError as error:
            emit(HookFailed(snapshot=snapshot, token=token, message=str(error), level="error"))
            raise
        emit(HookTold(snapshot=snapshot, token=token, seconds=round(time.monotonic() - begun, 3)))
        try:
            note_told(out, token)
        except LexbeamError as error:  # a damaged history
            log.warning("%s; so that `on_publish` was run cannot be noted, and it is run again", error)
    return len(untold)


def run_hook(command: str, out: str, snapshot: str, token: str) -> None:
    """Run a command and wait for it.

    It gets the folder, the snapshot's name and the publication's token by the variables `LEXBEAM_OUT`,
    `LEXBEAM_SNAPSHOT` and `LEXBEAM_TOKEN` of its environment, and nothing on standard input; what it prints goes to
    standard error, or, where something else stands for that, such as lines of JSON, there in the end. An interrupt
    ends it, too, with all that it has started and that has left neither its session nor its group.

    Raises:
        PublishHookError: it cannot be started, or does not end with 0.
    """
    words = hook_words(command)
    environment = {**os.environ, "LEXBEAM_OUT": out, "LEXBEAM_SNAPSHOT": snapshot, "LEXBEAM_TOKEN": token}
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
                log.warning("snapshot %s is published, but `on_publish` was cut off: %s", snapshot, _AGAIN)
                raise
            finally:
                _pass_on(said)
    except OSError as error:
        raise PublishHookError(
            f"snapshot {snapshot} is published, but `on_publish` cannot be run: {words[0]}: {error.strerror}; {_AGAIN}"
        ) from None
    if code:
        how = f"ended with {code}" if code > 0 else f"was ended by signal {-code}"
        raise PublishHookError(
            f"snapshot {snapshot} is published, but `on_publish` {how}: {quoted(words[0])}; {_AGAIN}"
        )


def _pass_on(said: IO[bytes]) -> None:
    said.seek(0)
    for line in said:
        sys.stderr.write(line.decode(errors="backslashreplace"))


def _cut_off(hook: "subprocess.Popen[bytes]") -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(hook.pid, number)
            hook.wait(_GRACE)
