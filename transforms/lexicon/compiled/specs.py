"""What a person writes of a resource: a path, and behind it `key=value` pairs.

>>> split_spec("s3://norms/mrc.csv:word=WORD,value=2", ("word", "value"), form="FILE:word=,value=")
('s3://norms/mrc.csv', {'word': 'WORD', 'value': '2'})
"""

import re
from collections.abc import Collection, Mapping, Sequence

from transforms.common.errors import UsageError, nearest

__all__ = ["choice", "number", "pairs", "split_spec", "yes"]

# Paths may hold colons: `s3://bucket/x`, `C:\x`. What follows the last such colon are the options.
_OPTIONS = re.compile(r":(?=[A-Za-z_]\w*=)")


def split_spec(argument: str, known: Collection[str], *, form: str) -> tuple[str, dict[str, str]]:
    """Return the path and the options of `PATH[:key=value,...]`.

    The options begin at the last colon that is followed by `key=`.

    Args:
        argument: what a person wrote.
        known: the keys that there are.
        form: how it should be written, for the error.

    Raises:
        UsageError: there is no path, or the options are wrong as `pairs` says.
    """
    places = [match.start() for match in _OPTIONS.finditer(argument)]
    path = argument[: places[-1]] if places else argument
    if not path:
        raise UsageError(f"{argument!r} names no file; it is written {form}")
    given = argument[places[-1] + 1 :].split(",") if places else []
    return path, pairs(given, known, argument, form)


def pairs(given: Sequence[str], known: Collection[str], argument: str, form: str) -> dict[str, str]:
    """Return `key=value` texts as a dictionary.

    Raises:
        UsageError: one is no pair, a key is not known or stands twice, a value is empty.
    """
    found: dict[str, str] = {}
    for pair in given:
        key, _, value = (part.strip() for part in pair.partition("="))
        if not value:
            hint = " (a column whose name holds a comma is given by its number)"
            raise UsageError(f"{argument!r}: {pair!r} is not of the form key=value{hint}")
        if key not in known:
            hint = nearest(key, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"{argument!r}: no option {key!r}{hint}. It is written {form}")
        if key in found:
            raise UsageError(f"{argument!r}: {key!r} stands twice")
        found[key] = value
    return found


def choice(given: Mapping[str, str], key: str, known: Collection[str], default: str) -> str:
    """Return the value of a key that takes certain words.

    Raises:
        UsageError: it is another word.
    """
    value = given.get(key, default)
    if value not in known and value != default:
        raise UsageError(f"{key}={value}: it takes {', '.join(known)}{nearest(value, known)}")
    return value


def yes(given: Mapping[str, str], key: str, default: bool) -> bool:
    """Return whether a key is `yes`.

    Raises:
        UsageError: it is neither yes nor no.
    """
    return choice(given, key, ("yes", "no"), "yes" if default else "no") == "yes"


def number(given: Mapping[str, str], key: str, *, whole: bool = False) -> float | None:
    """Return the value of a key as a number, or None where it is not given.

    Args:
        given: the options.
        key: which of them.
        whole: whether it must be a whole number from 0.

    Raises:
        UsageError: it is none.
    """
    if key not in given:
        return None
    text = given[key]
    if not re.fullmatch(r"\d+" if whole else r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise UsageError(f"{key}={text}: it takes a {'whole ' if whole else ''}number")
    return float(text)
