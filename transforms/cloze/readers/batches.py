"""Batches of questions as readers take them: which questions an epoch has, and their texts.

Questions and further questions are numbered one behind the other: a row from `len(answers)` of the
questions on is a further one. Of a further question in a passage, the words that serve as its
summary are left out of the passage.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.readers.options import (
    PADDING,
    PLACEHOLDER,
    Further,
    NumberLists,
    Questions,
    ReaderNetworkOptions,
)
from lexbeam.transforms.common.draws.by_content import numbers, permutation

if TYPE_CHECKING:
    import torch

    from lexbeam.transforms.cloze.readers.networks import PaddedTexts, QuestionBatch

_POOL = 16  # batches whose questions are put in the order of their texts' lengths
_TOGETHER = 64  # questions that are predicted at once
_EVEN = 16  # states of so many numbers, or a multiple, are worked on alike wherever they stand
_STEP = 32  # texts are as wide as a multiple of it
_HELD = 1 << 22  # log probabilities held at once

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.int32]


class EpochQuestions:
    """Questions, and further ones behind them.

    Attributes:
        answers: the answer of each row among the candidate words, int64.
        keys: hash of each row, uint64.
        articles: hash of its article, uint64.
        first: the first row of a further question.
        options: how many options a question has; 0: it has none.
    """

    def __init__(self, questions: Questions, further: Further | None = None) -> None:
        self._questions = questions
        self._further = further
        self.first = len(questions.answers)
        self.options = 0 if questions.options is None else questions.options.shape[1]
        self.answers, self.keys, self.articles = (
            getattr(questions, name)
            if further is None
            else np.concatenate([getattr(questions, name), getattr(further, name)])
            for name in ("answers", "keys", "articles")
        )

    def by_key(self, rows: Ints) -> Ints:
        """Return rows in the order of their keys."""
        return rows[np.argsort(self.keys[rows], kind="stable")]

    def lengths(self, most: int) -> Ints:
        """Return by row how long its passage, cut at `most` words, and then its summary is."""
        questions = self._questions
        sizes = np.diff(questions.passages.bounds)
        passage, summary = sizes[questions.passage], np.diff(questions.summaries.bounds)
        if self._further is not None:
            more = self._further
            size = more.stops - more.starts
            passage = np.concatenate([passage, sizes[more.pair] - size * more.in_passage])
            summary = np.concatenate([summary, size])
        # Of passages as long as each other, which are many once they are cut, summaries decide.
        return np.minimum(passage, most) * (int(summary.max(initial=0)) + 1) + summary

    def widths(self, rows: Ints, most: int) -> tuple[Ints, Ints]:
        """Return how wide passages, cut at `most` words, and summaries are in even batches."""
        questions = self._questions
        sizes = np.diff(questions.passages.bounds)[questions.passage[rows]], np.diff(questions.summaries.bounds)[rows]
        passages, summaries = (-(-np.maximum(size, 1) // _STEP) * _STEP for size in sizes)
        return np.minimum(passages, most), summaries

    def texts(self, row: int, most: int) -> tuple[Words, Words, int]:
        """Return the passage of a row, cut at `most` words, its summary and the word's place."""
        questions = self._questions
        if row < self.first or self._further is None:
            passage = _text(questions.passages, int(questions.passage[row]))
            return passage[:most], _text(questions.summaries, row), int(questions.places[row])
        more, row = self._further, row - self.first
        pair, place = int(more.pair[row]), int(more.places[row])
        start, stop = int(more.starts[row]), int(more.stops[row])
        passage = _text(questions.passages, pair)
        if more.in_passage[row]:
            summary = passage[start:stop].copy()
            passage = np.concatenate([passage[:start], passage[stop : stop + most]])
        else:
            summary = _text(more.texts, pair)[start:stop].copy()
        summary[place] = PLACEHOLDER
        return passage[:most], summary, place

    def batch(self, rows: Ints, most: int, *, even: bool = False) -> "QuestionBatch":
        """Return what a network takes; needs torch.

        Args:
            rows: questions.
            most: words of a passage.
            even: whether the width of a text is a multiple of 32, or of passages `most`, and not
                that of the longest.
        """
        from lexbeam.transforms.cloze.readers.networks import QuestionBatch

        passages, summaries, places = zip(*[self.texts(row, most) for row in rows.tolist()], strict=True)
        options = self._questions.options
        return QuestionBatch(
            _padded(passages, _STEP if even else 1, most),
            _padded(summaries, _STEP if even else 1),
            tensor(np.array(places, np.int64)),
            None if options is None else tensor(options[rows]),
        )


def epoch_of(
    asked: EpochQuestions, rows: Ints, further: Ints, options: ReaderNetworkOptions, *, seed: int, epoch: int
) -> Iterator[Ints]:
    """Yield the batches of an epoch: in random order, of texts of about the same length.

    Args:
        asked: all questions.
        rows: questions to train on.
        further: further questions; of these `further_each` for each question are drawn.
        options: hyperparameters.
        seed: of the draws.
        epoch: each has others.
    """
    label = f"cloze/epoch {epoch}"
    most = round(options.further_each * len(rows))
    drawn = permutation(asked.keys[further], seed=seed, label=f"cloze/further {epoch}")[:most]
    rows = np.concatenate([rows, further[drawn]])
    order = rows[permutation(asked.keys[rows], seed=seed, label=label)]
    lengths = asked.lengths(options.passage_tokens)
    pool = options.batch * _POOL
    for start in range(0, len(order), pool):
        pooled = order[start : start + pool]
        pooled = pooled[np.argsort(lengths[pooled], kind="stable")]
        batches = [pooled[at : at + options.batch] for at in range(0, len(pooled), options.batch)]
        firsts = asked.keys[[batch[0] for batch in batches]]
        for place in np.argsort(numbers(firsts, seed=seed, label=label), kind="stable").tolist():
            yield batches[place]


def alike(
    asked: EpochQuestions, rows: Ints, options: ReaderNetworkOptions, scores: int
) -> Iterator[tuple[Ints, list[Ints]]]:
    """Yield questions as they are predicted, so that what is predicted of one depends on no other.

    They go through the network 64 at a time, always as many, with texts of a width that each
    question decides by itself: in such a batch its place does not matter. Where `hidden` is no
    multiple of 16 it would matter, and each goes by itself, which takes some twelve times as long.

    Args:
        asked: all questions.
        rows: those that are predicted.
        options: hyperparameters.
        scores: of each question.

    Yields:
        Some of `rows`, in their order, and batches of places among these: the last place of a
        batch is repeated until it is full.
    """
    together = 1 if options.hidden % _EVEN else _TOGETHER
    size = max(_HELD // max(scores, 1), together)
    for start in range(0, len(rows), size):
        chunk = rows[start : start + size]
        widths = asked.widths(chunk, options.passage_tokens)
        order = np.lexsort(widths)
        cuts = np.flatnonzero(np.diff(np.stack(widths)[:, order]).any(axis=0)) + 1
        yield (
            chunk,
            [
                np.pad(places[at : at + together], (0, max(0, at + together - len(places))), mode="edge")
                for places in np.split(order, cuts)
                for at in range(0, len(places), together)
            ],
        )


def texts_of(lists: NumberLists, rows: Ints) -> "PaddedTexts":
    """Return texts side by side; needs torch."""
    return _padded([_text(lists, row) for row in rows.tolist()])


def tensor(values: npt.NDArray[Any]) -> "torch.Tensor":
    """Return an array as torch has it."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))


def _text(lists: NumberLists, row: int) -> Words:
    text: Words = lists.values[lists.bounds[row] : lists.bounds[row + 1]]
    return text


def _padded(texts: Sequence[Words], step: int = 1, most: int | None = None) -> "PaddedTexts":
    from lexbeam.transforms.cloze.readers.networks import PaddedTexts

    lengths = np.array([max(len(text), 1) for text in texts], np.int64)
    width = -(-int(lengths.max(initial=1)) // step) * step
    words = np.full((len(texts), width if most is None else min(width, most)), PADDING, np.int64)
    for row, text in enumerate(texts):
        words[row, : len(text)] = text
    return PaddedTexts(tensor(words), tensor(lengths))
