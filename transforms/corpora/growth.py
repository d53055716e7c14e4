"""How a vocabulary grows with the text read: distinct words, counted in bounded memory.

The estimate is of the k smallest of the words' 64-bit hashes (Bar-Yossef et al. 2002, "Counting
distinct elements in a data stream", algorithm 2; Beyer et al. 2007 for the unbiased form). With at
most k distinct words it is their number; above, its standard error is about 1 / sqrt(k - 2).
"""

from heapq import heapify, heappushpop
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.draws.by_content import content_hashes
from transforms.corpora.totals import sentence_lengths

__all__ = ["SMALLEST", "Distinct", "Growth", "Point"]

SMALLEST = 1 << 16  # hashes kept: a standard error of 0.4 %
_LETTER = r"\pL"


class Distinct:
    """An estimate of how many distinct words were added."""

    def __init__(self, smallest: int = SMALLEST) -> None:
        self._most = smallest
        self._kept: set[int] = set()
        self._heap: list[int] = []  # the kept hashes, negative: the largest one is on top

    def add(self, words: list[str]) -> None:
        """Add words; it does not matter how often, or in which order."""
        for number in content_hashes(words).tolist():
            if number in self._kept:
                continue
            if len(self._kept) < self._most:
                self._kept.add(number)
                self._heap.append(-number)
                if len(self._kept) == self._most:
                    heapify(self._heap)
            elif number < -self._heap[0]:
                self._kept.add(number)
                self._kept.remove(-heappushpop(self._heap, -number))

    def number(self) -> int:
        """Return the estimate; it is exact as long as there are fewer words than hashes kept."""
        if len(self._kept) < self._most:
            return len(self._kept)
        return round((self._most - 1) * (1 << 64) / -self._heap[0])


class Point(NamedTuple):
    """A point of the curve: tokens read, and distinct words among them."""

    tokens: int
    unit: str
    words: int


class Growth:
    """The curve, from sentences added in order, with a point after every `step` of them.

    Words are tokens with a letter, told apart by case; forms and lemmas have a curve each.
    """

    def __init__(self, step: int) -> None:
        self._step = max(step, 1)
        self._due = self._step
        self._tokens = 0
        self._distinct = {"forms": Distinct(), "lemmas": Distinct()}
        self.points: list[Point] = []

    def add(self, rows: pa.Table) -> None:
        """Add sentences: columns `forms` and `lemmas`."""
        start = 0
        while start < rows.num_rows:
            piece = rows.slice(start, self._due)
            for unit, distinct in self._distinct.items():
                distinct.add(_words(piece[unit]))
            self._tokens += pc.sum(sentence_lengths(piece)).as_py() or 0
            start += piece.num_rows
            self._due -= piece.num_rows
            if not self._due:
                self.end()

    def end(self) -> None:
        """Add the point of what was read since the last one."""
        if self._due < self._step or not self.points:
            for unit, distinct in self._distinct.items():
                if number := distinct.number():
                    self.points.append(Point(self._tokens, unit, number))
        self._due = self._step


def _words(lists: pa.ChunkedArray) -> list[str]:
    found = pc.unique(pc.list_flatten(lists))
    kept = found.filter(pc.fill_null(pc.match_substring_regex(found, _LETTER), False))
    return kept.to_pylist()
