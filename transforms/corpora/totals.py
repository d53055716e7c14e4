"""A corpus in numbers: documents and tokens by year, genre and source, largest documents, vocabulary growth.

Tokens are all tokens of the annotation, punctuation included. Tables are read row group by row group;
memory grows with the distinct years, genres and sources and with the documents of one part, never
with the text.

How many distinct words there are is estimated from the k smallest of their 64-bit hashes (Bar-Yossef et al. 2002,
"Counting distinct elements in a data stream", algorithm 2; Beyer et al. 2007 for the unbiased form). Up to k distinct
words are counted exactly; above that, the standard error is about 1 / sqrt(k - 2).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappushpop, nsmallest
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.names import file_of

DOCUMENT_COLUMNS = ["document_id", "source", "year", "genre", "author", "title"]
LARGEST = 20
_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000)


class DocumentTotals(NamedTuple):
    """A row of `documents` without its text, and its tokens."""

    document_id: str
    source: str
    year: int | None
    genre: str | None
    author: str | None
    title: str | None
    tokens: int


class Sums(NamedTuple):
    """How many documents, and their tokens."""

    documents: int
    tokens: int


@dataclass
class Totals:
    """Sums over documents, added one table at a time."""

    documents: Counter[tuple[int | None, str | None]] = field(default_factory=Counter)
    tokens: Counter[tuple[int | None, str | None]] = field(default_factory=Counter)
    source_documents: Counter[str] = field(default_factory=Counter)
    source_tokens: Counter[str] = field(default_factory=Counter)
    largest: list[DocumentTotals] = field(default_factory=list)

    def add(self, rows: pa.Table, tokens: Mapping[str, int]) -> None:
        """Add documents (`DOCUMENT_COLUMNS`) with their tokens by id; one without has none."""
        documents = list(_documents(rows, tokens))
        for document in documents:
            key = (document.year, document.genre)
            source = file_of(document.source)  # a member counts for its archive
            self.documents[key] += 1
            self.tokens[key] += document.tokens
            self.source_documents[source] += 1
            self.source_tokens[source] += document.tokens
        self.largest = nsmallest(LARGEST, chain(self.largest, documents), key=_by_size)

    def of_genre(self, genre: str | None) -> Sums:
        """Return the sums of a genre, over all years."""
        keys = [key for key in self.documents if key[1] == genre]
        return Sums(sum(self.documents[k] for k in keys), sum(self.tokens[k] for k in keys))

    def undated(self) -> Sums:
        """Return the sums of the documents without a year."""
        keys = [key for key in self.documents if key[0] is None]
        return Sums(sum(self.documents[k] for k in keys), sum(self.tokens[k] for k in keys))

    def genres(self) -> list[str | None]:
        """Return the genres, the one with the most tokens first, None among them."""
        sizes: Counter[str | None] = Counter()
        for (_, genre), tokens in self.tokens.items():
            sizes[genre] += tokens
        return sorted(sizes, key=lambda genre: (-sizes[genre], genre is None, genre or ""))

    def years(self) -> tuple[int, int] | None:
        """Return the first and the last year; None if no document has one."""
        known = [year for year, _ in self.documents if year is not None]
        return (min(known), max(known)) if known else None


def _by_size(document: DocumentTotals) -> tuple[int, str]:
    return -document.tokens, document.document_id


def _documents(rows: pa.Table, tokens: Mapping[str, int]) -> Iterator[DocumentTotals]:
    for row in rows.select(DOCUMENT_COLUMNS).to_pylist():
        yield DocumentTotals(**row, tokens=tokens.get(row["document_id"], 0))


def sentence_lengths(rows: pa.Table) -> pa.Array:
    """Return the tokens of each sentence, of its forms, or of its lemmas where it has no forms."""
    lengths = [pc.list_value_length(rows[name]) for name in ("forms", "lemmas")]
    return pc.fill_null(pc.coalesce(*lengths), 0)


def tokens_by_document(rows: pa.Table, into: Counter[str]) -> None:
    """Add the tokens of sentences to those of their documents, by document_id."""
    lengths = pa.table({"document": rows["document_id"], "tokens": sentence_lengths(rows)})
    sums = lengths.group_by("document", use_threads=False).aggregate([("tokens", "sum")])
    into.update(dict(zip(*(sums[name].to_pylist() for name in sums.column_names), strict=True)))


def bin_width(first: int, last: int, most: int = 40) -> int:
    """Return the smallest round number of years in whose multiples `most` bins hold a span.

    >>> bin_width(1790, 2024), bin_width(1990, 1999)
    (10, 1)
    """
    for width in _WIDTHS:
        if last // width - first // width < most:
            return width
    return -(-(last - first + 1) // most)


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
        """Return the estimate, which is exact while there are fewer words than hashes held."""
        if len(self._kept) < self._most:
            return len(self._kept)
        return round((self._most - 1) * (1 << 64) / -self._heap[0])


class Point(NamedTuple):
    """A point of the curve: tokens read, and distinct words among them."""

    tokens: int
    unit: str
    words: int


class Growth:
    """The curve of vocabulary growth: a point after every `step` sentences, added in order.

    Words are tokens with a letter, distinguished by case; forms and lemmas have a curve each.
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
    tokens = pc.unique(pc.list_flatten(lists))
    words = tokens.filter(pc.fill_null(pc.match_substring_regex(tokens, _LETTER), False))
    return list(words.to_pylist())
