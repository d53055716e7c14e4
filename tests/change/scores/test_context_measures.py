"""Measures of contexts, against scipy and counting by hand."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import entropy

from lexbeam.transforms.change.scores.measures import MEASURES, check_measures
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.neighbours import SpacePair
from lexbeam.transforms.embeddings.spaces import Space


def spaces():
    """Two slices with words of their own; `d` stands near nothing, `e` near one word."""
    first = np.array([[0, 5, 1, 0, 2], [5, 4, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [2, 0, 0, 0, 0]])
    second = np.array([[1, 1, 1, 1], [1, 0, 9, 0], [1, 9, 3, 2], [1, 0, 2, 0]])
    rows = (csr_array(counts.astype(np.float32)) for counts in (first, second))
    return [
        Space(list(words), np.full(len(words), 9), row, 99) for words, row in zip(("abcde", "abce"), rows, strict=True)
    ]


def by_hand(word, name):
    """The number that a measure compares, in either slice."""
    found = []
    for space in spaces():
        counts = space.vectors.toarray()[space.words.index(word)]
        types, bits = np.count_nonzero(counts), entropy(counts, base=2)
        share = types / len(space.words)
        found.append(
            {
                "types": share,
                "types-raw": types,
                "types-log2": np.log2(share),
                "entropy": bits,
                "entropy-normalised": bits / np.log2(types) if types > 1 else np.nan,
                "entropy-log2": np.log2(bits) if types > 1 else np.nan,
            }[name]
        )
    return found


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.ours().items() if measure.of and not measure.uses])
def test_differences_are_those_of_what_each_slice_has(name):
    pair = SpacePair(*spaces())
    words = [pair.earlier.words[place] for place in pair.mine]
    assert words == list("abce")
    expected = [abs(np.subtract(*by_hand(word, name))) for word in words]
    np.testing.assert_allclose(MEASURES[name].function(pair), expected, rtol=1e-6)
    assert np.isnan(expected).sum() == (2 if name in ("entropy-normalised", "entropy-log2") else 0)


def test_only_counts_have_types_and_entropy():
    check_measures(["types", "entropy", "cosine"], "count")
    with pytest.raises(UsageError, match=re.escape("`measure` types: it is of what `representation` count has")):
        check_measures(["cosine", "types"], "ppmi")
