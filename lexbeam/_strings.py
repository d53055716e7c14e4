"""Functions asked with strings in place of files and tables: a sentence in, the simpler sentence out.

A command says what it does with strings (`Command.strings`); one that makes texts of texts in a pipe (`Command.piped`)
does the same with `text`. Nothing is published then.
"""

import dataclasses
import functools
import inspect
import operator
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

from lexbeam._given import given_as_files
from lexbeam._shown import ArrowTable
from lexbeam._signatures import as_function, option_values
from lexbeam._tables import table_of
from lexbeam.pipelines.frame.command import Command
from lexbeam.pipelines.frame.piping import STDIN
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.system_errors import explaining

_CALLER = 6  # frames from `answer` to whoever called the function that `with_strings` returns
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
