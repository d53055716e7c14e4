"""The sample corpus as a stream of documents: drawn sizes, years and uses, passage by passage.

A corpus of N words has two slices of N / 2. Documents have about 1,500 words, more in corpora so
large that there would be over 16,000 documents; they are made in passages of about 100,000 words,
so that memory does not grow with N. Each passage has a random stream of its own, and its part of
each sense's uses, which add up to the planned counts exactly.

    >>> corpus = design_corpus(tokens=30_000, seed=1)
    >>> document = next(read_documents(corpus))
    >>> document.year, document.name
    (1800, '1800_0001.txt')
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.sample import vocabulary
from lexbeam.transforms.sample.language import SLICES, YEARS, Language, build_language
from lexbeam.transforms.sample.planting import PLANTED_WORDS, PlantedWord, plant_words
from lexbeam.transforms.sample.sentences import PlacedUses, SamplePassage, write_passage

DOCUMENT_WORDS = 1_500
MOST_DOCUMENTS = 16_000
PASSAGE_WORDS = 100_000


class SampleDocument(NamedTuple):
    """A document: its file's name, year, text and number of words (full stops not counted)."""

    name: str
    year: int
    text: str
    words: int


@dataclass(frozen=True, kw_only=True)
class SampleCorpus:
    """All that the corpus follows from; `planted` is the truth about it."""

    tokens: int
    seed: int
    language: Language
    planted: tuple[PlantedWord, ...]


def design_corpus(*, tokens: int, seed: int) -> SampleCorpus:
    """Draw the language and the planted words of the corpus with this size and seed."""
    language = build_language(np.random.default_rng([seed, 0]), PLANTED_WORDS)
    random = Random(f"plan {seed}")
    planted = plant_words(language.targets, list(vocabulary.TOPICS), random, tokens)
    return SampleCorpus(tokens=tokens, seed=seed, language=language, planted=tuple(planted))


class _Cells(NamedTuple):
    """Every sense of every planted word in one slice: parallel arrays."""

    words: np.ndarray
    topics: np.ndarray
    counts: np.ndarray
    phases: np.ndarray

    def between(self, start: float, end: float) -> PlacedUses:
        """Uses in the part of the slice from `start` to `end`, fractions of 1."""
        before = np.floor(self.counts * start + self.phases).astype(np.int64)
        after = np.floor(self.counts * end + self.phases).astype(np.int64)
        return PlacedUses(self.words, self.topics, after - before)


def _cells(corpus: SampleCorpus, side: int) -> _Cells:
    ids = {word: i for i, word in enumerate(corpus.language.words)}
    topics = {topic: i for i, topic in enumerate(vocabulary.TOPICS)}
    cells = [
        (ids[planted.word], topics[sense.topic], (sense.early, sense.late)[side])
        for planted in corpus.planted
        for sense in planted.senses
    ]
    words, places, counts = np.array(cells, dtype=np.int64).T
    # Each begins elsewhere between two uses: rare senses do not all meet in one passage.
    phases = np.random.default_rng([corpus.seed, 1, side]).random(len(cells))
    return _Cells(words, places, counts, phases)


def _sizes(rng: np.random.Generator, documents: int, tokens: int) -> np.ndarray:
    """Sizes of documents that add up to `tokens`, from about .6 to 1.4 of the mean."""
    borders = np.arange(documents + 1) + np.append(0, rng.uniform(-0.2, 0.2, documents))
    borders[-1] = documents
    return np.diff(np.rint(borders * (tokens / documents)).astype(np.int64))


def _forms(words: tuple[str, ...]) -> np.ndarray:
    """Written forms, (4 x words): inside a sentence, first, last, last of a paragraph."""
    table = np.empty((4, len(words)), dtype=object)
    table[0] = words
    table[1] = [word.capitalize() for word in words]
    table[2] = [f"{word}." for word in words]
    table[3] = [f"{word}.\n\n" for word in words]
    return table.ravel()


def _texts(passage: SamplePassage, forms: np.ndarray) -> Iterator[tuple[str, int]]:
    """The text and the number of words of each document."""
    row = passage.sentence_ends.astype(np.int64) * 2
    row += passage.paragraph_ends
    row[0] = 1
    row[1:][passage.sentence_ends[:-1]] = 1
    written = forms[passage.ids + row * (len(forms) // 4)].tolist()
    for start, end in pairwise(passage.documents):
        text = " ".join(written[start:end]).replace("\n ", "\n").rstrip("\n")
        yield text + "\n", int(end - start)


def read_documents(corpus: SampleCorpus) -> Iterator[SampleDocument]:
    """Yield the documents in the order of time: `corpus.tokens` words in all, or up to 58 more.

    (The last sentence of each slice is not cut.)
    """
    forms = _forms(corpus.language.words)
    for side, first_year in enumerate(SLICES.values()):
        tokens = corpus.tokens * (side + 1) // 2 - corpus.tokens * side // 2
        documents = max(1, min(tokens // DOCUMENT_WORDS, MOST_DOCUMENTS // 2))
        sizes = _sizes(np.random.default_rng([corpus.seed, 2, side]), documents, tokens)
        borders = np.append(0, np.cumsum(sizes))
        decades = np.arange(documents) * (YEARS // 10) // documents + side * (YEARS // 10)
        years = first_year + np.arange(documents) * YEARS // documents
        cells = _cells(corpus, side)
        passages = -(-tokens // PASSAGE_WORDS)
        edges = np.arange(passages + 1) * documents // passages
        written = number = 0
        for i, (start, end) in enumerate(pairwise(edges)):
            wanted = sizes[start:end].copy()
            wanted[0] -= written - borders[start]  # what the last sentence was too long
            passage = write_passage(
                np.random.default_rng([corpus.seed, 3, side, i]),
                corpus.language,
                steps=decades[start:end],
                tokens=wanted,
                uses=cells.between(borders[start] / tokens, borders[end] / tokens),
            )
            for year, (text, words) in zip(years[start:end], _texts(passage, forms), strict=True):
                number += 1
                yield SampleDocument(f"{year}_{number:04d}.txt", int(year), text, words)
            written += len(passage.ids)
