"""Splits and folds: groups of rows that stay together, dealt out by content.

Rows that belong together are a group, which lies in one split or fold: those of a token, of an article.
A split has a share that is asked for; it is dealt blocks, or groups so that splits are alike.
Rows have a stratum, such as a genre, and a value, such as complexity; `deal_alike` makes sizes,
strata and values of splits alike. Nothing depends on the order of rows: groups are ordered by
values and by hashes that the seed stirs.

A group's fold is its hash: it depends on its key and the seed alone, so rows that are added move no others. Where
rows must not be torn apart over several keys, such as a word and a sentence, they are joined to
components first; a component is called by its least key, whatever the order of rows. A row that is
added may join two components or bring a lesser key, and then a whole component moves.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.draws.balancing import STEPS, Balanced, Floats, GroupedInstances, Ints, balance
from lexbeam.transforms.common.draws.by_content import Keys, integers, numbers
from lexbeam.transforms.common.draws.sharpening import TURNS, sharpen
from lexbeam.transforms.common.errors import UsageError, quoted


class Components(NamedTuple):
    """Rows joined by shared keys.

    Attributes:
        of_row: the component of each row, int64, a place in the others.
        names: `column:key`, of the first column that has one the least key; in sorted order.
        rows: rows in each.
    """

    of_row: npt.NDArray[np.int64]
    names: list[str]
    rows: npt.NDArray[np.int64]


class Oversized(NamedTuple):
    """A component that holds more than its share: its rows, and their share of all."""

    name: str
    rows: int
    share: float


class Folds(NamedTuple):
    """Folds of rows.

    Attributes:
        fold: of each row, int64, 0 to k - 1.
        components: the components that were dealt out whole.
        oversized: those that are too large for folds of about one size, the largest first.
    """

    fold: npt.NDArray[np.int64]
    components: Components
    oversized: list[Oversized]


def fold_of(groups: Keys, k: int, *, seed: int, label: str = "fold") -> npt.NDArray[np.int64]:
    """Return the fold of each group, 0 to k - 1: its hash modulo k.

    Args:
        groups: texts, whole numbers, or hashes of them (`draws.content_hashes`).
        k: how many folds.
        seed: any whole number.
        label: apart from other folds of the same groups.
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}")
    return (numbers(groups, seed=seed, label=label) % np.uint64(k)).astype(np.int64)


def components(columns: Mapping[str, Keys | Sequence[str | int | None]]) -> Components:
    """Return which rows are joined by shared keys, directly or over other rows.

    Args:
        columns: keys by the name of their column, all as long, texts or whole numbers; a null is no
            key and joins nothing.

    Raises:
        ValueError: a row has no key at all, or the columns differ in length.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    encoded = {name: _encoded(keys) for name, keys in columns.items()}
    sizes = {len(codes) for codes, _ in encoded.values()}
    if len(sizes) != 1:
        raise ValueError(f"columns of {sorted(sizes)} rows")
    rows = sizes.pop()
    bare = np.logical_and.reduce([codes < 0 for codes, _ in encoded.values()])
    if bare.any():
        raise ValueError(f"row {int(np.argmax(bare))} has no key in {', '.join(columns)}")
    # A graph of rows and keys; two rows that share a key are two steps apart.
    starts, ends, nodes = [], [], rows
    for codes, keys in encoded.values():
        held = np.flatnonzero(codes >= 0)
        starts.append(held)
        ends.append(codes[held] + nodes)
        nodes += len(keys)
    edges = (np.concatenate(starts), np.concatenate(ends))
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(nodes, nodes))
    number, joined = connected_components(graph, directed=False)
    return _named(encoded, joined[:rows].astype(np.int64), number)


def _encoded(keys: Keys | Sequence[str | int | None]) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return for each row the place of its key among the sorted keys, -1 for none, and these."""
    column = keys if isinstance(keys, pa.Array | pa.ChunkedArray) else pa.array(keys)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_large_string(column.type):
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    column = column.dictionary_encode()
    order = pc.sort_indices(column.dictionary).to_numpy()
    places = np.empty(len(order) + 1, np.int64)
    places[order] = np.arange(len(order))
    places[-1] = -1
    codes = pc.fill_null(column.indices, -1).to_numpy()
    return places[codes], column.dictionary.take(pa.array(order)).to_pylist()


def _named(
    encoded: Mapping[str, tuple[npt.NDArray[np.int64], list[str]]], joined: npt.NDArray[np.int64], count: int
) -> Components:
    """Number components by their names, so that the order of rows does not count."""
    keys: list[tuple[int, int]] = [(len(encoded), 0)] * count
    for number, (codes, _) in reversed(list(enumerate(encoded.values()))):
        held = codes >= 0
        least = np.full(count, len(codes), np.int64)
        np.minimum.at(least, joined[held], codes[held])
        for component in np.unique(joined[held]).tolist():
            keys[component] = (number, int(least[component]))
    order = sorted(range(count), key=keys.__getitem__)
    places = np.empty(count, np.int64)
    places[order] = np.arange(count)
    columns = list(encoded)
    names = [
        f"{columns[number]}:{encoded[columns[number]][1][key]}"
        for number, key in (keys[component] for component in order)
    ]
    of_row = places[joined]
    return Components(of_row, names, np.bincount(of_row, minlength=count))


def connected_folds(
    columns: Mapping[str, Keys | Sequence[str | int | None]],
    k: int,
    *,
    seed: int,
    label: str = "fold",
    most: float | None = None,
) -> Folds:
    """Return folds over which no key is torn apart, of any of the columns.

    Args:
        columns: keys by the name of their column, see `components`.
        k: how many folds.
        seed: any whole number.
        label: apart from other folds of the same rows.
        most: the share of all rows above which a component is reported; else 1 / k.

    Raises:
        ValueError: a row has no key at all, or the columns differ in length.
    """
    joined = components(columns)
    fold = fold_of(joined.names, k, seed=seed, label=label)[joined.of_row]
    shares = joined.rows / max(len(joined.of_row), 1)
    large = np.flatnonzero(shares > (1 / k if most is None else most)).tolist()
    oversized = [
        Oversized(joined.names[place], int(joined.rows[place]), float(shares[place]))
        for place in sorted(large, key=lambda place: (-joined.rows[place], place))
    ]
    return Folds(fold, joined, oversized)


Hashes = npt.NDArray[np.uint64]

LONGEST_PATTERN = 100
EXACT = 1e-9  # a pattern's shares are those asked for
ROUNDED = 0.005  # shares that people round, such as thirds, need not add up to 1 exactly
COARSE = 100  # bands of the first swaps
TRIES = 3  # of which the best counts, where there are few instances
TRIED = 10_000  # instances in all tries together
# More instances have fewer steps, each of which takes longer: their start is the nearer to alike.
WHOLE = 200_000
_NAME = re.compile(r"[^\W\d][\w-]*")


class Shares(NamedTuple):
    """Splits asked for: their names, in the order given, and their shares, which add up to 1."""

    names: tuple[str, ...]
    values: tuple[float, ...]


def parse_shares(texts: Sequence[str]) -> Shares:
    """Return shares of `NAME=SHARE` texts, such as `train=.85`.

    Raises:
        UsageError: there are fewer than two shares, a name is malformed or occurs twice, a share is not
            between 0 and 1, or shares do not add up to 1 (within .005; they are scaled to it).
    """
    names, values = [], []
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if not equals or not 0 < share < 1:
            raise UsageError(f"{quoted(text)} must be NAME=SHARE with a share between 0 and 1, such as train=.85")
        if not _NAME.fullmatch(name):
            raise UsageError(f"{quoted(name)} names no split: use letters, digits, _ and -")
        if name in names:
            raise UsageError(f"split {name!r} is given twice")
        names.append(name)
        values.append(share)
    if len(names) < 2:
        raise UsageError("give two splits or more, such as train=.85,trial=.05,test=.10")
    total = sum(values)
    if abs(total - 1) > ROUNDED:
        raise UsageError(f"shares add up to {total:.6g}, not to 1")
    return Shares(tuple(names), tuple(value / total for value in values))


def pattern(shares: Shares) -> Ints:
    """Return the splits of a block of groups, as the paper's of 20: 1 trial, 2 test, 17 train.

    The block is the shortest, up to 100 groups, in which every split has its share exactly; where
    there is none, the one that comes nearest, with a group at least for each split. Smaller shares
    come first, equal ones in the order given.

    >>> pattern(Shares(("train", "trial", "test"), (.7, .05, .25))).tolist()
    [1, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    values = np.array(shares.values)
    best, least = np.ones(len(values), np.int64), math.inf
    for length in range(len(values), max(LONGEST_PATTERN, len(values)) + 1):
        counts = np.maximum(np.round(values * length).astype(np.int64), 1)
        while counts.sum() != length:
            step = 1 if counts.sum() < length else -1
            off = (counts - values * length) * step + np.where(counts + step < 1, np.inf, 0)
            counts[np.argmin(off)] += step
        error = float(np.abs(counts / length - values).max())
        if error < least - 1e-12:
            best, least = counts, error
        if error <= EXACT:
            break
    order = np.lexsort((values, best))
    return np.repeat(order, best[order])


def kept_splits(of: Ints, kept: Ints, groups: int) -> Ints:
    """Return the split that most of a group's rows keep, the first of equal ones; -1 where none keeps any.

    Args:
        of: the group of each row, from 0.
        kept: of each row the split that it keeps; -1: none.
        groups: how many groups there are.
    """
    many = int(kept.max(initial=-1)) + 1
    if not many:
        return np.full(groups, -1, np.int64)
    known = kept >= 0
    counts = np.bincount(of[known] * many + kept[known], minlength=groups * many).reshape(groups, many)
    return np.where(counts.any(1), counts.argmax(1), -1)


def deal(groups: int, block: Ints, dealt: int = 0) -> Ints:
    """Return the splits of so many groups in order, block after block.

    Where others have been `dealt` before, in blocks, these go on from there: so the shares come out in the long run,
    however few there are at a time.

    A last block that is short takes places at equal distances, each from the middle of its step:
    of 10 groups the first takes the second place of 20. Its splits have about their shares, where
    the first places would all be of the smallest splits.
    """
    if dealt:
        return np.asarray(block[(dealt + np.arange(groups)) % len(block)], np.int64)
    whole, left = divmod(groups, len(block))
    places = ((2 * np.arange(left) + 1) * len(block)) // (2 * max(left, 1))
    return np.concatenate([np.tile(block, whole), block[places]])


def bands_of(complexity: Floats, bands: int) -> Ints:
    """Return the band of each value, from 0: its place among the values, or a quantile band.

    Equal values have the same band; there are at most so many.
    """
    values, of, counts = np.unique(complexity, return_inverse=True, return_counts=True)
    if len(values) <= bands:
        return np.asarray(of, np.int64)
    middle = 2 * np.cumsum(counts) - counts
    cut = middle * bands // (2 * len(complexity))
    return np.asarray(np.unique(cut, return_inverse=True)[1][of], np.int64)


class DealtAlike(NamedTuple):
    """Splits of groups.

    Attributes:
        split: of each group, its place among the shares, int64.
        fixed: groups that are too large to be dealt out, and so are in the largest split.
    """

    split: Ints
    fixed: npt.NDArray[np.bool_]


def deal_alike(
    names: Hashes,
    of: Ints,
    stratum: Ints,
    values: Floats,
    shares: Shares,
    *,
    bands: int,
    seed: int,
    kept: Ints | None = None,
) -> DealtAlike:
    """Return splits of groups, alike in size, strata and values.

    Groups are dealt out as a block of alike ones each, then swapped: see `balancing` and
    `sharpening`. A group with more rows than half of the second largest split is to have goes to
    the largest split (the first of equal ones). Swaps end where none of the drawn ones helps, so
    few rows, which take little time, are tried with several draws.

    Args:
        names: hash of each group, ascending.
        of: the group of each row, from 0; each group has a row.
        stratum: of each row, whole numbers.
        values: of each row, no nan.
        shares: of splits.
        bands: of values that are told apart, if there are more values.
        seed: other seeds give other splits.
        kept: of each group the split that it keeps, -1 for those to be dealt out; None: all are.
    """
    if not len(of):
        return DealtAlike(np.zeros(0, np.int64), np.zeros(0, np.bool_))
    order = np.lexsort((values, stratum, of))
    genre = np.unique(stratum, return_inverse=True)[1].astype(np.int64)[order]
    group = of[order]
    fine = bands_of(values, bands)[order]
    coarse = bands_of(values, min(bands, COARSE))[order]
    wanted = np.array(shares.values)
    if kept is None:
        kept = np.full(len(names), -1, np.int64)
    too_large = (np.bincount(group) > len(group) * np.sort(wanted)[-2] / 2) & (kept < 0)
    start = _start(GroupedInstances(group, genre, coarse), names, shares, seed, kept)
    start[too_large] = int(np.argmax(wanted))
    fixed = too_large | (kept >= 0)
    if fixed.all():
        return DealtAlike(start, too_large)
    seeds = _seeds(seed, min(max(TRIED // len(group), 1), TRIES))
    last = min(
        (_swapped(GroupedInstances(group, genre, coarse), fine, start, wanted, names, fixed, drawn) for drawn in seeds),
        key=lambda dealt: dealt.after,
    )
    return DealtAlike(last.split, too_large)


def _seeds(seed: int, many: int) -> list[int]:
    """Return a seed for each try, the first the one given."""
    more = integers([str(place) for place in range(1, many)], 1 << 32, seed=seed, label="tries")
    return [seed, *more.tolist()]


def _swapped(
    cells: GroupedInstances,
    fine: Ints,
    start: Ints,
    shares: Floats,
    names: Hashes,
    fixed: npt.NDArray[np.bool_],
    seed: int,
) -> Balanced:
    """Return what swaps make of a start: by coarse bands first, then by fine ones."""
    part = min(1.0, WHOLE / len(fine))
    balanced = balance(cells, start, shares, names=names, fixed=fixed, seed=seed, steps=int(STEPS * part) + 1)
    return sharpen(
        cells._replace(band=fine),
        balanced.split,
        len(shares),
        names=names,
        fixed=fixed,
        seed=seed,
        turns=int(TURNS * part) + 1,
    )


def _start(cells: GroupedInstances, names: Hashes, shares: Shares, seed: int, kept: Ints) -> Ints:
    """Return splits of groups: those that are kept; of others, alike ones are a block, dealt out as is drawn."""
    sizes = np.bincount(cells.group)
    means = np.bincount(cells.group, cells.band) / sizes
    first = np.flatnonzero(np.diff(cells.group, prepend=-1))
    drawn = numbers(names, seed=seed, label="complexity/split start", draws=2)
    alike = np.lexsort((drawn[:, 0], means, -sizes, cells.genre[first]))
    alike = alike[kept[alike] < 0]
    block = pattern(shares)
    number = np.arange(len(alike)) // len(block)
    split = kept.copy()
    split[alike[np.lexsort((drawn[alike, 1], number))]] = deal(len(alike), block, int((kept >= 0).sum()))
    return split


def distances(values: Floats, split: Ints, splits: int) -> Floats:
    """Return the two-sample Kolmogorov-Smirnov distance of any two splits.

    The distance is the greatest difference of two empirical distribution functions, 0 to 1.

    Args:
        values: of each row.
        split: of each row, 0 to `splits` - 1.
        splits: how many splits there are.

    Returns:
        float64 of shape (splits, splits), symmetric, 0 on the diagonal; nan where one is empty.
    """
    levels, of = np.unique(values, return_inverse=True)
    counts = np.bincount(split * len(levels) + of, minlength=splits * len(levels))
    counts = counts.reshape(splits, len(levels))
    sizes = counts.sum(1)
    shares = np.cumsum(counts, axis=1) / np.maximum(sizes, 1)[:, None]
    greatest = np.zeros((splits, splits))
    for split_number in range(splits):
        greatest[split_number] = np.abs(shares - shares[split_number]).max(axis=1, initial=0.0)
    greatest[sizes == 0] = greatest[:, sizes == 0] = np.nan
    return greatest
