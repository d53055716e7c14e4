"""Capitals and apostrophes: by which forms a word is looked up, see `CASES`.

With `fold` the first word of a sentence is found, and Polish is not polish where both are listed.
Lower case is Unicode's simple mapping (Arrow's `utf8_lower`), applied to whole arrays. By every rule a word that
is not found is looked up with straight apostrophes, whichever it and the list have.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.lexicon.compiled.keys import MISSING, find, keys_of, order_of_keys

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


def find_words(
    keys: npt.NDArray[np.uint64], words: pa.Array, wanted: pa.Array, case: str, low: pa.Array | None = None
) -> Rows:
    """Return the row of each wanted word by a rule of case, whatever its apostrophes, or `MISSING`.

    The table must be of `entries` for the same rule.

    Args:
        keys: of the words.
        words: in the order of their keys.
        wanted: words, or nulls.
        case: one of `CASES`.
        low: their lower-case forms, if not those that `lowered` returns.
    """
    if case == "lower":
        return _found(keys, words, lowered(wanted) if low is None else low)
    rows = _found(keys, words, wanted)
    left = np.flatnonzero(rows == MISSING)
    if case == "fold" and len(left):
        missing = wanted.take(pa.array(left))
        lower = lowered(missing) if low is None else low.take(pa.array(left))
        differ = _differ(lower, missing)
        if differ.any():
            rows[left[differ]] = _found(keys, words, lower.filter(pa.array(differ)))
    return rows


def _found(keys: npt.NDArray[np.uint64], words: pa.Array, wanted: pa.Array) -> Rows:
    """Return the row of each word as it stands, else of its form with straight apostrophes."""
    rows = find(keys, words, wanted).copy()
    left = np.flatnonzero(rows == MISSING)
    missing = wanted.take(pa.array(left))
    plain = straight_words(missing)
    if plain is not missing:
        differ = _differ(plain, missing)
        rows[left[differ]] = find(keys, words, plain.filter(pa.array(differ)))
    return rows


def _differ(forms: pa.Array, words: pa.Array) -> npt.NDArray[np.bool_]:
    differ: npt.NDArray[np.bool_] = pc.fill_null(pc.not_equal(forms, words), False).to_numpy(zero_copy_only=False)
    return differ


def _forms(words: pa.Array, case: str, low: pa.Array | None = None) -> Iterator[pa.Array]:
    """Yield the forms by which words are found, in the order in which `find_words` tries them."""
    if case != "keep":
        low = lowered(words) if low is None else low
    for form in {"keep": [words], "fold": [words, low], "lower": [low]}[case]:
        yield form
        plain = straight_words(form)
        if plain is not form:
            yield plain


def entries(words: pa.Array, case: str, low: pa.Array | None = None) -> tuple[pa.Table, Rows]:
    """Return the entries by which distinct words are found, in the order of keys, and their words.

    Forms with straight apostrophes, and for `fold` lower-case forms, are entries, too, if they are not words
    themselves. A form that several words share belongs to the first of them.

    Args:
        words: distinct, without nulls.
        case: one of `CASES`.
        low: their lower-case forms, if not those that `lowered` returns.

    Returns:
        A table of `key` and `word`, and the place in `words` of each of its rows.
    """
    listed, places = words.slice(0, 0), np.empty(0, np.int64)
    for form in _forms(words, case, low):
        if form is words:  # distinct
            listed, places = words, np.arange(len(words), dtype=np.int64)
            continue
        _, firsts = np.unique(form.dictionary_encode().indices.to_numpy(zero_copy_only=False), return_index=True)
        new = pc.invert(pc.is_in(form, value_set=listed)).to_numpy(zero_copy_only=False)
        added = np.sort(firsts[new[firsts]]).astype(np.int64)
        listed = pa.concat_arrays([listed, form.take(pa.array(added))])
        places = np.concatenate([places, added])
    order = order_of_keys(listed)
    listed = listed.take(pa.array(order))
    return pa.table({"key": keys_of(listed), "word": listed}), places[order]
