"""Features of a word's form: length, syllables, letters, affixes, probability of its characters."""

import functools
import itertools
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.errors import LexbeamError
from transforms.complexity.features_base import Feature, Floats, Group, Setting, Values, Words, sums

__all__ = ["FORM", "TRIGRAMS", "syllables", "trigrams_of", "vowel_groups"]

TRIGRAMS = "trigrams_"  # the name of the resource; no list of a person's can be called so
_VOWELS = frozenset("aeiouyæøœаеёиоуыэюяіїєαεηιουω")
# Suffixes of words from Latin and Greek, and prefixes of any origin, by which English, Romance and
# German words are derived: a word has as many morphemes as it has of these, and its stem.
_PREFIXES = (
    "anti", "auto", "bio", "co", "contra", "counter", "de", "dis", "en", "ex", "extra", "hyper",
    "hypo", "il", "im", "in", "inter", "intra", "ir", "macro", "mega", "meta", "micro", "mis",
    "mono", "multi", "neo", "neuro", "non", "over", "para", "poly", "post", "pre", "pro", "pseudo",
    "re", "semi", "sub", "super", "trans", "ultra", "un", "under", "uni",
)  # fmt: skip
_SUFFIXES = (
    "able", "age", "al", "ance", "ancy", "ant", "ary", "ate", "ation", "dom", "ed", "ee", "eer",
    "ence", "ency", "ent", "er", "ery", "ese", "ess", "est", "ful", "hood", "ial", "ian", "ible",
    "ic", "ical", "ification", "ify", "ing", "ion", "ious", "ish", "ism", "ist", "ity", "ive",
    "ization", "ize", "isation", "ise", "less", "ly", "ment", "ness", "or", "ory", "ous", "ship",
    "some", "tion", "sion", "ty", "ure", "ward", "wise", "y", "s", "es", "ies",
)  # fmt: skip
_ROOT = 3  # letters that must be left of a word without its affixes


def _columns(_: Setting) -> Sequence[Feature]:
    return (
        Feature("length", "characters of the word", "1 and up", "code points"),
        Feature(
            "syllables", "one more than the places where it may be hyphenated, an approximation",
            "1 and up", "syllables", "pyphen: Hunspell's hyphenation patterns of the language",
        ),
        Feature(
            "vowel_groups", "runs of vowels, y among them, accents left out", "0 and up",
            "groups", "the usual count of syllables for readability",
        ),
        Feature("vowel_share", "share of vowels among the letters", "0 to 1"),
        Feature(
            "consonant_run", "the longest run of consonants", "0 and up", "code points"
        ),
        Feature("distinct_letters", "different letters, by the word's letters", "0 to 1"),
        Feature("doubled_letters", "letters that follow themselves", "0 and up"),
        Feature("capitals", "upper-case letters", "0 and up"),
        Feature("capital_share", "share of upper-case letters among the letters", "0 to 1"),
        Feature("capital_initial", "begins with a capital", "0 or 1", whole="both"),
        Feature("capital_all", "has letters, and all are capitals", "0 or 1", whole="both"),
        Feature("digits", "decimal digits", "0 and up"),
        Feature("hyphens", "hyphens and dashes", "0 and up"),
        Feature(
            "not_ascii", "letters beyond a to z", "0 and up", "code points"
        ),
        Feature(
            "affixes", "known affixes that can be taken off one after the other, an approximation "
            "to its morphemes", "0 and up", "affixes", "a list of derivational affixes of English",
            languages=("en",),
        ),
        Feature(
            "trigram_mean", "mean over its characters, and its end, of the probability of a "
            "character after the two before it, in words as often as they are used",
            "up to 0", "log10", "wordfreq's list of the language",
        ),
        Feature("trigram_min", "the least of these probabilities", "up to 0", "log10",
                "wordfreq's list of the language"),
    )  # fmt: skip


def _of_words(words: Words, setting: Setting) -> Values:
    forms = words.forms.to_pylist()
    found = {
        "length": np.array([len(form) for form in forms], float),
        "syllables": np.array([syllables(form, words.language) for form in forms], float),
        "affixes": np.array(
            [affixes(form.lower()) if words.language == "en" else np.nan for form in forms], float
        ),
        **_letters(forms),
    }
    found["trigram_mean"], found["trigram_min"] = _trigrams(words, setting)
    return found


def _letters(forms: Sequence[str]) -> dict[str, np.ndarray]:
    rows = np.array([_counted(form) for form in forms], float).reshape(len(forms), len(_COUNTED))
    found: dict[str, np.ndarray] = dict(zip(_COUNTED, rows.T, strict=True))
    found["capital_initial"] = found["capital_initial"] > 0
    found["capital_all"] = found["capital_all"] > 0
    return found


_COUNTED = (
    "vowel_groups", "vowel_share", "consonant_run", "distinct_letters", "doubled_letters",
    "capitals", "capital_share", "capital_initial", "capital_all", "digits", "hyphens",
    "not_ascii",
)  # fmt: skip


def _counted(form: str) -> tuple[float, ...]:
    letters = [letter for letter in form if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    of = max(len(letters), 1)
    bare = _bare(form)
    low = form.lower()
    run = longest = 0
    for letter in bare:
        run = run + 1 if letter.isalpha() and letter not in _VOWELS else 0
        longest = max(longest, run)
    return (
        vowel_groups(form),
        sum(letter in _VOWELS for letter in bare) / of,
        longest,
        len(set(low)) / max(len(low), 1),
        sum(a == b for a, b in itertools.pairwise(low)),
        capitals,
        capitals / of,
        form[:1].isupper(),
        bool(letters) and capitals == len(letters),
        sum(letter.isdecimal() for letter in form),
        sum(unicodedata.category(letter) == "Pd" for letter in form),
        sum(letter.isalpha() and not letter.isascii() for letter in form),
    )


@functools.lru_cache(1 << 16)
def _bare(form: str) -> str:
    """Return a word in lower case, without accents."""
    apart = unicodedata.normalize("NFD", form.lower())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def vowel_groups(form: str) -> int:
    """Return the number of runs of vowels of a word.

    >>> [vowel_groups(word) for word in ("sea", "über", "rhythm", "TV", "Lua")]
    [1, 2, 1, 0, 1]
    """
    bare = _bare(form)
    inside = [letter in _VOWELS for letter in bare]
    return sum(now and not before for before, now in zip([False, *inside], inside, strict=False))


@functools.cache
def _patterns(language: str | None) -> Any:
    try:
        import pyphen
    except ImportError as error:
        raise LexbeamError(
            "features of the form need the package pyphen, which the extra `complexity` installs: "
            "pip install 'lexbeam[complexity]'"
        ) from error
    found = pyphen.language_fallback(language) if language else None
    return None if found is None else pyphen.Pyphen(lang=found)


@functools.lru_cache(1 << 16)
def syllables(form: str, language: str | None) -> float:
    """Return one more than the places where a word may be hyphenated, by pyphen.

    NaN for a language without patterns.

    Raises:
        LexbeamError: pyphen is not installed.
    """
    patterns = _patterns(language)
    return float("nan") if patterns is None else len(patterns.positions(form.lower())) + 1.0


def affixes(word: str) -> int:
    """Return how many affixes can be taken off a word, the longest first, suffixes before prefixes.

    At least three letters are left, after a prefix four. An approximation: `image` has none, but
    so has `antibody` but one.

    >>> [affixes(word) for word in ("unhelpfulness", "sea", "antibodies", "internationalization")]
    [3, 0, 1, 4]
    """
    count = 0
    for known, cut in ((_SUFFIXES, _without_suffix), (_PREFIXES, _without_prefix)):
        while True:
            left = cut(word, known)
            if left == word:
                break
            word, count = left, count + 1
    return count


def _without_suffix(word: str, known: Sequence[str]) -> str:
    ends = [end for end in known if word.endswith(end) and len(word) - len(end) >= _ROOT]
    return word[: -max(map(len, ends))] if ends else word


def _without_prefix(word: str, known: Sequence[str]) -> str:
    begins = [begin for begin in known if word.startswith(begin) and len(word) - len(begin) > _ROOT]
    return word[max(map(len, begins)) :] if begins else word


def trigrams_of(words: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """Return the trigrams of words in lower case, two marks before each and one behind it.

    Returns owners, int64, and the trigrams, as large_string.
    """
    texts = [f"__{word}_" for word in pc.utf8_lower(words).to_pylist()]
    owners = np.repeat(np.arange(len(texts)), [len(text) - 2 for text in texts])
    return owners, pa.array(
        [text[at : at + 3] for text in texts for at in range(len(text) - 2)], pa.large_string()
    )


def _trigrams(words: Words, setting: Setting) -> tuple[Floats, Floats]:
    count = len(words.forms)
    known = setting.lexicon.find(TRIGRAMS, words.language) if words.language else None
    if known is None:
        return np.full(count, np.nan), np.full(count, np.nan)
    owners, texts = trigrams_of(words.forms)
    values = known.look_up(texts)["value"]  # type: ignore[attr-defined]
    found = pc.fill_null(values, known.scale[0]).to_numpy()  # type: ignore[attr-defined]
    least = np.full(count, np.inf)
    np.minimum.at(least, owners, found)
    return sums(owners, count, found) / sums(owners, count), least


FORM = Group("length, syllables, letters, affixes, probability of its characters", _columns,
             of_words=_of_words)  # fmt: skip
