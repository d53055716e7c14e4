"""Options as arguments of functions: their names, types, defaults and docstrings as Python has them."""

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

from pipelines.frame.arguments import LAST
from transforms.common.code.registry import Registry
from transforms.common.errors import nearest
from transforms.common.options.option import Option

__all__ = ["annotation", "as_function", "ordered"]

BEAM = Parameter("beam", Parameter.KEYWORD_ONLY, default=(), annotation=Sequence[str])
WIDTH = 96


def as_function(
    place: tuple[str, str],
    entries: Sequence[Option],
    help: str,
    returns: tuple[Any, str],
    run: Callable[[dict[str, Any]], Any],
    *,
    method: bool = False,
    takes_beam: bool = False,
) -> Callable[..., Any]:
    """Return a function whose keyword arguments are options.

    Args:
        place: its module and its qualified name, by which it is pickled.
        entries: the options, in the order of the arguments; those that stand on the command line
            without a flag may be given by position, of a method the first one as well.
        help: what it does, without a full stop.
        returns: the type of what it returns, and what that is.
        run: takes the arguments that were given, by the names of the options; and `self`, `beam`.
        method: whether it has an argument `self`.
        takes_beam: whether it has an argument `beam`.

    Raises:
        ValueError: there is an option `beam` beside that argument.
    """
    module, qualified = place
    name = qualified.rpartition(".")[2]
    if takes_beam and "beam" in (entry.name for entry in entries):
        raise ValueError(f"{name} has an option `beam` beside those of Beam")
    filled = {entry.fills: entry.name for entry in entries if entry.fills}
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)] if method else []
    parameters += [
        _parameter(entry, entry.name in filled, entry.positional or (method and number == 0))
        for number, entry in enumerate(entries)
    ]
    signature = inspect.Signature(parameters + [BEAM] * takes_beam, return_annotation=returns[0])
    options = {_named(entry): entry.name for entry in entries}

    def function(*by_position: Any, **by_name: Any) -> Any:
        for word in by_name:
            if word not in signature.parameters:
                hint = nearest(word, options)
                raise TypeError(f"{name}() got an unexpected keyword argument {word!r}{hint}")
        try:
            bound = signature.bind(*by_position, **by_name)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        return run({options.get(word, word): value for word, value in bound.arguments.items()})

    function.__module__, function.__qualname__, function.__name__ = module, qualified, name
    notes = {_named(entry): _note(entry, filled.get(entry.name)) for entry in entries}
    if takes_beam:
        notes["beam"] = "Beam options, as they stand on the command line"
    function.__doc__ = _docstring(help, notes, returns[1])
    function.__annotations__ = {p.name: p.annotation for p in parameters if p.annotation is not Parameter.empty}
    function.__annotations__["return"] = returns[0]
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def ordered(entries: Iterable[Option]) -> list[Option]:
    """Return options as functions have them: by position, needed, then by headings as in help."""
    entries = list(entries)
    filled = {entry.fills for entry in entries}

    def turn(entry: Option) -> tuple[bool, bool, int]:
        needed = entry.default is dataclasses.MISSING or entry.name in filled
        late = LAST.index(entry.group) + 1 if entry.group in LAST else 0
        return not entry.positional, not needed, late

    return sorted(entries, key=turn)


def _named(entry: Option) -> str:
    """Return the name of an option's argument: `from_` where Python has the word for itself."""
    return entry.name + "_" if keyword.iskeyword(entry.name) else entry.name


def _parameter(entry: Option, filled: bool, by_position: bool) -> Parameter:
    """Return an argument; `filled`: another one may stand for it."""
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
    return functools.reduce(operator.or_, [*kinds, None] if optional else kinds)


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


# What a text may also be, by what stands for it in help: a number, or a list of its parts.
_TEXTS: dict[str, list[Any]] = {"N": [int, str], "SPEC": [str, Sequence[str]]}


def _is_all_path(entry: Option) -> bool:
    """Return whether a value may be a path and nothing else: not so for `spacy:NAME_OR_PATH`."""
    if entry.within is None:
        return True
    found = entry.within("x")
    return found is not None and found.path == "x"


def _docstring(help: str, notes: Mapping[str, str], returned: str) -> str:
    lines = [f"{help[0].upper()}{help[1:]}.", "", "Args:"]
    for name, text in notes.items():
        filled = textwrap.fill(f"{name}: {text}.", WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
        lines.append(filled)
    lines += ["", "Returns:", f"    {returned}", "", "Raises:"]
    lines += ["    UsageError: an option is wrong, or missing.", "    LexbeamError: it failed, for the reason told."]
    return "\n".join(lines)


def _note(entry: Option, filler: str | None) -> str:
    text = entry.explained
    if filler:
        text += f"; if not given, the one of `{filler}`"
    bounds = [("at least", entry.least), ("at most", entry.most)]
    limits = [f"{word} {value}" for word, value in bounds if value is not None]
    return text + (f" ({', '.join(limits)})" if limits else "")
