"""Series of three or more slices: one space for all of them, and where a word's usage turns.

*Common space.* Of the words that all slices share, the vectors of each slice are taken to unit
length and rotated onto the sum of all other slices, in turn, until they move no more: generalised
Procrustes analysis (Gower 1975) by orthogonal maps alone.

*Change point.* A series can be cut between any two slices. For each cut c, d is 1 - cos of a word's
mean vector before it and that after it. What is expected of d falls with the uses of a word, so it
is compared with words of null series, whose documents were dealt out anew (`null_deals`): log d is
regressed on frequency and spread as scores of pairs are (`null_evidence.Standard`), and

    z_c = residual / scale,   over its standard deviation among null words
    M   = the greatest z_c, its cut the change point
    p   = (1 + null words with an M at least as large) / (1 + null words)

Null words are the ranked words of all null series. As a cut has several slices to either side, the
uses of a side are the harmonic mean of those in its slices, for the noise of a vector falls with
them; the side with fewer counts. Likewise the documents that use the word.
"""

import math
import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.change.scores.measures import cosine_distance
from lexbeam.transforms.change.scores.null_evidence import (
    Flags,
    Floats,
    PairScores,
    Standard,
    benjamini_hochberg,
    fitting,
)
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.embeddings.spaces import Rows, at_length_one, is_sparse, with_direction

Matrix = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Vectors stay where they are: root mean square over words and spaces of how far a round has moved them.
TOLERANCE = 1e-6
MOST_ROUNDS = 500


class Traces(NamedTuple):
    """A series, real or null, as change points see it; all arrays are over the same words.

    Attributes:
        distances: d of each cut, float64 of shape (slices - 1, words), nan if there is none.
        uses: of each slice, int64 of shape (slices, words).
        documents: that use the word, of the same shape.
        ranked: whether rankings take the word in every slice.
        slice_documents: documents of the smallest slice.
    """

    distances: Floats
    uses: Ints
    documents: Ints
    ranked: Flags
    slice_documents: int


class Points(NamedTuple):
    """Change points of words; nan, and -1 for the cut, for words without one.

    Attributes:
        cut: the cut with the greatest z: 0 between the first slice and the second.
        m: that z.
        p_value: of such an m by chance, for words tested.
        q_value: the same by Benjamini and Hochberg (1995), over the words tested.
    """

    cut: Ints
    m: Floats
    p_value: Floats
    q_value: Floats


def unit_rows(vectors: Rows) -> Rows:
    """Return rows at unit length, float64; those of length zero stay zero."""
    if is_sparse(vectors):
        return at_length_one(vectors)
    rows = vectors.astype(np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=rows, where=length > 0))


def common_rotations(spaces: Sequence[Matrix]) -> Matrix:
    """Return for each space the orthogonal matrix that takes it into the common space, of shape (spaces, dim, dim).

    It starts from the first space, with the others rotated onto it, and ends when the rotated vectors move by less
    than `TOLERANCE`, or after `MOST_ROUNDS`. A round rotates each space onto the sum of the others (ten Berge 1977),
    from where the last two rounds point to (Nesterov 1983); one that went too far, so that spaces agree less, is
    taken back, and the next starts from where they are (O'Donoghue and Candes 2015).

    Args:
        spaces: unit vectors of the same words, in one order, of one dimension.
    """
    number, (words, dim) = len(spaces), spaces[0].shape
    with one_thread():
        # The products of the spaces, which are small, say it all: (rotation)t X_st (rotation).
        side_by_side = np.hstack(spaces)
        products = (side_by_side.T @ side_by_side).reshape(number, dim, number, dim)
        rotations = before = _nearest_rotation(np.ascontiguousarray(products[:, :, 0]))
        each = np.arange(number)
        own = products[each, :, each]
        products[each, :, each] = 0.0
        others = products.reshape(number, dim, number * dim)
        agreement, weight = -np.inf, 1.0
        for _ in range(MOST_ROUNDS):
            heavier = (1.0 + math.sqrt(1.0 + 4.0 * weight**2)) / 2.0
            turned = rotations + (weight - 1.0) / heavier * (rotations - before)
            for space in range(number):
                turned[space] = _nearest_rotation(others[space] @ turned.reshape(-1, dim))
            agreed = float(np.vdot(turned, others @ turned.reshape(-1, dim)))
            if agreed < agreement and weight > 1.0:
                before, weight = rotations, 1.0
                continue
            before, rotations, agreement, weight = rotations, turned, agreed, heavier
            step = rotations - before
            if np.vdot(step, own @ step) <= number * words * TOLERANCE**2:
                break
    return rotations


def _nearest_rotation(product: Matrix) -> Matrix:
    """Return the orthogonal R that brings A R nearest to B, from At B (Schonemann 1966); of a stack, one each."""
    u, _, vt = np.linalg.svd(product)
    return np.asarray(u @ vt)


def common_space(spaces: Sequence[Matrix]) -> list[Matrix]:
    """Return spaces rotated into their common space; args as `common_rotations`.

    All is nan with fewer words that have a direction in each than dimensions, for then any spaces can be rotated onto
    each other.
    """
    if _directed(spaces).sum() < spaces[0].shape[1]:
        return [np.full(space.shape, np.nan) for space in spaces]
    rotations = common_rotations(spaces)
    with one_thread():
        return [space @ turn for space, turn in zip(spaces, rotations, strict=True)]


def cut_distances(spaces: Sequence[Rows]) -> Floats:
    """Return the cosine distance of each word's mean vectors before and after each cut.

    Args:
        spaces: of the same words, in one space, in the order of time.

    Returns:
        float64 of shape (slices - 1, words), 0 to 2; nan where a mean has length zero, and at every cut for a word
        whose vector is zero in some slice.
    """
    known = _directed(spaces)
    before = list(accumulate(spaces, operator.add))[:-1]
    after = list(accumulate(spaces[::-1], operator.add))[:-1][::-1]
    pairs = zip(before, after, strict=True)
    return np.stack([np.where(known, cosine_distance(earlier, later), np.nan) for earlier, later in pairs])


def _directed(spaces: Sequence[Rows]) -> Flags:
    """Return which words have no vector of length zero."""
    return np.asarray(np.logical_and.reduce([with_direction(space) for space in spaces]))


def points_of(real: Traces, nulls: Sequence[Traces], tested: Flags) -> Points:
    """Return the change points of a series.

    Args:
        real: the series; distances are means over its seeds.
        nulls: null series, which may have other words.
        tested: words to test; q-values are over those that have an m.
    """
    words = len(real.ranked)
    nothing = Points(np.full(words, -1), *(np.full(words, np.nan) for _ in range(3)))
    standardised = [_standardised(real, nulls, cut) for cut in range(len(real.distances))]
    if any(cut_z is None for cut_z in standardised):
        return nothing
    fitted = [cut_z for cut_z in standardised if cut_z is not None]
    z = np.stack([words_z for words_z, _ in fitted])
    null_m = np.stack([null for _, null in fitted]).max(axis=0)
    null_m = np.sort(null_m[~np.isnan(null_m)])
    known = ~np.isnan(z).any(axis=0)
    if not known.any() or not len(null_m):
        return nothing
    filled = np.where(known, z, -np.inf)
    m = np.where(known, filled.max(axis=0), np.nan)
    larger = len(null_m) - np.searchsorted(null_m, m, side="left")
    p_value = np.where(tested & known, (1.0 + larger) / (1.0 + len(null_m)), np.nan)
    cut = np.where(known, filled.argmax(axis=0), -1)
    return Points(cut.astype(np.int64), m, p_value, benjamini_hochberg(p_value))


def _standardised(real: Traces, nulls: Sequence[Traces], cut: int) -> tuple[Floats, Floats] | None:
    """Return z of a series' words and of null words at a cut; None if nothing can be fitted."""
    runs = [_run(null, cut) for null in nulls]
    fitted = [fitting(run) for run in runs]
    if sum(int(fit.sum()) for fit in fitted) < 2:
        return None
    standard = Standard.of(runs)
    # Words that have no distance at a cut stay, as nan, so that a word's z of all cuts come
    # together.
    r = np.concatenate([standard(run)[null.ranked] for run, null in zip(runs, nulls, strict=True)])
    spread = float(r[~np.isnan(r)].std(ddof=1))
    if not spread > 0:
        return None
    return standard(_run(real, cut)) / spread, r / spread


def _run(traces: Traces, cut: int) -> PairScores:
    uses, documents = (
        np.minimum(_harmonic(values[: cut + 1]), _harmonic(values[cut + 1 :]))
        for values in (traces.uses, traces.documents)
    )
    return PairScores(traces.distances[cut], uses, documents, traces.ranked, traces.slice_documents)


def _harmonic(values: Ints) -> Ints:
    """Return the harmonic mean down the columns, rounded; values below 1 count as 1."""
    mean = len(values) / (1.0 / np.maximum(values, 1)).sum(axis=0)
    return np.asarray(np.rint(mean), np.int64)
