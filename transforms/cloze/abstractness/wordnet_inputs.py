"""Words as WordNet has them: classes, hypernyms, senses, and the glosses of their synsets.

A word is asked for by its base forms of any part of speech; each of its senses weighs by how often
WordNet's authors tagged it, and one more divided by its number, so that of senses that were never
tagged the first weighs most.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.cloze.abstractness.gloss_vectors import GlossVectors, unit_rows
from transforms.lexicon.wordnet.lexnames import HYPERNYMS, LEXNAMES, SYNSET_TYPES
from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = ["Senses", "classes_of", "gloss_rows", "hypernyms_of", "numbers_of", "senses_of"]

Floats = npt.NDArray[np.float64]

_STEPS = 30  # upwards; the longest way of WordNet 3.0 has 19
_SATELLITE = SYNSET_TYPES.index("s")


class Senses(NamedTuple):
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

    def mean(self, values: npt.NDArray[Any]) -> Floats:
        """Return the weighted mean over the senses of each word, 0 where there is none."""
        found = np.bincount(self.owners, self.weights * values, len(self.known))
        return np.asarray(found, np.float64)

    def matrix(self, places: npt.NDArray[np.int64], size: int) -> Any:
        """Return the weights as a sparse array, (words, size); `places` below 0 are left out."""
        import scipy.sparse as sparse

        there = places >= 0
        cells = (self.weights[there], (self.owners[there], places[there]))
        return sparse.csr_array(cells, shape=(len(self.known), size))


def senses_of(wordnet: WordNet, words: pa.Array) -> Senses:
    """Return the senses of words."""
    base = pc.coalesce(wordnet.morphy(words), words.cast(pa.large_string()))
    senses = wordnet.senses_of(base)
    owners = senses.owners()
    tagged = np.maximum(wordnet.counts(senses.values), 0).astype(np.float64)
    weights = tagged + 1.0 / np.maximum(wordnet.sense_numbers(senses.values), 1)
    total = np.bincount(owners, weights, len(words))
    return Senses(
        base,
        owners,
        wordnet.synset_of(senses.values),
        weights / total[owners],
        tagged,
        np.asarray(senses.lengths() > 0),
    )


def classes_of(wordnet: WordNet, senses: Senses) -> Floats:
    """Return the shares of WordNet's lexicographer classes, (words, 45)."""
    names = wordnet.lexnames(senses.synsets)
    codes = pc.index_in(names, value_set=pa.array(LEXNAMES, names.type)).fill_null(-1)
    places = codes.to_numpy(zero_copy_only=False).astype(np.int64)
    return np.asarray(senses.matrix(places, len(LEXNAMES)).toarray())


def hypernyms_of(wordnet: WordNet, senses: Senses) -> Any:
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
    found = here
    for _ in range(_STEPS):
        here = here @ step
        if not here.nnz:
            break
        found = found + here
    found = found.tocsr()
    found.sort_indices()
    found.data = np.minimum(found.data, 1.0)
    return found


def numbers_of(wordnet: WordNet, senses: Senses) -> Floats:
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


def gloss_rows(
    wordnet: WordNet, senses: Senses, vectors: GlossVectors
) -> tuple[tuple[Floats, npt.NDArray[np.bool_]], Floats, Floats]:
    """Return the vectors of glosses of words, each (words, dim) of length 1 or 0.

    Returns:
        As a word of definitions, and which words have such a vector; the mean over senses of their
        definitions; the mean of the definitions around these.
    """
    places = senses.matrix(senses.synsets, len(wordnet))
    found = wordnet.glosses.rows(senses.base)
    single = np.flatnonzero(found.lengths() == 1)
    rows = np.full(len(senses.base), -1)
    rows[single] = found.values[found.offsets[single]]
    own = np.where((rows >= 0)[:, None], vectors.words[rows], 0.0)
    return (
        (own, np.asarray(own.any(axis=1), bool)),
        unit_rows(np.asarray(places @ vectors.definitions)),
        unit_rows(np.asarray(places @ vectors.around)),
    )
