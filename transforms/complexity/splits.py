"""Splits of labelled instances: no token in two of them, genres and complexities alike.

A method is a function of the instances of one kind, the shares and the options; single words and
multi-word expressions are split apart. Tokens are compared case-folded, by their hashes. Nothing
depends on the order of rows: groups are ordered by complexity and by hashes that the seed stirs.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.common.draws import content_hashes, integers, numbers
from transforms.common.errors import UsageError, quoted
from transforms.common.folds import Oversized, components
from transforms.common.options import option
from transforms.complexity.balancing import STEPS, Cells, Floats, Ints, balance
from transforms.complexity.sharpening import TURNS, Sharpened, sharpen

__all__ = [
    "NO_SENTENCE", "SPLIT_METHODS", "Dealt", "Instances", "Shares", "SplitOptions", "bands_of",
    "deal", "parse_shares", "pattern",
]  # fmt: skip

Hashes = npt.NDArray[np.uint64]

NO_SENTENCE = np.uint64(0)  # in place of the hash of a sentence
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
        UsageError: fewer than two, a name that is none or doubled, a share that is not above 0, or
            shares that do not add up to 1 (within .005; they are scaled to it).
    """
    names, values = [], []
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if not equals or not 0 < share < 1:
            raise UsageError(
                f"{quoted(text)} must be NAME=SHARE with a share between 0 and 1, such as train=.85"
            )
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


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """How labelled instances are split."""

    method: str = option(
        "balanced", help="paper: as the shared task's paper says, genre by genre; paper-global: "
        "the same, a token staying in the split of its first genre; balanced: genres and "
        "complexities made alike by swaps, no token in two splits",
        choices="transforms.complexity.splits:SPLIT_METHODS",
    )  # fmt: skip
    shares: tuple[str, ...] = option(
        ("train=.85", "trial=.05", "test=.10"), help="splits and their shares of the instances",
        metavar="NAME=SHARE", check=parse_shares,
    )  # fmt: skip
    seed: int = option(1, help="other seeds give other splits")
    one_sentence: bool = option(
        False, help="balanced: no sentence in two splits either; what hangs together by tokens and "
        "sentences and is too large goes to the largest split",
    )  # fmt: skip
    bands: int = option(
        256, help="balanced: bands of complexity that are told apart, if labels have more values",
        least=2, most=4096,
    )  # fmt: skip
    duplicates: str = option(
        "keep", help="instances that repeat another's target and sentence: split like others, or "
        "left out of all splits", choices=("keep", "leave-out"),
    )  # fmt: skip


class Instances(NamedTuple):
    """Labelled instances of one kind.

    Attributes:
        token: hash of the case-folded target, uint64.
        sentence: hash of the sentence, uint64; `NO_SENTENCE` where there is none.
        genre: place among the genres in sorted order (without one: the last), int64.
        complexity: float64, no nan.
    """

    token: Hashes
    sentence: Hashes
    genre: Ints
    complexity: Floats


class Dealt(NamedTuple):
    """Splits of instances.

    Attributes:
        split: place among the shares, int64.
        too_large: groups that went to the largest split because of their size, the largest first.
    """

    split: Ints
    too_large: tuple[Oversized, ...] = ()


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


def deal(groups: int, block: Ints) -> Ints:
    """Return the splits of so many groups in order, block after block.

    A last block that is short takes places at equal distances, each from the middle of its step:
    of 10 groups the first takes the second place of 20. Its splits have about their shares, where
    the first places would all be of the smallest splits.
    """
    whole, left = divmod(groups, len(block))
    places = ((2 * np.arange(left) + 1) * len(block)) // (2 * max(left, 1))
    return np.concatenate([np.tile(block, whole), block[places]])


def _literally(token: Hashes, complexity: Floats, shares: Shares, seed: int) -> tuple[Hashes, Ints]:
    """Return tokens in ascending order and their splits, by the paper's rule."""
    tokens, of = np.unique(token, return_inverse=True)
    least = np.full(len(tokens), np.inf)
    np.minimum.at(least, of, complexity)
    ties = numbers(tokens, seed=seed, label="complexity/split ties")
    split = np.empty(len(tokens), np.int64)
    split[np.lexsort((ties, least))] = deal(len(tokens), pattern(shares))
    return tokens, split


def paper(rows: Instances, shares: Shares, options: SplitOptions) -> Dealt:
    """Split as Shardlow et al. (2021), section 4, say, genre by genre.

    The instances of a genre are grouped by token, groups sorted by the complexity of their least
    complex instance (ties by the hash of the token), and dealt out in blocks, see `pattern` and
    `deal`. A token of two genres may come to two splits.
    """
    split = np.zeros(len(rows.token), np.int64)
    for genre in np.unique(rows.genre):
        own = np.flatnonzero(rows.genre == genre)
        tokens, dealt = _literally(rows.token[own], rows.complexity[own], shares, options.seed)
        split[own] = dealt[np.searchsorted(tokens, rows.token[own])]
    return Dealt(split)


def paper_global(rows: Instances, shares: Shares, options: SplitOptions) -> Dealt:
    """Split as `paper` does, all instances of a token as those of its first genre in sorted order.

    All groups of a genre are dealt out, also those whose token has its split from another genre.
    """
    of = np.unique(rows.token, return_inverse=True)[1]
    literal = paper(rows, shares, options).split
    order = np.lexsort((rows.genre, of))
    first = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
    return Dealt(literal[first][of])


def bands_of(complexity: Floats, bands: int) -> Ints:
    """Return the band of each value, from 0: its place among the values, or a quantile band.

    Equal values have the same band; there are at most so many.
    """
    values, of, counts = np.unique(complexity, return_inverse=True, return_counts=True)
    if len(values) <= bands:
        return of.astype(np.int64)
    middle = 2 * np.cumsum(counts) - counts
    cut = middle * bands // (2 * len(complexity))
    return np.unique(cut, return_inverse=True)[1][of].astype(np.int64)


def balanced(rows: Instances, shares: Shares, options: SplitOptions) -> Dealt:
    """Split so that genres and complexities are alike, no token in two splits.

    Groups of instances (tokens; with `one_sentence` what hangs together by tokens and sentences)
    are dealt out as a block of alike groups each, then swapped: see `balancing` and `sharpening`.
    A group with more instances than half of the second largest split is to have goes to the
    largest split (the first of equal ones), and is told. Swaps end where none of the drawn ones
    helps, so few instances, which take little time, are tried with several draws.
    """
    if not len(rows.token):
        return Dealt(np.zeros(0, np.int64))
    names, of, called = _groups(rows, one_sentence=options.one_sentence)
    order = np.lexsort((rows.complexity, rows.genre, of))
    genre = np.unique(rows.genre, return_inverse=True)[1].astype(np.int64)[order]
    group = of[order]
    fine = bands_of(rows.complexity, options.bands)[order]
    coarse = bands_of(rows.complexity, min(options.bands, COARSE))[order]
    values = np.array(shares.values)
    sizes = np.bincount(group)
    fixed = sizes > len(group) * np.sort(values)[-2] / 2
    start = _start(Cells(group, genre, coarse), names, shares, options.seed)
    start[fixed] = int(np.argmax(values))
    seeds = _seeds(options.seed, min(max(TRIED // len(group), 1), TRIES))
    last = min(
        (_swapped(Cells(group, genre, coarse), fine, start, values, names, fixed, seed)
         for seed in seeds),
        key=lambda one: one.after,
    )  # fmt: skip
    large = sorted(np.flatnonzero(fixed).tolist(), key=lambda one: (-sizes[one], one))
    told = (Oversized(called(one), int(sizes[one]), float(sizes[one] / len(of))) for one in large)
    return Dealt(last.split[of], tuple(told))


def _seeds(seed: int, many: int) -> list[int]:
    """Return a seed for each try, the first the one given."""
    more = integers([str(place) for place in range(1, many)], 1 << 32, seed=seed, label="tries")
    return [seed, *more.tolist()]


def _swapped(
    cells: Cells,
    fine: Ints,
    start: Ints,
    shares: Floats,
    names: Hashes,
    fixed: npt.NDArray[np.bool_],
    seed: int,
) -> Sharpened:
    """Return what swaps make of a start: by coarse bands first, then by fine ones."""
    part = min(1.0, WHOLE / len(fine))
    found = balance(
        cells, start, shares, names=names, fixed=fixed, seed=seed, steps=int(STEPS * part) + 1
    )
    return sharpen(
        cells._replace(band=fine), found.split, len(shares), names=names, fixed=fixed, seed=seed,
        turns=int(TURNS * part) + 1,
    )  # fmt: skip


def _groups(rows: Instances, *, one_sentence: bool) -> tuple[Hashes, Ints, Callable[[int], str]]:
    """Return hashes of groups, ascending, the group of each row, and what a group is called."""
    if not one_sentence:
        tokens, of = np.unique(rows.token, return_inverse=True)
        return tokens, of.astype(np.int64), lambda one: f"token {tokens[one]:016x}"
    sentence = pa.array(rows.sentence, mask=rows.sentence == NO_SENTENCE)
    joined = components({"token": pa.array(rows.token), "sentence": sentence})
    hashes = content_hashes(joined.names)
    order = np.argsort(hashes, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return hashes[order], place[joined.of_row], lambda one: f"component {hashes[order[one]]:016x}"


def _start(cells: Cells, names: Hashes, shares: Shares, seed: int) -> Ints:
    """Return splits of groups: alike groups are a block, dealt out in an order that is drawn."""
    sizes = np.bincount(cells.group)
    means = np.bincount(cells.group, cells.band) / sizes
    first = np.flatnonzero(np.diff(cells.group, prepend=-1))
    drawn = numbers(names, seed=seed, label="complexity/split start", draws=2)
    alike = np.lexsort((drawn[:, 0], means, -sizes, cells.genre[first]))
    block = pattern(shares)
    number = np.arange(len(alike)) // len(block)
    split = np.empty(len(alike), np.int64)
    split[alike[np.lexsort((drawn[alike, 1], number))]] = deal(len(alike), block)
    return split


SPLIT_METHODS: dict[str, Callable[[Instances, Shares, SplitOptions], Dealt]] = {
    "paper": paper,
    "paper-global": paper_global,
    "balanced": balanced,
}
