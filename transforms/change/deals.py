"""Deals: the documents of two slices dealt out anew, as if their dates meant nothing.

A null pair is trained, aligned and scored as the real one; what it lacks is a difference in time.
What is dealt are clusters: all documents of an author together where authors are known, none wrote
in both slices, and each slice has enough of them; else single documents. Sentences would not do:
topics clump by document, and as much again by author, so a null of sentences finds change where
dates are random (docs/change.md has the figures).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.common.draws import numbers

__all__ = ["LEAST_CLUSTERS", "UNITS", "Clusters", "clusters_of", "deal"]

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

UNITS = ("document", "author")
LEAST_CLUSTERS = 10  # in a slice, to deal authors, and for any finding
TOLERANCE = 0.03  # of all tokens
ATTEMPTS = 100


class Clusters(NamedTuple):
    """What is dealt.

    Attributes:
        unit: `document` or `author`.
        keys: of each document the key of its cluster, uint64.
        earlier: clusters in the earlier slice.
        later: clusters in the later slice.
    """

    unit: str
    keys: Hashes
    earlier: int
    later: int


def clusters_of(documents: Hashes, authors: Hashes, known: Flags, later: Flags) -> Clusters:
    """Return the clusters of the documents of two slices.

    Args:
        documents: a key for each document.
        authors: a key for each document's author.
        known: whether its author is known.
        later: whether it is in the later slice.
    """
    if len(documents) and known.all():
        early, late = np.unique(authors[~later]), np.unique(authors[later])
        enough = min(len(early), len(late)) >= LEAST_CLUSTERS
        if enough and not np.isin(early, late).any():
            return Clusters("author", authors, len(early), len(late))
    return Clusters("document", documents, int((~later).sum()), int(later.sum()))


def deal(clusters: Hashes, tokens: Ints, share: float, *, seed: int, number: int) -> Flags:
    """Return which documents a deal puts into the earlier slice.

    Clusters are put in the order of a hash of seed and number, and cut where the tokens before the
    cut come nearest to `share` of all. Where they miss it by more than 3 % of all tokens, for large
    clusters, other orders are tried, and the nearest is taken.

    Args:
        clusters: of each document the key of its cluster.
        tokens: of each document.
        share: of all tokens, which the real earlier slice has.
        seed: any whole number.
        number: of the deal.

    Returns:
        bool of shape (documents,); each slice gets a cluster at least where there are two.
    """
    keys, place = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(place, tokens, minlength=len(keys))
    total = sizes.sum()
    if len(keys) < 2 or not total:
        return np.ones(len(clusters), bool)
    best, least = np.zeros(len(keys), bool), np.inf
    for attempt in range(ATTEMPTS):
        drawn = numbers(keys, seed=seed, label=f"deal {number} {attempt}")
        order = np.argsort(drawn, kind="stable")
        missed = np.abs(np.cumsum(sizes[order])[:-1] / total - share)
        cut = int(np.argmin(missed))
        if missed[cut] < least:
            least = float(missed[cut])
            best = np.zeros(len(keys), bool)
            best[order[: cut + 1]] = True
        if least <= TOLERANCE:
            break
    return best[place]
