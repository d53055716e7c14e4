"""The commands as functions, made from the registry when they are asked for.

A command of one word is a function of `lexbeam`; those that share a first word are functions of a
module of its name (`lexbeam.complexity.split`). Commands from other packages come after Lexbeam's.
A function prints nothing but its progress, on a terminal or in a notebook; it never ends the process, and leaves
logging and environment as they were.
"""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from lexbeam._given import given_as_files
from lexbeam._groups import LEFT_OUT, PREVIEW, FunctionPlace, group_module, groups, names, places
from lexbeam._near import unknown_name
from lexbeam._shown import Lines
from lexbeam._signatures import as_function, option_values, ordered
from lexbeam._strings import answer, asked_by, with_strings
from lexbeam.pipelines.frame.blocks import plain_lines
from lexbeam.pipelines.frame.command import Command
from lexbeam.pipelines.frame.common_options import PublishOptions
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.progress.progress import only_drawn
from lexbeam.results import Results, open_results
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.system_errors import explaining

# A preview is a function of its own, a function that returns tables waits for them, and all return.
NOT_HERE = ("dry_run", "detach", "watch", "watch_files", "watch_minutes", "watch_poll")
# A run sets PATH and the levels of loggers while it lasts, and trains on as many threads as it
# was given: two runs at once would undo each other's settings.
_ONE_AT_A_TIME = threading.RLock()


def attribute(group: str, name: str) -> Any:
    """Return a function, or the module of a first word.

    Raises:
        AttributeError: there is no such function or module.
    """
    # Lexbeam's commands are found without a look at the packages that are installed.
    for entries in (COMMANDS.ours(), COMMANDS) if not name.startswith("_") else ():
        place = FunctionPlace(group, name)
        if place in (words_by_place := places(entries)):
            return command_function(place, words_by_place[place])
        if not group and name in groups(entries):
            return group_module(name, attribute)
    where = f"lexbeam.{group}" if group else "lexbeam"
    known = {*names(group, COMMANDS), *sys.modules[where].__all__}
    raise unknown_name(f"module {where!r}", name, sorted(known), _elsewhere(name))


def _elsewhere(name: str) -> str:
    """Say where there is something of a name, and how it is used; empty if nowhere."""
    if name in LEFT_OUT:
        return LEFT_OUT[name]
    if name.startswith("_"):
        return ""
    if hasattr(Results, name):
        return f"results have it: `lexbeam.open(DIR).{name}`"
    found = [f"`{'.'.join(filter(None, ('lexbeam', *place)))}`" for place in places(COMMANDS) if place.name == name]
    return f"it is {' or '.join(found)}" if found else ""


def command_function(place: FunctionPlace, words: str) -> Callable[..., Any]:
    """Return the function of a command, or its preview; this imports the command."""
    command = load(words)
    entries = ordered(entry for entry in options_of(command.options).values() if entry.name not in NOT_HERE)
    where = (f"lexbeam.{place.group}" if place.group else "lexbeam", place.name)
    lines = (Lines, "The lines that the command prints, and its warnings.")
    if place.name.startswith(PREVIEW):
        doc = f"A look at what `{place.name.removeprefix(PREVIEW)}` would take in, with the same options; "
        doc += "nothing is written"
        return as_function(where, entries, doc, lines, lambda values: preview(words, values))
    publishes = bool(command.tables) or issubclass(command.options, PublishOptions)
    run = publish if publishes else act
    made: tuple[object, str] = lines
    if publishes:
        made = (Results, "All that is published in the folder then.")
        if _prints(command):
            made = (Results | Lines, "All that is published in the folder then; without one, what is told.")
    takes_beam = command.has("build") or command.takes_beam
    doc = COMMANDS[words].doc

    def runs(values: dict[str, Any]) -> Any:
        return run(words, values, values.pop("beam", ()))

    if asked_by(command):
        return with_strings(
            where, entries, doc, made, runs, command, lambda values: of_strings(words, values), takes_beam
        )
    return as_function(where, entries, doc, made, runs, takes_beam=takes_beam)


def call(name: str, values: Mapping[str, Any], beam: Sequence[str] = ()) -> tuple[Any, Lines]:
    """Run a command; those that run pipelines wait for each other, whatever thread calls them.

    Args:
        name: its words.
        values: its options by name; None: the option is not set.
        beam: Beam options, as on the command line.

    Returns:
        The options, checked, and what the command line would print: lines, and warnings.

    Raises:
        UsageError: an option is wrong, or published sections would be replaced without consent.
        LexbeamError: the command failed; the message says why.
    """
    from lexbeam.pipelines.frame.running import run_command

    lines: list[str] = []
    command = load(name)
    # `status` can look at a run while another thread is running it.
    runs = command.has("build") or command.takes_beam
    with _alone() if runs else nullcontext(), _warnings() as warnings, given_as_files(command.options, values) as given:
        with explaining():
            options = from_mapping(command.options, option_values(command.options, given))
        with plain_lines(), only_drawn():
            words = [beam] if isinstance(beam, str) else list(beam)
            run_command(name, options, tell=lines.append, beam=words)
    return options, Lines(lines, warnings)


def of_strings(name: str, values: dict[str, Any]) -> Any:
    """Return what a command makes of strings that are given in place of files; they are among `values`."""
    with _alone(), only_drawn():
        return answer(load(name), name, values, values.pop("beam", ()))


class _Heard(logging.Handler):
    """Keeps the messages of records."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Yield a list that gets what is warned of while the block runs."""
    handler = _Heard(logging.WARNING)
    logger = logging.getLogger("lexbeam")
    logger.addHandler(handler)
    try:
        yield handler.messages
    finally:
        logger.removeHandler(handler)


def publish(name: str, values: Mapping[str, Any], beam: Sequence[str] = ()) -> Results | Lines:
    """Run a command that publishes; return what is published afterwards. Arguments as for `call`.

    One that need not publish returns its lines where no folder is given.
    """
    options, told = call(name, values, beam)
    command = load(name)
    if options.out is None and _prints(command):
        return told
    made = (section_of(name),) if command.tables else ()
    return replace(open_results(_folder(options)), told=told, made=made)


def _prints(command: Command[Any, Any]) -> bool:
    """Return whether a command that makes tables tells what is in them where no folder is given."""
    out = options_of(command.options).get("out")
    return command.has("action") and bool(command.tables) and out is not None and out.default is None


def _folder(options: Any) -> str:
    if options.out is None and not hasattr(options, "config"):
        raise UsageError("`out` must be given: the folder whose tables are returned")
    if options.out is None:  # the configuration file has it
        from lexbeam.pipelines.frame.configuration import read_jobs

        return str(read_jobs(options.config, {})[0].options.out)
    return str(options.out)


def act(name: str, values: Mapping[str, Any], beam: Sequence[str] = ()) -> Lines:
    """Run a command that publishes nothing; return its lines. Arguments as for `call`."""
    return call(name, values, beam)[1]


def preview(name: str, values: Mapping[str, Any]) -> Lines:
    """Return the lines of a command's `--dry-run`. Arguments as for `call`."""
    return call(name, {**values, "dry_run": True})[1]


@contextmanager
def _alone() -> Iterator[None]:
    """Run the block while no other runs, and leave logging as it was."""
    with _ONE_AT_A_TIME, _logging_as_it_was():
        yield


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """Let our warnings through as usual, and Beam's no more than the command line does.

    Beam logs by `logging.warning`, which sets up the root logger where it has no handler.
    """
    root, ours, beam = (logging.getLogger(name) for name in (None, "lexbeam", "apache_beam"))
    levels = [(logger, logger.level) for logger in (root, ours, beam)]
    nothing = logging.NullHandler()
    ours.setLevel(ours.getEffectiveLevel())  # inherited from the root, which a run silences
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
