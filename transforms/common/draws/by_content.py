"""Random numbers drawn by content, from a key, a seed and a label alone, and samples of the least of them.

The number that a key draws does not depend on other keys, their order, chunks, workers or the
platform. A label says what is drawn, so that two draws with one seed have nothing to do with each
other.

The hash of a key is BLAKE2b of its UTF-8 text, 8 bytes, big-endian. The draws of a key with hash h
are outputs 1, 2, ... of SplitMix64 (Steele et al. 2014) started at mix64(h ^ a) + b, where a and b
are the halves of BLAKE2b of `seed:label`. So a text is hashed once (0.7 s for a million), and each
further draw is a few operations on whole arrays (0.02 s): docs/inside/draws.md measures both.

>>> uniform(["a", "b"], seed=1, label="order").round(4).tolist()
[0.4876, 0.7494]

A sample that grows and shrinks without being drawn anew are the k items that draw the least.
Each item draws a number by its key, a seed and a label, and the k least of them are kept.
So k items are among any k + 1, an item that is added takes the place of one at most, and parts of
the items may be sampled apart and merged in any order. Items of one key are one item.

    rows = smallest_rows(keys, 5, groups, seed=1, label="contexts")     # whole arrays
    sample = merge([add(sample, entry, 5), other], 5)                   # items one by one

`ptransforms.KeepSmallest` does the latter in a pipeline. (Bottom-k samples: Cohen and
Kaplan 2007, "Summarizing data using bottom-k sketches".)
"""

import functools
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.fingerprints import canonical_json

Hashes: TypeAlias = npt.NDArray[np.uint64]
Floats: TypeAlias = npt.NDArray[np.float64]
# Texts or whole numbers, which count as their decimal text; a uint64 array is of hashes, see
# `content_hashes`.
Keys: TypeAlias = Sequence[str] | Sequence[int] | pa.Array | pa.ChunkedArray | npt.NDArray[Any]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MASK = (1 << 64) - 1


def mix64(values: Hashes) -> Hashes:
    """Return the finaliser of SplitMix64 (Steele et al. 2014): a bijection that scatters bits."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _mix64(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def content_hashes(*columns: Keys) -> Hashes:
    """Return a uint64 for each row of columns of keys: equal rows have equal hashes.

    Args:
        columns: one, or several that make a key together, in this order.

    Raises:
        ValueError: a key is null, or neither text nor a whole number.
    """
    first, *more = (_hashes(column) for column in columns)
    for hashes in more:
        first = mix64(first + GOLDEN) + hashes
    return first


def _hashes(keys: Keys) -> Hashes:
    if isinstance(keys, np.ndarray):
        if keys.dtype == np.uint64:
            return keys
        keys = keys.tolist()
    if isinstance(keys, pa.Array | pa.ChunkedArray):
        if pa.types.is_dictionary(keys.type):
            whole = keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys
            if whole.null_count:
                raise ValueError("a key is null")
            return np.asarray(_hashes(whole.dictionary)[whole.indices.to_numpy()], np.uint64)
        keys = keys.to_pylist()
    digests = b"".join([blake2b(text, digest_size=8).digest() for text in map(_text, keys)])
    return np.frombuffer(digests, ">u8").astype(np.uint64)


def _text(key: object) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, int) and not isinstance(key, bool):
        return b"%d" % key
    raise ValueError(f"a key is {key!r}: keys are texts or whole numbers")


def hash_of(key: str | int | tuple[str | int, ...]) -> int:
    """Return the hash of one key, or of one row of several columns, as `content_hashes` does."""
    first, *more = (
        int.from_bytes(blake2b(_text(part), digest_size=8).digest(), "big")
        for part in (key if isinstance(key, tuple) else (key,))
    )
    for part in more:
        first = (_mix64(first + int(GOLDEN) & _MASK) + part) & _MASK
    return first


@functools.lru_cache(1024)
def _halves(seed: int, label: str) -> tuple[int, int]:
    whole = blake2b(f"{seed}:{label}".encode(), digest_size=16).digest()
    return int.from_bytes(whole[:8], "big"), int.from_bytes(whole[8:], "big")


def numbers(keys: Keys, *, seed: int, label: str, draws: int | None = None) -> Hashes:
    """Return what keys draw, as uniform 64-bit numbers; different keys draw different ones.

    Args:
        keys: texts, whole numbers, or hashes of them.
        seed: any whole number.
        label: what is drawn.
        draws: numbers for each key, which has one without it.

    Returns:
        uint64 of shape (keys,), or (keys, draws); more draws begin with the fewer ones.
    """
    a, b = _halves(seed, label)
    start = mix64(_hashes(keys) ^ np.uint64(a)) + np.uint64(b)
    if draws is None:
        return mix64(start + GOLDEN)
    steps = np.arange(1, draws + 1, dtype=np.uint64) * GOLDEN
    return mix64(start[:, None] + steps)


def number_of(hashed: int, *, seed: int, label: str) -> int:
    """Return what the key with a hash draws, as `numbers` does."""
    a, b = _halves(seed, label)
    return _mix64(_mix64(hashed ^ a) + b + int(GOLDEN) & _MASK)


def uniform(keys: Keys, *, seed: int, label: str, draws: int | None = None) -> Floats:
    """Return what keys draw as numbers in [0, 1), multiples of 2**-53, equal on all platforms.

    Args and shape are those of `numbers`.
    """
    steps = numbers(keys, seed=seed, label=label, draws=draws) >> np.uint64(11)
    return steps.astype(np.float64) * 2.0**-53


def normal(keys: Keys, *, seed: int, label: str, draws: int | None = None) -> Floats:
    """Return what keys draw as standard normal numbers, all finite, between -8.21 and 8.21.

    They are quantiles of the uniform numbers, so the last bits depend on scipy's `ndtri`. Args and
    shape are those of `numbers`.
    """
    from scipy.special import ndtri

    # The middle of each of 2**52 steps: neither 0 nor 1, and exact.
    steps = numbers(keys, seed=seed, label=label, draws=draws) >> np.uint64(12)
    quantiles: Floats = ndtri((steps + 0.5) * 2.0**-52)
    return quantiles


def integers(keys: Keys, below: int, *, seed: int, label: str, draws: int | None = None) -> npt.NDArray[np.int64]:
    """Return what keys draw as whole numbers from 0 to `below` - 1, at most 2**32.

    Args and shape are those of `numbers`.
    """
    if not 1 <= below <= 1 << 32:
        raise ValueError(f"below must be 1 to 2**32, not {below}")
    scaled = uniform(keys, seed=seed, label=label, draws=draws) * below
    return scaled.astype(np.int64)


def permutation(keys: Keys, *, seed: int, label: str) -> npt.NDArray[np.intp]:
    """Return the rows in the order of what their keys draw; equal keys stay in their order.

    Without some of the keys the others have the same order.
    """
    return np.argsort(numbers(keys, seed=seed, label=label), kind="stable")


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
