"""Options as arguments of functions: their names, types and defaults as Python has them."""

import dataclasses
import keyword
import typing
from types import NoneType

from transforms.common.options import Option

__all__ = ["annotation", "named", "parameter"]


def named(entry: Option) -> str:
    """Return the name of an option's argument: `from_` where Python has the word for itself."""
    return entry.name + "_" if keyword.iskeyword(entry.name) else entry.name


def parameter(entry: Option, filled: bool) -> str:
    """Return an argument as a signature has it; `filled`: another one may stand for it."""
    text = f"{named(entry)}: {annotation(entry)}"
    if entry.default is not dataclasses.MISSING:
        return f"{text} = {entry.default!r}"
    return f"{text} | None = None" if filled else text


def annotation(entry: Option) -> str:
    """Return the type of an option's argument: what the command line takes, and Python's values.

    Choices are told one by one only where nobody can add to them.
    """
    kind, optional = entry.type, ""
    if NoneType in typing.get_args(kind):
        optional = " | None"
        kind = next(arg for arg in typing.get_args(kind) if arg is not NoneType)
    if not entry.several:
        return " | ".join(_alternatives(kind, entry)) + optional
    one = _alternatives(typing.get_args(kind)[0], entry)
    whole = list(dict.fromkeys([*(kind for kind in one if "Literal" not in kind), "str"]))
    return f"{' | '.join(whole)} | Sequence[{' | '.join(one)}]{optional}"


def _alternatives(kind: type, entry: Option) -> list[str]:
    if kind is bool:
        return ["bool"]
    if kind in (int, float):
        return [kind.__name__, "str"]
    if isinstance(entry.choices, tuple) and entry.choices:
        return [f"Literal[{', '.join(map(repr, entry.choices))}]"]
    if entry.path and _is_all_path(entry):
        return ["str", "os.PathLike[str]"]
    return _TEXTS.get(entry.metavar or "", ["str"])


# What a text may also be, by what stands for it in help: a number, or a list of its parts.
_TEXTS = {"N": ["int", "str"], "SPEC": ["str", "Sequence[str]"]}


def _is_all_path(entry: Option) -> bool:
    """Return whether a value may be a path and nothing else: not so for `spacy:NAME_OR_PATH`."""
    if entry.within is None:
        return True
    found = entry.within("x")
    return found is not None and found.path == "x"
