"""What a report shows of a corpus: sizes over time, by genre and source, rejects, vocabulary."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.schemas.common_tables import REASONS, REMEDIES
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.corpora.totals import (
    DOCUMENT_COLUMNS,
    SMALLEST,
    Growth,
    Point,
    Totals,
    bin_width,
    tokens_by_document,
)
from lexbeam.transforms.report.charts import COLOURS, bars_across, bars_over_time, lines
from lexbeam.transforms.report.panels import Chart, Note, Panel, Rows

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


def _largest(totals: Totals) -> list[Panel]:
    if not totals.largest:
        return []
    all_tokens = sum(totals.tokens.values())
    largest = totals.largest
    table = pa.table(
        [
            [document.title for document in largest],
            [document.author for document in largest],
            [document.year for document in largest],
            [document.genre for document in largest],
            [document.source for document in largest],
            [document.tokens for document in largest],
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
