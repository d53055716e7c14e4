"""Specifications of resources: a path, followed by `key=value` pairs.

>>> split_spec("s3://norms/mrc.csv:word=WORD,value=2", ("word", "value"), form="FILE:word=,value=")
('s3://norms/mrc.csv', {'word': 'WORD', 'value': '2'})
"""

import re
from collections.abc import Collection, Mapping, Sequence

from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.texts.languages import stated_language

# Paths may hold colons: `s3://bucket/x`, `C:\x`. The options follow the last such colon.
_OPTIONS = re.compile(r":(?=[A-Za-z_]\w*=)")


def split_spec(argument: str, known: Collection[str], *, form: str) -> tuple[str, dict[str, str]]:
    """Return the path and the options of `PATH[:key=value,...]`.

    The options begin at the last colon that is followed by `key=`.

    Args:
        argument: what a person wrote.
        known: the valid keys.
        form: how it should be written, for the error.

    Raises:
        UsageError: there is no path, or `pairs` rejects the options.
    """
    places = [match.start() for match in _OPTIONS.finditer(argument)]
    path = argument[: places[-1]] if places else argument
    if not path:
        raise UsageError(f"{argument!r} names no file; it is written {form}")
    texts = argument[places[-1] + 1 :].split(",") if places else []
    return path, pairs(texts, known, argument, form)


def pairs(texts: Sequence[str], known: Collection[str], argument: str, form: str) -> dict[str, str]:
    """Return `key=value` texts as a dictionary.

    Raises:
        UsageError: a text is no pair, a key is unknown or occurs twice, a value is empty, or `language` none.
    """
    values: dict[str, str] = {}
    for pair in texts:
        key, _, value = (part.strip() for part in pair.partition("="))
        if not value:
            hint = " (a column whose name holds a comma is given by its number)"
            raise UsageError(f"{argument!r}: {pair!r} is not of the form key=value{hint}")
        if key not in known:
            hint = nearest(key, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"{argument!r}: no option {key!r}{hint}. It is written {form}")
        if key in values:
            raise UsageError(f"{argument!r}: {key!r} stands twice")
        values[key] = stated_language(value) if key == "language" else value
    return values


def choice(values: Mapping[str, str], key: str, known: Collection[str], default: str) -> str:
    """Return the value of a key that takes certain words.

    Raises:
        UsageError: the value is another word.
    """
    value = values.get(key, default)
    if value not in known and value != default:
        raise UsageError(f"{key}={value}: it takes {', '.join(known)}{nearest(value, known)}")
    return value


def yes(values: Mapping[str, str], key: str, default: bool) -> bool:
    """Return whether a key is `yes`.

    Raises:
        UsageError: the value is neither yes nor no.
    """
    return choice(values, key, ("yes", "no"), "yes" if default else "no") == "yes"


def number(values: Mapping[str, str], key: str, *, whole: bool = False) -> float | None:
    """Return the value of a key as a number, or None if the key is absent.

    Args:
        values: the options.
        key: which of them.
        whole: whether it must be a whole number from 0.

    Raises:
        UsageError: the value is not such a number.
    """
    if key not in values:
        return None
    text = values[key]
    if not re.fullmatch(r"\d+" if whole else r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise UsageError(f"{key}={text}: it takes a {'whole ' if whole else ''}number")
    return float(text)
