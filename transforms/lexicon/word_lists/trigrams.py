"""How probable a character is after the two before it: resource `trigrams:LANG`.

The words of wordfreq's list of a language (extra `frequency`) count as often as they are used, in
lower case, two marks `_` before each and one behind it. The value of a trigram abc is log10 of
f(abc) / f(ab), the maximum likelihood estimate.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from transforms.lexicon.compiled.kind import ResourceKind
from transforms.lexicon.word_lists.frequencies import zipf_values
from transforms.lexicon.word_lists.kinds import words_from

__all__ = ["TRIGRAMS", "trigram_values"]


def _language(argument: str) -> str:
    return argument


def trigram_values(argument: str) -> pa.Table:
    """Return trigrams and the probability of their last character after the others.

    Args:
        argument: a language.

    Returns:
        `word`, a trigram, and `value`, log10 of a probability.

    Raises:
        LexbeamError: wordfreq is not installed, or does not have the language.
    """
    listed = zipf_values(argument)
    totals: dict[str, float] = {}
    for text, zipf in zip(listed["word"].to_pylist(), listed["value"].to_pylist(), strict=True):
        frequency = 10.0 ** (zipf - 9)
        for trigram in _trigrams(f"__{text.lower()}_"):
            totals[trigram] = totals.get(trigram, 0.0) + frequency
    before: dict[str, float] = {}
    for trigram, frequency in totals.items():
        before[trigram[:2]] = before.get(trigram[:2], 0.0) + frequency
    # A trigram with white space or nothing printed in it is no word that a list can hold.
    kept = sorted(trigram for trigram in totals if trigram.isprintable() and " " not in trigram)
    values = [float(np.log10(totals[trigram] / before[trigram[:2]])) for trigram in kept]
    return pa.table({"word": pa.array(kept, pa.large_string()), "value": values})


def _trigrams(text: str) -> Iterator[str]:
    return (text[at : at + 3] for at in range(len(text) - 2))


TRIGRAMS: ResourceKind = words_from(
    trigram_values, help="trigrams:LANG", language=_language, case="keep", duplicates="first"
)
