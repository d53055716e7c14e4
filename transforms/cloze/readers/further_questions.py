"""Further questions to train readers on: candidate words where they stand in texts.

Most candidate words are the answer of few questions, but stand in texts, too. One in a summary
makes a question as its answer does. One in a passage makes the words around it a summary: its
sentence or, of a sentence that is too long, as many words as a summary may have, the word in their
middle. These words are left out of the passage. As with true answers, no other word of the passage
may have the word's form or lemma.

>>> starts, stops = spans_of(np.array([0, 2]), np.array([0, 9]), np.array([1, 7]), most=4)
>>> starts.tolist(), stops.tolist()
([0, 5], [2, 9])
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

TRAIN_ON = ("answers", "summaries", "passages")

FURTHER = pa.schema(
    [
        ("pair", pa.int64()),
        ("in_passage", pa.bool_()),
        ("start", pa.int64()),
        ("stop", pa.int64()),
        ("place", pa.int64()),
        ("answer", pa.int64()),
        ("key", pa.uint64()),
    ]
)

Ints = npt.NDArray[np.int64]


class SideTexts(NamedTuple):
    """Passages, or summaries, one behind the other.

    Attributes:
        bounds: where each begins, int64, and at last an end.
        candidates: of each word its number among the candidate words, -1: it is none; int64.
        forms: of each word a number of its form, int64.
        lemmas: of each word a number of its lemma, int64; passages and summaries share numbers.
        sentences: where sentences begin, counted over all texts, int64; may be empty.
    """

    bounds: Ints
    candidates: Ints
    forms: Ints
    lemmas: Ints
    sentences: Ints


class CandidateUses(NamedTuple):
    """Candidate words: the text, from where to where it is a summary, the word, its number."""

    text: Ints
    start: Ints
    stop: Ints
    token: Ints
    answer: Ints


def spans_of(sentences: Ints, bounds: Ints, tokens: Ints, *, most: int) -> tuple[Ints, Ints]:
    """Return where what serves as the summary of each token begins, and ends.

    Args:
        sentences: where sentences begin, counted over all texts.
        bounds: where texts begin, and at last an end.
        tokens: counted over all texts.
        most: words of a summary, at most.
    """
    edges = np.unique(np.concatenate([sentences, bounds]))
    at = np.searchsorted(edges, tokens, "right")
    start, stop = edges[at - 1], edges[np.minimum(at, len(edges) - 1)]
    long = stop - start > most
    first = np.clip(tokens - most // 2, start, np.maximum(stop - most, start))
    return np.where(long, first, start), np.where(long, first + most, stop)


def further_of(passages: SideTexts, summaries: SideTexts, asked: Ints, train_on: str, most: int) -> pa.Table:
    """Return further questions of pairs, table `FURTHER`; `pair` counts from 0, `key` is 0.

    Args:
        passages: of pairs.
        summaries: of the same pairs.
        asked: words of summaries that are questions already, counted over all summaries.
        train_on: an entry of `TRAIN_ON`.
        most: words of a passage that serve as a summary, at most.
    """
    uses = []
    if train_on != "answers":
        uses.append((False, _of_summaries(passages, summaries, asked)))
    if train_on == "passages":
        uses.append((True, _of_passages(passages, most)))
    tables = []
    for in_passage, side_uses in uses:
        base = (passages if in_passage else summaries).bounds[side_uses.text]
        tables.append(
            pa.table(
                [
                    side_uses.text,
                    np.full(len(side_uses.text), in_passage),
                    side_uses.start - base,
                    side_uses.stop - base,
                    side_uses.token - side_uses.start,
                    side_uses.answer,
                    np.zeros(len(side_uses.text), np.uint64),
                ],
                schema=FURTHER,
            )
        )
    return pa.concat_tables(tables) if tables else FURTHER.empty_table()


def _of_summaries(passages: SideTexts, summaries: SideTexts, asked: Ints) -> CandidateUses:
    tokens = np.flatnonzero(summaries.candidates >= 0)
    tokens = tokens[~np.isin(tokens, asked)]
    text = _text_of(summaries.bounds, tokens)
    for name in ("forms", "lemmas"):
        here, there = getattr(summaries, name)[tokens], getattr(passages, name)
        size = int(max(here.max(initial=0), there.max(initial=0))) + 1
        owner = _text_of(passages.bounds, np.arange(len(there)))
        free = ~np.isin(text * size + here, owner * size + there)
        tokens, text = tokens[free], text[free]
    bounds = summaries.bounds
    return CandidateUses(text, bounds[text], bounds[text + 1], tokens, summaries.candidates[tokens])


def _of_passages(passages: SideTexts, most: int) -> CandidateUses:
    tokens = np.flatnonzero(passages.candidates >= 0)
    start, stop = spans_of(passages.sentences, passages.bounds, tokens, most=most)
    text = _text_of(passages.bounds, tokens)
    bounds = passages.bounds
    free = np.ones(len(tokens), bool)
    for name in ("forms", "lemmas"):
        words = getattr(passages, name)
        # Uses in the order of words and places: those within bounds are next to each other.
        order = np.lexsort((np.arange(len(words)), words))
        total = len(words) + 1
        places = words[order] * total + order
        first_of_word = words[tokens] * total

        def uses(first: Ints, end: Ints, first_of_word: Ints = first_of_word, places: Ints = places) -> Ints:
            return np.searchsorted(places, first_of_word + end) - np.searchsorted(places, first_of_word + first)

        free &= uses(start, stop) == uses(bounds[text], bounds[text + 1])
    # Else all of the passage would be left out of it.
    free &= stop - start < bounds[text + 1] - bounds[text]
    return CandidateUses(text[free], start[free], stop[free], tokens[free], passages.candidates[tokens[free]])


def _text_of(bounds: Ints, tokens: Ints) -> Ints:
    numbers: Ints = np.searchsorted(bounds, tokens, "right").astype(np.int64) - 1
    return numbers


def chosen_of(rows: pa.Table, most: int) -> pa.Table:
    """Return at most so many questions of each pair, the first by their keys; in that order."""
    pair, key = rows["pair"].to_numpy(), rows["key"].to_numpy()
    order = np.lexsort((key, pair))
    pair = pair[order]
    new = np.concatenate([[True], pair[1:] != pair[:-1]]) if len(pair) else np.zeros(0, bool)
    first = np.maximum.accumulate(np.where(new, np.arange(len(pair)), 0))
    return rows.take(pa.array(order[np.arange(len(pair)) - first < most]))
