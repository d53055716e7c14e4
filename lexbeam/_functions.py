"""The commands as functions, made from the registry when they are asked for.

A command of one word is a function of `lexbeam`; those that share a first word are functions of a
module of its name (`lexbeam.complexity.split`). Commands from other packages come after Lexbeam's.
A function prints nothing but its progress, on a terminal or in a notebook; it never ends the process, and leaves
logging and environment as they were.

Functions asked with strings in place of files and tables: a sentence in, the simpler sentence out.

A command says what it does with strings (`Command.strings`); one that makes texts of texts in a pipe (`Command.piped`)
does the same with `text`. Nothing is published then.
"""

import dataclasses
import functools
import inspect
import logging
import operator
import os
import sys
import threading
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import NoneType
from typing import Any

from lexbeam._data import table_of
from lexbeam._given import given_as_files
from lexbeam._groups import LEFT_OUT, PREVIEW, FunctionPlace, group_module, groups, names, places, unknown_name
from lexbeam._shown import ArrowTable, Lines
from lexbeam._signatures import as_function, option_values, ordered
from lexbeam.pipelines.frame.blocks import plain_lines
from lexbeam.pipelines.frame.command import Command, PublishOptions
from lexbeam.pipelines.frame.piping import STDIN
from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.pipelines.monitoring.progress import only_drawn
from lexbeam.results import Results, open_results
from lexbeam.transforms.common.errors import UsageError, explaining
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.options.option import Option

_CALLER = 5  # frames from `answer` to whoever called the function that `with_strings` returns
_TEXT = Option(
    "text",
    ("text",),
    str | None,
    None,
    "a text, in place of `inputs`: nothing is published, and the text that comes out is returned",
)


def asked_by(command: Command[Any, Any]) -> tuple[str, ...]:
    """Return the names of the arguments that are the strings; none: the function takes none."""
    if command.strings is None:
        return (_TEXT.name,) if command.has("piped") else ()
    options = options_of(command.strings.options).values()
    return tuple(entry.name for entry in options if entry.default is dataclasses.MISSING)


def with_strings(
    place: tuple[str, str],
    entries: Sequence[Option],
    doc: str,
    returns: tuple[Any, str],
    run: Callable[[dict[str, Any]], object],
    command: Command[Any, Any],
    ask: Callable[[dict[str, Any]], object],
    takes_beam: bool,
) -> Callable[..., Any]:
    """Return a function that takes strings, too, in place of files and tables.

    Its `overloads` are the two signatures that it stands for: with strings, and without.

    Args:
        place, entries, doc, returns, run, takes_beam: as for `as_function`, of the function without strings.
        command: the command.
        ask: takes the arguments of a call with strings, by the names of the options.
    """
    asked = asked_by(command)
    names = {entry.name for entry in entries}
    own = [_TEXT] if command.strings is None else list(options_of(command.strings.options).values())
    added = [entry for entry in own if entry.name not in names]
    made: tuple[Any, str] = (str, "Of `text`, the text that comes out.")
    if command.strings is not None:
        made = (ArrowTable, command.strings.returns)

    def run_or_ask(values: dict[str, Any]) -> object:
        if any(values.get(name) is not None for name in asked):
            return ask(values)
        for entry in added:
            if values.pop(entry.name, None) is not None:
                raise UsageError(f"`{entry.name}` goes with `{asked[0]}`: give that, too, or leave it out")
        return run(values)

    both = [*entries, *map(_optional, added)]
    text = (returns[0] | made[0], f"{returns[1]} {made[1]}")
    function = as_function(place, both, doc, text, run_or_ask, takes_beam=takes_beam)
    signature = inspect.signature(function)
    given = [
        _required(parameter) if parameter.name in asked else parameter for parameter in signature.parameters.values()
    ]
    left = [parameter for parameter in given if parameter.name not in {entry.name for entry in added}]
    function.overloads = (  # type: ignore[attr-defined]
        signature.replace(parameters=given, return_annotation=made[0]),
        signature.replace(parameters=left, return_annotation=returns[0]),
    )
    return function


def _required(parameter: inspect.Parameter) -> inspect.Parameter:
    kinds = [kind for kind in typing.get_args(parameter.annotation) if kind is not NoneType]
    return parameter.replace(default=parameter.empty, annotation=functools.reduce(operator.or_, kinds))


def _optional(entry: Option) -> Option:
    if entry.default is not dataclasses.MISSING:
        return entry
    return entry._replace(default=None, type=entry.type | None)


def answer(command: Command[Any, Any], words: str, values: Mapping[str, Any], beam: Sequence[str]) -> Any:
    """Return what a command makes of strings.

    Args:
        command: the command.
        words: its words.
        values: the arguments of a call, by the names of options.
        beam: Beam options.

    Raises:
        UsageError: an option is wrong, or has nothing to do with strings.
        LexbeamError: it failed; the message says why.
    """
    if command.strings is None:
        text = values[_TEXT.name]
        if not isinstance(text, str):
            raise UsageError(f"`text` is {type(text).__name__}: give a text; several texts are a list, as `inputs`")
        from lexbeam.pipelines.frame.running import run_on_text

        if values.get("inputs") is not None:
            raise UsageError("`text` and `inputs` each say what is read: give one of them")
        others = {name: value for name, value in values.items() if name not in (_TEXT.name, "inputs", "out")}
        told: list[str] = []
        with given_as_files(command.options, others) as given:
            stated = {"format": "text", **given, "inputs": [STDIN], "out": values.get("out")}
            with explaining():
                options = from_mapping(command.options, option_values(command.options, stated))
            made = run_on_text(words, options, text, told.append, beam)
        if made == text and told:
            warnings.warn("`text` comes out as it went in:\n" + "\n".join(told), stacklevel=_CALLER)
        return made
    known = options_of(command.strings.options)
    if other := next((name for name in values if name not in known and values[name] is not None), None):
        raise UsageError(f"`{other}` has nothing to do with `{asked_by(command)[0]}`: leave one of them out")
    strings = {name: _listed(known[name], value) if name in known else value for name, value in values.items()}
    with given_as_files(command.strings.options, strings) as given, explaining():
        options = from_mapping(command.strings.options, option_values(command.strings.options, given))
        return ArrowTable(command.strings.answer(options))


def _listed(entry: Option, value: Any) -> Any:
    """Return several strings as a list, whatever holds them."""
    if entry.default is not dataclasses.MISSING or not entry.several or value is None or isinstance(value, str):
        return value
    rows = [tuple(row) for row in table_of(value, entry.name).rows]
    if wrong := next((row for row in rows if len(row) != 1 or not isinstance(row[0], str)), None):
        raise UsageError(f"`{entry.name}` has {wrong[0] if len(wrong) == 1 else wrong!r}: give texts alone")
    return [row[0] for row in rows]


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

    def asks(values: dict[str, Any]) -> Any:
        with _alone(), only_drawn():
            return answer(command, words, values, values.pop("beam", ()))

    if asked_by(command):
        return with_strings(where, entries, doc, made, runs, command, asks, takes_beam)
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
