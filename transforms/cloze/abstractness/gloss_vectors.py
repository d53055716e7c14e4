"""Vectors of words by the glosses that they stand in, and of synsets by their glosses' words.

A text is a synset: its words, and those of its definition and examples, as definitions have them
(`transforms/lexicon/wordnet/glosses.py`). Of how many texts two words share, positive pointwise
mutual information is taken, with the context's count to the power of .75, and reduced by a
truncated singular value decomposition, singular values to the power of .5, rows of length 1 (Levy,
Goldberg and Dagan 2015). So words of a kind are alike that never stand in one gloss.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.blas import one_thread
from transforms.common.rowwise import dots
from transforms.learning.models.model import needs_models
from transforms.lexicon.wordnet.lexnames import EXTENDED_GLOSS
from transforms.lexicon.wordnet.ragged import Ragged
from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = ["GlossVectors", "gloss_vectors", "unit_rows"]

Floats = npt.NDArray[np.float64]

_CONTEXT_POWER = 0.75
_ROUNDS = 3  # of power iteration
_SPARE = 1e-12


class GlossVectors(NamedTuple):
    """Vectors of glosses, float64.

    Attributes:
        words: (words of definitions, dim), length 1 or 0; rows as of `Glosses.rows`.
        definitions: (synsets, dim): means of the vectors of the words, weighted by idf; length 1.
        around: (synsets, dim): likewise, of the definitions of synsets that pointers lead to.
    """

    words: Floats
    definitions: Floats
    around: Floats


def gloss_vectors(wordnet: WordNet, dim: int, least: int) -> GlossVectors:
    """Return the vectors of a WordNet's glosses.

    Args:
        wordnet: the WordNet.
        dim: numbers of a vector; fewer words than that leave the others 0.
        least: texts that a word must stand in to have a vector.

    Raises:
        LexbeamError: the extra `models` is not installed.
    """
    try:
        import scipy.sparse as sparse
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    glosses, count = wordnet.glosses, len(wordnet)
    synsets = np.arange(count)
    own = glosses.of(synsets)
    shape = (count, len(glosses))
    texts = sparse.vstack(
        [
            _matrix(own, own.owners(), shape),
            _matrix(*_lemmas(wordnet, synsets), shape),
            _matrix(*_examples(wordnet, synsets), shape),
        ]
    )
    # A text is what these three say of one synset, and a word stands in it or not.
    texts = (sparse.hstack([sparse.identity(count)] * 3) @ texts).tocsr()
    texts.data[:] = 1.0
    often = np.asarray(texts.sum(axis=0)).ravel()
    kept = np.flatnonzero(often >= least)
    words = np.zeros((len(glosses), dim))
    with one_thread():
        words[kept] = unit_rows(_reduced(_information(texts[:, kept]), dim))
        idf = np.log(max(count, 1) / np.maximum(often, 1.0))
        definitions = unit_rows((_matrix(own, own.owners(), shape) * idf).tocsr() @ words)
        near = wordnet.related(synsets, EXTENDED_GLOSS)
        around = unit_rows(_matrix(near, near.owners(), (count, count)) @ definitions)
    return GlossVectors(words, definitions, around)


def unit_rows(rows: Floats) -> Floats:
    """Return rows of length 1; rows of zeros stay."""
    lengths = np.sqrt(dots(rows, rows))[:, None]
    return rows / np.where(lengths > _SPARE, lengths, 1.0)


def _matrix(words: Ragged, owners: np.ndarray, shape: tuple[int, int]) -> Any:
    """Return how often the text of each owner has each word, as scipy's sparse array."""
    import scipy.sparse as sparse

    there = words.values >= 0
    places = owners[there], words.values[there]
    found = sparse.csr_array((np.ones(len(places[0])), places), shape=shape)
    found.sum_duplicates()
    return found


def _lemmas(wordnet: WordNet, synsets: np.ndarray) -> tuple[Ragged, np.ndarray]:
    senses = wordnet.senses_in(synsets)
    words = wordnet.glosses.rows(wordnet.lemmas(senses.values))
    return words, np.repeat(senses.owners(), words.lengths())


def _examples(wordnet: WordNet, synsets: np.ndarray) -> tuple[Ragged, np.ndarray]:
    examples = wordnet.examples(synsets)
    words = wordnet.glosses.rows(pc.list_flatten(examples).cast(pa.large_string()))
    lengths = pc.list_value_length(examples).fill_null(0).to_numpy(zero_copy_only=False)
    return words, np.repeat(np.repeat(synsets, lengths), words.lengths())


def _information(texts: Any) -> Any:
    """Return positive pointwise mutual information of words that share texts."""
    import scipy.sparse as sparse

    shared = (texts.T @ texts).tocoo()
    other = shared.row != shared.col
    row, column, times = shared.row[other], shared.col[other], shared.data[other]
    size = texts.shape[1]
    totals = np.bincount(row, times, size)
    contexts = totals**_CONTEXT_POWER
    expected = totals[row] * contexts[column] / max(contexts.sum(), _SPARE)
    found = np.log(times / expected)
    above = found > 0
    return sparse.csr_array((found[above], (row[above], column[above])), shape=(size, size))


def _reduced(matrix: Any, dim: int) -> Floats:
    from sklearn.utils.extmath import randomized_svd

    rank = min(dim, *matrix.shape)
    found = np.zeros((matrix.shape[0], dim))
    if rank:
        left, values, _ = randomized_svd(matrix, rank, n_iter=_ROUNDS, random_state=0)
        found[:, :rank] = left * np.sqrt(values)
    return found
