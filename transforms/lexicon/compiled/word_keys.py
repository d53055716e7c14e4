"""Words to rows: 64-bit keys, sorted, found by binary search for whole arrays at once; by capitals, and by forms.

A table of words is kept in the order of their keys, which are a polynomial over a word's bytes
(UTF-8), mixed (the finaliser of SplitMix64, Steele et al. 2014). Nothing is built when the table is
opened: keys and words stay where they are mapped, and the workers of a machine share them. Words
are compared as well as keys, so that two words of one key are distinguished.

    >>> words = pa.array(["sea", "ship", "shore"])
    >>> order = order_of_keys(words)
    >>> table = words.take(pa.array(order))
    >>> rows = find(keys_of(table), table, pa.array(["ship", "boat", None]))
    >>> [None if row < 0 else table[row].as_py() for row in rows]
    ['ship', None, None]

`CASES` says by which forms a word is looked up. With `fold` the first word of a sentence is found, and Polish is not
polish where both are listed. Lower case is Unicode's simple mapping (Arrow's `utf8_lower`), applied to whole arrays. By
every rule a word that is not found is looked up with straight apostrophes, whichever it and the list have.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.by_content import GOLDEN, mix64
from lexbeam.transforms.common.texts.characters import straight_words

MISSING = -1

Keys = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]

_BLOCK = 1 << 16  # words at once: the working set stays in the processor's cache
_SAMPLE = 1 << 12  # words that show whether a text repeats them


def keys_of(words: pa.Array | pa.ChunkedArray) -> Keys:
    """Return the keys of words, shape (words,), uint64; a null has the key of an empty word."""
    if isinstance(words, pa.ChunkedArray):
        words = words.combine_chunks()
    words = words.cast(pa.large_string())
    keys = np.empty(len(words), np.uint64)
    if not len(words):
        return keys
    offsets = np.frombuffer(words.buffers()[1], np.int64)[words.offset :][: len(words) + 1]
    buffer = words.buffers()[2]
    text = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
    longest = int(np.diff(offsets).max())
    powers = np.multiply.accumulate(np.full(longest + 1, GOLDEN, np.uint64))
    for start in range(0, len(words), _BLOCK):
        keys[start : start + _BLOCK] = _keys(offsets[start : start + _BLOCK + 1], text, powers)
    return keys


def _keys(offsets: Rows, text: npt.NDArray[np.uint8], powers: Keys) -> Keys:
    first = offsets[0]
    starts = offsets - first
    lengths = np.diff(starts)
    places = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    # A zero byte counts, and so does where it stands.
    terms = (text[first : offsets[-1]].astype(np.uint64) + np.uint64(1)) * powers[places]
    sums = np.zeros(len(terms) + 1, np.uint64)
    np.cumsum(terms, out=sums[1:])
    return mix64(sums[starts[1:]] - sums[starts[:-1]])


def order_of_keys(words: pa.Array | pa.ChunkedArray) -> Rows:
    """Return the positions of words in the order of their keys, those of one key by their text.

    Returns int64, shape (words,). Equal words keep their order.
    """
    keys = keys_of(words)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(same):  # equal words, or a collision
        ends = np.union1d(same, same + 1)
        for run in np.split(ends, np.flatnonzero(np.diff(ordered[ends]) != 0) + 1):
            order[run] = sorted(order[run], key=lambda place: words[int(place)].as_py() or "")
    return order


def find(keys: Keys, words: pa.Array | pa.ChunkedArray, wanted: pa.Array | pa.ChunkedArray) -> Rows:
    """Return the first row of each wanted word, or `MISSING`.

    Args:
        keys: keys of the table's words, sorted, uint64.
        words: the table's words, in the order of their keys.
        wanted: words to find; null is never found.

    Returns int64, shape (wanted,).
    """
    return find_all(keys, words, wanted)[0]


def find_all(keys: Keys, words: pa.Array | pa.ChunkedArray, wanted: pa.Array | pa.ChunkedArray) -> tuple[Rows, Rows]:
    """Return the first row of each wanted word and the row after its last, both int64.

    As `find`; a missing word has `MISSING` twice.
    """
    if isinstance(wanted, pa.ChunkedArray):
        wanted = wanted.combine_chunks()
    wanted = wanted.cast(pa.large_string())
    if not _repeats(wanted):
        return _find_each(keys, words, wanted)
    coded = wanted.dictionary_encode()
    starts, ends = _find_each(keys, words, coded.dictionary)
    codes = coded.indices.fill_null(len(starts)).to_numpy(zero_copy_only=False)
    return np.append(starts, MISSING)[codes], np.append(ends, MISSING)[codes]


def _repeats(words: pa.Array) -> bool:
    """Return whether words seem to repeat as in a text, so that each is searched for once."""
    sample = words[:_SAMPLE]
    return bool(len(pc.unique(sample)) < 0.7 * len(sample))


def _find_each(keys: Keys, words: pa.Array | pa.ChunkedArray, wanted: pa.Array) -> tuple[Rows, Rows]:
    starts = np.full(len(wanted), MISSING, np.int64)
    ends = np.full(len(wanted), MISSING, np.int64)
    if not len(keys):
        return starts, ends
    sought = keys_of(wanted)
    order = np.argsort(sought)  # neighbours then fall into the same mapped pages
    low = np.empty(len(sought), np.int64)
    low[order] = np.searchsorted(keys, sought[order])
    left = np.arange(len(sought))
    while len(left):
        left = left[low[left] < len(keys)]
        left = left[keys[low[left]] == sought[left]]
        same = _equal(words, low[left], wanted, left)
        hit = left[same]
        starts[hit] = np.where(starts[hit] == MISSING, low[hit], starts[hit])
        ends[hit] = low[hit] + 1
        # A word may have several rows; one whose key another word shares may stand in the next row.
        low[left] += 1
    return starts, ends


def _equal(words: pa.Array | pa.ChunkedArray, rows: Rows, wanted: pa.Array, places: Rows) -> npt.NDArray[np.bool_]:
    listed = words.take(pa.array(rows)).cast(pa.large_string())
    same = pc.equal(listed, wanted.take(pa.array(places)))
    return np.asarray(same.fill_null(False).to_numpy(zero_copy_only=False), bool)


TAB = "\t"  # separates word and part of speech; no word that is read holds one
CASES: Registry[Entry] = Registry(
    {
        "fold": Entry(doc="a word as it stands; if it is not listed, compared in lower case, the first of several"),
        "keep": Entry(doc="a word as it stands"),
        "lower": Entry(doc="words compared in lower case: those that differ in capitals alone are one"),
    },
    what="rule of case",
)


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
