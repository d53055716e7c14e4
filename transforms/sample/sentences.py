"""Sentences of the sample corpus, many documents at a time, as arrays of word ids.

A document mixes three topics, a sentence has one. A sentence begins with a function word and
alternates content words with none to two function words; which function word it is depends on its
place. Uses of planted words take the places of content words in sentences of the sense's topic;
a few stray to sentences on any topic, as other words do.

Sentences have 10 to 30 words, one in twenty 4 to 9. Planted words stand in the longer ones only,
so that they all outlive the customary cut of sentences under ten words.
"""

from typing import NamedTuple

import numpy as np

from lexbeam.transforms.sample.language import Language

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
