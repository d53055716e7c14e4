"""Errors of YAML in plain words: where, what is wrong, what to do."""

import re
from typing import Any

import yaml

# What PyYAML says, and what is meant, with a remedy; the first that matches. The last value says whether
# the place is where what is broken begins, or where that was noticed.
_MEANT: tuple[tuple[str, str, bool], ...] = (
    (r"'\\t'|tab character", "a tab stands where only spaces may: indent with spaces", False),
    (
        r"character '(.)' that cannot start any token",
        "a value cannot begin with {0} as it is: put the value in quotes",
        False,
    ),
    (
        r"unknown escape character '(.)'",
        "in double quotes a backslash begins an escape, and there is no \\{0}: put the value in single quotes",
        False,
    ),
    (
        r"quoted scalar.*(?:end of stream|document separator)",
        "the quote that opens here is not closed: close it, or leave it out",
        True,
    ),
    (
        r"simple key.*could not find expected ':'",
        "the line is no `name: value`: write a colon and a space after the name, and a space after a dash",
        True,
    ),
    (
        r"mapping values are not allowed",
        "a colon makes this a name where none can stand: put a value that holds a colon in quotes, and let all "
        "names of a section begin in the same column",
        False,
    ),
    (
        r"expected <block end>",
        "the line is not indented as those before it: let all names of a section, and all dashes of a list, begin "
        "in the same column",
        False,
    ),
    (r"flow sequence", "the bracket [ that opens here is not closed: close it with ], commas between the values", True),
    (r"flow mapping", "the bracket {{ that opens here is not closed: close it with }}, commas between the pairs", True),
    (r"scanning an (?:alias|anchor)|undefined alias", "* or & has a meaning of its own: put the value in quotes", True),
    (r"but found another document", "a line --- begins a second document, and one is read: leave the line out", False),
)


def explained_yaml(error: yaml.YAMLError) -> str:
    """Return the line and column of an error of PyYAML, what is wrong there, and what to do."""
    if isinstance(error, yaml.reader.ReaderError):
        code = error.character if isinstance(error.character, int) else ord(error.character[:1] or "?")
        return f"unacceptable character U+{code:04X}, the {error.position + 1}th of the file: remove it"
    context, problem = getattr(error, "context", "") or "", getattr(error, "problem", "") or str(error)
    said = " ".join((context, problem))
    for pattern, meant, at_begin in _MEANT:
        if match := re.search(pattern, said):
            return _placed(error, meant.format(*match.groups()), at_begin=at_begin)
    return _placed(error, f"{problem}: correct the line, or put the value in quotes", at_begin=False)


def _placed(error: Any, text: str, *, at_begin: bool) -> str:
    begin, noticed = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    mark = (begin or noticed) if at_begin else (noticed or begin)
    return text if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: {text}"
