"""Syllables as places where a word may be hyphenated: the patterns of Liang (1983), from pyphen.

A pattern is a run of letters, with `.` for a border of the word, and a number between any two of
them. Of all patterns that match a word, the greatest number counts at each place; where it is odd,
the word may be hyphenated. pyphen looks for runs of up to the length of the longest pattern at each
place of a word; here a run with which no pattern begins ends the search, which is three times as fast.
"""

import functools
from typing import NamedTuple

from lexbeam.transforms.common.errors import missing_package


class _Patterns(NamedTuple):
    """Patterns of a language.

    Attributes:
        left: least number of letters before the first place.
        right: least number of letters after the last place.
        runs: by run of letters, where its numbers begin, and the numbers; None for a run with which
            patterns only begin.
    """

    left: int
    right: int
    runs: dict[str, tuple[int, tuple[int, ...]] | None]


@functools.cache
def _patterns(language: str | None) -> _Patterns | None:
    try:
        import pyphen
    except ImportError as error:
        raise missing_package("syllables need", "pyphen", "complexity") from error
    tag = pyphen.language_fallback(language) if language else None
    if tag is None:
        return None
    hyphenator = pyphen.Pyphen(lang=tag)
    runs: dict[str, tuple[int, tuple[int, ...]] | None] = {}
    for run in hyphenator.hd.patterns:
        runs.update((run[:end], None) for end in range(1, len(run)))
    runs.update(hyphenator.hd.patterns)
    return _Patterns(hyphenator.left, hyphenator.right, runs)


@functools.lru_cache(1 << 16)
def syllables(form: str, language: str | None) -> float:
    """Return one more than the number of places where a word may be hyphenated, by pyphen.

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
            pattern = runs.get(framed[start:end], _NO_RUN)
            if pattern is _NO_RUN:
                break
            if pattern is not None:
                at = start + pattern[0]
                for number in pattern[1]:
                    if number > numbers[at]:
                        numbers[at] = number
                    at += 1
    # Before the first letter of the word there is a border.
    places = numbers[patterns.left + 1 : len(word) - patterns.right + 2]
    return sum(number % 2 for number in places)


_NO_RUN = (0, ())
