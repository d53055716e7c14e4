"""Standard input to standard output: a command that makes texts of texts, in a pipe."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pipelines.frame.command import Command
from transforms.common.errors import UsageError
from transforms.common.publish.snapshots import open_snapshot

__all__ = ["STDIN", "is_piped", "run_piped"]

STDIN = "-"
_NAME = "standard-input"


def is_piped(command: Command[Any, Any], options: Any) -> bool:
    """Return whether a command reads standard input: `-` is its only input."""
    return command.piped is not None and tuple(options.inputs) == (STDIN,)


def run_piped(command: Command[Any, Any], options: Any, run: Callable[[Any], object]) -> None:
    """Run a command on standard input, and write what it makes of it to standard output.

    Args:
        command: the command.
        options: its options; without `out` the tables are removed afterwards.
        run: runs it with other options.

    Raises:
        UsageError: standard input is a terminal.
    """
    assert command.piped is not None
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("`inputs`: - reads standard input, and none comes: give it a text, or name files")
    with tempfile.TemporaryDirectory(prefix="lexbeam-") as folder:
        path = os.path.join(folder, _NAME)
        with open(path, "wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        out = options.out or os.path.join(folder, "out")
        run(replace(options, inputs=(path,), out=out))
        for content in command.piped(open_snapshot(out)):
            sys.stdout.buffer.write(content)
        sys.stdout.flush()
