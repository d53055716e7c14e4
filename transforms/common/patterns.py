r"""Patterns: those that people write, matched by RE2, and ours, matched from a place backwards.

RE2 matches in time that grows with the text, never without end. The syntax is that of Python's `re` but for what needs
backtracking (lookaround, references back to groups, atomic groups). `\d`, `\w`, `\s` and `\b` mean ASCII; `\p{L}` and
`\p{Nd}` are letters and digits of any script. The end of the text is `\z`.

    >>> compiled(r"su(\d{4})", "dates").search("su1790.txt")[1]
    '1790'

A pattern that ends in `\Z` is tried at each place of a text, and where it begins with a run of letters this takes
time that grows with the square of the run. Read backwards it is tried at one place.

>>> match = match_backwards(re.compile(r" *(\w+)"), "the old house", 8)
>>> match[1][::-1] if match else None
'old'
"""

import functools
import re

import re2

from lexbeam.transforms.common.errors import UsageError

_SURROGATE = re.compile("[\ud800-\udfff]")
# What is written otherwise here than in Python, or cannot be: what RE2 says, a sign of it in the
# pattern, the remedy. The first that fits counts.
_UNLIKE = (
    (
        "operator",
        r"\(\?<?[=!]",
        "lookahead and lookbehind are not there: match what stands around, and put what counts in a group",
    ),
    ("escape", r"\\[1-9]", "groups cannot be referred to within the pattern"),
    ("operator", r"\(\?P=|\(\?\(", "groups cannot be referred to within the pattern"),
    ("escape", r"\\Z", r"the end is \z here, or $"),
    ("operator", r"\(\?>|[*+?}]\+", "atomic groups and possessive repeats are not there, nor are they needed"),
    ("escape", r"\\[uUN]", r"write the character itself, or \x{E9}"),
    ("operator", r"\(\?#|\(\?[aLux]", "of flags there are (?i), (?m), (?s) and (?U)"),
    ("repetition size", "", "a part may be repeated 1000 times at most"),
    ("missing )", "", r"close the group with ), or write \( for a bracket of the text"),
    ("missing ]", "", r"close the class with ], or write \[ for a bracket of the text"),
    ("unexpected )", "", r"write \) for a bracket of the text"),
    ("repetition operator", "", r"write \*, \+ or \? for a sign of the text"),
)
# Steps of a pattern, at most: a name of 65,000 characters, as archives may have, takes seconds.
_LARGEST = 20_000
_OPEN_COUNT = re.compile(r"(?<!\\)(?:\\\\)*\{,\d+\}")


def searchable(text: str) -> str:
    """Return text that a pattern can be looked for in: half a surrogate pair becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


@functools.lru_cache(64)
def compiled(pattern: str, option: str) -> re.Pattern[str]:
    """Return a compiled pattern of RE2, which has the methods of `re.Pattern`.

    Raises:
        UsageError: it is no pattern, or needs what RE2 lacks; the message names `option`.
    """
    quiet = re2.Options()
    quiet.log_errors = False
    if _SURROGATE.search(pattern):
        raise UsageError(f"`{option}`: {shown(pattern)} is not text: its bytes are not UTF-8")
    if _OPEN_COUNT.search(pattern):  # which RE2 takes for characters like others
        raise UsageError(f"`{option}`: {shown(pattern)}: write {{0,n}} instead of {{,n}}")
    try:
        program = re2.compile(pattern, quiet)
    except re2.error as error:
        cause = error.args[0] if error.args else ""
        cause = cause.decode("utf-8", "replace") if isinstance(cause, bytes) else str(cause)
        remedies = (f"; {remedy}" for part, sign, remedy in _UNLIKE if part in cause and re.search(sign, pattern))
        raise UsageError(
            f"`{option}`: {shown(pattern)} is not a regular expression: {cause[:80]}" + next(remedies, "")
        ) from None
    if program.programsize > _LARGEST:
        raise UsageError(f"`{option}`: {shown(pattern)} is too large a pattern: repeat less in it")
    expression: re.Pattern[str] = program
    return expression


def shown(pattern: str) -> str:
    """Return a pattern for a message, as it was written if that can be shown, or its beginning."""
    text = pattern if len(pattern) <= 100 else pattern[:100] + "..."
    return f"'{text}'" if text.isprintable() else repr(text)


WINDOW = 200  # characters that are looked at: no word is longer


def match_backwards(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """Match a pattern with what stands before a place, read backwards; None: not within `WINDOW` characters.

    Args:
        pattern: of text read backwards; so are the groups of the match.
    """
    match = pattern.match(text[max(0, end - WINDOW - 1) : end][::-1])
    return None if match is None or match.end() > WINDOW else match
