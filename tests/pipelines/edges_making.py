"""Values at the edges of what an option may be, commands to give them to, and what is sane then."""

import dataclasses
import decimal
import re
from pathlib import Path

import numpy as np

from lexbeam.pipelines.frame.registry import available
from lexbeam.transforms.common.options.fields import options_of

# As a person, a shell or a script may write them.
TEXTS = {
    "nothing": "",
    "a space": " ",
    "a dash": "-",
    "two dashes": "--",
    "minus one": "-1",
    "a flag": "--x",
    "zero": "0",
    "one": "1",
    "a fraction": "0.5",
    "nan": "nan",
    "inf": "inf",
    "-inf": "-inf",
    "1e400": "1e400",
    "2**63": str(2**63),
    "2**200": str(2**200),
    "-2**63-1": str(-(2**63) - 1),
    "5000 digits": "1" * 5000,
    "other digits": "١٢",
    "no ASCII": "ünïcode Ω 𝕏",
    "NUL": "a\0b",
    "lines": "a\nb" * 100,
    "escape": "\x1b[2Ja",
    "1 MB": "x" * 1_000_000,
    "half a pair": "\ud800",
    "no UTF-8": "\udc80a",
    "a word": "true",
    "a list": "[]",
    "100,000 brackets": "[" * 100_000,
    "commas": ",,",
    "twice": "1,1",
    "up": "../../x",
    "a pattern": "*",
    "colons": "a:b:c:d",
    "an equals sign": "=",
    "no such home": "~nosuch/x",
    "a parenthesis": "(",
    "a backslash": "\\",
    "an option": "`out`",
    "percent": "%s %d {0} ${x}",
    "a scheme": "nosuch://x",
}

# What a file of YAML may hold in an option's place.
YAML = (
    "",
    "~",
    "true",
    "no",
    "0",
    "-1",
    "1.5",
    ".nan",
    ".inf",
    "-.inf",
    str(2**63),
    str(2**200),
    "1" * 300,
    "2020-01-01",
    "1:30",
    '""',
    "[]",
    "[[]]",
    "[~]",
    "[true, 1]",
    "{}",
    "{a: 1}",
    "[{}]",
    '"a\\0b"',
    '"\\uD800"',
    '"a\\nb"',
    "'" + "x" * 40_000 + "'",
    "'[[[['",
    "ünïcode",
    "'*'",
    "'--'",
)


class _Unwilling:
    def __repr__(self):
        raise RuntimeError("no name")


# What a Python program may give.
OBJECTS = (
    True,
    0,
    -1,
    1.5,
    float("nan"),
    float("inf"),
    2**63,
    2**200,
    10**5000,
    -(10**5000),
    b"x",
    "",
    "a\0b",
    "\ud800",
    "x" * 1_000_000,
    [],
    [None],
    [[]],
    [True],
    {},
    {1: 2},
    {"a"},
    range(3),
    object,
    object(),
    _Unwilling(),
    1j,
    decimal.Decimal("nan"),
    np.int64(3),
    np.float64("nan"),
    np.zeros(3),
    np.str_("x"),
    Path("x"),
    Path("a\0b"),
    print,
    iter("ab"),
)


def all_options(every):
    """Return pairs of a command's words and an option: each with the first that has it, or with every one."""
    options = [(words, entry) for words, command in available() for entry in options_of(command.options).values()]
    if every:
        return options
    return list({repr(entry._replace(place=(), group="")): (words, entry) for words, entry in options[::-1]}.values())


# What makes sense of what a command needs; a command of others gets any value of the right type.
_NEEDED = {
    ("cloze abstractness", "ratings"): "ratings.csv:word=1,value=2",
    ("change", "slices"): "1800-1849,1850-1900",
    ("export", "format"): "tsv",
    ("lexicon look", "word"): "sea",
    ("simplify train-inflector", "language"): "en",
}


def required_of(words, cls, folder):
    """Return values of the options that a command must be given; paths lie in a folder."""
    found = {}
    for name, entry in options_of(cls).items():
        if entry.default is dataclasses.MISSING or (words, name) in _NEEDED:
            value = _NEEDED.get((words, name)) or _any(entry, folder)
            found[name] = value
    return found


def _any(entry, folder):
    if entry.choices:
        return entry.allowed[0]
    if entry.path:
        return str(folder / ("texts" if entry.path == "input" else entry.name))
    return "1"


_TYPE = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt)\b|Traceback")


def is_readable(told):
    """Return whether a message is one for a person: no types, no page long, nothing unprintable."""
    lines = told.splitlines()
    return (
        not _TYPE.search(told)
        and 0 < len(lines) < 40
        and all(len(line) < 2200 and line.replace("\t", " ").isprintable() for line in lines)
        and bool(told.encode())
    )


def names_it(told, entry, value):
    """Return whether a message names the option, or at least the value."""
    names = {entry.name, entry.shown, entry.metavar or entry.name}
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told) for name in names):
        return True
    return isinstance(value, str) and bool(value) and repr(value[:60])[1:-1][:50] in told
