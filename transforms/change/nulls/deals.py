"""Deals: the documents of some slices dealt out anew, as if their dates meant nothing.

A null pair, or null series, is trained, aligned and scored like the real one; what it lacks is a
difference in time. What is dealt are clusters: all documents of an author together if all authors
are known, none wrote in two slices, and each slice has enough of them; else single documents.
Sentences can be dealt, too, as Dubossarsky et al. (2017) shuffle them: but topics cluster by document, and as much
again by author, so nulls of sentences find change where dates are random (docs/tasks/change/evidence.md has the
figures).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.draws.by_content import numbers

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

LEAST_CLUSTERS = 10  # in a slice, to deal authors, and for any finding
TOLERANCE = 0.03  # of all tokens
ATTEMPTS = 100


class DealtUnit(NamedTuple):
    """What is dealt, for people: what several are called, and what a null pair deals out."""

    plural: str
    dealt: str


SENTENCE = "sentence"
UNITS = {
    "document": DealtUnit("documents", "documents"),
    "author": DealtUnit("authors", "blocks of an author's documents"),
    SENTENCE: DealtUnit("sentences", "single sentences"),
}
BY = ("document", SENTENCE)  # what can be asked for: authors are dealt for documents where that is possible


class Clusters(NamedTuple):
    """What is dealt.

    Attributes:
        unit: a key of `UNITS`.
        keys: of each document the key of its cluster, uint64.
        sizes: clusters in each slice.
    """

    unit: str
    keys: Hashes
    sizes: tuple[int, ...]


def clusters_of(documents: Hashes, authors: Hashes, known: Flags, places: Ints, slices: int) -> Clusters:
    """Return the clusters of the documents of some slices.

    They are authors if all are known, none is in two slices, and each slice has enough of them; else
    single documents.

    Args:
        documents: a key for each document.
        authors: a key for each document's author.
        known: whether its author is known.
        places: the place of its slice, from 0.
        slices: number of slices.
    """
    if len(documents) and known.all():
        slice_authors = [np.unique(authors[places == place]) for place in range(slices)]
        apart = len(np.unique(np.concatenate(slice_authors))) == sum(len(writers) for writers in slice_authors)
        if apart and min(len(writers) for writers in slice_authors) >= LEAST_CLUSTERS:
            return Clusters("author", authors, tuple(len(writers) for writers in slice_authors))
    sizes = np.bincount(places, minlength=slices)
    return Clusters("document", documents, tuple(sizes.tolist()))


def deal(clusters: Hashes, tokens: Ints, shares: Sequence[float], *, seed: int, number: int) -> Ints:
    """Return the slice that a deal puts each document into, by its place.

    Clusters are sorted by a hash of seed and number, and cut where the share of tokens before a cut
    comes nearest to that of the real slices before it. If a cut misses this by more than 3 % of all
    tokens for two slices, 2 % for three, 1.5 % for four, and so on, as happens with large clusters,
    other orders are tried, and the best one is taken.

    Args:
        clusters: of each document the key of its cluster.
        tokens: of each document.
        shares: of all tokens, which the real slices have, in their order.
        seed: any whole number.
        number: of the deal.

    Returns:
        int64 of shape (documents,); each slice gets at least one cluster if there are as many
        clusters as slices, else the last slices get none.
    """
    keys, place = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(place, tokens, minlength=len(keys))
    total = sizes.sum()
    slices = len(shares)
    if not total:
        return np.zeros(len(clusters), np.int64)
    if len(keys) < slices:
        return place.astype(np.int64)
    wanted = np.cumsum(shares)[:-1]
    best, least = np.zeros(len(keys), np.int64), np.inf
    for attempt in range(ATTEMPTS):
        drawn = numbers(keys, seed=seed, label=f"deal {number} {attempt}")
        order = np.argsort(drawn, kind="stable")
        before = np.cumsum(sizes[order])[:-1] / total
        cuts, missed = _cuts(before, wanted)
        if missed < least:
            least = missed
            best = np.zeros(len(keys), np.int64)
            best[order] = np.searchsorted(cuts, np.arange(len(keys)))
        if least <= 2 * TOLERANCE / slices:
            break
    return best[place]


def _cuts(before: Floats, wanted: Floats) -> tuple[Ints, float]:
    """Return the last cluster of each slice but the last, and the most that a cut misses.

    Args:
        before: share of all tokens up to each cluster but the last.
        wanted: share of all tokens up to each cut.
    """
    cuts: list[int] = []
    missed = 0.0
    for number, share in enumerate(wanted):
        first = cuts[-1] + 1 if cuts else 0
        behind = len(before) - (len(wanted) - number - 1)  # each slice that follows gets one
        apart = np.abs(before[first:behind] - share)
        cuts.append(first + int(np.argmin(apart)))
        missed = max(missed, float(apart.min()))
    return np.array(cuts, np.int64), missed
