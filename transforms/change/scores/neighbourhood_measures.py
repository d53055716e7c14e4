"""Measures of what a word stands near in two slices: neighbours, pivots, nodes of a graph, topics, contexts.

Spaces need not be aligned for them, nor share dimensions, but for mapped neighbours.

A neighbourhood of k has k - 1 neighbours, for the word itself counts, as in LSCDetection (Schlechtweg et al. 2019),
whose local neighbourhood distance this is. Neighbours are nearest by cosine among all words of a space. Mapped
neighbours, which are compared in aligned vectors, are those among the words of both spaces.

Pivots are words of stable use, after Asgari et al. (2020, EmbLexChange; team Life-Language): a word's profile is of its
cosines to them, made shares of 1, and the profiles of two spaces diverge; over several draws of pivots the mean is
taken.

Two take long, or would grow with the square of the vocabulary, and so are of its most frequent words alone:

- Resistance distance, after Nulty and Lillis (2020, team UCD): the edges of a graph are positive pointwise mutual
  information of both slices, and a word that is compared has a node for each slice, as in temporal referencing.
- Divergence of topics, after Sarsfield and Tayyar Madabushi (2020, team UoB), who model senses by the hierarchical
  Dirichlet process of Teh et al. (2006), here as gensim has it (Wang, Paisley and Blei 2011), on one thread: a document
  has all contexts of a word in a slice.

How the contexts of a word disperse is told from counts of contexts. The types of a word are the words that it has stood
near; its entropy, in bits, is that of how often it has stood near each (Schlechtweg et al. 2017; 2019, as LSCDetection
computes them). Nothing is aligned: what is compared is a number of each slice.

>>> from scipy.sparse import csr_array
>>> counts = csr_array(np.array([[2, 1, 1], [1, 0, 0], [1, 0, 0]]))
>>> context_types(counts).tolist(), entropies(counts).tolist()
([3, 1, 1], [1.5, 0.0, 0.0])
"""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.draws.by_content import numbers
from lexbeam.transforms.embeddings.neighbours import NoScoreError, SpacePair, lengths_of, nearest
from lexbeam.transforms.embeddings.spaces import (
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


GROUND = 1e-9  # of the greatest degree: what is lost to the ground, so that a graph in pieces can be solved
MATRIX_NUMBERS = 2**23  # at a time, of matrices
TOPICS = 50  # at most, of all documents
TOPICS_OF_ONE = 10  # at most, of a document
DOCUMENTS = 256  # that the model is trained on at a time
ASKED = 1_024  # words whose topics are told at a time, for documents are lists of numbers

Document = list[tuple[int, int]]  # words by number, with how often


class TooFewSharedError(NoScoreError):
    """Two spaces share fewer than two words."""

    reason = "too_few_shared"


def resistance_distance(pair: SpacePair, *, graph_words: int) -> Floats:
    """Return the resistance distance of words' nodes, 0 and up; nan where no path joins them.

    The graph has the `graph_words` words whose smaller relative frequency is greatest, ties by word, without the word
    that is compared; two of them are joined by the mean of their association in either direction and slice, and a node
    of the word to each by its association in that slice. Edges are conductances. With L the Laplacian of the graph, p
    and q the edges of the two nodes, and D = diag(p + q), the distance is 1 / (p' (L + D)^-1 q), the
    other nodes being eliminated (Klein and Randic 1993).

    Raises:
        TooFewSharedError: the spaces share fewer than two words with a direction.
    """
    chosen = pair.frequent(graph_words)
    if len(chosen) < 2:
        raise TooFewSharedError(f"{len(chosen)} words for a graph")
    sides = [side.astype(np.float64) for side in _picked(pair, chosen)]
    among = [side[chosen].toarray() for side in sides]
    joined = sum(one + one.T for one in among) / 4
    np.fill_diagonal(joined, 0.0)
    size, distance = len(chosen), np.full(len(pair.mine), np.nan)
    own = np.full(len(distance), -1)
    own[chosen] = np.arange(size)
    step = max(1, MATRIX_NUMBERS // size**2)
    with one_thread():
        for start in range(0, len(distance), step):
            some = slice(start, start + step)
            first, second = (side[some].toarray() for side in sides)
            distance[some] = _distances(joined, first, second, own[some])
    return distance


def _picked(pair: SpacePair, chosen: npt.NDArray[np.int64]) -> list[Rows]:
    """Return of each space the rows of the words that are compared, and the columns of some of them."""
    sides = ((pair.earlier.vectors, pair.mine), (pair.later.vectors, pair.theirs))
    return [vectors[places][:, places[chosen]] for vectors, places in sides]


def _distances(joined: Floats, first: Floats, second: Floats, own: npt.NDArray[np.int64]) -> Floats:
    """Return the distances of some words, by their edges, and the nodes that are the words themselves, -1 for none."""
    edges = np.repeat(joined[None], len(own), axis=0)
    inside = np.flatnonzero(own >= 0)
    for edge in (edges, edges.transpose(0, 2, 1)):
        edge[inside, own[inside]] = 0.0
    first[inside, own[inside]] = second[inside, own[inside]] = 0.0
    degrees = edges.sum(axis=2) + first + second
    matrix = -edges
    place = np.arange(len(joined))
    matrix[:, place, place] += degrees + GROUND * np.maximum(degrees.max(axis=1, keepdims=True), 1e-300)
    solved = np.linalg.solve(matrix, second[:, :, None])[:, :, 0]
    conductance = np.maximum((first * solved).sum(axis=1), 0.0)
    return np.asarray(np.divide(1.0, conductance, out=np.full(len(own), np.nan), where=conductance > 0))


def topic_divergence(pair: SpacePair, *, topic_words: int, seed: int) -> Floats:
    """Return the Jensen-Shannon divergence of words' topics in the two slices, to base 2, 0 to 1.

    Contexts are the `topic_words` words whose smaller relative frequency is greatest, ties by word; the model is
    trained on the documents of these words in both slices. nan where a slice has no such context of a word.

    Raises:
        TooFewSharedError: the spaces share fewer than two words with a direction.
    """
    chosen = pair.frequent(topic_words)
    if len(chosen) < 2:
        raise TooFewSharedError(f"{len(chosen)} words for topics")
    sides = _picked(pair, chosen)
    divergence = np.full(len(pair.mine), np.nan)
    able = np.flatnonzero(np.logical_and(*(np.diff(side.indptr) > 0 for side in sides)))
    of_chosen = zip(*(_documents(side[chosen]) for side in sides), strict=True)
    trained = [document for both in of_chosen for document in both if document]
    if not trained or not len(able):
        return divergence
    with one_thread():
        model = _trained(trained, len(chosen), seed)
        for start in range(0, len(able), ASKED):
            some = able[start : start + ASKED]
            divergence[some] = jensen_shannon(*(_topics(model, _documents(side[some])) for side in sides))
    return divergence


def _documents(counts: Rows) -> list[Document]:
    bounds, words, times = counts.indptr, counts.indices.tolist(), counts.data.astype(np.int64).tolist()
    return [list(zip(words[a:b], times[a:b], strict=True)) for a, b in pairwise(bounds)]


def _trained(documents: list[Document], words: int, seed: int) -> Any:
    from gensim.models import HdpModel

    names = dict(enumerate(map(str, range(words))))
    return HdpModel(documents, names, T=TOPICS, K=TOPICS_OF_ONE, chunksize=DOCUMENTS, random_state=seed % 2**32)


def _topics(model: Any, documents: list[Document]) -> Floats:
    """Return the shares of topics in documents, each of which is told by itself."""
    gamma = np.asarray(model.inference(documents), np.float64)
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True))


def context_types(counts: Rows) -> npt.NDArray[np.int64]:
    """Return the number of contexts of each row of a sparse matrix of counts."""
    return np.asarray(np.diff(counts.indptr), np.int64)


def entropies(counts: Rows) -> Floats:
    """Return the entropy of each row of a sparse matrix of counts, in bits; 0 for a row of zeros."""
    shares = counts.astype(np.float64)
    sums = np.asarray(shares.sum(axis=1))
    shares.data /= np.repeat(sums, np.diff(shares.indptr))
    shares.data *= -np.log2(shares.data)
    return np.asarray(np.abs(shares.sum(axis=1)))


def _types(pair: SpacePair) -> tuple[Floats, Floats]:
    earlier, later = context_types(pair.earlier.vectors)[pair.mine], context_types(pair.later.vectors)[pair.theirs]
    return earlier.astype(np.float64), later.astype(np.float64)


def _shares(pair: SpacePair) -> tuple[Floats, Floats]:
    earlier, later = _types(pair)
    return earlier / len(pair.earlier.words), later / len(pair.later.words)


def _entropies(pair: SpacePair) -> tuple[Floats, Floats]:
    return entropies(pair.earlier.vectors)[pair.mine], entropies(pair.later.vectors)[pair.theirs]


def type_difference(pair: SpacePair) -> Floats:
    """Return |t1/V1 - t2/V2|, 0 to 1: types of contexts over the words of the slice."""
    earlier, later = _shares(pair)
    return np.asarray(np.abs(earlier - later))


def raw_type_difference(pair: SpacePair) -> Floats:
    """Return |t1 - t2|."""
    earlier, later = _types(pair)
    return np.asarray(np.abs(earlier - later))


def log_type_difference(pair: SpacePair) -> Floats:
    """Return |log2(t1/V1) - log2(t2/V2)|."""
    earlier, later = _shares(pair)
    return np.asarray(np.abs(np.log2(earlier) - np.log2(later)))


def entropy_difference(pair: SpacePair) -> Floats:
    """Return |H1 - H2|, in bits."""
    earlier, later = _entropies(pair)
    return np.asarray(np.abs(earlier - later))


def log_entropy_difference(pair: SpacePair) -> Floats:
    """Return |log2(H1) - log2(H2)|, of entropies in bits; nan where one is 0, as that of one type is."""
    logs = [np.log2(bits, out=np.full(len(bits), np.nan), where=bits > 0) for bits in _entropies(pair)]
    return np.asarray(np.abs(logs[0] - logs[1]))


def normalised_entropy_difference(pair: SpacePair) -> Floats:
    """Return |H1/log2(t1) - H2/log2(t2)|, 0 to 1, entropies over the greatest possible; nan for one type."""
    found = []
    for entropy, types in zip(_entropies(pair), _types(pair), strict=True):
        most = np.log2(types)
        found.append(np.divide(entropy, most, out=np.full(len(most), np.nan), where=most > 0))
    return np.asarray(np.abs(found[0] - found[1]))
