"""Measures of how the contexts of a word disperse in two slices, from counts of contexts.

The types of a word are the words that it has stood near; its entropy, in bits, is that of how often it has stood near
each (Schlechtweg et al. 2017; 2019, as LSCDetection computes them). Nothing is aligned: what is compared is a number of
each slice.

>>> from scipy.sparse import csr_array
>>> counts = csr_array(np.array([[2, 1, 1], [1, 0, 0], [1, 0, 0]]))
>>> context_types(counts).tolist(), entropies(counts).tolist()
([3, 1, 1], [1.5, 0.0, 0.0])
"""

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.embeddings.neighbourhoods import SpacePair
from lexbeam.transforms.embeddings.rows import Rows

Floats = npt.NDArray[np.float64]


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
