"""Capitals: by which form a word is looked up, see `CASES`.

With `fold` the first word of a sentence is found, and Polish is not polish where both are listed.
Lower case is Unicode's simple mapping (Arrow's `utf8_lower`), applied to whole arrays.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.code.registry import Entry, Registry
from transforms.lexicon.compiled.keys import MISSING, find, keys_of, order_of_keys

__all__ = ["CASES", "TAB", "CompiledWords", "coded", "entries", "find_words", "lowered", "only", "with_tags"]

TAB = "\t"  # separates word and part of speech; no word that is read holds one
CASES: Registry[Entry] = Registry(
    {
        "fold": Entry(doc="a word as it stands; if it is not listed, compared in lower case, the first of several"),
        "keep": Entry(doc="a word as it stands"),
        "lower": Entry(doc="words compared in lower case: those that differ in capitals alone are one"),
    },
    what="rule of case",
)

Rows = npt.NDArray[np.int64]


def only(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array, where it is mapped if it is of one chunk."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def with_tags(words: pa.Array, tags: pa.Array) -> pa.Array:
    """Return words joined with their parts of speech, by which `tagged` rows are found."""
    return pc.binary_join_element_wise(words, tags, pa.scalar(TAB, pa.large_string()))


def lowered(words: pa.Array) -> pa.Array:
    """Return words in lower case."""
    return pc.utf8_lower(words)


class CompiledWords:
    """The words of a compiled table, with their keys, in the order of the keys.

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

    The place of a null is one after the last: an array of results for the distinct words needs one
    more entry.
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
        missing = wanted.take(pa.array(left))
        low = lowered(missing)
        differ = pc.fill_null(pc.not_equal(low, missing), False).to_numpy(zero_copy_only=False)
        if differ.any():
            rows = rows.copy()
            rows[left[differ]] = find(keys, words, low.filter(pa.array(differ)))
    return rows


def entries(words: pa.Array, case: str, low: pa.Array | None = None) -> tuple[pa.Table, Rows]:
    """Return the entries by which distinct words are found, in the order of keys, and their words.

    For `fold`, lower-case forms that are not words themselves are entries, too. For `lower`, a
    lower-case form that several words share belongs to the first of them.

    Args:
        words: distinct, without nulls.
        case: one of `CASES`.
        low: their lower-case forms, if not those that `lowered` returns.

    Returns:
        A table of `key` and `word`, and the place in `words` of each of its rows.
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
            added = np.sort(firsts[new[firsts]]).astype(np.int64)
            words = pa.concat_arrays([words, low.take(pa.array(added))])
            places = np.concatenate([places, added])
    order = order_of_keys(words)
    words = words.take(pa.array(order))
    return pa.table({"key": keys_of(words), "word": words}), places[order]
