"""Ratings of concreteness as they are learned from: 0 (abstract) to 1 (concrete), a row per word.

The values of a list are scaled linearly between the least and the greatest value of its scale, stated or found. Words
are compared in lower case; several values of a word in a list are averaged, then those of several lists.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.word_lists.word_list import WordList

Floats = npt.NDArray[np.float64]

FEWEST = 20  # rated words that a regressor needs


class Ratings(NamedTuple):
    """Rated words.

    Attributes:
        words: distinct, in lower case, sorted by code points.
        values: 0 (abstract) to 1 (concrete), float64.
        scales: by list, the least and the greatest value of its scale.
    """

    words: list[str]
    values: Floats
    scales: Mapping[str, tuple[float, float]]


def joined_ratings(lists: Mapping[str, WordList]) -> Ratings:
    """Return the ratings of lists as one.

    Args:
        lists: by what messages call them: their file.

    Raises:
        LexbeamError: a list has one value alone, or all have too few words.
    """
    words, values = [], []
    for name, ratings in lists.items():
        low, high = ratings.scale
        if not low < high:
            raise LexbeamError(
                f"{name}: every value in column {ratings.facts['column']!r} is {low:g}: give the "
                "column of the ratings, or their scale by `scale=LOW-HIGH`"
            )
        listed = ratings.listed
        rated, means = _means(
            pc.utf8_lower(listed["word"]).combine_chunks(), (listed["value"].to_numpy() - low) / (high - low)
        )
        words.append(rated)
        values.append(means)
    joined, joined_means = _means(pa.concat_arrays(words), np.concatenate(values))
    count = len(joined)
    if count < FEWEST:
        raise LexbeamError(
            f"{', '.join(lists)}: {count} rated words are too few to learn from, {FEWEST} are "
            "needed: give a longer list, or several"
        )
    names = joined.to_pylist()
    places = sorted(range(count), key=names.__getitem__)
    scales = {name: ratings.scale for name, ratings in lists.items()}
    return Ratings([names[place] for place in places], joined_means[places], scales)


def _means(words: pa.Array, values: Floats) -> tuple[pa.Array, Floats]:
    """Return distinct words and the mean of the values of each."""
    coded = words.cast(pa.large_string()).dictionary_encode()
    codes = coded.indices.to_numpy()
    # Sums of what is sorted do not depend on the order of lists, nor of their rows.
    order = np.lexsort([values, codes])
    sums = np.bincount(codes[order], values[order], len(coded.dictionary))
    return coded.dictionary, sums / np.bincount(codes, minlength=len(coded.dictionary))
