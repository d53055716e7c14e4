"""A text through a command that makes texts of texts: standard input to standard output, or a text of Python."""

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO

from lexbeam.pipelines.frame.command import Command
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.snapshots import open_snapshot

Tell = Callable[[str], object]

STDIN = "-"
_NAME = "standard-input"

Run = Callable[[Any, Tell], object]


def is_piped(command: Command[Any, Any], options: Any) -> bool:
    """Return whether a command reads standard input: `-` is its only input."""
    return command.has("piped") and tuple(options.inputs) == (STDIN,)


def run_piped(command: Command[Any, Any], options: Any, run: Run, tell: Tell) -> None:
    """Run a command on standard input, and write what it makes of it to standard output.

    Args:
        command: the command.
        options: its options; without `out` the tables are removed afterwards.
        run: runs it with other options, and what takes its lines.
        tell: takes the lines for a person to read; those that name tables that are removed it does not get.

    Raises:
        UsageError: standard input is a terminal, or the work is to go on without it.
        LexbeamError: the command fails.
    """
    if getattr(options, "detach", False):
        raise UsageError("`detach`: what comes through a pipe is there as long as this command: name files, and `out`")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("`inputs`: - reads standard input, and none comes: give it a text, or name files")
    for content in _made_of(sys.stdin.buffer, "standard input", command, options, run, tell):
        sys.stdout.buffer.write(content)
    sys.stdout.flush()


def text_of(text: str, command: Command[Any, Any], options: Any, run: Run, tell: Tell) -> str:
    """Return what a command makes of a text, and tell what it says of it; its tables are removed.

    Raises:
        UsageError: a folder is given, too.
        LexbeamError: the command fails.
    """
    if options.out is not None:
        raise UsageError("`out`: of a `text` nothing is published: leave one out, or give a list of texts as `inputs`")
    source = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    return b"".join(_made_of(source, "the text", command, options, run, tell)).decode()


def _made_of(
    source: BinaryIO, called: str, command: Command[Any, Any], options: Any, run: Run, tell: Tell
) -> Iterator[bytes]:
    with tempfile.TemporaryDirectory(prefix="lexbeam-") as folder:
        path = os.path.join(folder, _NAME)
        with open(path, "wb") as stream:
            shutil.copyfileobj(source, stream)
        out = options.out or os.path.join(folder, "out")
        told = tell if options.out else partial(_tell_without, folder, tell)
        try:
            run(replace(options, inputs=(path,), out=out), told)
        except LexbeamError as error:
            error.args = (_without(folder, path, called, str(error)),)
            raise
        yield from command.piped(open_snapshot(out))


def _tell_without(folder: str, tell: Tell, line: str) -> None:
    if folder not in line:
        tell(line)


def _without(folder: str, path: str, called: str, message: str) -> str:
    """Return a message without the lines that name what is removed; the input is called what it is."""
    named = message.replace(path, called)
    return "\n".join(line for line in named.split("\n") if folder not in line) or named
