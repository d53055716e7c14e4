"""Words as their character n-grams: the one description that every word has.

A word is `<word>` in lower case, its n-grams those of 1 to 5 characters, each counted once,
weighted by inverse document frequency, to length 1, and reduced by truncated singular value
decomposition.
What is learned is learned of words, not of ratings.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from transforms.common.blas import one_thread
from transforms.learning.models.formats import pack_texts, unpack_texts

__all__ = ["fit_ngrams", "ngram_rows", "ngrams_of"]

Arrays = Mapping[str, npt.NDArray[Any]]

_LENGTHS = range(1, 6)
_SAYING = 3  # a word of which no n-gram so long is known is not known
_ROUNDS = 3


def ngrams_of(word: str) -> set[str]:
    """Return the n-grams of a word.

    >>> sorted(ngrams_of("Ox"))
    ['<', '<o', '<ox', '<ox>', '>', 'o', 'ox', 'ox>', 'x', 'x>']
    """
    text = f"<{word.lower()}>"
    return {text[at : at + n] for n in _LENGTHS for at in range(len(text) - n + 1)}


def fit_ngrams(words: Sequence[str], *, least: int, dim: int) -> dict[str, npt.NDArray[Any]]:
    """Return what `ngram_rows` needs: `vocabulary` (packed), `idf`, `projection` float64.

    Args:
        words: distinct words.
        least: words that an n-gram must be in.
        dim: numbers that a word becomes; fewer n-grams than that leave the others out.
    """
    from sklearn.utils.extmath import randomized_svd

    counts = Counter(ngram for word in words for ngram in ngrams_of(word))
    vocabulary = sorted(ngram for ngram, times in counts.items() if times >= least)
    often = np.array([counts[ngram] for ngram in vocabulary], np.float64)
    found = {
        "vocabulary": pack_texts(vocabulary),
        "idf": np.log((1 + len(words)) / (1 + often)) + 1,
        "projection": np.zeros((len(vocabulary), 0)),
    }
    rank = min(dim, len(vocabulary), len(words))
    if rank:
        with one_thread():
            bags = _bags(found, words)[0]
            found["projection"] = randomized_svd(bags, rank, n_iter=_ROUNDS, random_state=0)[2].T
    return found


def ngram_rows(fitted: Arrays, words: Sequence[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the numbers of each word, (words, dim), and which words have an n-gram that says much.

    Those are of 3 characters and more.
    """
    bags, known = _bags(fitted, words)
    with one_thread():
        return np.asarray(bags @ fitted["projection"]), known


def _bags(fitted: Arrays, words: Sequence[str]) -> tuple[Any, npt.NDArray[np.bool_]]:
    import scipy.sparse as sparse

    vocabulary = unpack_texts(fitted["vocabulary"])
    places = {ngram: place for place, ngram in enumerate(vocabulary)}
    offsets, columns, known = [0], [], []
    for word in words:
        own = [ngram for ngram in ngrams_of(word) if ngram in places]
        columns += sorted(places[ngram] for ngram in own)
        offsets.append(len(columns))
        known.append(any(len(ngram) >= _SAYING for ngram in own))
    taken = np.array(columns, np.int64)
    lengths = np.diff(offsets)
    owners = np.repeat(np.arange(len(words)), lengths)
    weights = fitted["idf"][taken]
    norms = np.sqrt(np.bincount(owners, weights**2, len(words)))
    shape = (len(words), len(vocabulary))
    bags = sparse.csr_array((weights / norms[owners], taken, np.array(offsets)), shape=shape)
    return bags, np.array(known, bool)
