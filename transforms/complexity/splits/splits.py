"""Splits of labelled instances: no token in two of them, genres and complexities alike.

A method is a function of the instances of one kind, the shares and the options; single words and
multi-word expressions are split apart. Tokens are compared case-folded, by their hashes. Nothing
depends on the order of rows: groups are ordered by complexity and by hashes that the seed stirs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.balancing import Floats, Ints
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.draws.splits import (
    Oversized,
    Shares,
    components,
    deal,
    deal_alike,
    kept_splits,
    parse_shares,
    pattern,
)
from lexbeam.transforms.common.options.fields import option

Hashes = npt.NDArray[np.uint64]

NO_SENTENCE = np.uint64(0)  # instead of the hash of a sentence


@dataclass(frozen=True, kw_only=True)
class SplitOptions:
    """How labelled instances are split."""

    method: str = option(
        "balanced", help="how instances are split", choices="lexbeam.transforms.complexity.splits.splits:SPLIT_METHODS"
    )
    shares: tuple[str, ...] = option(
        ("train=.85", "trial=.05", "test=.10"),
        help="splits and their shares of the instances",
        metavar="NAME=SHARE",
        check=parse_shares,
    )
    seed: int = option(1, help="other seeds give other splits")
    one_sentence: bool = option(
        False,
        help="balanced: no sentence in two splits either; a group connected by tokens and "
        "sentences that is too large goes to the largest split",
    )
    bands: int = option(
        256, help="balanced: bands of complexity that are distinguished, if labels have more values", least=2, most=4096
    )
    duplicates: str = option(
        "keep",
        help="instances that repeat another's target and sentence: split like the others, or left out of all splits",
        choices=("keep", "leave-out"),
    )


class Instances(NamedTuple):
    """Labelled instances of one kind.

    Attributes:
        token: hash of the case-folded target, uint64.
        sentence: hash of the sentence, uint64; `NO_SENTENCE` for none.
        genre: place among the genres in sorted order (without one: the last), int64.
        complexity: float64, no nan.
        kept: place among the shares of the split that each keeps, int64; -1: it is dealt out.
    """

    token: Hashes
    sentence: Hashes
    genre: Ints
    complexity: Floats
    kept: Ints


class DealtSplits(NamedTuple):
    """Splits of instances.

    Attributes:
        split: place among the shares, int64.
        too_large: groups that went to the largest split because of their size, largest first.
    """

    split: Ints
    too_large: tuple[Oversized, ...] = ()


def _literally(token: Hashes, complexity: Floats, kept: Ints, shares: Shares, seed: int) -> tuple[Hashes, Ints]:
    """Return tokens in ascending order and their splits, by the paper's rule; those of rows that keep one are kept."""
    tokens, of = np.unique(token, return_inverse=True)
    least = np.full(len(tokens), np.inf)
    np.minimum.at(least, of, complexity)
    ties = numbers(tokens, seed=seed, label="complexity/split ties")
    split = kept_splits(of, kept, len(tokens))
    order = np.lexsort((ties, least))
    free = order[split[order] < 0]
    split[free] = deal(len(free), pattern(shares), len(order) - len(free))
    return tokens, split


def paper(rows: Instances, shares: Shares, options: SplitOptions) -> DealtSplits:
    """Split as in Shardlow et al. (2021), section 4, genre by genre.

    The instances of a genre are grouped by token, groups sorted by the complexity of their least
    complex instance (ties by the hash of the token), and dealt out in blocks, see `pattern` and
    `deal`. A token of two genres may get two splits.
    """
    split = np.zeros(len(rows.token), np.int64)
    for genre in np.unique(rows.genre):
        of_genre = np.flatnonzero(rows.genre == genre)
        held = rows.token[of_genre], rows.complexity[of_genre], rows.kept[of_genre]
        tokens, dealt = _literally(*held, shares, options.seed)
        split[of_genre] = dealt[np.searchsorted(tokens, rows.token[of_genre])]
    return DealtSplits(split)


def paper_global(rows: Instances, shares: Shares, options: SplitOptions) -> DealtSplits:
    """Split like `paper`, but put all instances of a token where those of its first genre are, in sorted order.

    All groups of a genre are dealt out, even those whose token gets its split from another genre.
    """
    tokens, of = np.unique(rows.token, return_inverse=True)
    literal = paper(rows, shares, options).split
    order = np.lexsort((rows.genre, of))
    first = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
    kept = kept_splits(of, rows.kept, len(tokens))
    return DealtSplits(np.where(kept < 0, literal[first], kept)[of])


def balanced(rows: Instances, shares: Shares, options: SplitOptions) -> DealtSplits:
    """Split so that genres and complexities are alike and no token is in two splits.

    Groups of instances (tokens; with `one_sentence` those connected by tokens and sentences)
    are dealt out by `deal_alike`. Groups too large for that are reported.
    """
    if not len(rows.token):
        return DealtSplits(np.zeros(0, np.int64))
    names, of, called = _groups(rows, whole_sentences=options.one_sentence)
    kept = kept_splits(of, rows.kept, len(names))
    dealt = deal_alike(
        names, of, rows.genre, rows.complexity, shares, bands=options.bands, seed=options.seed, kept=kept
    )
    sizes = np.bincount(of)
    large = sorted(np.flatnonzero(dealt.fixed).tolist(), key=lambda group: (-sizes[group], group))
    too_large = (Oversized(called(group), int(sizes[group]), float(sizes[group] / len(of))) for group in large)
    return DealtSplits(dealt.split[of], tuple(too_large))


def _groups(rows: Instances, *, whole_sentences: bool) -> tuple[Hashes, Ints, Callable[[int], str]]:
    """Return hashes of groups, ascending, the group of each row, and a function that names a group."""
    if not whole_sentences:
        tokens, of = np.unique(rows.token, return_inverse=True)
        return tokens, of.astype(np.int64), lambda group: f"token {tokens[group]:016x}"
    sentence = pa.array(rows.sentence, mask=rows.sentence == NO_SENTENCE)
    joined = components({"token": pa.array(rows.token), "sentence": sentence})
    hashes = content_hashes(joined.names)
    order = np.argsort(hashes, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return hashes[order], place[joined.of_row], lambda group: f"component {hashes[order[group]]:016x}"


@dataclass(frozen=True)
class SplitMethod(Entry):
    """A method of splitting: a function of instances, shares and options."""

    deal: Callable[[Instances, Shares, SplitOptions], DealtSplits]


SPLIT_METHODS: Registry[SplitMethod] = Registry(
    {
        "paper": SplitMethod(paper, doc="as the shared task's paper says, genre by genre"),
        "paper-global": SplitMethod(paper_global, doc="the same, a token staying in the split of its first genre"),
        "balanced": SplitMethod(balanced, doc="genres and complexities made alike by swaps, no token in two splits"),
    },
    what="method",
    group="lexbeam.split_methods",
)
