"""Splits: shares asked for, blocks dealt out, and groups of rows dealt so that splits are alike.

Rows that belong together are a group, which lies in one split: those of a token, of an article.
Rows have a stratum, such as a genre, and a value, such as complexity; `deal_alike` makes sizes,
strata and values of splits alike. Nothing depends on the order of rows: groups are ordered by
values and by hashes that the seed stirs.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.draws.balancing import STEPS, Floats, GroupedInstances, Ints, balance
from lexbeam.transforms.common.draws.by_content import integers, numbers
from lexbeam.transforms.common.draws.sharpening import TURNS, Sharpened, sharpen
from lexbeam.transforms.common.errors import UsageError, quoted

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
) -> Sharpened:
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
