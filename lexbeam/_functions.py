"""The commands as functions, made from the registry when they are asked for.

A command of one word is a function of `lexbeam`; those that share a first word are functions of a
module of its name (`lexbeam.complexity.split`). Commands from other packages come after Lexbeam's.
"""

import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

from pipelines.frame.registry import COMMANDS, CommandEntry, commands, load
from transforms.common.errors import nearest

__all__ = ["FunctionPlace", "attribute", "command_function", "groups", "names", "places"]

# Tables and views answer in Python what `show` prints.
LEFT_OUT = ("show",)
PREVIEW = "preview_"


class FunctionPlace(NamedTuple):
    """Where a command's function is: in the module of a first word, or in the package itself (empty)."""

    group: str
    name: str


def places(entries: Mapping[str, CommandEntry]) -> dict[FunctionPlace, str]:
    """Return the words of commands by the places of their functions; a preview stands by itself."""
    found = {}
    for words in (words for words in entries if words not in LEFT_OUT):
        first, _, second = words.replace("-", "_").partition(" ")
        group, name = (first, second) if second else ("", first)
        found[FunctionPlace(group, name)] = words
        if entries[words].previews:
            found[FunctionPlace(group, PREVIEW + name)] = words
    return found


def groups(entries: Mapping[str, CommandEntry] = COMMANDS) -> list[str]:
    """Return the first words that commands share, in alphabetical order."""
    return sorted({place.group for place in places(entries)} - {""})


def names(group: str = "", entries: Mapping[str, CommandEntry] = COMMANDS) -> list[str]:
    """Return the names of the functions of a module, in alphabetical order; of the package, its groups too."""
    found = {place.name for place in places(entries) if place.group == group}
    return sorted(found | (set(groups(entries)) if not group else set()))


def attribute(group: str, name: str) -> Any:
    """Return a function, or the module of a first word.

    Raises:
        AttributeError: there is none of this name.
    """
    # Lexbeam's commands are found without a look at the packages that are installed.
    for known in (COMMANDS, commands()) if not name.startswith("_") else ():
        place = FunctionPlace(group, name)
        if place in (found := places(known)):
            return command_function(place, found[place])
        if not group and name in groups(known):
            return group_module(name)
    where = f"lexbeam.{group}" if group else "lexbeam"
    raise AttributeError(f"module {where!r} has no attribute {name!r}{nearest(name, names(group, commands()))}")


def command_function(place: FunctionPlace, words: str) -> Callable[..., Any]:
    """Return the function of a command, or its preview; the command is imported."""
    from lexbeam._calling import act, preview, publish
    from lexbeam._signatures import as_function, ordered
    from lexbeam.results import Results
    from pipelines.frame.common_options import PublishOptions
    from transforms.common.options.fields import options_of

    command = load(words)
    entries = ordered(entry for entry in options_of(command.options).values() if entry.name != "dry_run")
    where = (f"lexbeam.{place.group}" if place.group else "lexbeam", place.name)
    lines = (list[str], "The lines that the command prints.")
    if place.name.startswith(PREVIEW):
        help = f"A look at what `{place.name.removeprefix(PREVIEW)}` would take in, with the same options; "
        help += "nothing is written"
        return as_function(where, entries, help, lines, lambda values: preview(words, values))
    publishes = bool(command.tables) or issubclass(command.options, PublishOptions)
    run = publish if publishes else act
    return as_function(
        where,
        entries,
        commands()[words].help,
        (Results, "All that is published in the folder then.") if publishes else lines,
        lambda values: run(words, values, values.pop("beam", ())),
        takes_beam=command.build is not None or command.takes_beam,
    )


def group_module(name: str) -> ModuleType:
    """Return the module of a first word, as `import` finds it."""
    return sys.modules.setdefault(f"lexbeam.{name}", _Group(name))


class _Group(ModuleType):
    """A module whose functions are made when they are asked for."""

    def __init__(self, group: str) -> None:
        super().__init__(f"lexbeam.{group}", f"The commands `lexbeam {group} ...` as functions.")
        self.__spec__ = ModuleSpec(self.__name__, None)
        self.__package__ = "lexbeam"
        self._group = group

    @property
    def __all__(self) -> list[str]:
        return names(self._group, commands())

    def __dir__(self) -> list[str]:
        return self.__all__

    def __getattr__(self, name: str) -> Any:
        return vars(self).setdefault(name, attribute(vars(self)["_group"], name))
