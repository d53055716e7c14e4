"""What the letters of a word say: length, syllables, vowels, capitals. Complexity is described and ranked by them.

Syllables are counted as places where a word may be hyphenated, by the patterns of Liang (1983), from pyphen. A
pattern is a run of letters, with `.` for a border of the word, and a number between any two of them. Of all patterns
that match a word, the greatest number counts at each place; where it is odd, the word may be hyphenated. pyphen looks
for runs of up to the length of the longest pattern at each place of a word; here a run with which no pattern begins
ends the search, which is three times as fast.
"""

import functools
import itertools
import operator
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

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


_VOWELS = "aeiouyæøœаеёиоуыэюяіїєαεηιουω"
_VOWEL_RUN = re.compile(f"[{_VOWELS}]+")
_NO_CONSONANT = re.compile(f"[{_VOWELS} ]+")


def letter_counts(forms: Sequence[str], language: str | None) -> dict[str, np.ndarray]:
    """Return what the letters of words say, by the names of columns of docs/tasks/complexity/features.md.

    Args:
        forms: the words.
        language: whose patterns of hyphenation count syllables; nan where it has none.
    """
    values = itertools.chain.from_iterable(map(_counted, forms))
    rows = np.fromiter(values, float, len(forms) * len(_COUNTED)).reshape(-1, len(_COUNTED))
    columns: dict[str, np.ndarray] = dict(zip(_COUNTED, rows.T, strict=True))
    columns["capital_initial"] = columns["capital_initial"] > 0
    columns["capital_all"] = columns["capital_all"] > 0
    columns["length"] = np.array([len(form) for form in forms], float)
    columns["syllables"] = np.array([syllables(form, language) for form in forms], float)
    return columns


_COUNTED = (
    "vowel_groups",
    "vowel_share",
    "consonant_run",
    "distinct_letters",
    "doubled_letters",
    "capitals",
    "capital_share",
    "capital_initial",
    "capital_all",
    "digits",
    "hyphens",
    "not_ascii",
)


@functools.lru_cache(1 << 16)
def _counted(form: str) -> tuple[float, ...]:
    # Most words are lower-case ASCII letters, so these are checked first.
    plain = form.isalpha()
    letters = form if plain else "".join(filter(str.isalpha, form))
    capitals = 0 if letters.islower() else sum(map(str.isupper, letters))
    of = max(len(letters), 1)
    low, bare = form.lower(), _bare(form)
    runs = _VOWEL_RUN.findall(bare)
    apart = bare if bare.isalpha() else "".join(letter if letter.isalpha() else " " for letter in bare)
    return (
        len(runs),
        sum(map(len, runs)) / of,
        max(map(len, _NO_CONSONANT.split(apart))),
        len(set(low)) / max(len(low), 1),
        sum(map(operator.eq, low, low[1:])),
        capitals,
        capitals / of,
        form[:1].isupper(),
        bool(letters) and capitals == len(letters),
        0 if plain else sum(map(str.isdecimal, form)),
        0 if plain else sum(unicodedata.category(letter) == "Pd" for letter in form),
        0 if letters.isascii() else sum(not letter.isascii() for letter in letters),
    )


def _bare(form: str) -> str:
    """Return a word in lower case, without accents."""
    low = form.lower()
    if low.isascii():
        return low
    apart = unicodedata.normalize("NFD", low)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def vowel_groups(form: str) -> int:
    """Return the number of runs of vowels of a word.

    >>> [vowel_groups(word) for word in ("sea", "über", "rhythm", "TV", "Lua")]
    [1, 2, 1, 0, 1]
    """
    return len(_VOWEL_RUN.findall(_bare(form)))
