"""Syllables as places where a word may be hyphenated: Liang's (1983) patterns, as pyphen has them.

A pattern is a run of letters, `.` for a border of the word, with a number between any two of them.
Of all patterns that a word has, the greatest number counts at each place; where it is odd, the word
may be hyphenated. pyphen looks for runs of up to the length of the longest pattern at each place of
a word; here a run that no pattern begins with ends the search, which is three times as fast.
"""

import functools
from typing import NamedTuple

from transforms.common.errors import LexbeamError

__all__ = ["syllables"]


class _Patterns(NamedTuple):
    """Patterns of a language.

    Attributes:
        left: letters before the first place, at least.
        right: letters behind the last place, at least.
        runs: by run of letters, where its numbers begin, and these; None of what patterns only
            begin with.
    """

    left: int
    right: int
    runs: dict[str, tuple[int, tuple[int, ...]] | None]


@functools.cache
def _patterns(language: str | None) -> _Patterns | None:
    try:
        import pyphen
    except ImportError as error:
        raise LexbeamError(
            "group `form` needs the package pyphen, which the extra `complexity` installs: "
            "pip install 'lexbeam[complexity]'"
        ) from error
    tag = pyphen.language_fallback(language) if language else None
    if tag is None:
        return None
    read = pyphen.Pyphen(lang=tag)
    runs: dict[str, tuple[int, tuple[int, ...]] | None] = {}
    for run in read.hd.patterns:
        runs.update((run[:end], None) for end in range(1, len(run)))
    runs.update(read.hd.patterns)
    return _Patterns(read.left, read.right, runs)


@functools.lru_cache(1 << 16)
def syllables(form: str, language: str | None) -> float:
    """Return one more than the places where a word may be hyphenated, by pyphen.

    NaN for a language without patterns.

    Raises:
        LexbeamError: pyphen is not installed.
    """
    patterns = _patterns(language)
    return float("nan") if patterns is None else _places(form.lower(), patterns) + 1.0


def _places(word: str, patterns: _Patterns) -> int:
    runs = patterns.runs
    framed = f".{word}."
    size = len(framed)
    numbers = [0] * (size + 1)
    for start in range(size - 1):
        for end in range(start + 1, size + 1):
            found = runs.get(framed[start:end], _NONE)
            if found is _NONE:
                break
            if found is not None:
                at = start + found[0]
                for number in found[1]:
                    if number > numbers[at]:
                        numbers[at] = number
                    at += 1
    # Before the first letter of the word there is a border.
    places = numbers[patterns.left + 1 : len(word) - patterns.right + 2]
    return sum(number % 2 for number in places)


_NONE = (0, ())
