"""Names and places of the functions made of the commands; what makes them is imported when one is asked for.

What is said of a name that Lexbeam does not have: what is near to it, and what there is.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

from lexbeam.pipelines.frame.registry import COMMANDS, CommandEntry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest


class ArgumentError(UsageError, TypeError):
    """A function is called with arguments that it does not take."""


class UnknownNameError(LexbeamError, AttributeError):
    """A module, or what is published, has nothing of a name."""


def unknown_name(where: str, name: str, known: Iterable[str], elsewhere: str = "") -> UnknownNameError:
    """Return the error that says what is meant or, if nothing is near, what there is.

    Args:
        where: what lacks the name.
        name: what was written.
        known: what it has.
        elsewhere: where something of this name is, as a sentence without a full stop; empty if nowhere.
    """
    names = list(known)
    listed = ", ".join(other for other in names if not other.startswith("_"))
    hint = f"; {elsewhere}" if elsewhere else nearest(name, names) or f"; it has {listed}"
    return UnknownNameError(f"{where} has no attribute {name!r}{hint}")


# Commands that are no functions, and what to do in Python.
LEFT_OUT = {
    "show": "results answer what it prints: `lexbeam.open(DIR)`, then `summary()`, `table(NAME)` or a view",
    "stream": "a stream does not end: start `lexbeam stream` on a command line",
}
PREVIEW = "preview_"
_SILENT = logging.NullHandler()


class FunctionPlace(NamedTuple):
    """Where a command's function is: in the module of a first word, or in the package itself (empty)."""

    group: str
    name: str


def places(entries: Mapping[str, CommandEntry]) -> dict[FunctionPlace, str]:
    """Return the words of commands by the places of their functions; a preview stands by itself."""
    words_by_place = {}
    for words in (words for words in entries if words not in LEFT_OUT):
        first, _, second = words.replace("-", "_").partition(" ")
        group, name = (first, second) if second else ("", first)
        words_by_place[FunctionPlace(group, name)] = words
        if entries[words].previews:
            words_by_place[FunctionPlace(group, PREVIEW + name)] = words
    return words_by_place


def groups(entries: Mapping[str, CommandEntry] = COMMANDS.ours()) -> list[str]:
    """Return the first words that commands share, in alphabetical order."""
    return sorted({place.group for place in places(entries)} - {""})


def names(group: str = "", entries: Mapping[str, CommandEntry] = COMMANDS.ours()) -> list[str]:
    """Return the names of the functions of a module, in alphabetical order; of the package, its groups too."""
    functions = {place.name for place in places(entries) if place.group == group}
    return sorted(functions | (set(groups(entries)) if not group else set()))


def all_names(group: str = "") -> list[str]:
    """Return the names of the functions of a module, those of commands of other packages, too."""
    keep_silent()
    return names(group, COMMANDS)


def keep_silent() -> None:
    """Keep Python from printing warnings on stderr where who calls Lexbeam has set up no logging.

    The command line prints them, and imports `lexbeam` as well: so this is for what it does not use.
    """
    logging.getLogger("lexbeam").addHandler(_SILENT)


def group_module(name: str, attribute: Callable[[str, str], Any]) -> ModuleType:
    """Return the module of a first word, as `import` finds it; `attribute` makes what is asked of it by its name."""
    return sys.modules.setdefault(f"lexbeam.{name}", _Group(name, attribute))


class _Group(ModuleType):
    """A module whose functions are made when they are asked for."""

    def __init__(self, group: str, attribute: Callable[[str, str], Any]) -> None:
        super().__init__(f"lexbeam.{group}", f"The commands `lexbeam {group} ...` as functions.")
        self.__spec__ = ModuleSpec(self.__name__, None)
        self.__package__ = "lexbeam"
        self._group = group
        self._attribute = attribute

    @property
    def __all__(self) -> list[str]:
        return all_names(self._group)

    def __dir__(self) -> list[str]:
        return self.__all__

    def __call__(self, *_: object, **__: object) -> None:
        raise ArgumentError(f"{self.__name__} is no function, but has some: {', '.join(self.__all__)}")

    def __getattr__(self, name: str) -> Any:
        return vars(self).setdefault(name, vars(self)["_attribute"](vars(self)["_group"], name))
