"""The sample corpus as a stream of documents: drawn sizes, years and uses, passage by passage.

A corpus of N words has two slices of N / 2. Documents have about 1,500 words, more in corpora so
large that there would be over 16,000 documents; they are made in passages of about 100,000 words,
so that memory does not grow with N. Each passage has a random stream of its own, and its part of
each sense's uses, which add up to the planned counts exactly.

    >>> corpus = design_corpus(tokens=30_000, seed=1)
    >>> document = next(read_documents(corpus))
    >>> document.year, document.name
    (1800, '1800_0001.txt')

Sentences are made for many documents at a time, as arrays of word ids. A document mixes three topics, a sentence has
one. A sentence begins with a function word and alternates content words with none to two function words; which
function word it is depends on its place. Uses of planted words take the places of content words in sentences of the
sense's topic; a few stray to sentences on any topic, as other words do.

Sentences have 10 to 30 words, one in twenty 4 to 9. Planted words stand in the longer ones only,
so that they all outlive the customary cut of sentences under ten words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.sample.language import SLICES, TOPICS, YEARS, Language, build_language
from lexbeam.transforms.sample.planting import PLANTED_WORDS, PlantedWord, plant_words

SHORT_SHARE = 0.05
MIXTURE = (0.55, 0.3, 0.15)  # shares of a document's three topics
CONTENT_SHARE = 0.55
CLOSED_SHARE = 0.25  # sentences that end with a function word
STRAY_SHARE = 0.02  # uses of planted words in sentences on any topic
PARAGRAPH_SHARE = 0.2  # sentences that end a paragraph
OPENER, JOINT, DETERMINER, CLOSER = range(4)


class PlacedUses(NamedTuple):
    """Uses to place: parallel arrays of word ids, topics and how often."""

    words: np.ndarray
    topics: np.ndarray
    counts: np.ndarray


class SamplePassage(NamedTuple):
    """Documents in sequence: word ids, and flags of tokens that end a sentence or a paragraph.

    `documents` are the positions of the documents' first tokens, and at last the length.
    """

    ids: np.ndarray
    sentence_ends: np.ndarray
    paragraph_ends: np.ndarray
    documents: np.ndarray


def _draw(rng: np.random.Generator, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """One column of `weights`, (rows, columns), for each of `rows`, by its probability."""
    cumulative = np.cumsum(weights, axis=1)
    cumulative /= cumulative[:, -1:]
    table = (cumulative + np.arange(len(weights))[:, None]).ravel()
    # A draw of .999... plus the row may round up to the next row's beginning.
    draws = np.minimum(rows + rng.random(len(rows)), np.nextafter(rows + 1.0, 0.0))
    drawn = np.searchsorted(table, draws, side="right")
    return np.asarray(drawn - rows * weights.shape[1])


def _lengths(rng: np.random.Generator, tokens: int) -> np.ndarray:
    """Lengths of as many sentences as reach `tokens`."""
    n = tokens // 10 + 8  # more than enough: the mean is over 16
    lengths = 10 + rng.binomial(20, 0.35, n)
    short = rng.random(n) < SHORT_SHARE
    lengths[short] = rng.integers(4, 10, np.count_nonzero(short))
    return lengths[: np.searchsorted(np.cumsum(lengths), tokens) + 1]


def _topics(
    rng: np.random.Generator,
    language: Language,
    steps: np.ndarray,
    document: np.ndarray,
    long: np.ndarray,
    uses: PlacedUses,
) -> np.ndarray:
    """A topic for each sentence: its document's, but enough long ones for the uses of each."""
    n = len(steps)
    cumulative = np.cumsum(language.topics[steps], axis=1)
    of_document = np.empty((n, len(MIXTURE)), dtype=np.int64)
    for column in range(len(MIXTURE)):
        # One draw from each n-th part: shares come out as meant even in a few documents.
        draws = (rng.permutation(n) + rng.random(n)) / n
        of_document[:, column] = (cumulative < draws[:, None] * cumulative[:, -1:]).sum(axis=1)
    place = rng.choice(len(MIXTURE), size=len(document), p=MIXTURE)
    topics = np.asarray(of_document[document, place])

    kinds = language.topics.shape[1]
    needed = np.bincount(uses.topics, weights=uses.counts, minlength=kinds)
    # A long sentence has five content words at least; two are left to the topic itself.
    needed = np.ceil(needed / 3).astype(np.int64)
    for topic in np.flatnonzero(np.bincount(topics[long], minlength=kinds) < needed):
        present = np.bincount(topics[long], minlength=kinds)
        spare = np.flatnonzero(long & (present > needed)[topics])
        topics[rng.permutation(spare)[: needed[topic] - present[topic]]] = topic
    return topics


def _content_places(rng: np.random.Generator, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Which tokens are content words, given the sentences' first and last positions."""
    n = ends[-1] + 1
    content = rng.random(n) < CONTENT_SHARE
    content[starts] = False
    content[ends - 1] = True
    content[ends] = rng.random(len(ends)) >= CLOSED_SHARE
    # No more than two function words in a row.
    position = np.arange(n)
    border = np.where(content, position, -1)
    border[starts] = starts - 1
    run = position - np.maximum.accumulate(border)
    return np.asarray(content | ((run > 0) & (run % 3 == 0)))


def _stray(rng: np.random.Generator, uses: PlacedUses, topics: int) -> PlacedUses:
    """The same uses, of which some have left their topic, as other words do."""
    strays = rng.binomial(uses.counts, STRAY_SHARE)
    words = np.repeat(uses.words, strays)
    return PlacedUses(
        np.append(uses.words, words),
        np.append(uses.topics, rng.integers(topics, size=len(words))),
        np.append(uses.counts - strays, np.ones(len(words), dtype=np.int64)),
    )


def _place_uses(
    rng: np.random.Generator, ids: np.ndarray, places: np.ndarray, topics: np.ndarray, uses: PlacedUses
) -> None:
    """Put the uses at random `places`, whose sentences have these `topics`."""
    for topic in np.unique(uses.topics):
        chosen = uses.topics == topic
        words = np.repeat(uses.words[chosen], uses.counts[chosen])
        free = places[topics == topic]
        if len(free) < len(words):
            raise ValueError(f"{len(words)} uses of a topic with {len(free)} content words")
        ids[rng.permutation(free)[: len(words)]] = words


def write_passage(
    rng: np.random.Generator, language: Language, *, steps: np.ndarray, tokens: np.ndarray, uses: PlacedUses
) -> SamplePassage:
    """Return documents at these `steps` of time, of about these many `tokens`, with these uses.

    The passage has sum(tokens) words, or up to 29 more: a sentence is not cut.
    """
    uses = _stray(rng, uses, language.topics.shape[1])
    lengths = _lengths(rng, int(tokens.sum()))
    ends = np.cumsum(lengths) - 1
    starts = ends - lengths + 1
    borders = np.cumsum(tokens)
    document = np.minimum(np.searchsorted(borders, starts, side="right"), len(tokens) - 1)
    long = lengths >= 10
    topics = _topics(rng, language, steps, document, long, uses)

    content = _content_places(rng, starts, ends)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    ids = np.empty(len(content), dtype=np.int64)

    places = np.flatnonzero(content)
    rows = (steps[document] * language.topics.shape[1] + topics)[sentence[places]]
    flat = language.content.reshape(-1, language.content.shape[2])
    ids[places] = language.content_ids[_draw(rng, rows, flat)]
    in_long = places[long[sentence[places]]]
    _place_uses(rng, ids, in_long, topics[sentence[in_long]], uses)

    places = np.flatnonzero(~content)
    before_content = np.append(content[1:], False)[places]
    kind = np.where(before_content, DETERMINER, JOINT)
    place = places - starts[sentence[places]]
    kind[place == 0] = OPENER
    kind[place == lengths[sentence[places]] - 1] = CLOSER
    third = place * 3 // lengths[sentence[places]]
    _, classes, thirds, words = language.function.shape
    rows = (topics[sentence[places]] * classes + kind) * thirds + third
    flat = language.function.reshape(-1, words)
    ids[places] = language.function_ids[_draw(rng, rows, flat)]

    sentence_ends = np.zeros(len(ids), dtype=bool)
    sentence_ends[ends] = True
    paragraph_ends = np.zeros(len(ids), dtype=bool)
    paragraph_ends[ends[rng.random(len(ends)) < PARAGRAPH_SHARE]] = True
    first = np.searchsorted(document, np.arange(len(tokens)))
    documents = np.append(np.append(starts, len(ids))[first], len(ids))
    return SamplePassage(ids, sentence_ends, paragraph_ends, documents)


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
    planted = plant_words(language.targets, list(TOPICS), random, tokens)
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
    topics = {topic: i for i, topic in enumerate(TOPICS)}
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
