"""What words are described by, for a model of concreteness: inputs, each with one block of numbers or several.

**Character n-grams.** `ngrams` is the one input that every word has: a word is `<word>` in lower case, its n-grams
those of 1 to 5 characters, each counted once, weighted by inverse document frequency, to length 1, and reduced by
truncated singular value decomposition. What is learned is learned of words, not of ratings.

**WordNet.** A word is looked up by its base forms of any part of speech: its classes, hypernyms and senses, and vectors
of the glosses that it stands in. Each of its senses is weighted by how often WordNet's authors tagged it, plus one
divided by its number, so that of senses that were never tagged the first weighs most.

**Vectors of glosses.** A text is a synset, that is its words and those of its definition and examples, as definitions
have them (`transforms/lexicon/wordnet/glosses.py`). Of how many texts two words share, positive pointwise mutual
information is taken, with the context's count to the power of .75, and reduced by a truncated singular value
decomposition, singular values to the power of .5, rows of length 1 (Levy, Goldberg and Dagan 2015). So words of a kind
are alike even if they never stand in one gloss.

**Words spelled alike** stand in for a word of which nothing is known (*chastiser*: *chastise*; *airbag*: *bag*). Of
known words one has the longest beginning in common with it, and one the longest end; of several the shortest, then the
first. Derived words and compounds are thus led back to what they are made of, whatever the language.

>>> spelled_alike(SpelledWords(["condone", "pardonable", "conduct", "able"]), "condonable")
[('condone', 6), ('pardonable', 7)]
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.abstractness.concreteness_options import InputOptions
from lexbeam.transforms.common.arithmetic import dots, one_thread
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.machine import endable
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.model import needs_models
from lexbeam.transforms.lexicon.compiled.static_vectors import StaticVectors
from lexbeam.transforms.lexicon.wordnet.ragged import EXTENDED_GLOSS, HYPERNYMS, LEXNAMES, SYNSET_TYPES, Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_FEWEST = 3  # letters in common


class SpelledWords:
    """Words, ordered by their beginnings and by their ends."""

    def __init__(self, words: Iterable[str]) -> None:
        self.forwards = sorted(words)
        self.backwards = sorted(word[::-1] for word in self.forwards)


def spelled_alike(known: SpelledWords, word: str) -> list[tuple[str, int]]:
    """Return the known words that are spelled like a word, up to two, and how many letters each has in common with it.

    They have three letters in common at least. The word itself may be among them.
    """
    begins, common = _nearest(known.forwards, word)
    ends, common_at_end = _nearest(known.backwards, word[::-1])
    found = [(begins, common), (ends[::-1], common_at_end)]
    return [(other, letters) for other, letters in found if letters >= _FEWEST]


def _nearest(ordered: list[str], word: str) -> tuple[str, int]:
    """Return the shortest of the words that have the longest beginning in common with a word, and its length."""
    at = bisect_left(ordered, word)
    common = max((_common(word, other) for other in ordered[max(at - 1, 0) : at + 1]), default=0)
    if common < _FEWEST:
        return "", 0
    begin = word[:common]
    after = bisect_right(ordered, begin, key=lambda other: other[:common])
    alike = ordered[bisect_left(ordered, begin) : after]
    return min(alike, key=lambda other: (len(other), other)), common


def _common(word: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))


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


Bools = npt.NDArray[np.bool_]
Arrays = dict[str, npt.NDArray[Any]]

HYPERNYM_WORDS = 5  # rated words that must lie below a hypernym: fewer say more of the words than of it
SMALL = 1e-9
_LENGTHS = range(1, 6)
_DISTINCTIVE = 3  # a word with no known n-gram of this length is not known


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
