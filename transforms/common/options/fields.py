"""Options as dataclass fields: stated once, for command line, configuration, Python and manifest.

    @dataclass(frozen=True, kw_only=True)
    class SgnsOptions:
        dim: int = option(100, help="length of the vectors", least=1)

    @dataclass(frozen=True, kw_only=True)
    class ThingOptions:
        targets: str | None = option(None, help="target words", path="file")
        sgns: SgnsOptions = embedded(SgnsOptions, group="training")

give `--dim 100` on the command line, `dim: 100` in a file and `dim=100` in Python. Options that a
command embeds go by their own names, as if they stood in its class. Names that nobody knows are
errors that name the nearest right one.

What is said of an option beside its default decides nothing that is made with it: the identity of
a stage's code passes over it, and over this module.

Also here: what an entry of a registry needs of the options is checked, and asked for by what the option means
(`check_given`); options that only some entries of a registry use say nothing without such a one (`unused`); and options
differ from those of a manifest, whose Lexbeam may have known others (`option_changes`).
"""

import dataclasses
import functools
import numbers
import os
import types
import typing
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.option import Option, Within, check_value, resolved, run_check
from lexbeam.transforms.common.store import files

T = TypeVar("T")
MISSING = dataclasses.MISSING


def option(
    default: Any = MISSING,
    *,
    help: str,
    name: str = "",
    choices: Collection[str] | str = (),
    metavar: str | None = None,
    positional: bool = False,
    least: float | None = None,
    most: float | None = None,
    path: str = "",
    within: Callable[[str], Within | None] | None = None,
    split: bool = True,
    published: bool = True,
    check: Callable[[Any], object] | None = None,
    group: str = "",
    fills: str = "",
    stands_for: Callable[[str], str] | None = None,
    listed: str = "",
    presets: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]] | None = None,
    lists: str = "",
    of: str = "",
    flattens: Callable[[Any], Any] | None = None,
    data: str = "",
) -> Any:
    """Return a dataclass field that is an option; without a default it must be given.

    A tuple is written with commas on the command line, or by giving the option several times; in
    a file as a list or with commas. With `split=False` commas are part of a value. Where there are
    choices, a tuple needs at least one, but where it has none by default. The other arguments are
    told in `Option`; `name` is given where the option's name is not that of the field.
    """
    metadata = {
        "help": help,
        "choices": choices,
        "metavar": metavar,
        "positional": positional,
        "least": least,
        "most": most,
        "path": path,
        "within": within,
        "split": split,
        "published": published,
        "check": check,
        "group": group,
        "fills": fills,
        "stands_for": stands_for,
        "listed": listed,
        "presets": presets,
        "lists": lists,
        "of": of,
        "flattens": flattens,
        "data": data,
    }
    return dataclasses.field(default=default, metadata={"option": metadata, "name": name})


def embedded(cls: type, *, group: str = "", of: str = "") -> Any:
    """Return a dataclass field that holds the options of another class, under their own names."""
    return dataclasses.field(default_factory=cls, metadata={"embedded": cls, "group": group, "of": of})


def options_of(cls: type) -> Mapping[str, Option]:
    """Return the options of a dataclass by name, those embedded among them.

    Raises:
        ValueError: two have the same name.
    """
    return _options_of(cls)


@functools.cache
def _options_of(cls: Hashable) -> Mapping[str, Option]:
    assert isinstance(cls, type)
    options: dict[str, Option] = {}
    for entry in _walk(cls, (), ""):
        if entry.name in options:
            raise ValueError(f"{cls.__name__} has two options called {entry.name!r}")
        options[entry.name] = entry
    return options


def _walk(cls: type, place: tuple[str, ...], group: str) -> Iterable[Option]:
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        meta = field.metadata
        if "embedded" in meta:
            yield from _walk(meta["embedded"], (*place, field.name), meta["group"] or group)
        elif "option" in meta:
            stated = {**meta["option"], "group": meta["option"]["group"] or group}
            name = meta["name"] or field.name
            yield Option(name, (*place, field.name), hints[field.name], field.default, **stated)


def value_of(options: object, name: str) -> Any:
    """Return the value of an option, wherever it is embedded."""
    for step in options_of(type(options))[name].place:
        options = getattr(options, step)
    return options


def from_mapping(cls: type[T], values: Mapping[str, object], where: str = "", base: str | None = None) -> T:
    """Return options from a mapping, checked and converted to the fields' types.

    Args:
        cls: the options' dataclass.
        values: names, with dashes or underscores, and values as strings or already typed.
        where: what precedes a name in messages: `--`, a section of a file, or nothing in Python.
        base: the folder that relative paths are relative to; the working directory if None.

    Raises:
        UsageError: an unknown name, a missing one, or a value that is wrong.
    """
    known = options_of(cls)
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        key = str(name).replace("-", "_")
        if key not in known:
            name = name if isinstance(name, str) else quoted(name)
            names = [entry.shown if where else entry.name for entry in known.values()]
            hint = nearest(str(name).replace("_", "-") if where else str(name), names)
            # A flag is one word; a section of a file is where the option stands.
            shown = f"unknown option --{name}" if where == "--" else f"{where}unknown option {name}"
            raise UsageError(f"{shown}{hint or _listed(names)}")
        chosen[key] = _converted(known[key], value, where, base or os.getcwd())
    for name, entry in known.items():
        if entry.fills and chosen.get(entry.fills) is None and chosen.get(name):
            named = chosen[name] if entry.several else (chosen[name],)
            if len(named) == 1:
                chosen[entry.fills] = named[0]
    for name, entry in known.items():
        if entry.presets is not None and chosen.get(name):
            found = entry.presets(chosen[name], chosen)
            # The class says where one that there is not stands.
            found = {key: value for key, value in found.items() if key in known}
            chosen |= {key: _converted(known[key], value, where, base or os.getcwd()) for key, value in found.items()}
    for name, entry in known.items():
        if entry.default is MISSING and name not in chosen:
            others = "".join(f", or `{other.name}`" for other in known.values() if other.fills == name)
            raise UsageError(f"{_named(entry, where)} must be given{others}: {entry.wanted}")
    return _build(cls, chosen)


def _listed(names: Sequence[str]) -> str:
    return f"; the options are {', '.join(names)}" if names else "; there are no options"


def _build(cls: type[T], chosen: Mapping[str, object]) -> T:
    arguments = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        if "embedded" in field.metadata:
            arguments[field.name] = _build(field.metadata["embedded"], chosen)
        elif "option" in field.metadata:
            name = field.metadata["name"] or field.name
            if name in chosen:
                arguments[field.name] = chosen[name]
    return cls(**arguments)


def _named(entry: Option, where: str) -> str:
    if where == "--" and entry.positional:  # it has no flag
        return entry.metavar or entry.name
    return where + (entry.shown if where else entry.name)


def _converted(entry: Option, stated: object, where: str, base: str) -> Any:
    shown = _named(entry, where)
    if entry.flattens is not None:
        stated = entry.flattens(stated)
    value = _typed(stated, entry.type, shown, split=entry.split)
    if entry.stands_for is not None and value is not None:
        value = resolved(entry, value, shown)
    if entry.choices and value == () and entry.default != ():
        raise UsageError(f"{shown} needs at least one of {', '.join(entry.allowed)}")
    for item in value if entry.several else (value,):
        if item is not None:
            check_value(item, entry, shown)
    if entry.path:
        if entry.several:
            value = tuple(_placed(item, entry, base) for item in value)
        elif value:
            value = _placed(value, entry, base)
    if entry.check is not None and value is not None:
        run_check(entry, value, shown)
    return value


def _typed(value: object, kind: Any, shown: str, *, split: bool) -> Any:
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        if value is None:
            return None
        inner = next(a for a in arguments if a is not types.NoneType)
        return _typed(value, inner, shown, split=split)
    if typing.get_origin(kind) is tuple:
        if isinstance(value, str):
            value = value.split(",") if split else [value]
        elif not isinstance(value, list | tuple):
            value = [value]
        return tuple(_typed(_stripped(item), arguments[0], shown, split=split) for item in value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    try:
        if kind is bool:
            if isinstance(value, bool):
                return value
            raise ValueError
        if isinstance(value, bool):
            raise ValueError  # YAML takes `no` for false
        if kind is int and not isinstance(value, str | numbers.Integral):
            raise ValueError
        if not isinstance(value, str | numbers.Real):
            raise ValueError
        return kind(value)
    except (TypeError, ValueError, OverflowError):
        word = {int: "a whole number", float: "a number", bool: "true or false"}.get(kind, "text")
        hint = "; give a text in quotes" if word == "text" and isinstance(value, bool) else ""
        raise UsageError(f"{shown} must be {word}, not {quoted(value)}{hint}") from None


def _stripped(item: object) -> object:
    return item.strip() if isinstance(item, str) else item


def _within(entry: Option, value: str) -> Within | None:
    return entry.within(value) if entry.within else Within("", value)


def _placed(value: str, entry: Option, base: str) -> str:
    """Return a value with its path absolute; paths on other file systems stay as they are."""
    part = _within(entry, value)
    if part is None or not files.is_local(part.path):
        return value
    path = os.path.abspath(os.path.join(base, os.path.expanduser(part.path)))
    if part.perhaps and not os.path.exists(path):
        return value
    return part.before + path + part.after


def noted_paths(options: object, kind: str) -> dict[str, list[str]]:
    """Return the paths that options of a kind (see `PATHS`) name, by option."""
    paths: dict[str, list[str]] = {}
    for name, entry in options_of(type(options)).items():
        value = value_of(options, name)
        if entry.path == kind and value:
            parts = (_within(entry, item) for item in (value if entry.several else (value,)))
            paths[name] = [part.path for part in parts if part is not None]
    return paths


def plain_options(options: object) -> dict[str, Any]:
    """Return the published options as plain values under their names with dashes, for a manifest.

    Of a path stands its last part alone, so that nothing is told of a machine; several are sorted.
    """
    plain = {}
    for name, entry in options_of(type(options)).items():
        if not entry.published:
            continue
        value = value_of(options, name)
        if entry.path and value:
            values = value if entry.several else (value,)
            shown = sorted(_without_folder(item, entry) for item in values)
            value = shown if entry.several else shown[0]
        plain[entry.shown] = list(value) if isinstance(value, tuple) else value
    return plain


def plain_defaults(cls: type) -> dict[str, Any]:
    """Return the defaults of options as plain values, under their names as `plain_options` has them."""
    return {
        entry.shown: list(entry.default) if isinstance(entry.default, tuple) else entry.default
        for entry in options_of(cls).values()
        if entry.default is not MISSING
    }


def _without_folder(value: str, entry: Option) -> str:
    part = _within(entry, value)
    if part is None or (part.perhaps and not os.path.isabs(part.path)):
        return value
    name = part.path.rstrip("/").rpartition("/")[2]
    # A manifest is UTF-8, as names of files need not be.
    return part.before + name.encode("utf-8", "backslashreplace").decode() + part.after


def check_given(need: str, options: object, where: str, choice: str) -> None:
    """Check that the option that something needs is given.

    Args:
        need: the option, as `Entry.needs` has it; empty: nothing is needed.
        options: those that have it.
        where: what needs it, as the message begins: `setting default generates by vectors`.
        choice: the option by which something else is chosen.

    Raises:
        UsageError: it is not given.
    """
    if need and not value_of(options, need):
        raise lacking(need, options, where, choice)


def lacking(need: str, options: object, where: str, choice: str) -> UsageError:
    """Return the error for an option that is not given, with what it means; arguments as of `check_given`."""
    told = options_of(type(options))[need].told
    return UsageError(f"{where}, which needs {told}: give it, or choose otherwise by `{choice}`")


def unused(options: object) -> dict[str, str]:
    """Return what to say of values that nothing takes, by option, by what options say in their `of`.

    Such an option has another value than its default, and of the registry that it is of no entry that uses it is
    chosen, by an option of the same class. An entry of another package takes what its `uses` names.
    """
    known, found = options_of(type(options)), {}
    for name, entry in known.items():
        registry, _, users = entry.of.partition("=")
        chooser = next((other for other in known.values() if entry.of and other.choices == registry), None)
        value = value_of(options, name)
        if chooser is None or value == entry.default:
            continue
        chosen = value_of(options, chooser.name)
        named = chosen if chooser.several else (chosen,)
        if not any(one in users.split(",") or name in getattr(chooser.entries[one], "uses", ()) for one in named):
            shown = f"`{name}`" if isinstance(value, bool) else f"`{name}` {value}"
            found[name] = (
                f"{shown}: it is used with `{chooser.name}` {' or '.join(users.split(','))}, not with "
                f"{','.join(named)}: leave it out, or choose one of these"
            )
    return found


class OptionChanges(NamedTuple):
    """How published options differ from those that something was made with.

    Attributes:
        other: those that have another value: the one before and the one now.
        new: those that were not there, and have their defaults: they change nothing.
        gone: those that are not there any more: nothing reads them.
    """

    other: dict[str, tuple[Any, Any]]
    new: tuple[str, ...]
    gone: tuple[str, ...]


def option_changes(cls: type, before: Mapping[str, Any], options: object | None = None) -> OptionChanges:
    """Return how options differ from those of a manifest, which a version with others may have written.

    Args:
        cls: their class.
        before: what the manifest says of them, see `plain_options`.
        options: the options; None: as in the manifest, as far as it has them.
    """
    defaults = plain_defaults(cls)
    known = [entry.shown for entry in options_of(cls).values() if entry.published]
    now = {**defaults, **before} if options is None else plain_options(options)
    new = [name for name in known if name not in before and name in defaults and now[name] == defaults[name]]
    other = {
        name: (before.get(name), now.get(name))
        for name in sorted(known)
        if name not in new and now.get(name) != before.get(name)
    }
    return OptionChanges(other, tuple(new), tuple(sorted(before.keys() - set(known))))
