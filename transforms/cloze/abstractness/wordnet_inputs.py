"""Words as WordNet has them: classes, hypernyms, senses, and vectors of the glosses that they stand in.

A word is looked up by its base forms of any part of speech. Each of its senses is weighted by how often WordNet's
authors tagged it, plus one divided by its number, so that of senses that were never tagged the first weighs most.

Vectors of glosses: a text is a synset, that is its words and those of its definition and examples, as definitions have
them (`transforms/lexicon/wordnet/glosses.py`). Of how many texts two words share, positive pointwise mutual
information is taken, with the context's count to the power of .75, and reduced by a truncated singular value
decomposition, singular values to the power of .5, rows of length 1 (Levy, Goldberg and Dagan 2015). So words of a kind
are alike even if they never stand in one gloss.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.machine import endable
from lexbeam.transforms.learning.models.model import needs_models
from lexbeam.transforms.lexicon.wordnet.lexnames import EXTENDED_GLOSS, HYPERNYMS, LEXNAMES, SYNSET_TYPES
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]

_STEPS = 30  # upwards; the longest way of WordNet 3.0 has 19
_SATELLITE = SYNSET_TYPES.index("s")
_CONTEXT_POWER = 0.75
_ROUNDS = 3  # of power iteration
_SPARE = 1e-12


class WordSenses(NamedTuple):
    """The senses of words.

    Attributes:
        base: base form of each word; the word itself where WordNet has none.
        owners: the word of each sense, rising.
        synsets: its synset.
        weights: of the senses of a word, 1 together.
        tagged: how often each is tagged.
        known: which words have senses.
    """

    base: pa.Array
    owners: npt.NDArray[np.int64]
    synsets: npt.NDArray[np.int64]
    weights: Floats
    tagged: Floats
    known: npt.NDArray[np.bool_]

    def mean(self, values: npt.NDArray[np.int64]) -> Floats:
        """Return the weighted mean over the senses of each word, 0 where there is none."""
        sums = np.bincount(self.owners, self.weights * values, len(self.known))
        return np.asarray(sums, np.float64)

    def matrix(self, places: npt.NDArray[np.int64], size: int) -> "csr_array":
        """Return the weights as a sparse array, (words, size); `places` below 0 are left out."""
        import scipy.sparse as sparse

        there = places >= 0
        cells = (self.weights[there], (self.owners[there], places[there]))
        return sparse.csr_array(cells, shape=(len(self.known), size))


def senses_of(wordnet: WordNet, words: pa.Array) -> WordSenses:
    """Return the senses of words."""
    base = pc.coalesce(wordnet.morphy(words), words.cast(pa.large_string()))
    senses = wordnet.senses_of(base)
    owners = senses.owners()
    tagged = np.maximum(wordnet.counts(senses.values), 0).astype(np.float64)
    weights = tagged + 1.0 / np.maximum(wordnet.sense_numbers(senses.values), 1)
    total = np.bincount(owners, weights, len(words))
    return WordSenses(
        base,
        owners,
        wordnet.synset_of(senses.values),
        weights / total[owners],
        tagged,
        np.asarray(senses.lengths() > 0),
    )


def classes_of(wordnet: WordNet, senses: WordSenses) -> Floats:
    """Return the shares of WordNet's lexicographer classes, (words, 45)."""
    names = wordnet.lexnames(senses.synsets)
    codes = pc.index_in(names, value_set=pa.array(LEXNAMES, names.type)).fill_null(-1)
    places = codes.to_numpy(zero_copy_only=False).astype(np.int64)
    return np.asarray(senses.matrix(places, len(LEXNAMES)).toarray())


def hypernyms_of(wordnet: WordNet, senses: WordSenses) -> "csr_array":
    """Return how much of each word lies below each synset, or in it: sparse, (words, synsets).

    From 0 to 1; where several ways lead to one synset, it is 1 at most. Instances lie below what
    they are instances of.
    """
    import scipy.sparse as sparse

    count = len(wordnet)
    above = wordnet.related(np.arange(count), HYPERNYMS)
    step = sparse.csr_array((np.ones(len(above.values)), (above.owners(), above.values)), shape=(count, count))
    step.data[:] = 1.0
    here = senses.matrix(senses.synsets, count)
    shares = here
    for _ in range(_STEPS):
        here = here @ step
        if not here.nnz:
            break
        shares = shares + here
    shares = shares.tocsr()
    shares.sort_indices()
    shares.data = np.minimum(shares.data, 1.0)
    return shares


def numbers_of(wordnet: WordNet, senses: WordSenses) -> Floats:
    """Return, (words, 8): shares of four parts of speech; senses, tags, as log(1 + n); depths."""
    count = len(senses.known)
    names = wordnet.types(senses.synsets)
    types = pc.index_in(names, value_set=pa.array(SYNSET_TYPES, names.type)).fill_null(-1)
    places = types.to_numpy(zero_copy_only=False).astype(np.int64)
    places[places == _SATELLITE] = SYNSET_TYPES.index("a")
    return np.column_stack(
        [
            senses.matrix(places, len(SYNSET_TYPES) - 1).toarray(),
            np.log1p(np.bincount(senses.owners, minlength=count)),
            np.log1p(np.bincount(senses.owners, senses.tagged, count)),
            senses.mean(wordnet.depth_min(senses.synsets)),
            senses.mean(wordnet.depth_max(senses.synsets)),
        ]
    )


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
    defined = glosses.of(synsets)
    shape = (count, len(glosses))
    texts = sparse.vstack(
        [
            _matrix(defined, defined.owners(), shape),
            _matrix(*_lemmas(wordnet, synsets), shape),
            _matrix(*_examples(wordnet, synsets), shape),
        ]
    )
    # A text is what these three say of one synset, and a word stands in it or not.
    texts = (sparse.hstack([sparse.identity(count)] * 3) @ texts).tocsr()
    texts.data[:] = 1.0
    often = np.asarray(texts.sum(axis=0)).ravel()
    frequent = np.flatnonzero(often >= least)
    words = np.zeros((len(glosses), dim))
    words[frequent] = endable(_word_vectors, texts[:, frequent], dim, rows=count)
    with one_thread():
        idf = np.log(max(count, 1) / np.maximum(often, 1.0))
        definitions = unit_rows((_matrix(defined, defined.owners(), shape) * idf).tocsr() @ words)
        near = wordnet.related(synsets, EXTENDED_GLOSS)
        around = unit_rows(_matrix(near, near.owners(), (count, count)) @ definitions)
    return GlossVectors(words, definitions, around)


def unit_rows(rows: Floats) -> Floats:
    """Return rows of length 1; rows of zeros stay."""
    lengths = np.sqrt(dots(rows, rows))[:, None]
    return rows / np.where(lengths > _SPARE, lengths, 1.0)


def _matrix(words: Ragged, owners: np.ndarray, shape: tuple[int, int]) -> "csr_array":
    """Return how often the text of each owner has each word, as scipy's sparse array."""
    import scipy.sparse as sparse

    there = words.values >= 0
    places = owners[there], words.values[there]
    matrix = sparse.csr_array((np.ones(len(places[0])), places), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _lemmas(wordnet: WordNet, synsets: np.ndarray) -> tuple[Ragged, np.ndarray]:
    senses = wordnet.senses_in(synsets)
    words = wordnet.glosses.rows(wordnet.lemmas(senses.values))
    return words, np.repeat(senses.owners(), words.lengths())


def _examples(wordnet: WordNet, synsets: np.ndarray) -> tuple[Ragged, np.ndarray]:
    examples = wordnet.examples(synsets)
    words = wordnet.glosses.rows(pc.list_flatten(examples).cast(pa.large_string()))
    lengths = pc.list_value_length(examples).fill_null(0).to_numpy(zero_copy_only=False)
    return words, np.repeat(np.repeat(synsets, lengths), words.lengths())


def _information(texts: "csr_array") -> "csr_array":
    """Return positive pointwise mutual information of words that share texts."""
    import scipy.sparse as sparse

    shared = (texts.T @ texts).tocoo()
    other = shared.row != shared.col
    row, column, times = shared.row[other], shared.col[other], shared.data[other]
    size = texts.shape[1]
    totals = np.bincount(row, times, size)
    contexts = totals**_CONTEXT_POWER
    expected = totals[row] * contexts[column] / max(contexts.sum(), _SPARE)
    information = np.log(times / expected)
    above = information > 0
    return sparse.csr_array((information[above], (row[above], column[above])), shape=(size, size))


def _word_vectors(texts: "csr_array", dim: int) -> Floats:
    return unit_rows(_reduced(_information(texts), dim))


def _reduced(matrix: "csr_array", dim: int) -> Floats:
    from sklearn.utils.extmath import randomized_svd

    rank = min(dim, *matrix.shape)
    vectors = np.zeros((matrix.shape[0], dim))
    if rank:
        left, values, _ = randomized_svd(matrix, rank, n_iter=_ROUNDS, random_state=0)
        vectors[:, :rank] = left * np.sqrt(values)
    return vectors


def gloss_rows(
    wordnet: WordNet, senses: WordSenses, vectors: GlossVectors
) -> tuple[tuple[Floats, npt.NDArray[np.bool_]], Floats, Floats]:
    """Return the vectors of glosses of words, each (words, dim) of length 1 or 0.

    Returns:
        As a word of definitions, and which words have such a vector; the mean over senses of their
        definitions; the mean of the definitions around these.
    """
    places = senses.matrix(senses.synsets, len(wordnet))
    texts = wordnet.glosses.rows(senses.base)
    single = np.flatnonzero(texts.lengths() == 1)
    rows = np.full(len(senses.base), -1)
    rows[single] = texts.values[texts.offsets[single]]
    word_vectors = np.where((rows >= 0)[:, None], vectors.words[rows], 0.0)
    return (
        (word_vectors, np.asarray(word_vectors.any(axis=1), bool)),
        unit_rows(np.asarray(places @ vectors.definitions)),
        unit_rows(np.asarray(places @ vectors.around)),
    )
