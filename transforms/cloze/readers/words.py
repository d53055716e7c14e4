"""What readers know of words beside questions: static vectors, vectors of the texts themselves, and glosses.

Vectors of texts are what embeddings begin as where no static vectors are given: skip-grams with negative sampling
(Mikolov et al. 2013) over passages and whole summaries, answers in their places. No text of the fold that is held
out is read, for its summaries hold the answers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.cloze.readers.options import RESERVED, KnownVectors, NumberLists, ReaderNetworkOptions
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
