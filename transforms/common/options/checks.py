"""What no value of an option may be, whatever the option: checked in one place, before a run.

Texts are Unicode without a NUL and of bounded length, paths are such as the system takes, and
numbers are finite and of 64 bits. What an option states beside that (choices, the least and the
greatest value, a check of its own) is checked here, too.
"""

import math
import os
from collections.abc import Callable
from typing import Any

from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.store import files

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
        item: the value.
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
