"""Co-occurrence counts of words in a symmetric window within sentences, as sparse matrices of whole numbers.

Two words of a sentence co-occur if at most `window` - 1 words stand between them; words that are not counted are taken
out of the sentences first, as in training. Every pair of places counts once in either direction, so that counts are
symmetric, and only the upper triangle is kept until all parts are added up (Schlechtweg et al. 2019, `CNT`). By
distance a pair counts 1 over its distance (Pennington et al. 2014), in steps of 2**-24, whole numbers of which are
summed.

>>> sentences = pa.array([["a", "b", "x", "a"]])
>>> upper = count_pairs([sentences], pa.array(["a", "b"]), 1)
>>> symmetric([upper]).toarray().tolist()
[[0, 2], [2, 0]]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = npt.NDArray[np.int64]

STEPS = 1 << 24  # that a pair beside each other counts, by distance
HELD = 1 << 22  # pairs that are held before equal ones are added up


class Cooccurrences(NamedTuple):
    """Words, sorted, and how often each occurs with each: int64 of shape (words, words), symmetric, in rows."""

    words: list[str]
    counts: "csr_array"


def count_pairs(
    sentences: Iterable[pa.ListArray], words: pa.Array, window: int, *, by_distance: bool = False
) -> "csr_array":
    """Return how often two words stand near each other, each pair once, the word that sorts first in the row.

    Args:
        sentences: arrays of lists of words, list<string> or of dictionary.
        words: those that count, sorted.
        window: words to either side, at most.
        by_distance: whether a pair counts `STEPS` over its distance, rounded, in place of 1.

    Returns:
        int64 of shape (words, words), nothing below the diagonal. The order of sentences, and how they are cut into
        arrays, change nothing.
    """
    size = len(words)
    total, held = _Pairs(), 0
    fresh: dict[int, list[Ints]] = {}  # by what a pair counts
    dictionary, places = pa.array([], pa.string()), np.zeros(0, np.int64)
    for lists in sentences:
        tokens = lists.flatten()
        if not pa.types.is_dictionary(tokens.type):
            tokens = tokens.dictionary_encode()
        if not tokens.dictionary.equals(dictionary):  # batches of a file share one
            dictionary = tokens.dictionary
            places = pc.index_in(dictionary, value_set=words).fill_null(-1).to_numpy().astype(np.int64)
        found = places[tokens.indices.to_numpy(zero_copy_only=False)]
        sentence = np.repeat(np.arange(len(lists)), lists.value_lengths().to_numpy(zero_copy_only=False))
        known = found >= 0
        found, sentence = found[known], sentence[known]
        for apart in range(1, min(window, len(found) - 1) + 1):
            both = sentence[apart:] == sentence[:-apart]
            if not both.any():
                break  # no sentence is longer
            first, second = found[:-apart][both], found[apart:][both]
            pairs = np.minimum(first, second) * size + np.maximum(first, second)
            fresh.setdefault(round(STEPS / apart) if by_distance else 1, []).append(pairs)
            held += len(pairs)
            if held > max(HELD, len(total.codes) // 2):  # so that adding up stays linear in what is added
                total = total.with_more(fresh)
                fresh, held = {}, 0
    codes, counts = total.with_more(fresh)
    rows, columns = np.divmod(codes, max(size, 1))
    return matrix_of(rows, columns, counts, size)


class _Pairs(NamedTuple):
    """Pairs by number, sorted, and how often there is each."""

    codes: Ints = np.zeros(0, np.int64)
    counts: Ints = np.zeros(0, np.int64)

    def with_more(self, fresh: Mapping[int, Sequence[Ints]]) -> "_Pairs":
        parts = [self] if len(self.codes) else []
        for worth, pairs in fresh.items():
            codes, counts = np.unique(np.concatenate(pairs), return_counts=True)
            parts.append(_Pairs(codes, counts * worth))
        if len(parts) < 2:
            return parts[0] if parts else self
        joined, held = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(joined, kind="stable")
        joined, held = joined[order], held[order]
        starts = np.flatnonzero(np.append(True, joined[1:] != joined[:-1]))
        return _Pairs(joined[starts], np.add.reduceat(held, starts))


def matrix_of(rows: Ints, columns: Ints, counts: Ints, size: int) -> "csr_array":
    """Return a matrix of counts from its cells, sorted by row and column."""
    from scipy.sparse import csr_array

    starts = np.searchsorted(rows, np.arange(size + 1))
    index = np.int32 if len(rows) < 1 << 31 else np.int64
    return csr_array((counts, columns.astype(index), starts.astype(index)), shape=(size, size))


def symmetric(parts: Sequence["csr_array"]) -> "csr_array":
    """Return the counts of all parts, in both directions: int64, columns ascending in every row."""
    upper = parts[0]
    for part in parts[1:]:
        upper = upper + part
    whole = (upper + upper.T).tocsr()
    whole.sort_indices()
    return whole
