"""Measures of what would grow with the square of a vocabulary, or take long, and so is of its most frequent words.

- Resistance distance, after Nulty and Lillis (2020, team UCD): the edges of a graph are positive pointwise mutual
  information of both slices, and a word that is compared has a node for each slice, as in temporal referencing.
- Divergence of topics, after Sarsfield and Tayyar Madabushi (2020, team UoB), who model senses by the hierarchical
  Dirichlet process of Teh et al. (2006), here as gensim has it (Wang, Paisley and Blei 2011), on one thread: a document
  has all contexts of a word in a slice.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.change.scores.neighbourhood_measures import jensen_shannon
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.embeddings.neighbourhoods import NoScoreError, SpacePair
from lexbeam.transforms.embeddings.rows import Rows

Floats = npt.NDArray[np.float64]

GROUND = 1e-9  # of the greatest degree: what is lost to the ground, so that a graph in pieces can be solved
NUMBERS = 2**23  # at a time, of matrices
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
    step = max(1, NUMBERS // size**2)
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
