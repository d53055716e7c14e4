"""What is said of a name that Lexbeam does not have: what is near to it, and what there is."""

from collections.abc import Iterable

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
