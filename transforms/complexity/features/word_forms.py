"""Features of a word's form, its letters and affixes, and of how often it is used in its language, and in others.

Frequencies are wordfreq's, on the Zipf scale (van Heuven et al. 2014): log10 of uses in 10^9 words.
A word that many languages have is likely an international one, a name, or a loan.
"""

import functools
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    FLAG,
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    Values,
    numbers,
    sums,
)
from lexbeam.transforms.lexicon.letters import letter_counts

TRIGRAMS = "trigrams_"  # the name of the resource, which no word list of a user may have
# Suffixes from Latin and Greek, and prefixes of any origin, by which English, Romance and German words are
# derived: a word's morphemes are its affixes and its stem.
PREFIXES = (
    "anti",
    "auto",
    "bio",
    "co",
    "contra",
    "counter",
    "de",
    "dis",
    "en",
    "ex",
    "extra",
    "hyper",
    "hypo",
    "il",
    "im",
    "in",
    "inter",
    "intra",
    "ir",
    "macro",
    "mega",
    "meta",
    "micro",
    "mis",
    "mono",
    "multi",
    "neo",
    "neuro",
    "non",
    "over",
    "para",
    "poly",
    "post",
    "pre",
    "pro",
    "pseudo",
    "re",
    "semi",
    "sub",
    "super",
    "trans",
    "ultra",
    "un",
    "under",
    "uni",
)
SUFFIXES = (
    "able",
    "age",
    "al",
    "ance",
    "ancy",
    "ant",
    "ary",
    "ate",
    "ation",
    "dom",
    "ed",
    "ee",
    "eer",
    "ence",
    "ency",
    "ent",
    "er",
    "ery",
    "ese",
    "ess",
    "est",
    "ful",
    "hood",
    "ial",
    "ian",
    "ible",
    "ic",
    "ical",
    "ification",
    "ify",
    "ing",
    "ion",
    "ious",
    "ish",
    "ism",
    "ist",
    "ity",
    "ive",
    "ization",
    "ize",
    "isation",
    "ise",
    "less",
    "ly",
    "ment",
    "ness",
    "or",
    "ory",
    "ous",
    "ship",
    "some",
    "tion",
    "sion",
    "ty",
    "ure",
    "ward",
    "wise",
    "y",
    "s",
    "es",
    "ies",
)
_ROOT = 3  # letters that must remain without affixes


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    return (
        Feature("length", "characters of the word", "1 and up", "code points"),
        Feature(
            "syllables",
            "one more than the places where it may be hyphenated, an approximation",
            "1 and up",
            "syllables",
            "pyphen: Hunspell's hyphenation patterns of the language",
        ),
        Feature(
            "vowel_groups",
            "runs of vowels, y among them, accents left out",
            "0 and up",
            "groups",
            "the usual count of syllables for readability",
        ),
        Feature("vowel_share", "share of vowels among the letters", "0 to 1", "share"),
        Feature("consonant_run", "the longest run of consonants", "0 and up", "code points"),
        Feature("distinct_letters", "different letters, by the word's letters", "0 to 1", "share"),
        Feature("doubled_letters", "letters that follow themselves", "0 and up", "letters"),
        Feature("capitals", "upper-case letters", "0 and up", "letters"),
        Feature("capital_share", "share of upper-case letters among the letters", "0 to 1", "share"),
        Feature("capital_initial", "begins with a capital", "0 or 1", FLAG, whole="both"),
        Feature("capital_all", "has letters, and all are capitals", "0 or 1", FLAG, whole="both"),
        Feature("digits", "decimal digits", "0 and up", "digits"),
        Feature("hyphens", "hyphens and dashes", "0 and up", "hyphens"),
        Feature("not_ascii", "letters beyond a to z", "0 and up", "code points"),
        Feature(
            "affixes",
            "known affixes that can be taken off one after the other, an approximation to its morphemes",
            "0 and up",
            "affixes",
            "a list of derivational affixes of English",
            languages=("en",),
        ),
        Feature(
            "trigram_mean",
            "mean over its characters, and its end, of the probability of a "
            "character after the two before it, in words as often as they are used",
            "up to 0",
            "log10",
            "wordfreq's list of the language",
        ),
        Feature(
            "trigram_min", "the least of these probabilities", "up to 0", "log10", "wordfreq's list of the language"
        ),
    )


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    forms = words.forms.to_pylist()
    columns = {
        **letter_counts(forms, words.language),
        "affixes": np.array([affixes(form.lower()) if words.language == "en" else np.nan for form in forms], float),
    }
    columns["trigram_mean"], columns["trigram_min"] = _trigrams(words, setting)
    return columns


@functools.lru_cache(1 << 16)
def affixes(word: str) -> int:
    """Return how many affixes can be taken off a word, the longest first, suffixes before prefixes.

    At least three letters remain, four after a prefix. An approximation: `antibody` has only one.

    >>> [affixes(word) for word in ("unhelpfulness", "sea", "antibodies", "internationalization")]
    [3, 0, 1, 4]
    """
    count = 0
    for cut in (_without_suffix, _without_prefix):
        while (left := cut(word)) != word:
            word, count = left, count + 1
    return count


def _by_length(known: Sequence[str]) -> tuple[tuple[int, frozenset[str]], ...]:
    sizes = sorted({len(affix) for affix in known}, reverse=True)
    return tuple((size, frozenset(affix for affix in known if len(affix) == size)) for size in sizes)


_SUFFIXES_BY_LENGTH, _PREFIXES_BY_LENGTH = _by_length(SUFFIXES), _by_length(PREFIXES)


def _without_suffix(word: str) -> str:
    if word.endswith(SUFFIXES):
        for size, ends in _SUFFIXES_BY_LENGTH:
            if len(word) - size >= _ROOT and word[-size:] in ends:
                return word[:-size]
    return word


def _without_prefix(word: str) -> str:
    if word.startswith(PREFIXES):
        for size, begins in _PREFIXES_BY_LENGTH:
            if len(word) - size > _ROOT and word[:size] in begins:
                return word[size:]
    return word


def trigrams_of(words: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """Return the trigrams of words in lower case, with two marks before and one after each.

    Returns owners, int64, and the trigrams, as large_string.
    """
    texts = [f"__{word}_" for word in pc.utf8_lower(words).to_pylist()]
    owners = np.repeat(np.arange(len(texts)), [len(text) - 2 for text in texts])
    return owners, pa.array([text[at : at + 3] for text in texts for at in range(len(text) - 2)], pa.large_string())


def _trigrams(words: DistinctWordForms, setting: FeatureSetting) -> tuple[Floats, Floats]:
    count = len(words.forms)
    known = setting.lexicon.find(TRIGRAMS, words.language) if words.language else None
    if known is None:
        return np.full(count, np.nan), np.full(count, np.nan)
    owners, texts = trigrams_of(words.forms)
    values = known.look_up(texts)["value"]  # type: ignore[attr-defined]
    probabilities = pc.fill_null(values, known.scale[0]).to_numpy()  # type: ignore[attr-defined]
    least = np.full(count, np.inf)
    np.minimum.at(least, owners, probabilities)
    return sums(owners, count, probabilities) / sums(owners, count), least


FORM = FeatureGroup(
    _columns,
    of_words=_of_words,
    modules=("pyphen",),
    extra="complexity",
    doc="length, syllables, letters, affixes, probability of its characters",
)


ZIPF = "zipf_"  # the name of the resources
_SOURCE = "wordfreq (Speer 2022)"
_SCALE, _UNIT = "0 to 9", "Zipf"
_PART = 4  # letters of a prefix or suffix, at least
_LONGEST = 40  # letters of a word whose parts are looked up


def _frequency_columns(setting: FeatureSetting) -> Sequence[Feature]:
    return (
        Feature("zipf", "frequency of the word in its language", _SCALE, _UNIT, _SOURCE),
        Feature("zipf_lemma", "frequency of its lemma", _SCALE, _UNIT, _SOURCE),
        Feature(
            "zipf_prefix",
            "frequency of the commonest word that it begins with: at least four letters, and shorter than itself",
            _SCALE,
            _UNIT,
            _SOURCE,
        ),
        Feature("zipf_suffix", "frequency of the commonest word that it ends in, likewise", _SCALE, _UNIT, _SOURCE),
        *(
            Feature(f"zipf_{language}", f"frequency of the same letters in language {language}", _SCALE, _UNIT, _SOURCE)
            for language in setting.languages
        ),
        Feature(
            "zipf_elsewhere",
            "mean of its frequencies in the other languages, 0 where it is not "
            f"known ({', '.join(setting.languages) or 'none'})",
            _SCALE,
            _UNIT,
            _SOURCE,
        ),
        Feature("languages", "how many of these languages know it", "0 and up", "languages", _SOURCE),
    )


def zipf_of(words: pa.Array, language: str | None, setting: FeatureSetting) -> Floats:
    """Return the frequency of words in a language; NaN where it is not known."""
    known = setting.lexicon.find(ZIPF, language) if language else None
    if known is None:
        return np.full(len(words), np.nan)
    return numbers(known.look_up(words)["value"])  # type: ignore[attr-defined]


def _frequency_of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
    zipf = zipf_of(words.forms, words.language, setting)
    columns = {"zipf": zipf, "zipf_lemma": zipf_of(words.lemmas, words.language, setting)}
    begins, ends = _within(words.lower)
    for name, (owners, parts) in (("zipf_prefix", begins), ("zipf_suffix", ends)):
        columns[name] = _best(owners, zipf_of(parts, words.language, setting), len(zipf))
    others = [language for language in setting.languages if language != words.language]
    for language in setting.languages:
        same = language == words.language
        columns[f"zipf_{language}"] = zipf if same else zipf_of(words.forms, language, setting)
    values = [columns[f"zipf_{language}"] for language in others]
    total, count = np.zeros(len(zipf)), np.zeros(len(zipf))
    for column in values:
        total += np.nan_to_num(column)
        count += ~np.isnan(column)
    nothing = np.full(len(zipf), np.nan)
    columns["zipf_elsewhere"] = total / len(others) if others else nothing
    columns["languages"] = count if others else nothing
    return columns


def _within(words: pa.Array) -> tuple[tuple[np.ndarray, pa.Array], ...]:
    """Return the beginnings of words, and their ends, each with its owner."""
    letters = np.array([word.isalpha() for word in words.to_pylist()], bool)
    lengths = numbers(pc.utf8_length(words))
    lengths[~letters | (lengths > _LONGEST)] = 0
    owners, begins, ends = [], [], []
    for size in range(_PART, int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > size)
        longer_words = words.take(pa.array(longer))
        owners.append(longer)
        begins.append(pc.utf8_slice_codeunits(longer_words, 0, size))
        ends.append(pc.utf8_slice_codeunits(longer_words, -size))
    whole = np.concatenate(owners or [np.empty(0, np.int64)])
    nothing = pa.array([], pa.large_string())
    return (whole, pa.concat_arrays([nothing, *begins])), (whole, pa.concat_arrays([nothing, *ends]))


def _best(owners: np.ndarray, values: Floats, count: int) -> Floats:
    best = np.full(count, -np.inf)
    np.maximum.at(best, owners, np.nan_to_num(values, nan=-np.inf))
    return np.where(np.isinf(best), np.nan, best)


FREQUENCY = FeatureGroup(
    _frequency_columns, of_words=_frequency_of_words, doc="frequency in its language and in others"
)
