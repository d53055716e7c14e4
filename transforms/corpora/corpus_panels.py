"""A corpus in numbers, and what a report shows of it: sizes over time, by genre and source, rejects, vocabulary.

Tokens are all tokens of the annotation, punctuation included. Tables are read row group by row group; memory grows with
the distinct years, genres and sources and with the documents of one part, never with the text.

How many distinct words there are is estimated from the k smallest of their 64-bit hashes (Bar-Yossef et al. 2002,
"Counting distinct elements in a data stream", algorithm 2; Beyer et al. 2007 for the unbiased form). Up to k distinct
words are counted exactly; above that, the standard error is about 1 / sqrt(k - 2).

As text, a corpus over time is a bar of tokens for each decade that has documents:

>>> for line in histogram({1811: 2, 1819: 1, 1820: 1}, {1811: 300, 1819: 100, 1820: 200}, bar=4):
...     print(line)
tokens per decade, documents in brackets
  1810 to 1819  ####  400 (3)
  1820 to 1829  ##    200 (1)
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappushpop, nsmallest
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.common_tables import REASONS, REMEDIES
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.names import file_of
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.report.charts import COLOURS, bars_across, bars_over_time, lines
from lexbeam.transforms.report.panels import Chart, Note, Panel, Rows

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
        self.largest = nsmallest(
            LARGEST, chain(self.largest, documents), key=lambda document: (-document.tokens, document.document_id)
        )

    def of_genre(self, genre: str | None) -> Sums:
        """Return the sums of a genre, over all years."""
        return self._of([key for key in self.documents if key[1] == genre])

    def undated(self) -> Sums:
        """Return the sums of the documents without a year."""
        return self._of([key for key in self.documents if key[0] is None])

    def _of(self, keys: Sequence[tuple[int | None, str | None]]) -> Sums:
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


MOST_LINES = 30
BAR = 40  # characters of the longest bar
_UNITS = {10: "decade", 100: "century"}


class Span(NamedTuple):
    """Years, both ends included, with the documents and tokens that they have."""

    first: int
    last: int
    documents: int
    tokens: int


def spans(documents: Mapping[int, int], tokens: Mapping[int, int], most: int = MOST_LINES) -> list[Span]:
    """Return the decades that have documents, in order; if there are many, centuries or longer spans.

    Spans begin at multiples of their width, rounded down before year 0 as well.

    Args:
        most: the most spans; if there are more, spans become ten times as long, as often as needed.
    """
    width = 10
    while len({year // width for year in documents}) > most:
        width *= 10
    sums: dict[int, list[int]] = {}
    for year in sorted(documents):
        total = sums.setdefault(year // width * width, [0, 0])
        total[0] += documents[year]
        total[1] += tokens.get(year, 0)
    return [Span(start, start + width - 1, *total) for start, total in sums.items()]


def histogram(documents: Mapping[int, int], tokens: Mapping[int, int], *, bar: int = BAR) -> Iterator[str]:
    """Yield a heading and a line for each of the `spans`; nothing if no document has a year.

    Bars are proportional to tokens: at most `bar` characters, and at least one if there are tokens.
    """
    bars = spans(documents, tokens)
    if not bars:
        return
    most = max(span.tokens for span in bars)
    width = bars[0].last - bars[0].first + 1
    unit = _UNITS.get(width, f"{width} years")
    years = max(len(str(year)) for span in bars for year in span[:2])
    digits = len(f"{most:,}")
    yield f"tokens per {unit}, documents in brackets"
    for span in bars:
        length = max(1, round(bar * span.tokens / most)) if span.tokens else 0
        yield (
            f"  {span.first:>{years}} to {span.last:>{years}}  {'#' * length:{bar}}  "
            f"{span.tokens:>{digits},} ({span.documents:,})"
        )


SOURCES = 20
GENRES = 1_000
POINTS = 100

_DOCUMENTS = column("documents", pa.int64(), "documents taken in")
_TOKENS = column("tokens", pa.int64(), "tokens, punctuation included")
_SHARE = column("share", pa.float64(), "share of all tokens", unit="%")


def panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of section `corpus`.

    Raises:
        LexbeamError: no corpus is published there, or the extra `report` is not installed.
    """
    section = snapshot.section("corpus")
    totals, growth = _read(snapshot)
    shown: list[Panel] = [_overview(section)]
    shown += _over_time(totals)
    shown += _genres(totals)
    shown += _sources(totals)
    shown.append(_rejects(snapshot, section))
    shown += _growth(growth)
    shown += _largest(totals)
    return shown


def _read(snapshot: Snapshot) -> tuple[Totals, list[Point]]:
    rows = sum(part.rows for part in snapshot.parts("sentences"))
    totals, growth = Totals(), Growth(-(-rows // POINTS))
    for documents, sentences in _parts(snapshot):
        tokens: Counter[str] = Counter()
        for table in read_rows(sentences, ["document_id", "forms", "lemmas"]):
            tokens_by_document(table, tokens)
            growth.add(table)
        for table in read_rows(documents, DOCUMENT_COLUMNS):
            totals.add(table, tokens)
    growth.end()
    return totals, growth.points


def _parts(snapshot: Snapshot) -> Iterator[tuple[list[str], list[str]]]:
    """Yield paths of documents and of their sentences: part by part, as they are made."""
    documents, sentences = ([part.path for part in snapshot.parts(table)] for table in ("documents", "sentences"))
    if len(documents) != len(sentences):
        yield documents, sentences
        return
    for document_path, sentence_path in zip(documents, sentences, strict=True):
        yield [document_path], [sentence_path]


def _overview(section: dict[str, Any]) -> Note:
    years = [int(year) for year in section["documents_by_year"]]
    span = f", from {min(years)} to {max(years)}" if years else ""
    return Note(
        "Overview",
        f"{section['records']:,} input records: {section['documents']:,} documents and "
        f"{section['rejected']:,} left out. The documents have {section['sentences']:,} sentences "
        f"and {section['tokens']:,} tokens{span}, annotated by {section['engine']['name']}.",
    )


def _over_time(totals: Totals) -> list[Panel]:
    years = totals.years()
    if years is None:
        return [Note("Over time", "No document has a year, so nothing is shown over time.")]
    width = bin_width(*years)
    rows = _spans(totals, width)
    table = pa.table(
        list(zip(*rows, strict=True)),
        schema=pa.schema(
            [
                column("from", pa.int32(), "first year", unit="year"),
                column("before", pa.int32(), "the year after the last", unit="year"),
                column("genre", pa.string(), "genre as found, the smaller ones together"),
                _DOCUMENTS,
                _TOKENS,
            ]
        ),
    )
    named = len(set(table["genre"].to_pylist())) > 1
    span = "year" if width == 1 else f"{width} years"
    by = ", by genre" if named else ""
    undated = totals.undated()
    rest = f" Not shown: {undated.documents:,} without a year ({undated.tokens:,} tokens)." if undated.documents else ""
    table = table if named else table.drop_columns(["genre"])
    return [
        Chart(
            f"{what.capitalize()} over time",
            f"{unit} per {span}{by}. A document counts for the first year of its date.{rest}",
            bars_over_time("from", "before", what, colour="genre" if named else None),
            table,
        )
        for what, unit in (("tokens", "Tokens, punctuation included,"), ("documents", "Documents"))
    ]


def _spans(totals: Totals, width: int) -> list[tuple[int, int, str, int, int]]:
    """Return start, end (excluded), genre, documents and tokens of every bin that has any."""
    names = _genre_names(totals.genres())
    sums: Counter[tuple[int, str]] = Counter()
    tokens: Counter[tuple[int, str]] = Counter()
    for (year, genre), number in totals.documents.items():
        if year is not None:
            key = (year // width * width, names[genre])
            sums[key] += number
            tokens[key] += totals.tokens[year, genre]
    order = {name: place for place, name in enumerate(dict.fromkeys(names.values()))}
    keys = sorted(sums, key=lambda key: (order[key[1]], key[0]))
    return [(start, start + width, name, sums[start, name], tokens[start, name]) for start, name in keys]


def _genre_names(genres: Sequence[str | None]) -> dict[str | None, str]:
    """Return what each genre is shown as: the largest ones by name, the others together."""
    shown = set(genres if len(genres) <= COLOURS else genres[: COLOURS - 1])
    rest = f"{len(genres) - len(shown)} others"
    return {genre: rest if genre not in shown else "no genre" if genre is None else genre for genre in genres}


def _genres(totals: Totals) -> list[Panel]:
    by_size = totals.genres()
    if by_size in ([], [None]):
        return []
    genres = by_size[:GENRES]
    all_tokens = sum(totals.tokens.values())
    rows = [
        (genre, sums.documents, sums.tokens, _percent(sums.tokens, all_tokens))
        for genre in genres
        for sums in [totals.of_genre(genre)]
    ]
    schema = pa.schema([column("genre", pa.string(), "genre as found"), _DOCUMENTS, _TOKENS, _SHARE])
    return [
        Rows(
            "Genres",
            f"The {len(rows):,} largest of {len(by_size):,} genres by tokens; documents without one "
            "are in the row without a name.",
            pa.table(list(zip(*rows, strict=True)), schema=schema),
        )
    ]


def _sources(totals: Totals) -> list[Panel]:
    sources = totals.source_documents
    if all(number == 1 for number in sources.values()):
        return []  # the largest documents tell the same
    ordered = sorted(sources, key=lambda name: (-totals.source_tokens[name], name))[:SOURCES]
    table = pa.table(
        {
            "source": ordered,
            "documents": [sources[name] for name in ordered],
            "tokens": [totals.source_tokens[name] for name in ordered],
        },
        schema=pa.schema([column("source", pa.string(), "file or archive that it came from"), _DOCUMENTS, _TOKENS]),
    )
    shown = (
        f"The {len(ordered)} largest of {len(sources):,} sources"
        if len(sources) > len(ordered)
        else f"The {len(sources):,} sources"
    )
    text = f"{shown} (files, or archives whole) by tokens, punctuation included."
    return [Chart("Sources", text, bars_across("source", "tokens", number=len(ordered)), table)]


def _rejects(snapshot: Snapshot, section: dict[str, Any]) -> Panel:
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str, str]] = {}
    names = ("reason", "source", "position", "detail")
    for rows in read_rows(snapshot.paths("rejects"), names):
        for reason, *example in zip(*(rows[name].to_pylist() for name in names), strict=True):
            counts[reason] += 1
            source, position, detail = example
            first[reason] = min(first.get(reason, (source, position, detail)), tuple(example))
    if not counts:
        return Note("Rejects", "No input record was left out.")
    reasons = sorted(counts, key=lambda reason: (-counts[reason], reason))
    records = section["records"]
    table = pa.table(
        [
            reasons,
            [counts[reason] for reason in reasons],
            [_percent(counts[reason], records) for reason in reasons],
            [REASONS.get(reason, "") for reason in reasons],
            [REMEDIES.get(reason, "").replace("`", "") for reason in reasons],
            [" ".join(filter(None, first[reason][:2])) for reason in reasons],
            [first[reason][2] for reason in reasons],
        ],
        schema=pa.schema(
            [
                column("reason", pa.string(), "why, from a fixed list"),
                column("records", pa.int64(), "input records left out"),
                column("share", pa.float64(), "share of all input records", unit="%"),
                column("meaning", pa.string(), "what the reason says"),
                column("remedy", pa.string(), "what may help where there are many"),
                column("example", pa.string(), "source and position of the first one"),
                column("detail", pa.string(), "what was wrong with the first one"),
            ]
        ),
    )
    text = f"{sum(counts.values()):,} of {records:,} input records were left out, by reason."
    return Rows("Rejects", text, table)


def _growth(points: Sequence[Point]) -> list[Panel]:
    if not points:
        return []
    schema = pa.schema(
        [
            column("tokens", pa.int64(), "tokens read, punctuation included"),
            column("unit", pa.string(), "forms as written, or lemmas"),
            column("words", pa.int64(), "distinct words with a letter, told apart by case"),
        ]
    )
    return [
        Chart(
            "Vocabulary growth",
            "Distinct words (forms and lemmas with a letter, told apart by case) after so many "
            "tokens, documents in the order of their ids, which is random. Above "
            f"{SMALLEST:,} words it is an estimate from the {SMALLEST:,} smallest of the words' "
            "hashes, with a standard error of 0.4 %.",
            lines("tokens", "words", colour="unit"),
            pa.table(list(zip(*points, strict=True)), schema=schema),
        )
    ]


_ABOUT = ("title", "author", "year", "genre", "source", "tokens")


def _largest(totals: Totals) -> list[Panel]:
    if not totals.largest:
        return []
    all_tokens = sum(totals.tokens.values())
    largest = totals.largest
    table = pa.table(
        [
            *([getattr(document, name) for document in largest] for name in _ABOUT),
            [_percent(document.tokens, all_tokens) for document in largest],
            [document.document_id for document in largest],
        ],
        schema=pa.schema(
            [
                column("title", pa.string(), "title as found"),
                column("author", pa.string(), "author as found"),
                column("year", pa.int32(), "first year of the date", unit="year"),
                column("genre", pa.string(), "genre as found"),
                column("source", pa.string(), "file it came from"),
                _TOKENS,
                _SHARE,
                column("document", pa.string(), "document_id"),
            ]
        ),
    )
    known = [name for name in table.column_names if table[name].null_count < len(largest)]
    text = f"The {len(largest)} documents with the most tokens, punctuation included."
    return [Rows("Largest documents", text, table.select(known))]


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
