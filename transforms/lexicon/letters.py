"""What the letters of a word say: length, syllables, vowels, capitals. Complexity is described and ranked by them."""

import functools
import itertools
import operator
import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from lexbeam.transforms.lexicon.hyphenation import syllables

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
