"""Parts of speech of words: tags as numbers, uses by tag, and the tag that most uses have.

A tag's number is its place in `lexbeam.schemas.corpus_tables.UPOS`; `NO_TAG` stands for no tag, or none of the
universal parts of speech. Since most words have one tag or two, uses of words by tag are held as cells:
word * TAGS + tag, with the number of uses beside it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.corpus_tables import UPOS

Ints = npt.NDArray[np.int64]
Tags = npt.NDArray[np.uint8]

TAGS = len(UPOS)
NO_TAG = TAGS
USES = pa.map_(pa.uint8(), pa.int64())  # of a word, by tag; null without tags

_CODES = {tag: code for code, tag in enumerate(UPOS)}


class TagUses(NamedTuple):
    """Uses by word and tag: cells, each once, and the uses of each, above 0."""

    cells: Ints
    uses: Ints


def tag_codes(tags: pa.Array) -> Tags:
    """Return the numbers of tags, strings or a dictionary of them; NO_TAG for null."""
    encoded = tags if pa.types.is_dictionary(tags.type) else tags.dictionary_encode()
    known = encoded.dictionary.to_pylist()
    codes = np.array([*(_CODES.get(tag, NO_TAG) for tag in known), NO_TAG], np.uint8)
    return np.asarray(codes[encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)])


def count_cells(words: Ints, tags: Tags, places: Ints) -> TagUses:
    """Return the uses by word and tag of tokens.

    Args:
        words: of each token, numbered as in `places`.
        tags: of each token.
        places: the word that each number stands for, none twice.
    """
    uses = np.bincount(words * (TAGS + 1) + tags)
    used = np.flatnonzero(uses)
    word, tag = np.divmod(used, TAGS + 1)
    tagged = tag < TAGS
    return TagUses(places[word[tagged]] * TAGS + tag[tagged], uses[used[tagged]])


def total_cells(several: Sequence[TagUses]) -> TagUses:
    """Return the sums of several counts, by cell in order."""
    if not several:
        return TagUses(np.zeros(0, np.int64), np.zeros(0, np.int64))
    cells, place = np.unique(np.concatenate([counts.cells for counts in several]), return_inverse=True)
    uses = np.zeros(len(cells), np.int64)
    np.add.at(uses, place, np.concatenate([counts.uses for counts in several]))
    return TagUses(cells, uses)


def as_lists(counts: TagUses, words: int) -> pa.MapArray:
    """Return uses by tag, of type `USES`, for each of a number of words; cells are in order."""
    offsets = np.searchsorted(counts.cells, np.arange(words + 1) * TAGS)
    return pa.MapArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.array(counts.cells % TAGS, pa.uint8()), pa.array(counts.uses, pa.int64())
    )


def as_cells(lists: pa.MapArray, places: Ints) -> TagUses:
    """Return uses by tag as cells, each entry of `lists` under its word in `places`."""
    offsets = lists.offsets.to_numpy()
    tags, uses = (values.to_numpy()[offsets[0] : offsets[-1]].astype(np.int64) for values in (lists.keys, lists.items))
    return TagUses(np.repeat(places, np.diff(offsets)) * TAGS + tags, uses)


class Majority(NamedTuple):
    """The tag that most tagged uses of a word have, and its share; null if none is tagged."""

    upos: pa.Array
    share: pa.Array


def majority(uses: Ints | None, words: int) -> Majority:
    """Return the majority tags of a number of words, ties by the order of `UPOS`.

    Args:
        uses: of each word by tag, a row for each word; None without tags.
        words: how many words there are.
    """
    if uses is None:
        return Majority(pa.nulls(words, pa.string()), pa.nulls(words, pa.float64()))
    total = uses.sum(axis=1)
    untagged = total == 0
    share = uses.max(axis=1) / np.maximum(total, 1)
    upos = pa.array(uses.argmax(axis=1), mask=untagged)
    return Majority(pa.array(UPOS, pa.string()).take(upos), pa.array(share, mask=untagged))
