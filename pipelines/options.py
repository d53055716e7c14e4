"""Options as dataclass fields: one definition serves the command line and the configuration file.

    @dataclass(frozen=True, kw_only=True)
    class ThingOptions:
        dim: int = option(100, help="length of the vectors")

gives `--dim 100`, and `dim: 100` in a file. Names that nobody knows are errors that name the
nearest right one.
"""

import argparse
import dataclasses
import types
import typing
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from transforms.common.errors import UsageError, nearest

__all__ = ["Parser", "add_options", "from_arguments", "from_mapping", "option", "plain_options"]

T = TypeVar("T")


def option(
    default: Any = dataclasses.MISSING,
    *,
    help: str,
    choices: Collection[str] = (),
    metavar: str | None = None,
    positional: bool = False,
    least: float | None = None,
    most: float | None = None,
) -> Any:
    """Return a dataclass field that is an option; without a default it must be given.

    A tuple is written with commas on the command line, or by giving the option several times; in
    a file as a list or with commas.
    Numbers may have a `least` and a `most` value; where there are choices, at least one is taken.
    `positional` ones stand on the command line without a flag; a tuple takes several words.
    """
    metadata = {
        "help": help, "choices": choices, "metavar": metavar, "positional": positional,
        "least": least, "most": most,
    }  # fmt: skip
    return dataclasses.field(default=default, metadata=metadata)


class Parser(argparse.ArgumentParser):
    """An argument parser that takes no abbreviations and names the nearest known option."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        kwargs["allow_abbrev"] = False
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting, so that all bad usage ends in one place."""
        raise UsageError(f"{message} (see {self.prog} --help)")

    def parse_strictly(self, arguments: list[str]) -> argparse.Namespace:
        """Parse, and fail on options that nobody knows."""
        values, unknown = self.parse_known_args(arguments)
        for word in unknown:
            flag = word.partition("=")[0]
            parser = self._chosen(arguments)
            if not word.startswith("-"):
                raise UsageError(
                    f"{word!r} belongs to no option: one that takes several values is repeated, "
                    f"or its values are separated by commas (see {parser.prog} --help)"
                )
            hint = nearest(flag, parser._option_string_actions)
            raise UsageError(f"unknown option {word!r}{hint} (see {parser.prog} --help)")
        return values

    def _chosen(self, arguments: list[str]) -> argparse.ArgumentParser:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for word in arguments:
                    if word in action.choices:
                        return action.choices[word]
        return self


def add_options(parser: argparse.ArgumentParser, cls: type) -> None:
    """Add an argument for every option field of a dataclass; absent ones are left out."""
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        meta = field.metadata
        if not meta:
            continue
        text = meta["help"]
        if field.default is not dataclasses.MISSING and field.default not in (None, False, ()):
            shown = field.default
            if isinstance(shown, tuple):
                shown = ",".join(map(str, shown))
            text += f" (default {shown})"
        text = text.replace("%", "%%")
        if meta["positional"]:
            several = typing.get_origin(hints[field.name]) is tuple
            many = ("+" if field.default is dataclasses.MISSING else "*") if several else None
            parser.add_argument(field.name, nargs=many, metavar=meta["metavar"], help=text)
            continue
        flag = "--" + field.name.replace("_", "-")
        if hints[field.name] is bool:
            action = argparse.BooleanOptionalAction if field.default else "store_true"
            parser.add_argument(
                flag, action=action, default=argparse.SUPPRESS, dest=field.name, help=text
            )
        else:
            required = field.default is dataclasses.MISSING
            many = "append" if typing.get_origin(hints[field.name]) is tuple else "store"
            parser.add_argument(
                flag, action=many, default=argparse.SUPPRESS, dest=field.name, help=text,
                required=required,
                metavar=meta["metavar"] or ("{" + ",".join(meta["choices"]) + "}"
                                            if meta["choices"] else field.name.upper()),
            )  # fmt: skip


def from_arguments(cls: type[T], values: argparse.Namespace) -> T:
    """Return the options that a parsed command line holds."""
    given = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        if field.name in values:
            value = getattr(values, field.name)
            if isinstance(value, list) and not field.metadata["positional"]:
                value = [item for word in value for item in word.split(",")]
            given[field.name] = value
    return from_mapping(cls, given, "--")


def from_mapping(cls: type[T], values: Mapping[str, Any], where: str) -> T:
    """Return options from a mapping, checked and converted to the fields' types.

    Args:
        cls: the options' dataclass.
        values: names, with dashes or underscores, and values as strings or already typed.
        where: what precedes a name in messages: `--`, or a section of a file.

    Raises:
        UsageError: an unknown name, a missing one, or a value of another type.
    """
    hints = typing.get_type_hints(cls)
    fields = {f.name: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    given = {}
    for name, value in values.items():
        key = str(name).replace("-", "_")
        if key not in fields:
            known = [known.replace("_", "-") for known in fields]
            hint = nearest(str(name).replace("_", "-"), known)
            raise UsageError(f"unknown option {where}{name}{hint}")
        shown = where + key.replace("_", "-")
        given[key] = _convert(value, hints[key], shown)
        _check(given[key], fields[key].metadata, shown)
    for name, field in fields.items():
        if field.default is dataclasses.MISSING and name not in given:
            raise UsageError(f"{where}{name.replace('_', '-')} must be given")
    return cls(**given)


def _check(value: Any, meta: Mapping[str, Any], shown: str) -> None:
    choices, least, most = (meta.get(name) for name in ("choices", "least", "most"))
    if choices and value == ():
        raise UsageError(f"{shown} needs at least one of {', '.join(choices)}")
    for item in value if isinstance(value, tuple) else (value,):
        if item is None:
            continue
        if choices and item not in choices:
            hint = nearest(str(item), choices) or f"; it is one of {', '.join(choices)}"
            raise UsageError(f"{shown} cannot be {item!r}{hint}")
        # Written so that nan, which compares with nothing, is out of every range.
        if least is not None and not item >= least:
            raise UsageError(f"{shown} must be at least {least}, not {item}")
        if most is not None and not item <= most:
            raise UsageError(f"{shown} must be at most {most}, not {item}")


def _convert(value: Any, kind: Any, shown: str) -> Any:
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _convert(value, next(a for a in arguments if a is not types.NoneType), shown)
    if typing.get_origin(kind) is tuple:
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            items = [items]
        return tuple(_convert(_stripped(item), arguments[0], shown) for item in items)
    try:
        if kind is bool:
            if isinstance(value, bool):
                return value
            raise ValueError
        if kind is int and isinstance(value, bool | float):
            raise ValueError
        if kind is str and (isinstance(value, bool) or not isinstance(value, str | int | float)):
            raise ValueError  # YAML takes `no` for false
        return kind(value)
    except (TypeError, ValueError):
        word = {int: "a whole number", float: "a number", bool: "true or false"}.get(kind, "text")
        raise UsageError(f"{shown} must be {word}, not {value!r}") from None


def _stripped(item: Any) -> Any:
    return item.strip() if isinstance(item, str) else item


def plain_options(options: Any, *, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return options as plain values under their command-line names, for a manifest."""
    left_out = set(without)
    return {
        name.replace("_", "-"): list(value) if isinstance(value, tuple) else value
        for name, value in dataclasses.asdict(options).items()
        if name not in left_out
    }
