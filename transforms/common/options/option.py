"""What an option is, as its class states it, and what no value of one may be.

A class states type, default, help, bounds, choices, and what kind of path. What no value may be, whatever the option,
is checked in one place, before a run: texts are Unicode without a NUL and of bounded length, paths are such as the
system takes, and numbers are finite and of 64 bits. What an option states beside that (choices, the least and the
greatest value, a check of its own) is checked here, too.
"""

import importlib
import math
import os
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.store import files

# What a path may be: raw input (a file, folder or glob), a file that is read whole and must be
# there from the start, a resource (a file or folder, likewise), a place that need not be there,
# what a run writes beside its tables, or such a copy of which the manifest tells.
PATHS = ("input", "file", "resource", "place", "written", "kept")
# In which form what Python has, such as a data frame, is written to a file for an option that takes one: records as
# JSON lines, documents as texts of their own, a table with a header and quotes, plain cells, with a header if they have
# names, cells without a header, words one a line, a word list, or words with a list of others each.
DATA = ("records", "documents", "table", "cells", "rows", "words", "wordlist", "lists")


class Within(NamedTuple):
    """A path within a value such as `table:FILE:key=id`.

    Attributes:
        before: what stands before the path.
        path: the path.
        after: what stands after it.
        perhaps: whether it is a path only if something is there, else a name.
    """

    before: str
    path: str
    after: str = ""
    perhaps: bool = False


def _imported(choices: str) -> Collection[str]:
    module, _, name = choices.partition(":")
    choices_or_function: Any = getattr(importlib.import_module(module), name)
    return typing.cast(Collection[str], choices_or_function() if callable(choices_or_function) else choices_or_function)


class Option(NamedTuple):
    """An option as its class states it.

    Attributes:
        name: its name, with underscores.
        place: the attributes that lead to it: `("sgns", "dim")`.
        type: its type.
        default: its default; `dataclasses.MISSING` where it must be given.
        help: what it means, for a person.
        choices: the values that it, or each of its values, may take; none for any; as
            `package.module:NAME` of a registry, or of a function that returns some of one, which
            is imported when it is asked.
        metavar: what stands for its value in help.
        positional: whether it stands on the command line without a flag.
        most: the greatest value.
        path: one of `PATHS`, or empty.
        within: finds the path in a value that is not all path.
        split: whether commas separate values in a text.
        published: whether the manifest has it.
        check: raises UsageError for a value that is wrong by itself.
        group: heading that it stands under in help.
        fills: another option that its one value is taken for where that is not given.
        stands_for: of a text value, the one that it is another way to write; it is resolved when
            options are read, so that nobody else meets it.
        listed: a registry, as in `choices`, whose doc lines help shows where a value may be more than
            the name of an entry.
        presets: of its value and the values that are given, values of other options, which then stand as if given;
            those that there are not the class refuses.
        lists: a flag of the command line that lists its choices, each with what the entry's `listed` says, and ends.
        of: entries of a registry that alone use it, as `package.module:NAME=ENTRY,ENTRY`: where
            none of them is chosen it decides no artefact.
        flattens: of what a file has for it, such as a mapping, what an option may be.
        data: one of `DATA`, or empty: it takes paths alone.
    """

    name: str
    place: tuple[str, ...]
    type: Any
    default: Any
    help: str
    choices: Collection[str] | str = ()
    metavar: str | None = None
    positional: bool = False
    least: float | None = None
    most: float | None = None
    path: str = ""
    within: Callable[[str], Within | None] | None = None
    split: bool = True
    published: bool = True
    check: Callable[[Any], object] | None = None
    group: str = ""
    fills: str = ""
    stands_for: Callable[[str], str] | None = None
    listed: str = ""
    presets: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]] | None = None
    lists: str = ""
    of: str = ""
    flattens: Callable[[Any], Any] | None = None
    data: str = ""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The values that it may take; none for any."""
        return tuple(_imported(self.choices) if isinstance(self.choices, str) else self.choices)

    @property
    def entries(self) -> Mapping[str, Any]:
        """The entries of the registry that it chooses from; empty if its choices are of none."""
        choices = self.listed or self.choices
        registry = _imported(choices) if isinstance(choices, str) else choices
        return registry if isinstance(registry, Mapping) else {}

    @property
    def explained(self) -> str:
        """What it means, with the doc lines of choices that are entries of a registry."""
        entries = self.entries.items()
        docs = [f"{name}: {getattr(entry, 'explained', entry.doc)}" for name, entry in entries if hasattr(entry, "doc")]
        return f"{self.help} [{'; '.join(docs)}]" if docs else self.help

    @property
    def wanted(self) -> str:
        """What is to be given where it must be: one of its choices, with their doc lines, or what help says."""
        if not self.choices:
            return self.help
        docs = {name: getattr(entry, "doc", "") for name, entry in self.entries.items()}
        return f"one of {', '.join(f'{name} ({docs[name]})' if docs.get(name) else name for name in self.allowed)}"

    @property
    def told(self) -> str:
        """Its name with a placeholder and what it means, for a message that asks for it."""
        return f"`{self.name}` {self.metavar or self.name.upper()} ({self.help})"

    @property
    def several(self) -> bool:
        """Whether it takes several values."""
        return typing.get_origin(self.type) is tuple

    @property
    def shown(self) -> str:
        """Its name with dashes."""
        return self.name.replace("_", "-")


# Characters of a text, bytes of a path, and the whole numbers that tables and libraries hold.
LONGEST = 32_768
LONGEST_PATH = 4096
LEAST, MOST = -(2**63), 2**63 - 1


def run_check(entry: Option, value: object, shown: str) -> None:
    """Make an option's own check; what it raises names the option.

    Raises:
        UsageError: the value is wrong.
    """
    assert entry.check is not None
    _naming(entry, entry.check, value, shown)


def resolved(entry: Option, value: Any, shown: str) -> Any:
    """Return what a text value stands for, or each of several, once; what that raises names the option.

    Raises:
        UsageError: it stands for nothing.
    """
    assert entry.stands_for is not None
    if entry.several:
        return tuple(dict.fromkeys(_naming(entry, entry.stands_for, item, shown) for item in value))
    return _naming(entry, entry.stands_for, value, shown)


def _naming(entry: Option, make: Callable[[Any], Any], value: object, shown: str) -> Any:
    try:
        return make(value)
    except UsageError as error:
        message = str(error)
        raise UsageError(message if f"`{entry.name}`" in message else f"{shown}: {message}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise UsageError(f"{shown} cannot be {quoted(value)}: {error}") from None


def check_value(item: object, entry: Option, shown: str) -> None:
    """Check one value, of its type already, by what is stated of the option, and of all options.

    Args:
        entry: the option.
        shown: its name as messages have it.

    Raises:
        UsageError: no file, table or library could hold it, or the option does not allow it.
    """
    if isinstance(item, str):
        _check_text(item, entry, shown)
    elif isinstance(item, int | float) and not isinstance(item, bool):
        _check_number(item, entry, shown)
    if entry.choices and item not in entry.allowed:
        hint = nearest(str(item), entry.allowed) or f"; it is one of {', '.join(entry.allowed)}"
        raise UsageError(f"{shown} cannot be {quoted(item)}{hint}")


def _check_text(text: str, entry: Option, shown: str) -> None:
    """Refuse what no file, table or message could hold, and an empty text that means nothing."""
    if not text and entry.default != "" and not entry.several:
        raise UsageError(f"{shown} is empty: give a value, or leave the option out")
    if not text and entry.path:
        raise UsageError(f"{shown} holds an empty path: leave it out")
    if "\0" in text:
        raise UsageError(f"{shown} {quoted(text)} holds a NUL, which no text or path can")
    try:
        # A name of a file that is no UTF-8 reaches Python so that only `fsencode` turns it back.
        size = len(os.fsencode(text) if entry.path else text.encode())
    except UnicodeEncodeError:
        raise UsageError(f"{shown} {quoted(text)} is not Unicode text: it holds half a surrogate pair") from None
    if entry.path and entry.within is None and files.is_local(text) and size > LONGEST_PATH:
        raise UsageError(f"{shown} {quoted(text)} is a path of more than {LONGEST_PATH} bytes")
    if len(text) > LONGEST:
        raise UsageError(f"{shown} {quoted(text)} is longer than {LONGEST} characters")


def _check_number(number: float, entry: Option, shown: str) -> None:
    if isinstance(number, float) and not math.isfinite(number):
        raise UsageError(f"{shown} must be a finite number, not {number}")
    least, most = entry.least, entry.most
    if isinstance(number, int):
        least, most = LEAST if least is None else least, MOST if most is None else most
    if least is not None and number < least:
        raise UsageError(f"{shown} must be at least {least}, not {quoted(number)}")
    if most is not None and number > most:
        raise UsageError(f"{shown} must be at most {most}, not {quoted(number)}")
