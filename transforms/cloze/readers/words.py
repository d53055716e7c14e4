"""What is known of words beside questions (vectors, glosses, frequencies); and reader `frequency`, which needs no more.

Vectors of texts are what embeddings begin as where no static vectors are given: skip-grams with negative sampling
(Mikolov et al. 2013) over passages and whole summaries, answers in their places. No text of the fold that is held
out is read, for its summaries hold the answers.

Reader `frequency` draws distractors among words like the answer, without a network. A word may be drawn that has the
answer's part of speech, that is among the nearest by frequency, and, where there are vectors, whose cosine with the
answer lies in a band: neither a near synonym nor wholly foreign. Words nearer in frequency are drawn more often: the
weight of a word is exp(-|difference of the natural logarithms of frequencies|). Lists are drawn without putting back,
by Gumbel-top-k (Kool et al. 2019): the weights' logarithms and Gumbel noise, sorted. The noise of a
question and word depends on them and the seed alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.cloze.readers.options import RESERVED, KnownVectors, NumberLists, ReaderNetworkOptions
from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.embeddings.sgns import SgnsOptions, train
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING

_LONGEST = 1000  # words of a text that are read at once; gensim ignores those beyond 10,000
_LEAST = 2  # uses of a word, for it to have a vector
_TAGS = "nvar"
_TOKEN = re.compile(r"\w+|[^\w\s]")


def vectors_of(vectors: Any, words: pa.Array | pa.ChunkedArray, reserved: int = RESERVED) -> KnownVectors:
    """Return vectors behind `reserved` rows of zeros, float32, and which rows have one."""
    rows, known = vectors.vectors(words)
    zeros = np.zeros((reserved, vectors.dim), np.float32)
    return np.concatenate([zeros, rows]), np.concatenate([np.zeros(reserved, bool), known])


def train_vectors(
    texts: Sequence[NumberLists], rows: npt.NDArray[np.int64], words: int, options: ReaderNetworkOptions, *, seed: int
) -> KnownVectors | None:
    """Return a vector for each number of a word, float32, and which words have one; None: none has.

    Vectors have the length `dim`, and are scaled so that all their numbers together have the standard deviation
    `own_deviation`.

    Args:
        texts: words of passages, of summaries, and so on.
        rows: which of them are read; their order counts.
        words: how many numbers words have, `RESERVED` among them.
        options: `dim`, and those that begin with `own_`.
        seed: any whole number.
    """
    digits = [str(number) for number in range(words)]
    counts: Counter[str] = Counter()
    sentences = 0
    for sentence in _sentences(texts, rows, digits):
        counts.update(sentence)
        sentences += 1
    if max(counts.values(), default=0) < _LEAST:
        return None
    names, trained, _ = train(
        lambda: _sentences(texts, rows, digits),
        counts,
        SgnsOptions(
            dim=options.dim,
            window=options.own_window,
            epochs=options.own_epochs,
            negative=options.own_negative,
            sample=options.own_sample,
            min_count=_LEAST,
            alpha=options.own_rate,
        ),
        seed=seed % (1 << 32),
        sentences=sentences,
        tokens=counts.total(),
        slice_name="passages and summaries",
    )
    numbers = np.array([int(name) for name in names])
    vectors = np.zeros((words, options.dim), np.float32)
    known = np.zeros(words, bool)
    known[numbers] = True
    deviation = float(trained.std())
    vectors[numbers] = trained * (options.own_deviation / deviation if deviation else 1.0)
    return vectors, known


def _sentences(texts: Sequence[NumberLists], rows: npt.NDArray[np.int64], digits: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of texts as training reads them: their numbers as digits."""
    for lists in texts:
        for row in rows.tolist():
            text = lists.values[lists.bounds[row] : lists.bounds[row + 1]]
            text = text[text >= RESERVED]
            for start in range(0, len(text), _LONGEST):
                yield [digits[number] for number in text[start : start + _LONGEST].tolist()]


def glosses_of(wordnet: Any, words: Sequence[str], lemmas: Sequence[str], most: int) -> NumberLists:
    """Return glosses of words as numbers; none is empty.

    A gloss is made of the definitions of the first sense of each part of speech, in the order of nouns, verbs,
    adjectives and adverbs, each behind a token for its part of speech, in lower case (the paper's appendix D). A word
    without one has itself for a gloss.

    Args:
        wordnet: where definitions are from; None: there is none.
        words: what glosses are of.
        lemmas: what they are looked up by.
        most: tokens of a gloss, at most.

    Returns:
        Numbers from 1 on, by the order in which tokens come.
    """
    texts: list[list[str]] = [[] for _ in words]
    if wordnet is not None:
        keys = pa.array(list(lemmas), pa.large_string())
        for tag in _TAGS:
            senses = wordnet.first_sense(keys, tag)
            definitions = wordnet.definitions(wordnet.synset_of(senses)).to_pylist()
            for row in np.flatnonzero(senses != MISSING).tolist():
                texts[row] += [f"<{tag}>", *_TOKEN.findall((definitions[row] or "").lower())]
    numbers: dict[str, int] = {}
    glosses = []
    for word, text in zip(words, texts, strict=True):
        tokens = text[:most] or [word.lower()]
        glosses.append([numbers.setdefault(token, len(numbers) + 1) for token in tokens])
    bounds = np.concatenate([[0], np.cumsum([len(gloss) for gloss in glosses])]).astype(np.int64)
    return NumberLists(bounds, np.array([number for gloss in glosses for number in gloss], np.int32))


Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Cosine = Callable[[Ints, Ints], Floats]

_CHUNK = 1 << 20  # words looked at together


@dataclass(frozen=True, kw_only=True)
class BandOptions:
    """Which words reader `frequency` draws from."""

    near: int = option(200, help="words nearest to the answer in frequency that are drawn from", least=4)
    least_similar: float = option(
        0.1, help="the least cosine with the answer, where there are vectors", least=-1, most=1
    )
    most_similar: float = option(0.6, help="the greatest one", least=-1, most=1)


class Drawn(NamedTuple):
    """What is drawn for questions.

    Attributes:
        words: rows of candidates, shape (questions, k), -1 where there are no more.
        log_probs: the natural logarithm of each one's chance to be drawn first; NaN where there is
            none. They do not fall with the rank.
    """

    words: Ints
    log_probs: Floats


def draw_words(
    answers: Ints,
    keys: npt.NDArray[np.uint64],
    upos: Sequence[str],
    frequency: Floats,
    words: Sequence[str],
    k: int,
    options: BandOptions,
    *,
    seed: int,
    cosine: Cosine | None = None,
) -> Drawn:
    """Draw words for questions.

    Args:
        answers: the answer of each question, a row of candidates.
        keys: hash of each question, uint64.
        upos: of each candidate.
        frequency: of each candidate, above 0.
        words: the candidates.
        k: words wanted for each question.
        options: which words are drawn from.
        seed: any whole number.
        cosine: of two arrays of rows, pair by pair; NaN where it is unknown, which lies in every band. None:
            there are no vectors.
    """
    drawn = Drawn(np.full((len(answers), k), -1, np.int64), np.full((len(answers), k), np.nan))
    tags = np.array(upos, dtype=object)
    hashes = content_hashes(list(words))
    level = np.log(frequency)
    for tag in sorted(set(upos)):
        tagged = np.flatnonzero(tags == tag)
        tagged = tagged[np.lexsort((tagged, level[tagged]))]
        questions = np.flatnonzero(tags[answers] == tag) if len(answers) else answers
        width = min(options.near + 1, len(tagged))
        step = max(1, _CHUNK // width)
        for start in range(0, len(questions), step):
            rows = questions[start : start + step]
            window = tagged[_windows(level[tagged], level[answers[rows]], width)]
            weights = _weights(window, answers[rows], level, options, cosine)
            noise = _noise(keys[rows], hashes[window], seed)
            order = np.lexsort((window, -(weights + noise)), axis=1)[:, :k]
            with np.errstate(divide="ignore"):
                total = np.log(np.exp(weights).sum(1, keepdims=True))
            taken = np.take_along_axis(weights, order, axis=1)
            there = np.isfinite(taken)
            count = order.shape[1]
            drawn.words[rows, :count] = np.where(there, np.take_along_axis(window, order, axis=1), -1)
            drawn.log_probs[rows, :count] = np.where(there, taken - np.where(there, total, 0), np.nan)
    return drawn


def _weights(window: Ints, answers: Ints, level: Floats, options: BandOptions, cosine: Cosine | None) -> Floats:
    """Return the logarithm of the weight of each word of a window beside an answer, -inf: it is not drawn."""
    words, beside = window.ravel(), np.repeat(answers, window.shape[1])
    weights = -np.abs(level[words] - level[beside])
    weights[words == beside] = -np.inf
    if cosine is not None:
        near = cosine(beside, words)
        weights[(near < options.least_similar) | (near > options.most_similar)] = -np.inf
    return np.asarray(weights.reshape(window.shape))


def _noise(keys: npt.NDArray[np.uint64], hashes: npt.NDArray[np.uint64], seed: int) -> Floats:
    """Return Gumbel noise of each question and word, as their hashes draw it."""
    pairs = content_hashes(np.repeat(keys, hashes.shape[1]), hashes.ravel())
    drawn = numbers(pairs, seed=seed, label="cloze/distractors")
    noise = -np.log(-np.log(((drawn >> np.uint64(12)) + 0.5) * 2.0**-52))
    return np.asarray(noise.reshape(hashes.shape))


def _windows(levels: Floats, centres: Floats, width: int) -> Ints:
    """Return the `width` places of rising levels around each centre, as many on both sides."""
    middle = (np.searchsorted(levels, centres, "left") + np.searchsorted(levels, centres, "right")) // 2
    start = np.clip(middle - width // 2, 0, len(levels) - width)
    return np.asarray(start[:, None] + np.arange(width))
