"""Measures of what a word stands near in two spaces, which need not share dimensions: its neighbours, and pivots.

A neighbourhood of k has k - 1 neighbours, for the word itself counts, as in LSCDetection (Schlechtweg et al. 2019),
whose local neighbourhood distance this is. Neighbours are nearest by cosine among all words of a space. Mapped
neighbours, which are compared in aligned vectors, are those among the words of both spaces.

Pivots are words of stable use, after Asgari et al. (2020, EmbLexChange; team Life-Language): a word's profile is of its
cosines to them, made shares of 1, and the profiles of two spaces diverge; over several draws of pivots the mean is
taken.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.embeddings.neighbourhoods import NoScoreError, SpacePair, lengths_of, nearest
from lexbeam.transforms.embeddings.rows import (
    Rows,
    at_length_one,
    is_sparse,
    lengths,
    most_numbers,
    products,
    row_dots,
    with_direction,
)

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

NUMBERS = 2**22  # at a time, of vectors of neighbours
QUERIES = 1_024  # words whose profiles are made at a time
FREQUENT = 10  # times as many frequent words as pivots, of which the steadier half may be pivots


def local_neighbourhood_distance(pair: SpacePair, *, neighbourhood: int) -> Floats:
    """Return the local neighbourhood distance of words (Hamilton et al. 2016b), 0 to 2.

    The neighbours of a word in either space that both spaces have are joined; in each space the cosines of the word
    and these neighbours make a vector; the distance is 1 - cos of the two. nan where no neighbour is in both spaces,
    or all cosines are 0.

    Raises:
        TooFewNeighboursError: a space has not as many words.
    """
    first, second = pair.neighbours(neighbourhood - 1)
    joined = np.sort(np.concatenate([first, second], axis=1), axis=1)
    joined[:, 1:][joined[:, 1:] == joined[:, :-1]] = -1
    distance = np.full(len(joined), np.nan)
    sides = (
        (pair.earlier.vectors, pair.mine, lengths_of(pair.earlier.vectors)),
        (pair.later.vectors, pair.theirs, lengths_of(pair.later.vectors)),
    )
    # Of sparse rows the longest say how many there may be at a time, or the length of one.
    numbers = max(max(joined.shape[1] * most_numbers(vectors), vectors.shape[1]) for vectors, *_ in sides)
    step = max(1, NUMBERS // max(1, numbers))
    for start in range(0, len(joined), step):
        near = joined[start : start + step]
        words = np.arange(start, start + len(near))
        cosines = [
            _cosines(vectors, lengths, places[words], places[near]) * (near >= 0) for vectors, places, lengths in sides
        ]
        sizes = np.linalg.norm(cosines[0], axis=1) * np.linalg.norm(cosines[1], axis=1)
        similarity = np.full(len(near), np.nan)
        np.divide(dots(*cosines), sizes, out=similarity, where=sizes > 0)
        distance[words] = np.clip(1.0 - similarity, 0.0, 2.0)
    return distance


def _cosines(vectors: Rows, lengths: Floats, words: npt.NDArray[np.int64], near: npt.NDArray[np.int64]) -> Floats:
    """Return the cosines of words and their neighbours, of the shape of `near`."""
    if is_sparse(vectors):
        # Of a few words at a time, dense, the numbers are picked that the rows of their neighbours have.
        full = vectors[words].astype(np.float64).toarray()
        rows = vectors[near.ravel()]
        word = np.repeat(np.repeat(np.arange(len(words)), near.shape[1]), np.diff(rows.indptr))
        products = np.add.reduceat(rows.data * full[word, rows.indices], rows.indptr[:-1])  # no row is empty
    else:
        with one_thread():
            products = vectors[near].astype(np.float64) @ vectors[words].astype(np.float64)[:, :, None]
    return np.asarray(products.reshape(near.shape) / lengths[near] / lengths[words][:, None])


def neighbour_overlap(pair: SpacePair, *, neighbourhood: int) -> Floats:
    """Return the share of a word's neighbours in one space that are not among those in the other, 0 to 1.

    This is 1 less the overlap by which Gonen et al. (2020) find words whose usage differs.

    Raises:
        TooFewNeighboursError: a space has not as many words.
    """
    first, second = (np.sort(near, axis=1) for near in pair.neighbours(neighbourhood - 1))
    both = np.sort(np.concatenate([first, second], axis=1), axis=1)
    shared = ((both[:, 1:] == both[:, :-1]) & (both[:, 1:] >= 0)).sum(axis=1)
    return np.asarray(1.0 - shared / (neighbourhood - 1))


def mapped_neighbour_distance(earlier: Rows, later: Rows, *, neighbourhood: int) -> Floats:
    """Return the distance of words' mean neighbours in aligned vectors (Gruppi et al. 2020), 0 to 2.

    The distance is 1 - cos of the mean vector of a word's neighbours in the earlier space and of that in the later one,
    both as aligned. nan where a vector of the word, or a mean, is zero.

    Raises:
        TooFewNeighboursError: there are not as many words.
    """
    able = np.flatnonzero(with_direction(earlier) & with_direction(later))
    sides = [(vectors, nearest(vectors, able, neighbourhood - 1)) for vectors in (earlier, later)]
    distance = np.full(earlier.shape[0], np.nan)
    step = max(1, NUMBERS // max(1, (neighbourhood - 1) * max(map(most_numbers, (earlier, later)))))
    for start in range(0, len(able), step):
        means = [_sums(vectors, near[start : start + step]) for vectors, near in sides]
        sizes = lengths(means[0]) * lengths(means[1])
        similarity = np.full(len(sizes), np.nan)
        np.divide(row_dots(*means), sizes, out=similarity, where=sizes > 0)
        distance[able[start : start + step]] = np.clip(1.0 - similarity, 0.0, 2.0)
    return distance


def _sums(vectors: Rows, near: npt.NDArray[np.int32]) -> Rows:
    """Return for each row of numbers the sum of the vectors that have them."""
    from scipy.sparse import csr_array

    starts = np.arange(len(near) + 1) * near.shape[1]
    return csr_array((np.ones(near.size), near.ravel(), starts), shape=(len(near), vectors.shape[0])) @ vectors


class TooFewPivotsError(NoScoreError):
    """Two spaces share fewer than twice as many words as there are to be pivots."""

    reason = "too_few_pivots"


def stable_words(pair: SpacePair, pivots: int) -> Places:
    """Return the words that may be pivots, numbers among those that are compared, ascending.

    Of the 10 times as many words whose smaller relative frequency is greatest, the half (rounded up) whose relative
    frequencies have the least abs(log2 ratio); ties go to the word that sorts first.

    Raises:
        TooFewPivotsError: these are fewer than `pivots`.
    """
    shares = pair.shares()
    frequent = pair.frequent(FREQUENT * pivots)
    moves = np.abs(np.log2(shares[0][frequent] / shares[1][frequent]))
    steady = frequent[np.argsort(moves, kind="stable")[: -(-len(frequent) // 2)]]
    if len(steady) < pivots:
        raise TooFewPivotsError(f"{len(pair.mine)} words with a direction in both spaces for {pivots} pivots")
    return np.sort(steady)


def pivot_divergence(pair: SpacePair, *, pivots: int, pivot_draws: int, seed: int) -> Floats:
    """Return the mean Jensen-Shannon divergence of words' profiles, to base 2, 0 to 1.

    A profile is exp(cos) of a word and each pivot, over their sum. A word is no pivot of itself; with fewer than two
    others its divergence is nan. Every draw takes `pivots` of the `stable_words`, each as likely, by the words' texts,
    the seed and the number of the draw.

    Raises:
        TooFewPivotsError: there are not as many.
    """
    able = stable_words(pair, pivots)
    names = pa.array([pair.earlier.words[place] for place in pair.mine[able]], pa.string())
    drawn = numbers(names, seed=seed, label="pivots", draws=pivot_draws).argsort(axis=0, kind="stable")[:pivots].T
    sides = [
        (space.vectors, places, at_length_one(space.vectors[places[able]]))
        for space, places in ((pair.earlier, pair.mine), (pair.later, pair.theirs))
    ]
    divergence = np.empty(len(pair.mine))
    for start in range(0, len(divergence), QUERIES):
        words = np.arange(start, min(start + QUERIES, len(divergence)))
        own = words[:, None] == able
        near = [
            np.where(own, 0.0, np.exp(products(at_length_one(vectors[places[words]]), units)))
            for vectors, places, units in sides
        ]
        total = np.zeros(len(words))
        for columns in drawn:
            first, second = (side[:, columns] / side[:, columns].sum(axis=1, keepdims=True) for side in near)
            total += jensen_shannon(first, second)
            total[len(columns) - own[:, columns].sum(axis=1) < 2] = np.nan
        divergence[words] = total
    return divergence / pivot_draws


def jensen_shannon(first: Floats, second: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of the rows of two matrices, shares of 1, to base 2: 0 to 1."""
    from scipy.special import rel_entr

    middle = (first + second) / 2
    nats = (rel_entr(first, middle) + rel_entr(second, middle)).sum(axis=1) / 2
    return np.asarray(np.clip(nats / np.log(2), 0.0, 1.0))
