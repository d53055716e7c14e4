"""Reader `context` on questions: what of texts it counts, how its weights are fitted, and what it says.

A question that decides weights must not have been counted: in each of four parts of the articles, questions are
read with the counts of the three others. Their weights then go with the counts of all.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.readers.context import EVIDENCE, ContextCounts, CountedTexts, fit_weights
from lexbeam.transforms.cloze.readers.options import NumberLists, Questions
from lexbeam.transforms.cloze.readers.training import ReaderWeights
from lexbeam.transforms.common.draws.splits import fold_of

_PARTS = 4
_MOST = 1 << 23  # numbers of evidence held at once
_TOGETHER = 1 << 22

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class ContextData(NamedTuple):
    """Texts and words to choose.

    Attributes:
        passages: of pairs.
        summaries: of the same pairs, with all their words.
        articles: hash of each pair's article, uint64.
        rows: the pairs that may be counted.
        numbers: of each word to choose its number in texts, distinct; below `RESERVED`: it has none.
        spellings: of each word to choose.
        words: how many numbers words have.
    """

    passages: NumberLists
    summaries: NumberLists
    articles: npt.NDArray[np.uint64]
    rows: Ints
    numbers: Ints
    spellings: Sequence[str]
    words: int

    def counted(self, rows: Ints) -> ContextCounts:
        """Return the counts of pairs; a passage that several have counts once."""
        _, first, article = np.unique(self.articles[rows], return_index=True, return_inverse=True)
        texts = (
            CountedTexts(self.passages, rows[first], np.arange(len(first))),
            CountedTexts(self.summaries, rows, article.astype(np.int64)),
        )
        return ContextCounts(texts, self.numbers, self.spellings, self.words)


def train_context(asked: Questions, rows: Ints, data: ContextData, *, seed: int) -> ReaderWeights:
    """Fit the weights of reader `context`.

    Args:
        asked: questions of all folds; those with options are read by these alone.
        rows: those that may be trained on; their order does not count.
        data: texts that may be counted, and the words to choose.
        seed: of the parts of articles, any whole number.
    """
    rows = rows[asked.answers[rows] >= 0]
    rows = rows[np.argsort(asked.keys[rows], kind="stable")]
    width = len(data.numbers) if asked.options is None else asked.options.shape[1]
    fitted = rows[: max(_MOST // (len(EVIDENCE) * max(width, 1)), _PARTS)]
    evidence, read = [np.zeros((0, len(EVIDENCE), width))], [rows[:0]]
    parts = _part_of(asked.articles[fitted], seed)
    for part in np.unique(parts).tolist():
        others = data.rows[_part_of(data.articles[data.rows], seed) != part]
        mine = fitted[parts == part]
        rest = rows[_part_of(asked.articles[rows], seed) != part]
        if not len(rest):  # there is one article
            continue
        evidence.append(np.stack([*_evidence(asked, mine, rest, data, data.counted(others))]))
        read.append(mine)
    all_evidence, all_read = np.concatenate(evidence), np.concatenate(read)
    weights = fit_weights(all_evidence, asked.answers[all_read])
    losses = []
    if len(all_read):
        logs = _log_softmax(np.einsum("f,qfw->qw", weights, all_evidence))
        losses = [float(-logs[np.arange(len(all_read)), asked.answers[all_read]].mean())]
    kept = weights.astype(np.float32)
    return ReaderWeights({"weights": kept}, losses, 0 if losses else -1, len(rows), len(all_read), 0)


def context_log_probabilities(
    weights: npt.NDArray[np.float32], asked: Questions, rows: Ints, others: Ints, data: ContextData
) -> Iterator[tuple[Ints, Floats]]:
    """Yield questions, many at a time, and the natural log probabilities of words or options.

    Args:
        weights: of `train_context`.
        asked: questions of all folds.
        rows: those to predict.
        others: those that the weights were fitted on, or might have been.
        data: with which they were fitted.
    """
    counts, exact = data.counted(data.rows), weights.astype(np.float64)
    width = len(data.numbers) if asked.options is None else asked.options.shape[1]
    size = max(_TOGETHER // max(width, 1), 1)
    for start in range(0, len(rows), size):
        chunk = rows[start : start + size]
        scores = [exact @ found for found in _evidence(asked, chunk, others, data, counts)]
        yield chunk, _log_softmax(np.stack(scores))


def _part_of(articles: npt.NDArray[np.uint64], seed: int) -> Ints:
    return fold_of(articles, _PARTS, seed=seed, label="cloze/context")


def _evidence(asked: Questions, rows: Ints, others: Ints, data: ContextData, counts: ContextCounts) -> Iterator[Floats]:
    """Yield the evidence of questions `rows`, other questions' answers among it."""
    if asked.options is None:
        known = asked.answers[others]
        answered = np.bincount(known[known >= 0], minlength=len(data.numbers))
        for row in rows.tolist():
            yield counts.evidence(asked, row, answered)
    else:
        places = np.zeros(data.words, np.int64)
        places[data.numbers] = np.arange(len(data.numbers))
        for row in rows.tolist():
            yield counts.evidence(asked, row, None, places[asked.options[row]])


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))
