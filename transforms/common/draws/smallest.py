"""The k items that draw the least: a sample that grows and shrinks without being drawn anew.

Each item draws a number by its key, a seed and a label (`by_content`), and the k least of them are kept.
So k items are among any k + 1, an item that is added takes the place of one at most, and parts of
the items may be sampled apart and merged in any order. Items of one key are one item.

    rows = smallest_rows(keys, 5, groups, seed=1, label="contexts")     # whole arrays
    sample = merge([add(sample, entry, 5), other], 5)                   # items one by one

`ptransforms.KeepSmallest` does the latter in a pipeline. (Bottom-k samples: Cohen and
Kaplan 2007, "Summarizing data using bottom-k sketches".)
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.draws.by_content import Keys, content_hashes, hash_of, number_of, numbers


class DrawnItem(NamedTuple):
    """An item with what its key draws; of one key the item of the least content is kept."""

    number: int
    content: bytes
    item: Any


def entry_of(item: Any, *, seed: int, label: str, key: Callable[[Any], Any] | None = None) -> DrawnItem:
    """Return an item with what it draws.

    Args:
        item: a plain value (texts, numbers, tuples, lists, dictionaries of them).
        seed: any whole number.
        label: what is drawn.
        key: maps an item to its key, a text, a whole number or a tuple of such; without it the item
            is the key.
    """
    hashed = hash_of(item if key is None else key(item))
    return DrawnItem(number_of(hashed, seed=seed, label=label), canonical_json(item), item)


_NUMBER = itemgetter(0)


def add(sample: list[DrawnItem], entry: DrawnItem, k: int) -> list[DrawnItem]:
    """Add an entry to a sample of at most k in the order of the draw; return the same list."""
    if len(sample) >= k and (not k or entry.number > sample[-1].number):
        return sample
    place = bisect_left(sample, entry.number, key=_NUMBER)
    if place < len(sample) and sample[place].number == entry.number:
        if entry.content < sample[place].content:
            sample[place] = entry
        return sample
    sample.insert(place, entry)
    del sample[k:]
    return sample


def merge(several: Iterable[list[DrawnItem]], k: int) -> list[DrawnItem]:
    """Return the k least entries of several samples, a new list."""
    merged: list[DrawnItem] = []
    for sample in several:
        for entry in sample:
            add(merged, entry, k)
    return merged


def smallest_rows(keys: Keys, k: int, groups: Keys | None = None, *, seed: int, label: str) -> npt.NDArray[np.intp]:
    """Return the rows of the k keys of each group that draw the least.

    Args:
        keys: texts, whole numbers, or hashes of them.
        k: how many, of distinct keys.
        groups: the group of each row, texts or numbers; without them all rows are one.
        seed: any whole number.
        label: what is drawn.

    Returns:
        numbers of rows, by group in the order of the groups' texts or numbers, then by the draw.
        Of the rows of one key and group it is the first one.
    """
    drawn = numbers(content_hashes(keys), seed=seed, label=label)
    group = np.zeros(len(drawn), np.int64) if groups is None else _codes(groups)
    if len(group) != len(drawn):
        raise ValueError(f"{len(group)} groups for {len(drawn)} keys")
    order = np.lexsort((drawn, group))  # stable: the first row of equal ones is first
    drawn, group = drawn[order], group[order]
    new = np.ones(len(order), bool)
    new[1:] = (drawn[1:] != drawn[:-1]) | (group[1:] != group[:-1])
    order, group = order[new], group[new]
    starts = np.searchsorted(group, group)
    return order[np.arange(len(order)) - starts < k]


def _codes(groups: Keys) -> npt.NDArray[np.int64]:
    """Return the place of each row's group among the sorted groups."""
    column = groups if isinstance(groups, pa.Array | pa.ChunkedArray) else pa.array(groups)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_null(column.type):  # of no rows, or of nulls alone
        column = column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.null_count:
        raise ValueError("a group is null")
    ranks = pc.rank(column.dictionary, tiebreaker="dense").to_numpy()
    codes: npt.NDArray[np.int64] = ranks[column.indices.to_numpy()].astype(np.int64)
    return codes
