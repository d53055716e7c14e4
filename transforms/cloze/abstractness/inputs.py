"""Inputs: what describes words to a regressor of concreteness, each with one block of numbers or several.

`ngrams` is the one description that every word has: a word is `<word>` in lower case, its n-grams those of 1 to 5
characters, each counted once, weighted by inverse document frequency, to length 1, and reduced by truncated singular
value decomposition. What is learned is learned of words, not of ratings.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.cloze.abstractness.alike import SpelledWords
from lexbeam.transforms.cloze.abstractness.options import InputOptions
from lexbeam.transforms.cloze.abstractness.wordnet_inputs import (
    GlossVectors,
    WordSenses,
    classes_of,
    gloss_rows,
    hypernyms_of,
    numbers_of,
    senses_of,
)
from lexbeam.transforms.common.arithmetic import one_thread
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.machine import endable
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.lexicon.vectors.static_vectors import StaticVectors
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Arrays = dict[str, npt.NDArray[Any]]

HYPERNYM_WORDS = 5  # rated words that must lie below a hypernym: fewer say more of the words than of it
SMALL = 1e-9
_LENGTHS = range(1, 6)
_DISTINCTIVE = 3  # a word with no known n-gram of this length is not known
_ROUNDS = 3


class InputResources(NamedTuple):
    """What inputs look words up in.

    Attributes:
        wordnet: a WordNet.
        vectors: static vectors.
        glosses: the vectors of its glosses.
        known: its words, which stand in for others that are spelled like them.
    """

    wordnet: WordNet | None = None
    vectors: tuple[StaticVectors, ...] = ()
    glosses: GlossVectors | None = None
    known: SpelledWords | None = None


class InputBlock(NamedTuple):
    """Numbers of words, (words, columns), and which words they are known of."""

    values: Floats
    known: Bools


class DescribableWords(NamedTuple):
    """Words to describe, with their senses where there is a WordNet."""

    words: list[str]
    senses: WordSenses | None

    @classmethod
    def of(cls, words: Sequence[str], resources: InputResources) -> "DescribableWords":
        """Look up the senses of words."""
        senses = None
        if resources.wordnet is not None:
            senses = senses_of(resources.wordnet, pa.array(words, pa.large_string()))
        return cls(list(words), senses)

    @property
    def column(self) -> pa.Array:
        """The words, as an array."""
        return pa.array(self.words, pa.large_string())


@dataclass(frozen=True)
class Input(Entry):
    """An input.

    Attributes:
        fit: from the rated words, what describing needs, arrays by name.
        blocks: from what was fitted and words, its blocks by name.
    """

    fit: Callable[[DescribableWords, InputResources, InputOptions], Arrays]
    blocks: Callable[[Arrays, DescribableWords, InputResources], dict[str, InputBlock]]


def _nothing(_: DescribableWords, __: InputResources, ___: InputOptions) -> Arrays:
    return {}


def _fit_ngrams(words: DescribableWords, _: InputResources, options: InputOptions) -> Arrays:
    return _fitted_ngrams(words.words, least=options.ngram_words, dim=options.ngram_dim)


def _ngrams(fitted: Arrays, words: DescribableWords, _: InputResources) -> dict[str, InputBlock]:
    return {"ngrams": InputBlock(*_ngram_rows(fitted, words.words))}


def _fit_wordnet(words: DescribableWords, resources: InputResources, options: InputOptions) -> Arrays:
    assert resources.wordnet is not None
    assert words.senses is not None
    below = np.bincount(hypernyms_of(resources.wordnet, words.senses).indices, minlength=len(resources.wordnet))
    order = np.lexsort([np.arange(len(below)), -below])[: options.hypernyms]
    common = np.sort(order[below[order] >= HYPERNYM_WORDS])
    numbers = numbers_of(resources.wordnet, words.senses)[words.senses.known]
    scale = numbers.std(axis=0) if len(numbers) else np.ones(numbers.shape[1])
    return {"hypernyms": common, "scale": np.where(scale > SMALL, scale, 1.0)}


def _wordnet(fitted: Arrays, words: DescribableWords, resources: InputResources) -> dict[str, InputBlock]:
    wordnet, senses = resources.wordnet, words.senses
    assert wordnet is not None
    assert senses is not None
    above = hypernyms_of(wordnet, senses)[:, fitted["hypernyms"]].toarray()
    numbers = numbers_of(wordnet, senses) / fitted["scale"]
    return {
        "classes": InputBlock(classes_of(wordnet, senses), senses.known),
        "hypernyms": InputBlock(above, senses.known),
        "numbers": InputBlock(numbers, senses.known),
    }


def _glosses(_: Arrays, words: DescribableWords, resources: InputResources) -> dict[str, InputBlock]:
    assert resources.wordnet is not None
    assert resources.glosses is not None
    assert words.senses is not None
    gloss_words, definitions, around = gloss_rows(resources.wordnet, words.senses, resources.glosses)
    known = words.senses.known
    return {
        "gloss_words": InputBlock(*gloss_words),
        "definitions": InputBlock(definitions, known),
        "around": InputBlock(around, known),
    }


def _vectors(_: Arrays, words: DescribableWords, resources: InputResources) -> dict[str, InputBlock]:
    blocks = {}
    for place, vectors in enumerate(resources.vectors):
        rows, known = vectors.vectors(words.column)
        if words.senses is not None:  # a word without a vector may have one as its base form
            other, there = vectors.vectors(words.senses.base)
            rows = np.where(known[:, None], rows, other)
            known = known | there
        blocks[f"vectors_{place}"] = InputBlock(rows.astype(np.float64), known)
    return blocks


def parts(word: str) -> list[str]:
    """Return the words of a phrase, or the word itself."""
    return word.replace("_", " ").split()


def is_phrase(word: str) -> bool:
    """Return whether a word is several: *fire engine*."""
    return len(parts(word)) > 1


def ngrams_of(word: str) -> set[str]:
    """Return the n-grams of a word.

    >>> sorted(ngrams_of("Ox"))
    ['<', '<o', '<ox', '<ox>', '>', 'o', 'ox', 'ox>', 'x', 'x>']
    """
    text = f"<{word.lower()}>"
    return {text[at : at + n] for n in _LENGTHS for at in range(len(text) - n + 1)}


def _fitted_ngrams(words: Sequence[str], *, least: int, dim: int) -> Arrays:
    """Return what `_ngram_rows` needs: `vocabulary` (packed), `idf`, `projection` float64.

    Args:
        words: distinct words.
        least: words that an n-gram must be in.
        dim: numbers that a word becomes; fewer n-grams than that leave the others out.
    """
    counts = Counter(ngram for word in words for ngram in ngrams_of(word))
    vocabulary = sorted(ngram for ngram, times in counts.items() if times >= least)
    often = np.array([counts[ngram] for ngram in vocabulary], np.float64)
    fitted = {
        "vocabulary": pack_texts(vocabulary),
        "idf": np.log((1 + len(words)) / (1 + often)) + 1,
        "projection": np.zeros((len(vocabulary), 0)),
    }
    rank = min(dim, len(vocabulary), len(words))
    if rank:
        fitted["projection"] = endable(_projection, _bags(fitted, words)[0], rank, rows=len(words))
    return fitted


def _projection(bags: "csr_array", rank: int) -> Floats:
    from sklearn.utils.extmath import randomized_svd

    return np.asarray(randomized_svd(bags, rank, n_iter=_ROUNDS, random_state=0)[2].T)


def _ngram_rows(fitted: Arrays, words: Sequence[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the numbers of each word, (words, dim), and which words have a distinctive n-gram.

    Distinctive n-grams have 3 characters or more.
    """
    bags, known = _bags(fitted, words)
    with one_thread():
        return np.asarray(bags @ fitted["projection"]), known


def _bags(fitted: Arrays, words: Sequence[str]) -> tuple["csr_array", Bools]:
    import scipy.sparse as sparse

    vocabulary = unpack_texts(fitted["vocabulary"])
    places = {ngram: place for place, ngram in enumerate(vocabulary)}
    offsets, columns, known = [0], [], []
    for word in words:
        ngrams = [ngram for ngram in ngrams_of(word) if ngram in places]
        columns += sorted(places[ngram] for ngram in ngrams)
        offsets.append(len(columns))
        known.append(any(len(ngram) >= _DISTINCTIVE for ngram in ngrams))
    taken = np.array(columns, np.int64)
    lengths = np.diff(offsets)
    owners = np.repeat(np.arange(len(words)), lengths)
    weights = fitted["idf"][taken]
    norms = np.sqrt(np.bincount(owners, weights**2, len(words)))
    shape = (len(words), len(vocabulary))
    bags = sparse.csr_array((weights / norms[owners], taken, np.array(offsets)), shape=shape)
    return bags, np.array(known, bool)


INPUTS: Registry[Input] = Registry(
    {
        "ngrams": Input(_fit_ngrams, _ngrams, doc="n-grams of its letters"),
        "wordnet": Input(_fit_wordnet, _wordnet, doc="classes, hypernyms and numbers of its senses in WordNet"),
        "glosses": Input(_nothing, _glosses, doc="words of the glosses of its senses"),
        "vectors": Input(_nothing, _vectors, needs="vectors", doc="static vectors"),
    },
    what="input",
    group="lexbeam.concreteness_inputs",
)
