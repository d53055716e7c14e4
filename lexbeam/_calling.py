"""Commands, called by name: what the functions of `lexbeam.commands` do.

Nothing is printed, the process goes on, and logging and environment are left as they were.
"""

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from lexbeam._given import given
from lexbeam.results import Results, open_results
from pipelines.frame.registry import load
from transforms.common.errors import UsageError
from transforms.common.options.fields import from_mapping
from transforms.common.system_errors import explaining

__all__ = ["act", "call", "preview", "publish"]

# A run sets PATH and the levels of loggers while it lasts, and trains on as many threads as it
# was told: two at once would undo each other's settings.
_ONE_AT_A_TIME = threading.RLock()


def call(name: str, values: Mapping[str, Any], beam: Sequence[str] = ()) -> tuple[Any, list[str]]:
    """Run a command; those that run pipelines wait for each other, whatever thread calls them.

    Args:
        name: its words.
        values: its options by name; None is an option that is not given.
        beam: Beam options, as on the command line.

    Returns:
        The options, checked, and the lines that the command line would print.

    Raises:
        UsageError: an option is wrong, or published sections would be replaced unasked.
        LexbeamError: it failed, for the reason told.
    """
    from pipelines.frame.running import run_command
    from pipelines.progress.progress import quiet

    lines: list[str] = []
    command = load(name)
    with explaining():
        options = from_mapping(command.options, given(command.options, values))
    # `status` tells of a run while another thread is at it.
    runs = command.build is not None or command.takes_beam
    with _alone() if runs else nullcontext(), quiet():
        words = [beam] if isinstance(beam, str) else list(beam)
        run_command(name, options, tell=lines.append, beam=words)
    return options, lines


def publish(name: str, values: Mapping[str, Any], beam: Sequence[str] = ()) -> Results:
    """Run a command that publishes; return what is published then. Arguments as of `call`."""
    options, _ = call(name, values, beam)
    return open_results(_folder(options))


def _folder(options: Any) -> str:
    if options.out is None and not hasattr(options, "config"):
        raise UsageError("`out` must be given: the folder whose tables are returned")
    if options.out is None:  # a configuration file says it
        from pipelines.frame.configuration import read_jobs

        return str(read_jobs(options.config, {})[0].options.out)
    return str(options.out)


def act(name: str, values: Mapping[str, Any], beam: Sequence[str] = ()) -> list[str]:
    """Run a command that publishes nothing; return its lines. Arguments as of `call`."""
    return call(name, values, beam)[1]


def preview(name: str, values: Mapping[str, Any]) -> list[str]:
    """Return the lines of a command's `--dry-run`. Arguments as of `call`."""
    return call(name, {**values, "dry_run": True})[1]


@contextmanager
def _alone() -> Iterator[None]:
    """Run the block when no other runs, and leave logging as it was."""
    with _ONE_AT_A_TIME, _logging_as_it_was():
        yield


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """Let our warnings through, as they would be, and Beam's no more than the command line does.

    Beam logs by `logging.warning`, which sets up the root logger where it has no handler.
    """
    root, ours, beam = (logging.getLogger(name) for name in (None, "lexbeam", "apache_beam"))
    levels = [(logger, logger.level) for logger in (root, ours, beam)]
    nothing = logging.NullHandler()
    ours.setLevel(ours.getEffectiveLevel())  # a run silences the root, which it has it from
    if not root.handlers:
        root.addHandler(nothing)
    if not root.isEnabledFor(logging.INFO):
        root.addFilter(_is_not_of_beam)
        beam.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        root.removeFilter(_is_not_of_beam)
        root.removeHandler(nothing)
        for logger, level in levels:
            logger.setLevel(level)


def _is_not_of_beam(record: logging.LogRecord) -> bool:
    return f"{os.sep}apache_beam{os.sep}" not in record.pathname
