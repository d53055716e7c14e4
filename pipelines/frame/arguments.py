"""Options on the command line: argparse parsers made from dataclasses of options.

transforms/common/options/fields.py describes the options themselves.
"""

import argparse
import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.options.option import Option

T = TypeVar("T")

# Options of these groups come last in help.
LAST = ("limits", "run")
_NO_VALUE = re.compile(r"argument (--[\w-]+): expected (?:at least )?one argument")


class Parser(argparse.ArgumentParser):
    """An argument parser that takes no abbreviations and suggests the nearest known option."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        kwargs["allow_abbrev"] = False
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting, so that all bad usage is handled in one place."""
        raise UsageError(f"{self._with_help(message)} (see {self.prog} --help)")

    def _with_help(self, message: str) -> str:
        """Return a message of argparse; of an option without its value, with what the option is for."""
        match = _NO_VALUE.match(message)
        action = self._option_string_actions.get(match[1]) if match is not None else None
        if match is None or action is None:
            return message
        return (
            f"{match[1]} needs a value, {action.metavar or action.dest.upper()}: {(action.help or '') % vars(action)}"
        )

    def parse_strictly(self, arguments: Iterable[str]) -> argparse.Namespace:
        """Parse, and fail on unknown options."""
        words = self._joined(arguments)
        values, unknown = self.parse_known_args(words)
        if unknown:
            values, unknown = self.parse_known_args(self._repeated(words, unknown))
        for word in unknown:
            flag = word.partition("=")[0]
            if not word.startswith("-"):
                raise UsageError(
                    f"{word!r} belongs to no option: {self._why_not(words, word)} (see {self.prog} --help)"
                )
            raise UsageError(f"unknown option {word!r}{self._meant(flag)} (see {self.prog} --help)")
        return values

    def _meant(self, flag: str) -> str:
        """Return, for a message, what an unknown flag may stand for: another, or a value that has none."""
        if flag == "-o" and "--out" in self._option_string_actions:
            return "; did you mean '--out'?"
        name = flag.lstrip("-").removesuffix("s")
        for action in self._get_positional_actions():
            if name in (action.dest.removesuffix("s"), str(action.metavar).lower()):
                return f": {action.metavar or action.dest} stands without an option"
        return nearest(flag, self._option_string_actions, common="--")

    def _why_not(self, words: Sequence[str], word: str) -> str:
        before = words[words.index(word) - 1]
        action = self._option_string_actions.get(before)
        if action is not None and action.nargs == 0:
            return f"{before} takes no value, leave it out"
        return "one that takes several values is repeated, or its values are separated by commas"

    def _joined(self, arguments: Iterable[str]) -> list[str]:
        """Join flags with values that begin with a minus sign, as years before our era do.

        A word with two minus signs, unless a number follows, is taken for a flag: it is more likely a
        mistyped flag than a folder of that name.
        """
        joined: list[str] = []
        for word in arguments:
            action = self._option_string_actions.get(joined[-1]) if joined else None
            if action is not None and action.nargs is None and self._may_be_value(word):
                joined[-1] += "=" + word
            else:
                joined.append(word)
        return joined

    def _repeated(self, words: Iterable[str], unknown: Iterable[str]) -> list[str]:
        """Repeat the flag of an option that takes several files before each file that follows.

        `--judgments A B` becomes `--judgments A --judgments B`. The option gets only words that no other
        argument takes, so that an argument may follow such an option.
        """
        left = [word for word in unknown if not word.startswith("-")]
        repeated: list[str] = []
        flag, values = "", 0
        for word in words:
            if word.startswith("-"):
                name, equals, _ = word.partition("=")
                action = self._option_string_actions.get(name)
                flag, values = name if isinstance(action, _Files) else "", len(equals)
            elif flag and not values:
                values = 1
            elif flag and word in left:
                left.remove(word)
                repeated.append(flag)
            else:
                flag = ""
            repeated.append(word)
        return repeated

    def _may_be_value(self, word: str) -> bool:
        return bool(_MINUS.match(word)) and word not in self._option_string_actions


class _Files(argparse._AppendAction):
    """An option that takes several files, which may follow each other after one flag."""


class _Once(argparse.Action):
    """An option that takes one value: to be given twice, it must be given the same."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, flag: str | None = None
    ) -> None:
        """Keep the value."""
        before = getattr(namespace, self.dest, values)
        if before != values:
            parser.error(f"{flag} is given twice, as {quoted(before)} and as {quoted(values)}, and takes one value")
        setattr(namespace, self.dest, values)


class _OnOrOff(argparse.BooleanOptionalAction):
    """An option that is on or off: not both."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, flag: str | None = None
    ) -> None:
        """Keep what the flag says."""
        before = getattr(namespace, self.dest, None)
        super().__call__(parser, namespace, values, flag)
        if before not in (None, getattr(namespace, self.dest)):
            parser.error(f"{' and '.join(self.option_strings)} are both given: leave out one")


class _List(argparse.Action):
    """A flag that prints the choices of an option, a line each, and ends."""

    def __init__(self, *args: Any, entry: Option, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._entry = entry

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        """Print and end."""
        for name, choice in self._entry.entries.items():
            print(f"{name}: {choice.listed}")
        parser.exit()


_MINUS = re.compile(r"-[^-]|--\d")


def add_options(parser: argparse.ArgumentParser, cls: type) -> None:
    """Add an argument for every option of a dataclass, in groups; options that are not set have no value.

    Help texts name options as Python does, since docstrings are made of them, too; a parser shows flags.
    """
    flags = flags_of([cls])
    entries = list(options_of(cls).values())
    names = list(dict.fromkeys(entry.group for entry in entries))
    order = [*(name for name in names if name not in LAST), *(n for n in LAST if n in names)]
    for name in order:
        group = parser.add_argument_group(name) if name else parser
        for entry in entries:
            if entry.group == name:
                _add(group, entry, as_flags(entry.explained, flags))
                if entry.lists:
                    flag: dict[str, Any] = {"action": _List, "nargs": 0, "entry": entry, "default": argparse.SUPPRESS}
                    group.add_argument(f"--{entry.lists}", help=f"list what `--{entry.shown}` may be, and end", **flag)


def _add(group: argparse._ActionsContainer, entry: Option, text: str) -> None:
    required = entry.default is dataclasses.MISSING
    if not required and entry.default not in (None, False, ()):
        shown = entry.default
        text += f" (default {','.join(map(str, shown)) if isinstance(shown, tuple) else shown})"
    text = text.replace("%", "%%")
    if entry.positional:
        many = ("+" if required else "*") if entry.several else (None if required else "?")
        added = group.add_argument(entry.name, nargs=many, metavar=entry.metavar, help=text, default=argparse.SUPPRESS)
        # `from_arguments` reports a missing one, after unknown flags, which may be the cause.
        added.required = False
        return
    shared: dict[str, Any] = {"dest": entry.name, "default": argparse.SUPPRESS, "help": text}
    if entry.type is bool:
        action: Any = _OnOrOff if _may_be_off(entry) else "store_true"
        group.add_argument(f"--{entry.shown}", action=action, **shared)
        return
    choices = "{" + ",".join(entry.allowed) + "}" if entry.choices else entry.name.upper()
    several: Any = _Files if entry.path else "append"
    group.add_argument(
        f"--{entry.shown}", action=several if entry.several else _Once, metavar=entry.metavar or choices, **shared
    )


def from_arguments(cls: type[T], values: argparse.Namespace | Mapping[str, Any]) -> T:
    """Return the options that a parsed command line holds.

    Raises:
        UsageError: an option is missing or wrong.
    """
    named = values if isinstance(values, Mapping) else vars(values)
    set_options = {}
    for name, entry in options_of(cls).items():
        if entry.positional and entry.default is dataclasses.MISSING and name not in named:
            raise UsageError(f"{_flag(entry)} must be given: {entry.wanted}")
        if name in named:
            value = _with_dashes(named[name])
            if isinstance(value, list) and not entry.positional and entry.split:
                value = [item for word in value for item in word.split(",")]
            set_options[name] = value
    return from_mapping(cls, set_options, "--")


def _with_dashes(value: object) -> object:
    """Return a parsed value; argparse makes an empty list of `--out=--`."""
    if value == []:
        return "--"
    return [_with_dashes(item) for item in value] if isinstance(value, list) else value


# Text in quotes is matched first: it is a value and stays as it is.
_FIELD = re.compile(r"""(?<!\w)(?:'[^'\n]*'|"[^"\n]*")(?!\w)|`([a-z][a-z0-9_]*)`""")


def flags_of(classes: Iterable[type]) -> dict[str, str]:
    """Return how the command line shows the options of dataclasses, by name; the first class wins.

    An option is shown as its flag (`--min-count`, or `--[no-]quoting` if it is on by default), or, if it
    has none, as the placeholder of its value in help (`INPUT`).
    """
    shown: dict[str, str] = {}
    for cls in classes:
        for name, entry in options_of(cls).items():
            shown.setdefault(name, _flag(entry))
    return shown


def _flag(entry: Option) -> str:
    if entry.positional:
        return entry.metavar or entry.name
    return f"--[no-]{entry.shown}" if _may_be_off(entry) else f"--{entry.shown}"


def _may_be_off(entry: Option) -> bool:
    """Return whether an option is on by default and so has a second flag that turns it off."""
    return entry.type is bool and entry.default is True


def as_flags(message: str, flags: Mapping[str, str]) -> str:
    """Return a message in which names of options, in backquotes, are replaced by their flags.

    Modules that know nothing of a command line name options as Python does. Values that messages
    quote stay as they were entered.
    """

    def flag(match: re.Match[str]) -> str:
        return flags.get(match[1], match[0])

    return _FIELD.sub(flag, message)
