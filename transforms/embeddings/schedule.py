"""The jobs of an epoch and their learning rates, as gensim has them (`_job_producer` of its `word2vec.py`)."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

JOB_WORDS = 10_000


class Jobs:
    """Sentences cut into jobs: as many as have 10,000 words together, or a longer one; a job has one learning rate."""

    def __init__(self, *, alpha: float, min_alpha: float, epochs: int, sentences: int) -> None:
        """Begin.

        Args:
            alpha: the learning rate at the start.
            min_alpha: that at the end.
            epochs: passes over the sentences.
            sentences: of an epoch.
        """
        self._alpha = alpha
        self._min_alpha = min_alpha
        self._epochs = epochs
        self._sentences = sentences
        self.begin(0)

    def begin(self, epoch: int) -> None:
        """Begin an epoch."""
        self._epoch = epoch
        self._done = self._inside = self._words = 0

    def sentences_done(self) -> int:
        """Return the number of sentences of the epoch so far."""
        return self._done + self._inside

    def cut(self, lengths: npt.NDArray[np.int64]) -> Iterator[tuple[int, int, float]]:
        """Yield the first of some sentences, the last (not included), and the learning rate; `lengths` are in words."""
        ends = np.cumsum(lengths)
        first, before = 0, 0
        while first < len(ends):
            last = int(np.searchsorted(ends, before + JOB_WORDS - self._words, side="right"))
            if last <= first:  # it does not fit: a job is full
                self._done, self._inside, self._words = self._done + self._inside, 0, 0
                last = int(np.searchsorted(ends, before + JOB_WORDS, side="right"))
                last = max(last, first + 1)
            yield first, last, self._rate()
            self._inside += last - first
            self._words += int(ends[last - 1]) - before
            first, before = last, int(ends[last - 1])

    def _rate(self) -> float:
        progress = (self._epoch + self._done / self._sentences) / self._epochs
        return max(self._min_alpha, self._alpha - (self._alpha - self._min_alpha) * progress)
