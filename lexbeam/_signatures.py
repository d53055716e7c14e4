"""Options as arguments of functions: names, types, defaults and docstrings in Python's terms, and values back."""

import dataclasses
import functools
import inspect
import keyword
import operator
import os
import textwrap
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter
from types import NoneType
from typing import Any, Literal

from lexbeam._data import LAYOUTS, ArrowData
from lexbeam._groups import ArgumentError
from lexbeam.pipelines.frame.arguments import LAST
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import nearest
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.options.option import Option

BEAM = Parameter("beam", Parameter.KEYWORD_ONLY, default=(), annotation=Sequence[str])
WIDTH = 96


def as_function(
    place: tuple[str, str],
    entries: Sequence[Option],
    doc: str,
    returns: tuple[object, str],
    run: Callable[[dict[str, Any]], object],
    *,
    method: bool = False,
    takes_beam: bool = False,
) -> Callable[..., Any]:
    """Return a function whose keyword arguments are options.

    Args:
        place: its module and its qualified name, by which it is pickled.
        entries: the options, in the order of the arguments; those without a flag on the command line
            may be passed by position, and so may the first one of a method.
        doc: what it does, without a full stop.
        returns: the type of what it returns, and what that is.
        run: takes the arguments of a call, by the names of the options; and `self`, `beam`.
        method: whether it has an argument `self`.
        takes_beam: whether it has an argument `beam`.

    Raises:
        ValueError: an option is called `beam`, as that argument is.
    """
    module, qualified = place
    name = qualified.rpartition(".")[2]
    if takes_beam and "beam" in (entry.name for entry in entries):
        raise ValueError(f"{name} has an option `beam` beside those of Beam")
    filled = {entry.fills: entry.name for entry in entries if entry.fills}
    for entry in entries:
        if entry.positional and entry.data in LAYOUTS:  # data says by its form how it is laid out
            filled["layout"] = entry.name
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)] if method else []
    parameters += [
        _parameter(entry, entry.name in filled, entry.positional or (method and number == 0))
        for number, entry in enumerate(entries)
    ]
    signature = inspect.Signature(parameters + [BEAM] * takes_beam, return_annotation=returns[0])
    function = _with_arguments_bound(name, signature, {_named(entry): entry for entry in entries}, run)
    function.__module__, function.__qualname__, function.__name__ = module, qualified, name
    notes = {_named(entry): _note(entry, filled.get(entry.name)) for entry in entries}
    if takes_beam:
        notes["beam"] = "Beam options, as they stand on the command line"
    function.__doc__ = _docstring(doc, notes, returns[1])
    function.__annotations__ = {p.name: p.annotation for p in parameters if p.annotation is not Parameter.empty}
    function.__annotations__["return"] = returns[0]
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _with_arguments_bound(
    name: str, signature: inspect.Signature, options: Mapping[str, Option], run: Callable[[dict[str, Any]], object]
) -> Callable[..., Any]:
    """Return a function that binds its arguments to a signature and passes them on by the names of options."""

    def function(*by_position: object, **by_name: object) -> object:
        for word in by_name:
            if word not in signature.parameters:
                hint = nearest(word, options)
                raise ArgumentError(f"{name}() got an unexpected keyword argument {word!r}{hint}")
        try:
            bound = signature.bind(*by_position, **by_name)
        except TypeError as error:
            remedy = f"; give them by name: {_named_ones(signature)}" if "positional" in str(error) else ""
            missing = next((entry for word, entry in options.items() if f"argument: {word!r}" in str(error)), None)
            remedy = remedy or (f": {missing.wanted}" if missing else "")
            raise ArgumentError(f"{name}() {error}{remedy}") from None
        given = bound.arguments.items()
        return run({options[word].name if word in options else word: value for word, value in given})

    return function


def _named_ones(signature: inspect.Signature) -> str:
    """Return the first of the arguments that must be named."""
    names = [each.name for each in signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
    return ", ".join(f"{name}=" for name in names[:4]) + (", ..." if len(names) > 4 else "")


def ordered(entries: Iterable[Option]) -> list[Option]:
    """Return options in the order of arguments: positional, required, then by headings as in help."""
    entries = list(entries)
    filled = {entry.fills for entry in entries}

    def turn(entry: Option) -> tuple[bool, bool, int]:
        needed = entry.default is dataclasses.MISSING or entry.name in filled
        late = LAST.index(entry.group) + 1 if entry.group in LAST else 0
        return not entry.positional, not needed, late

    return sorted(entries, key=turn)


def _named(entry: Option) -> str:
    """Return the name of an option's argument: `from_` where Python reserves the word."""
    return entry.name + "_" if keyword.iskeyword(entry.name) else entry.name


def _parameter(entry: Option, filled: bool, by_position: bool) -> Parameter:
    """Return an argument; if `filled`, another argument may stand for it."""
    kind = Parameter.POSITIONAL_OR_KEYWORD if by_position else Parameter.KEYWORD_ONLY
    default, hint = entry.default, annotation(entry)
    if default is dataclasses.MISSING:
        default, hint = (None, hint | None) if filled else (Parameter.empty, hint)
    return Parameter(_named(entry), kind, default=default, annotation=hint)


def annotation(entry: Option) -> Any:
    """Return the type of an option's argument: what the command line takes, and Python's values.

    Choices are listed one by one only where other packages cannot add to them.
    """
    kind = entry.type
    optional = NoneType in typing.get_args(kind)
    if optional:
        kind = next(arg for arg in typing.get_args(kind) if arg is not NoneType)
    if entry.several:
        of_a_value = _alternatives(typing.get_args(kind)[0], entry)
        whole = [kind for kind in of_a_value if typing.get_origin(kind) is not Literal]
        kinds = [*dict.fromkeys([*whole, str]), Sequence[functools.reduce(operator.or_, of_a_value)]]  # type: ignore[misc]
    else:
        kinds = _alternatives(kind, entry)
    if entry.data:
        kinds = [*kinds, *_DATA]
    return functools.reduce(operator.or_, [*kinds, None] if optional else kinds)


# What options take in place of paths that say in which form (`Option.data`).
_DATA: list[Any] = [ArrowData, Mapping[str, Any], Sequence[Any]]


def _alternatives(kind: type, entry: Option) -> list[Any]:
    if kind is bool:
        return [bool]
    if kind in (int, float):
        return [kind, str]
    closed = isinstance(entry.choices, tuple) or (isinstance(entry.choices, Registry) and not entry.choices.group)
    if closed and entry.choices:
        return [Literal[entry.allowed]]
    if entry.path and _is_all_path(entry):
        return [str, os.PathLike[str]]
    return _TEXTS.get(entry.metavar or "", [str])


_YEAR = int | float | str | None
# What else an option of strings takes, by its placeholder in help: a number, or a list of parts.
_TEXTS: dict[str, list[Any]] = {
    "N": [int, str],
    "SPEC": [str, Sequence[str]],
    "SPANS": [str, Sequence[str | range | tuple[_YEAR, ...]], Mapping[str, str | range | tuple[_YEAR, ...]]],
}


def _is_all_path(entry: Option) -> bool:
    """Return whether a value may be a path and nothing else: not so for `spacy:NAME_OR_PATH`."""
    if entry.within is None:
        return True
    within = entry.within("x")
    return within is not None and within.path == "x"


def _docstring(doc: str, notes: Mapping[str, str], returned: str) -> str:
    lines = [f"{doc[0].upper()}{doc[1:]}.", "", "Args:"]
    for name, text in notes.items():
        filled = textwrap.fill(f"{name}: {text}.", WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
        lines.append(filled)
    filled = textwrap.fill(returned, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)
    lines += ["", "Returns:", filled, "", "Raises:"]
    lines += ["    UsageError: an option is wrong or missing.", "    LexbeamError: it failed; the message says why."]
    return "\n".join(lines)


def _note(entry: Option, filler: str | None) -> str:
    text = entry.explained
    if filler:
        text += f"; if not given, the one of `{filler}`"
    bounds = [("at least", entry.least), ("at most", entry.most)]
    limits = [f"{word} {value}" for word, value in bounds if value is not None]
    return text + (f" ({', '.join(limits)})" if limits else "")


def option_values(cls: type, values: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a function as `from_mapping` takes the options of a dataclass.

    None is an option that is not set. A string is one value of an option that has no flag on the command
    line, where the shell separates its values; for other options it may hold commas. A list of strings for
    an option that takes one string is joined by commas, unless the string is a path.
    """
    known = options_of(cls)
    return {
        name: _listed(known[name], value) if name in known else value
        for name, value in values.items()
        if value is not None
    }


def _listed(entry: Option, value: object) -> object:
    if not entry.several:
        return _joined(entry, value)
    if isinstance(value, str | os.PathLike):
        return [value] if entry.positional else value
    return list(value) if isinstance(value, Sequence) else value


def _joined(entry: Option, value: object) -> object:
    is_text = str in (entry.type, *typing.get_args(entry.type))
    is_path = entry.path and entry.within is None
    if not is_text or is_path or not isinstance(value, list | tuple) or not value:
        return value
    texts = [item for item in value if isinstance(item, str)]
    return ",".join(texts) if len(texts) == len(value) else value
