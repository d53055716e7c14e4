"""Documents and tokens of a corpus by year, genre and source, and its largest documents.

Tokens are all that the annotation made, punctuation included. Tables are read row group by row
group; what is held grows with the distinct years, genres and sources, and with the documents of one
part, never with the text.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.names import file_of

__all__ = [
    "DOCUMENT_COLUMNS",
    "DocumentTotals",
    "Sums",
    "Totals",
    "bin_width",
    "sentence_lengths",
    "tokens_by_document",
]

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
        found = list(_documents(rows, tokens))
        for document in found:
            key = (document.year, document.genre)
            source = file_of(document.source)  # a member counts for its archive
            self.documents[key] += 1
            self.tokens[key] += document.tokens
            self.source_documents[source] += 1
            self.source_tokens[source] += document.tokens
        self.largest = nsmallest(LARGEST, chain(self.largest, found), key=_by_size)

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
        """Return the first and the last year, None without any."""
        found = [year for year, _ in self.documents if year is not None]
        return (min(found), max(found)) if found else None


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
