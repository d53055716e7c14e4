"""Features of words by which their complexity is predicted: length, syllables, letters, lists.

All depend on the word alone, since its rivals stand in the same sentence.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.complexity.features.base import DistinctWordForms, FeatureSetting, numbers
from transforms.complexity.features.form import FORM
from transforms.lexicon.resources import Lexicon

__all__ = ["LETTERS", "word_features"]

Floats = npt.NDArray[np.float64]

# Of the group `form`, see docs/tasks/complexity/features.md.
LETTERS = (
    "length",
    "syllables",
    "vowel_groups",
    "vowel_share",
    "consonant_run",
    "distinct_letters",
    "doubled_letters",
    "not_ascii",
)


def word_features(words: Sequence[str], languages: Sequence[str], lexicon: Lexicon, lists: Sequence[str]) -> Floats:
    """Return the features of words, (words, LETTERS + lists).

    A list's value v is taken as asinh(v), about the logarithm of a count, and as it is near 0;
    nan where the list does not have the word. Syllables are nan in a language without patterns of
    hyphenation.

    Args:
        words: in lower case.
        languages: of each; empty where nothing says it.
        lexicon: the word lists.
        lists: their names.
    """
    found = np.full((len(words), len(LETTERS) + len(lists)), np.nan)
    codes = np.asarray(languages, dtype=object)
    setting = FeatureSetting(("form",), lexicon, (), ())
    for language in sorted(set(languages)):
        rows = np.flatnonzero(codes == language)
        forms = pa.array([words[row] for row in rows.tolist()], pa.string())
        own = DistinctWordForms(language or None, forms, forms, forms, pa.nulls(len(forms), pa.string()))
        assert FORM.of_words is not None
        values = FORM.of_words(own, setting)
        for place, name in enumerate(LETTERS):
            found[rows, place] = values[name]
        for place, name in enumerate(lists, len(LETTERS)):
            listed = lexicon.find(name, language or None)
            if listed is not None:
                value = numbers(listed.look_up(forms)["value"])  # type: ignore[attr-defined]
                found[rows, place] = np.arcsinh(value)
    return found
