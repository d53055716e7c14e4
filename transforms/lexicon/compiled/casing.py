"""Capitals: by which form a word is looked up.

- `keep`: as it stands.
- `lower`: the lower-case forms of both are compared; words that differ in capitals alone are one.
- `fold`: as it stands; if that is not there, as `lower`, the first of several. A sentence's first
  word is found, and Polish is not polish where both are listed.

Lower case is Unicode's simple mapping (Arrow's `utf8_lower`), which is whole arrays at once.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.lexicon.compiled.keys import MISSING, find, keys_of, order_of_keys

__all__ = ["CASES", "TAB", "CompiledWords", "coded", "entries", "find_words", "lowered", "only", "with_tags"]

TAB = "\t"  # separates word and part of speech; no word that is read holds one
CASES = ("fold", "keep", "lower")

Rows = npt.NDArray[np.int64]


def only(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array, where it is mapped if it is of one chunk."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def with_tags(words: pa.Array, tags: pa.Array) -> pa.Array:
    """Return words with their parts of speech, which a list is asked for together."""
    return pc.binary_join_element_wise(words, tags, pa.scalar(TAB, pa.large_string()))


def lowered(words: pa.Array) -> pa.Array:
    """Return words in lower case."""
    return pc.utf8_lower(words)


class CompiledWords:
    """The words of a compiled table, with their keys, in the order of which they stand.

    Attributes:
        keys: uint64.
        words: the words.
        case: one of `CASES`.
    """

    def __init__(self, table: pa.Table, case: str) -> None:
        self.keys = only(table["key"]).to_numpy()
        self.words = only(table["word"])
        self.case = case

    def find(self, wanted: pa.Array) -> Rows:
        """Return the row of each of several distinct words, or `MISSING`."""
        return find_words(self.keys, self.words, wanted, self.case)


def coded(words: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Rows]:
    """Return the distinct words, and the place of each word among them.

    The place of a null is one behind the last: what is found of the distinct words needs one
    entry more.
    """
    words = only(words)
    if not pa.types.is_dictionary(words.type):
        words = words.cast(pa.large_string()).dictionary_encode()
    distinct = words.dictionary.cast(pa.large_string())
    places = words.indices.cast(pa.int64()).fill_null(len(distinct))
    return distinct, places.to_numpy(zero_copy_only=False)


def find_words(keys: npt.NDArray[np.uint64], words: pa.Array, wanted: pa.Array, case: str) -> Rows:
    """Return the row of each wanted word by a rule of case, or `MISSING`.

    The table must be of `entries` for the same rule.
    """
    if case == "lower":
        return find(keys, words, lowered(wanted))
    rows = find(keys, words, wanted)
    if case == "fold":
        left = np.flatnonzero(rows == MISSING)
        own = wanted.take(pa.array(left))
        low = lowered(own)
        other = pc.fill_null(pc.not_equal(low, own), False).to_numpy(zero_copy_only=False)
        if other.any():
            rows = rows.copy()
            rows[left[other]] = find(keys, words, low.filter(pa.array(other)))
    return rows


def entries(words: pa.Array, case: str, low: pa.Array | None = None) -> tuple[pa.Table, Rows]:
    """Return what distinct words are found by, in the order of keys, and whose entry each is.

    For `fold`, lower-case forms that are no words themselves are entries, too. For `lower`, the
    first of several words that have one lower-case form has it.

    Args:
        words: distinct, without nulls.
        case: one of `CASES`.
        low: their lower-case forms, where they are not those that `lowered` gives.

    Returns:
        A table of `key` and `word`, and for each of its rows the place in `words`.
    """
    places = np.arange(len(words), dtype=np.int64)
    if case != "keep":
        low = lowered(words) if low is None else low
        first = low.dictionary_encode()
        _, firsts = np.unique(first.indices.to_numpy(zero_copy_only=False), return_index=True)
        if case == "lower":
            words, places = low.take(pa.array(firsts)), firsts.astype(np.int64)
        else:
            new = pc.invert(pc.is_in(low, value_set=words)).to_numpy(zero_copy_only=False)
            own = np.sort(firsts[new[firsts]]).astype(np.int64)
            words = pa.concat_arrays([words, low.take(pa.array(own))])
            places = np.concatenate([places, own])
    order = order_of_keys(words)
    words = words.take(pa.array(order))
    return pa.table({"key": keys_of(words), "word": words}), places[order]
