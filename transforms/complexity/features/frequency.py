"""Features of frequency: how often a word is used in its language, and in others.

The values are wordfreq's, on the Zipf scale (van Heuven et al. 2014): log10 of uses in 10^9 words.
A word that many languages have is likely an international one, a name, or a loan.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    DistinctWordForms,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    Values,
    numbers,
)

ZIPF = "zipf_"  # the name of the resources
_SOURCE = "wordfreq (Speer 2022)"
_SCALE, _UNIT = "0 to 9", "Zipf"
_PART = 4  # letters of a prefix or suffix, at least
_LONGEST = 40  # letters of a word whose parts are looked up


def _columns(setting: FeatureSetting) -> Sequence[Feature]:
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


def _of_words(words: DistinctWordForms, setting: FeatureSetting) -> Values:
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


FREQUENCY = FeatureGroup(_columns, of_words=_of_words, doc="frequency in its language and in others")
