"""How options differ from those that a manifest has, whose Lexbeam may have known others."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lexbeam.transforms.common.options.fields import options_of, plain_defaults, plain_options


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
